// The tab of residuals: over predictions, and how they are distributed, against the tube.

import { element } from "../../parts/elements.js";
import { createHub } from "../../parts/hub.js";
import { legend } from "../../plots/legend.js";
import { Plot } from "../../plots/plot.js";
import { extent } from "../../plots/scale.js";
import { numbers } from "./numbers.js";
import { IDLE, drawnWords, legendOf, placeLayers } from "./projection.js";
import { outlineOf } from "./values.js";

const LABEL = "residual, target minus prediction";

export function createResidualsTab(ask) {
  const hub = createHub();
  const plot = new Plot({ title: "Residuals over predictions", name: "residuals", yLabel: LABEL, height: 380, hub, isCanvas: true });
  const histogram = new Plot({ title: "Residuals", name: "residual-histogram", xLabel: LABEL, yLabel: "samples", height: 380 });
  const key = element("div");
  const readout = element("p", { class: "note readout", role: "status" });
  const note = element("p", { class: "note" });
  let last = null;
  hub.onPoint((k) => {
    readout.textContent = last !== null && k !== null ? `Sample ${last.row[k]}: ${numbers.points.read(last, k)}` : IDLE;
  });

  function draw(values) {
    const { prediction, residual, tube, edges, counts, centre } = values;
    const points = { xs: prediction, ys: residual };
    plot.xLabel = centre;
    plot.draw({
      x: extent(prediction), y: extent([...residual, ...insideTube(tube)]), points,
      layers: [
        ...tubeLayers(tube, "y"),
        { type: "rule", axis: "y", at: 0, class: "line thin dashed stroke-muted" },
        ...placeLayers(numbers, { ...values, ...points }, [...residual.keys()], 3.5),
      ],
      description: `${residual.length} samples.`,
    });
    const outline = outlineOf(edges, counts);
    histogram.draw({
      x: extent([...edges, ...insideTube(tube)], 0.03), y: [0, 1.06 * Math.max(1, ...counts)],
      layers: [
        ...tubeLayers(tube, "x"),
        { type: "line", ...outline, class: "area solid fill-negative" }, { type: "line", ...outline, class: "line thin stroke-negative" },
      ],
      description: `${counts.reduce((sum, count) => sum + count, 0)} samples.`,
    });
    key.replaceChildren(legend([...numbers.points.legend(values), ...(tube === null ? [] : [legendOf.tube])]));
    hub.point(null);
    readout.textContent = IDLE;
  }

  return {
    name: "residuals",
    title: "Residuals",
    element: element("div", {}, element("div", { class: "pair" }, plot.element, histogram.element), key, readout, note),
    async show(_result, part) {
      const answer = await ask("data.view", { view: "errors", part }, "data.residuals");
      if (!answer || answer.values.target === null) return;
      last = answer.values;
      draw(last);
      note.textContent = [`Above 0 the ${last.centre} is too low.`, drawnWords(last)].filter(Boolean).join(" ");
    },
  };
}

/** Returns the ends of the residuals whose prediction lies in the tube; none without a tube. */
export function insideTube(tube) {
  return tube === null ? [] : [-tube[1], tube[0]];
}

function tubeLayers(tube, axis) {
  if (tube === null) return [];
  const [from, to] = insideTube(tube);
  return [
    { type: "strip", axis, from, to, class: "area fill-accent" },
    ...[from, to].map((at) => ({ type: "rule", axis, at, class: "line thin stroke-accent" })),
  ];
}
