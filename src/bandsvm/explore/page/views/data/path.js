// The tab of a path: models along a parameter, and a slider over them.

import { button, placeSlider, segments } from "../../parts/controls.js";
import { element } from "../../parts/elements.js";
import { capitalized, percent, short } from "../../parts/format.js";
import { figures, items } from "../../parts/lists.js";
import { legend } from "../../plots/legend.js";
import { Plot } from "../../plots/plot.js";
import { TASKS } from "./tasks.js";

export function createPathTab(ask) {
  const places = new Plot({ title: "Where samples lie", name: "path-places", yLabel: "samples, %", height: 260 });
  const edges = new Plot({ title: "Support vectors", name: "path-support-vectors", yLabel: "support vectors", height: 260 });
  const varyBox = element("div");
  const placesKey = element("div");
  const about = element("p", { class: "note" });
  const slider = placeSlider("Point of the path", draw);
  const list = element("dl", { class: "figures", "aria-live": "polite" });
  const computeButton = button("Compute the path", () => compute(), { class: "primary" });
  const note = element("p", { class: "note" });
  const remarks = element("ul", { class: "remarks" });
  const body = element(
    "div", { hidden: true },
    slider.element, list, remarks,
    element("div", { class: "pair" }, element("div", {}, places.element, placesKey), element("div", {}, edges.element, legend([
      { label: "lower edge", layers: [{ type: "line", class: "line stroke-lower" }] },
      { label: "upper edge", layers: [{ type: "line", class: "line stroke-upper" }] },
    ]))), note,
  );
  let [wanted, last, known, task, vary] = [null, null, null, null, null];

  /** Offers what another task can vary. */
  function setTask(next) {
    task = next;
    vary = segments({ name: "Path along", options: task.path.vary, onChange: (name) => { wanted = name; compute(); } });
    [[wanted]] = task.path.vary;
    vary.set(wanted);
    varyBox.replaceChildren(vary.element);
    about.textContent = task.path.about;
    placesKey.replaceChildren(legend([
      { label: task.path.line, layers: [{ type: "line", class: "line stroke-ink" }] },
      ...task.places.map(([label, colour]) => ({ label, layers: [{ type: "line", class: `line stroke-${colour}` }] })),
    ]));
  }

  async function compute() {
    const answer = await ask("data.path", { vary: wanted }, "data.work", true);
    if (answer) accept(answer.values);
  }

  function accept(values) {
    if (task !== TASKS[values.task]) setTask(TASKS[values.task]);
    last = values;
    wanted = last.vary;
    vary.set(wanted);
    body.hidden = false;
    const own = last.values.findIndex((value) => Math.abs(value - last.own) <= 1e-12 * Math.abs(last.own));
    slider.set(last.values.length, Math.max(own, 0));
    remarks.replaceChildren(...items(last.sentences));
    note.textContent = `${capitalized(task.search.word)} and places are those of ${last.n_samples} ${last.is_held_out ? "held-out" : "training"} samples, support vectors those of the training samples. All other parameters are those of the fit.`;
    draw(Math.max(own, 0));
  }

  function draw(at) {
    const { vary: name, values, n_lower: lower, n_upper: upper, primal, own } = last;
    const score = last[task.path.score];
    const words = task.search.score(score[at]);
    const xs = [...values.keys()];
    const ticks = spread(values);
    slider.describe(`${name} ${short(values[at])}`);
    list.replaceChildren(...figures([
      [name, short(values[at]), values[at] === own ? "as fitted" : `fitted: ${short(own)}`],
      [capitalized(task.search.word), words, last.is_held_out ? "held-out samples" : "training samples"],
      ...task.places.map(([word]) => [word, percent(last[word][at]), ""]),
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
      layers: [rule, ...task.places.flatMap(([word, colour]) => line(last[word].map((share) => 100 * share), colour)), ...line(score.map((share) => 100 * Math.max(share, 0)), "ink")],
      description: `At ${name} ${short(values[at])} ${task.search.word} is ${words}.`,
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
    element: element("div", {}, element("div", { class: "row toolbar" }, varyBox, computeButton), about, body),
    accept,
    async show(result) {
      if (result === known) return;
      known = result;
      if (task !== TASKS[result.task]) setTask(TASKS[result.task]);
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
