// The tab of a path: models along C2 or rho2, and a slider over them.

import { button, segments } from "../../parts/controls.js";
import { element, freshId } from "../../parts/elements.js";
import { figures } from "../../parts/figures.js";
import { percent, short } from "../../parts/format.js";
import { legend } from "../../plots/legend.js";
import { createPlot } from "../../plots/plot.js";

const SHARES = [["doubtful", "lower"], ["typical", "muted"], ["extreme", "upper"]];

export function createPathTab(app, ask) {
  const places = createPlot({ title: "Where samples lie", name: "path-places", yLabel: "samples, %", height: 260 });
  const edges = createPlot({ title: "Support vectors", name: "path-support-vectors", yLabel: "support vectors", height: 260 });
  const vary = segments({
    name: "Path along", options: [["C2", "along C2"], ["rho2", "along rho2"]],
    onChange: (name) => { wanted = name; compute(); },
  });
  const id = freshId("path");
  const slider = element("input", { type: "range", id, min: 0, max: 0, step: 1, value: 0 });
  const caption = element("label", { for: id }, "Point of the path");
  const list = element("dl", { class: "figures", "aria-live": "polite" });
  const compute_ = button("Compute the path", () => compute(), { class: "primary" });
  const note = element("p", { class: "note" });
  const remarks = element("ul", { class: "remarks" });
  const body = element(
    "div", { hidden: true },
    element("div", { class: "slider-row" }, caption, slider), list, remarks,
    element("div", { class: "pair" }, element("div", {}, places.element, legend([
      { label: "accuracy", layers: [{ type: "line", class: "line stroke-ink" }] },
      ...SHARES.map(([label, colour]) => ({ label, layers: [{ type: "line", class: `line stroke-${colour}` }] })),
    ])), element("div", {}, edges.element, legend([
      { label: "lower edge", layers: [{ type: "line", class: "line stroke-lower" }] },
      { label: "upper edge", layers: [{ type: "line", class: "line stroke-upper" }] },
    ]))), note,
  );
  let [wanted, last, known] = ["C2", null, null];
  vary.set(wanted);
  slider.addEventListener("input", () => draw(Number(slider.value)));

  async function compute() {
    const answer = await ask("data.path", { vary: wanted }, "data.work", true);
    if (answer) accept(answer.values);
  }

  function accept(values) {
    last = values;
    wanted = last.vary;
    vary.set(wanted);
    body.hidden = false;
    slider.max = String(last.values.length - 1);
    const own = last.values.findIndex((value) => Math.abs(value - last.own) <= 1e-12 * Math.abs(last.own));
    slider.value = String(Math.max(own, 0));
    remarks.replaceChildren(...last.sentences.map((text) => element("li", {}, text)));
    note.textContent = `Accuracy and places are those of ${last.n_samples} ${last.is_held_out ? "held-out" : "training"} samples, support vectors those of the training samples. All other parameters are those of the fit.`;
    draw(Number(slider.value));
  }

  function draw(at) {
    const { vary: name, values, accuracy, n_lower: lower, n_upper: upper, primal, own } = last;
    const xs = [...values.keys()];
    const ticks = spread(values);
    slider.setAttribute("aria-valuetext", `${name} ${short(values[at])}`);
    list.replaceChildren(...figures([
      [name, short(values[at]), values[at] === own ? "as fitted" : `fitted: ${short(own)}`],
      ["Accuracy", percent(accuracy[at]), last.is_held_out ? "held-out samples" : "training samples"],
      ...SHARES.map(([word]) => [word, percent(last[word][at]), ""]),
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
      layers: [rule, ...SHARES.flatMap(([word, colour]) => line(last[word].map((share) => 100 * share), colour)), ...line(accuracy.map((share) => 100 * share), "ink")],
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
    element: element("div", {}, element("div", { class: "row toolbar" }, vary.element, compute_), element("p", { class: "note" }, "Fits about 25 models, from the C-SVM to a narrow band, each from the one before."), body),
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
function spread(values) {
  const step = Math.max(1, Math.ceil((values.length - 1) / 5));
  const ticks = [];
  const last = values.length - 1;
  for (let k = 0; k <= last - step / 2; k += step) ticks.push([k, short(values[k], 2)]);
  ticks.push([last, short(values[last], 2)]);
  return ticks;
}
