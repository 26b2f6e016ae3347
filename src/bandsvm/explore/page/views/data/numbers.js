// Numbers as targets: what the view shows of them.

import { capitalized, percent, short, signed } from "../../parts/format.js";
import { penalty } from "../play/curves.js";
import { fitFigures } from "./figures.js";

const PLACES = [["below", "lower"], ["inside", "muted"], ["above", "upper"]];
const SHAPES = ["triangle", "circle", "square"];
// Where predictions lie, by place: of a model with a tube, and of one with quantiles.
const WHERE = {
  tube: { below: "below the tube", inside: "in the tube", above: "above the tube" },
  quantiles: { below: "all quantiles below the target", inside: "around the target", above: "all quantiles above the target" },
};
const QUANTILE = /^\s*(\d*\.?\d+)\s*$/;

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const known = (values) => values.filter((value) => value !== null);

/** Returns the quantiles that a text lists, or null if it lists none, too many, or anything else. */
export function quantilesOf(text) {
  const parts = text.split(",").map((part) => (QUANTILE.test(part) ? Number(part) : Number.NaN));
  const isFine = parts.every((value) => value > 0 && value < 1) && new Set(parts).size === parts.length && parts.length <= 20;
  return isFine ? parts : null;
}

/** Returns what costs of a tube, or of a quantile q, charge: as `penalty` in curves.js wants it, for prediction minus target. */
export function penaltyOf({ tube, quantiles, costs, parameters }) {
  if (tube === null) {
    const q = quantiles[Math.floor(quantiles.length / 2)];
    return { C1: costs.C * q, C2: costs.C * (1 - q), rho1: 0, rho2: 0, loss: "hinge" };
  }
  const isSquared = parameters.loss.startsWith("squared");
  return { C1: costs.below, C2: costs.above, rho1: -tube[0], rho2: tube[1], loss: isSquared ? "squared_hinge" : "hinge" };
}

function scoreFigures({ scores, n_samples: n, goal }) {
  if (scores === null) return [["Samples", String(n), "without targets"]];
  const errors = [
    ["MAE", short(scores.mae), `mean absolute error${goal === "tube" ? "" : " of the median"}`],
    ["RMSE", short(scores.rmse), "root mean squared error"],
  ];
  if (goal === "tube") return [["R²", scores.r2 === null ? "–" : short(scores.r2), "1 is perfect, 0 no better than the mean"], ...errors];
  const { quantiles } = scores;
  const [low, high] = [Math.min, Math.max].map((pick) => pick(...quantiles.map(({ quantile }) => quantile)));
  const saved = known(quantiles.map(({ d2 }) => d2));
  const of = quantiles.length > 1 ? `mean of ${quantiles.length} quantiles` : `of quantile ${low}`;
  return [
    ["Pinball loss", short(mean(quantiles.map(({ pinball }) => pinball))), of],
    ["D²", saved.length ? short(mean(saved)) : "–", "share of a constant's loss that is saved"],
    ...(scores.coverage === undefined ? [] : [[
      `Between ${low} and ${high}`, percent(scores.coverage), `of the targets; should be ${percent(high - low, 0)}`,
    ], ["Mean width", short(scores.mean_width), `from ${low} to ${high}`]]),
    ...(scores.mae === undefined ? [] : errors.slice(0, 1)),
  ];
}

