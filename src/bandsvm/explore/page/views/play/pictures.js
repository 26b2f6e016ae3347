// Decision values by sample, the penalty curve and the sensitivity curve; with a comparison, both models in each.

import { percent } from "../../parts/format.js";
import { legend } from "../../plots/legend.js";
import { Plot } from "../../plots/plot.js";
import { extent } from "../../plots/scale.js";
import { penalty, placesOnSensitivity, signedValues } from "./curves.js";

const HEIGHT = 250;
const MIN_SHOWN = 0.2; // of the penalty beyond the band, in units of the band's upper edge

/** Returns the plot of g(x) by sample. */
export function createValues(hub, title, name) {
  const plot = new Plot({ title, name, xLabel: "sample", yLabel: "decision value g(x)", height: HEIGHT, hub });
  return {
    element: plot.element,
    plot,
    /** `range` is what both plots of a comparison show. */
    draw({ labels }, { decision, parameters: { rho1, rho2, C2 } }, range) {
      const xs = [...labels.keys()];
      const layers = [{ type: "rule", axis: "y", at: 0, class: "line thin stroke-ink" }];
      for (const sign of [1, -1]) {
        if (C2 > 0) layers.push({ type: "strip", axis: "y", from: sign * rho1, to: sign * rho2, class: "area fill-accent" });
        layers.push({ type: "rule", axis: "y", at: sign * rho1, class: "line thin stroke-accent" });
        if (C2 > 0) layers.push({ type: "rule", axis: "y", at: sign * rho2, class: "line thin dashed stroke-accent" });
        layers.push(marksOf(sign, labels, xs, decision));
      }
      plot.draw({
        x: [-1, xs.length], y: range, layers, points: { xs, ys: decision },
        description: `From ${Math.min(...decision).toFixed(2)} to ${Math.max(...decision).toFixed(2)}.`,
      });
    },
  };
}

/** Returns the plot of the penalty, with the samples on it. */
export function createPenalty(hub) {
  const axes = { xLabel: "signed decision value y g(x)", yLabel: "penalty" };
  const plot = new Plot({ title: "Penalty", name: "penalty", ...axes, height: HEIGHT, hub });
  return {
    element: plot.element,
    plot,
    draw({ labels }, models) {
      const model = models.at(-1);
      const { parameters, decision } = model;
      const signed = signedValues(decision, labels);
      const [low, high] = extent([...extent(signed, 0), 0, parameters.rho2 * (1 + MIN_SHOWN)], 0.05);
      const zs = Float64Array.from({ length: 241 }, (_, k) => low + ((high - low) * k) / 240);
      const curves = models.map(({ parameters: own }) => zs.map((z) => penalty(own, z)));
      const most = Math.max(...curves.map((curve) => Math.max(...curve)), 1e-9);
      const ys = Float64Array.from(signed, (z) => penalty(parameters, z));
      const layers = [{ type: "strip", axis: "x", from: parameters.rho1, to: parameters.rho2, class: "area fill-accent" }];
      layers.push(...curves.map((curve, k) => ({ type: "line", xs: zs, ys: curve, class: lineClass(k, models) })));
      layers.push(...[-1, 1].map((sign) => marksOf(sign, labels, signed, ys)));
      plot.draw({
        x: [low, high], y: [-0.02 * most, 1.05 * most], layers, points: { xs: signed, ys },
        description: `Zero from ${parameters.rho1} to ${parameters.rho2}; C1 is ${parameters.C1}, C2 is ${parameters.C2}.`,
      });
    },
  };
}

/** Returns the plot of the sensitivity curve. */
export function createSensitivity(hub) {
  const axes = { xLabel: "threshold, % of the largest |g(x)|", yLabel: "samples that reach it, %" };
  const plot = new Plot({ title: "Sensitivity", name: "sensitivity", ...axes, height: HEIGHT, hub });
  return {
    element: plot.element,
    plot,
    draw({ labels }, models) {
      const layers = models.map(({ thresholds, reached }, k) => (
        { type: "line", xs: thresholds, ys: reached.map((share) => 100 * share), class: lineClass(k, models) }
      ));
      plot.draw({
        x: [0, 100], y: [0, 102], layers, points: placesOnSensitivity(models.at(-1).decision, labels),
        description: models.map(({ reached }) => `${percent(reached[0])} at 0, ${percent(reached[24])} half way.`).join(" "),
      });
    },
  };
}

/** Returns the marks of the samples of one class. */
function marksOf(sign, labels, xs, ys) {
  const only = [...labels.keys()].filter((k) => Math.sign(labels[k]) === sign);
  const [shape, colour] = sign > 0 ? ["triangle", "positive"] : ["circle", "negative"];
  return { type: "marks", shape, size: 2.5, xs, ys, only, class: `marks fill-${colour}` };
}

/** The model that the sliders move is drawn boldly, the one to compare with is dashed. */
function lineClass(k, models) {
  return k === models.length - 1 ? "line stroke-accent" : "line dashed stroke-muted";
}

/** Returns the legend of the curves of a comparison. */
export function curvesLegend() {
  return legend([
    { label: "C-SVM", layers: [{ type: "line", class: "line dashed stroke-muted" }] },
    { label: "your model", layers: [{ type: "line", class: "line stroke-accent" }] },
  ]);
}
