// The tab of a path: models along C2 or rho2, and a slider over them.

import { button, placeSlider, segments } from "../../parts/controls.js";
import { element } from "../../parts/elements.js";
import { percent, short } from "../../parts/format.js";
import { figures, items } from "../../parts/lists.js";
import { legend } from "../../plots/legend.js";
import { Plot } from "../../plots/plot.js";
import { classes } from "./classes.js";

export function createPathTab(ask) {
  const places = new Plot({ title: "Where samples lie", name: "path-places", yLabel: "samples, %", height: 260 });
  const edges = new Plot({ title: "Support vectors", name: "path-support-vectors", yLabel: "support vectors", height: 260 });
  const vary = segments({
    name: "Path along", options: [["C2", "along C2"], ["rho2", "along rho2"]],
    onChange: (name) => { wanted = name; compute(); },
  });
  const slider = placeSlider("Point of the path", draw);
  const list = element("dl", { class: "figures", "aria-live": "polite" });
  const computeButton = button("Compute the path", () => compute(), { class: "primary" });
  const note = element("p", { class: "note" });
  const remarks = element("ul", { class: "remarks" });
  const body = element(
    "div", { hidden: true },
    slider.element, list, remarks,
    element("div", { class: "pair" }, element("div", {}, places.element, legend([
      { label: "accuracy", layers: [{ type: "line", class: "line stroke-ink" }] },
      ...classes.places.map(([label, colour]) => ({ label, layers: [{ type: "line", class: `line stroke-${colour}` }] })),
    ])), element("div", {}, edges.element, legend([
      { label: "lower edge", layers: [{ type: "line", class: "line stroke-lower" }] },
      { label: "upper edge", layers: [{ type: "line", class: "line stroke-upper" }] },
    ]))), note,
  );
  let [wanted, last, known] = ["C2", null, null];
  vary.set(wanted);

  async function compute() {
    const answer = await ask("data.path", { vary: wanted }, "data.work", true);
    if (answer) accept(answer.values);
  }

  function accept(values) {
    last = values;
    wanted = last.vary;
    vary.set(wanted);
    body.hidden = false;
    const own = last.values.findIndex((value) => Math.abs(value - last.own) <= 1e-12 * Math.abs(last.own));
    slider.set(last.values.length, Math.max(own, 0));
    remarks.replaceChildren(...items(last.sentences));
    note.textContent = `Accuracy and places are those of ${last.n_samples} ${last.is_held_out ? "held-out" : "training"} samples, support vectors those of the training samples. All other parameters are those of the fit.`;
    draw(Math.max(own, 0));
  }

  function draw(at) {
    const { vary: name, values, accuracy, n_lower: lower, n_upper: upper, primal, own } = last;
    const xs = [...values.keys()];
    const ticks = spread(values);
    slider.describe(`${name} ${short(values[at])}`);
    list.replaceChildren(...figures([
      [name, short(values[at]), values[at] === own ? "as fitted" : `fitted: ${short(own)}`],
      ["Accuracy", percent(accuracy[at]), last.is_held_out ? "held-out samples" : "training samples"],
      ...classes.places.map(([word]) => [word, percent(last[word][at]), ""]),
      ["Objective", short(primal[at], 6), `${lower[at]} + ${upper[at]} support vectors`],
    ]));
    const rule = { type: "rule", axis: "x", at, class: "line thin dashed stroke-muted" };
    const line = (ys, colour) => [
      { type: "line", xs, ys, class: `line stroke-${colour}` },
      { type: "marks", shape: "circle", size: 4, xs, ys, only: [at], class: `marks fill-${colour}` },
    ];
    places.xLabel = edges.xLabel = name;
    places.draw({
      x: [0, Math.max(1, values.length - 1)], y: [0, 102], xTicks: ticks,
      layers: [rule, ...classes.places.flatMap(([word, colour]) => line(last[word].map((share) => 100 * share), colour)), ...line(accuracy.map((share) => 100 * share), "ink")],
      description: `At ${name} ${short(values[at])} the accuracy is ${percent(accuracy[at])}.`,
    });
    edges.draw({
      x: [0, Math.max(1, values.length - 1)], y: [0, 1.05 * Math.max(1, ...lower, ...upper)], xTicks: ticks,
      layers: [rule, ...line(lower, "lower"), ...line(upper, "upper")],
      description: `At ${name} ${short(values[at])} there are ${lower[at]} at the lower edge and ${upper[at]} at the upper edge.`,
    });
  }

  return {
    name: "path",
    title: "Path",
    element: element("div", {}, element("div", { class: "row toolbar" }, vary.element, computeButton), element("p", { class: "note" }, "Fits about 25 models, from the C-SVM to a narrow band, each from the one before."), body),
    accept,
    async show(result) {
      if (result === known) return;
      known = result;
      body.hidden = true;
      const kept = result.paths.at(-1); // computed before the page was reloaded
      const answer = kept ? await ask("data.view", { view: "path", vary: kept }, "data.kept-path") : null;
      if (answer && result === known) accept(answer.values);
    },
  };
}

/** Returns ticks at some points of a path, with their values: [place, text]. */
export function spread(values) {
  const step = Math.max(1, Math.ceil((values.length - 1) / 5));
  const ticks = [];
  const last = values.length - 1;
  for (let k = 0; k <= last - step / 2; k += step) ticks.push([k, short(values[k], 2)]);
  ticks.push([last, short(values[last], 2)]);
  return ticks;
}