export const numbers = {
  parameters({ goal, fromSpread, costBelow, costAbove, epsilon, tubeLoss, cost, quantiles }) {
    if (goal === "quantiles") return { quantile: quantilesOf(quantiles) ?? [], ...(fromSpread ? {} : { C: cost }) };
    return { loss: tubeLoss, ...(fromSpread ? {} : { C1: costBelow, C2: costAbove, epsilon }) };
  },
  canSearch: ({ goal }) => goal === "tube",
  chosen: ({ C1, C2, epsilon }) => ({ costBelow: C1, costAbove: C2, epsilon, fromSpread: false }),
  targets: { use: "targets", note: "The column of numbers that the model learns to predict." },
  places: PLACES,
  tabs: ({ overview, has_weights: hasWeights, search }) => [
    "samples", "predictions", ...(overview.has_targets ? ["residuals"] : []),
    ...(overview.goal === "quantiles" && overview.has_targets ? ["quantiles"] : []), "projection",
    ...(overview.goal === "tube" ? ["path"] : []), ...(hasWeights ? ["weights"] : []), ...(search ? ["search"] : []),
  ],
  figures(overview, nTrain) {
    const { positions, goal, n_samples: n } = overview;
    const place = ([word]) => [capitalized(word), String(positions[word]), `${percent(positions[word] / n, 0)}, ${WHERE[goal][word]}`];
    return [...scoreFigures(overview), ...(positions === null ? [] : PLACES.map(place)), ...fitFigures(overview, nTrain)];
  },
  table: {
    canBeWrong: false,
    filters: "text",
    remarks: ({ centre, goal, has_targets: hasTargets }, { sort }) => [
      sort === null ? (hasTargets ? "Sorted by error, the worst first." : "In the order of the file.") : "",
      "Samples are numbered from 1 in the order of the file.",
      hasTargets ? `Residuals are target minus ${centre}: above 0 the prediction is too low.` : "",
      !hasTargets ? "" : goal === "tube" ? "The place says where the prediction lies against the tube of its target." : "The place says whether all quantiles lie below the target, some around it, or all above.",
    ],
  },
  points: {
    shapeOf: ({ position }) => (k) => (position === null ? "circle" : SHAPES[position[k]]),
    flagged: () => [],
    read({ target, prediction, residual, low, high, position, centre }, k) {
      const range = low[k] < high[k] ? `, quantiles from ${short(low[k])} to ${short(high[k])}` : "";
      const said = `${centre} ${short(prediction[k])}${range}`;
      return target === null ? `${said}.` : `target ${short(target[k])}, ${said}, residual ${signed(residual[k])}, ${PLACES[position[k]][0]}.`;
    },
    legend: ({ position }) => (position === null ? [] : PLACES).map(([label, colour], k) => ({
      label, layers: [{ type: "marks", shape: SHAPES[k], size: 4, class: `marks fill-${colour}` }],
    })),
  },
  path: {
    vary: [["epsilon", "along ε"], ["cost", "along the costs"]],
    score: "r2",
    line: "R², in hundredths",
    about: "Fits about 25 models, from a wide tube to none or from small costs to large ones, each from the one before.",
  },
  search: {
    word: "R²",
    score: (value, digits = 2) => (value === null ? "–" : value.toFixed(digits + 1).replace("-", "−")),
    other: ({ C1, epsilon }) => ({
      title: "Best score by C1 and ε", xLabel: "C1, cost below", yLabel: "ε of the tube", xs: C1, ys: epsilon, isShown: () => true,
    }),
    width: ({ epsilon }, k) => `, ε ${short(epsilon[k])}`,
    part: ({ r2, mae, rmse, n_samples: n }) => ({
      sentence: `R² ${short(r2)}, mean absolute error ${short(mae)}, root mean squared error ${short(rmse)} (${n} samples).`,
      more: "", scores: null,
    }),
  },
  model: {
    histogram: "Training samples against the tube",
    predicts: ({ quantiles }) => ["Predicts", quantiles.length ? `quantiles ${quantiles.join(", ")}` : "numbers"],
    facts: ({ tube, costs }) => [
      ...(tube === null ? [] : [["Tube", `${short(tube[0])} below to ${short(tube[1])} above`]]),
      ...(tube === null ? [["C", short(costs.C)]] : [["C1", short(costs.below)], ["C2", short(costs.above)]]),
    ],
    support: () => null,
    penalty(model) {
      const curve = penaltyOf(model);
      const reach = 2 * Math.max(-curve.rho1, curve.rho2) || 1;
      const q = model.quantiles[Math.floor(model.quantiles.length / 2)];
      const axis = `prediction minus target${model.tube === null ? `, quantile ${q}` : ""}`;
      return { axis, from: -reach, to: reach, most: 1.05 * Math.max(penalty(curve, -reach), penalty(curve, reach)) || 1, curve };
    },
  },
};
