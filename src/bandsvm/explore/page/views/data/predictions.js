// The tab of predictions: against targets, with the tube; without targets, how they are distributed.

import { element } from "../../parts/elements.js";
import { createHub } from "../../parts/hub.js";
import { legend } from "../../plots/legend.js";
import { Plot } from "../../plots/plot.js";
import { extent } from "../../plots/scale.js";
import { numbers } from "./numbers.js";
import { IDLE, drawnWords, legendOf, placeLayers } from "./projection.js";
import { outlineOf } from "./values.js";

export function createPredictionsTab(ask) {
  const hub = createHub();
  const plot = new Plot({ title: "Predictions against targets", name: "predictions", height: 420, hub, isCanvas: true });
  const histogram = new Plot({ title: "Predictions", name: "predictions", yLabel: "samples", height: 320 });
  const key = element("div");
  const readout = element("p", { class: "note readout", role: "status" });
  const note = element("p", { class: "note" });
  let last = null;
  hub.onPoint((k) => {
    readout.textContent = last?.target && k !== null ? `Sample ${last.row[k]}: ${numbers.points.read(last, k)}` : IDLE;
  });

  function draw(values) {
    const { target, prediction, low, high, tube, centre } = values;
    const ends = extent([...target, ...prediction, ...low, ...high]);
    const points = { xs: target, ys: prediction };
    const layers = [
      ...(tube === null ? fan(values) : [{ type: "line", ...tubeOutline(extent(target), tube), class: "area fill-accent" }]),
      { type: "line", xs: ends, ys: ends, class: "line thin dashed stroke-muted" },
      ...placeLayers(numbers, { ...values, ...points }, [...target.keys()], 3.5),
    ];
    plot.xLabel = "target";
    plot.yLabel = centre;
    plot.draw({ x: extent(target), y: ends, layers, points, description: `${target.length} samples.` });
    key.replaceChildren(legend([
      ...numbers.points.legend(values), { label: "prediction = target", layers: [{ type: "line", class: "line thin dashed stroke-muted" }] },
      ...(tube === null ? (fan(values).length ? [{ label: "lowest to highest quantile", layers: [{ type: "line", class: "line thin stroke-muted" }] }] : []) : [legendOf.tube]),
    ]));
    hub.point(null);
    readout.textContent = IDLE;
  }

  function drawHistogram({ edges, counts, centre }) {
    const outline = outlineOf(edges, counts);
    histogram.xLabel = centre;
    histogram.draw({
      x: extent(edges, 0.03), y: [0, 1.06 * Math.max(1, ...counts)],
      layers: [{ type: "line", ...outline, class: "area solid fill-accent" }, { type: "line", ...outline, class: "line thin stroke-accent" }],
      description: `${counts.reduce((sum, count) => sum + count, 0)} samples.`,
    });
  }

  return {
    name: "predictions",
    title: "Predictions",
    element: element("div", {}, plot.element, key, readout, histogram.element, note),
    async show(_result, part) {
      const answer = await ask("data.view", { view: "errors", part }, "data.predictions");
      if (!answer) return;
      last = answer.values;
      const hasTargets = last.target !== null;
      plot.element.hidden = key.hidden = readout.hidden = !hasTargets;
      histogram.element.hidden = hasTargets;
      if (hasTargets) draw(last);
      else drawHistogram(last);
      note.textContent = hasTargets ? drawnWords(last) : "The file has no targets to compare predictions with.";
    },
  };
}

/** Returns the outline of the tube around the diagonal: predictions from `below` under their target to `above` over it. */
export function tubeOutline([from, to], [below, above]) {
  return { xs: [from, to, to, from, from], ys: [from - below, to - below, to + above, from + above, from - below] };
}

/** Returns lines from the lowest to the highest quantile of each sample, if there are several. */
export function fan({ target, low, high }) {
  const several = [...target.keys()].filter((k) => low[k] < high[k]);
  if (!several.length) return [];
  const line = { xs: several.flatMap((k) => [target[k], target[k], Number.NaN]), ys: several.flatMap((k) => [low[k], high[k], Number.NaN]) };
  return [{ type: "line", ...line, class: "line thin faint stroke-muted" }];
}
