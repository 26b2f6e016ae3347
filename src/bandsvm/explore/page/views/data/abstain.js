// The tab on abstaining: a slider over thresholds; confusion matrix, risk and coverage move along.

import { button, placeSlider } from "../../parts/controls.js";
import { element } from "../../parts/elements.js";
import { percent, short } from "../../parts/format.js";
import { figures, tableFrame } from "../../parts/lists.js";
import { Plot } from "../../plots/plot.js";
import { extent, shade } from "../../plots/scale.js";

export function createAbstainTab(ask) {
  const plot = new Plot({ title: "Risk and coverage", name: "risk-coverage", xLabel: "samples that get a prediction, %", yLabel: "wrong among them, %", height: 300 });
  const slider = placeSlider("Abstain on the least confident samples", draw);
  const list = element("dl", { class: "figures", "aria-live": "polite" });
  const atBand = button("Abstain on doubtful samples", () => move(last.band_stop), { class: "small" });
  const none = button("Never abstain", () => move(0), { class: "small" });
  const matrix = element("table", { class: "confusion" });
  const frame = tableFrame("Confusion matrix", matrix);
  const note = element("p", { class: "note" });
  let last = null;

  function move(stop) {
    slider.set(last.threshold.length, stop);
    draw(stop);
  }

  function draw(stop) {
    const { threshold, coverage, risk, confusion, classes, n_samples: n } = last;
    const kept = Math.round(coverage[stop] * n);
    const wrong = Math.round(risk[stop] * kept);
    slider.describe(`below ${short(threshold[stop])}: coverage ${percent(coverage[stop])}, risk ${percent(risk[stop])}`);
    list.replaceChildren(...figures([
      ["Abstain below", stop === 0 ? "never" : short(threshold[stop]), classes.length === 2 ? "size of the decision value" : "lead over the next class"],
      ["Coverage", percent(coverage[stop]), `${kept} of ${n} get a prediction`],
      ["Risk", percent(risk[stop]), `${wrong} of ${kept} are wrong`],
    ]));
    const xs = coverage.map((share) => 100 * share);
    const ys = risk.map((share) => 100 * share);
    plot.draw({
      x: [0, 102], y: [0, Math.max(1, extent(ys, 0.1)[1])],
      layers: [
        { type: "rule", axis: "x", at: xs[stop], class: "line thin dashed stroke-muted" },
        { type: "line", xs, ys, class: "line stroke-accent" },
        { type: "marks", shape: "circle", size: 5, xs, ys, only: [stop], class: "marks fill-accent" },
      ],
      description: `At coverage ${percent(coverage[stop])} the risk is ${percent(risk[stop])}.`,
    });
    frame.hidden = confusion === null;
    if (confusion !== null) matrix.replaceChildren(...matrixRows(classes, confusion[stop], confusion[0]));
  }

  return {
    name: "abstain",
    title: "Abstaining",
    element: element(
      "div", {},
      slider.element,
      element("div", { class: "row" }, none, atBand), list,
      element("div", { class: "pair" }, element("div", {}, element("h3", {}, "Confusion matrix"), frame, note), plot.element),
    ),
    async show(_result, part) {
      const answer = await ask("data.view", { view: "abstention", part }, "data.abstain");
      if (!answer) return;
      last = answer.values;
      atBand.hidden = last.band_stop === null;
      note.textContent = last.confusion === null
        ? `There are ${last.classes.length} classes, too many for a matrix.`
        : "Rows: labels. Columns: predictions.";
      move(0);
    },
  };
}

/** Returns the rows of a confusion matrix; cells are shaded by their share of the row when nothing is left out. */
function matrixRows(classes, counts, all) {
  const head = element(
    "thead", {}, element("tr", {}, element("th", { scope: "col" }, "label"), classes.map((name) => element("th", { scope: "col", class: "number" }, name)), element("th", { scope: "col", class: "number" }, "abstained")),
  );
  const rows = counts.map((row, i) => {
    const total = all[i].reduce((sum, count) => sum + count, 0);
    const left = total - row.reduce((sum, count) => sum + count, 0);
    const cells = row.map((count, j) => element("td", { class: `number ${i === j ? "right" : "wrong"} ${count > 0 ? `heat-${shade(count, 0, total)}` : ""}` }, String(count)));
    return element("tr", {}, element("th", { scope: "row" }, classes[i]), cells, element("td", { class: "number note" }, String(left)));
  });
  return [head, element("tbody", {}, rows)];
}
