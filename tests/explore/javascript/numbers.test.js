import assert from "node:assert/strict";
import { test } from "node:test";
import { numbers, penaltyOf, quantilesOf } from "../../../src/bandsvm/explore/page/views/data/numbers.js";
import { fan, tubeOutline } from "../../../src/bandsvm/explore/page/views/data/predictions.js";
import { insideTube } from "../../../src/bandsvm/explore/page/views/data/residuals.js";
import { DEFAULTS, fitFields, readState, writeState } from "../../../src/bandsvm/explore/page/views/data/state.js";
import { TASKS, taskOf } from "../../../src/bandsvm/explore/page/views/data/tasks.js";
import { penalty } from "../../../src/bandsvm/explore/page/views/play/curves.js";

const REGRESS = { ...DEFAULTS, task: "regress" };
const TUBE = {
  goal: "tube", n_samples: 10, has_targets: true, scores: { r2: 0.5, mae: 2, rmse: 3, inside_tube: 0.3 },
  positions: { below: 2, inside: 3, above: 5 }, certificate: null,
};
const QUANTILES = {
  ...TUBE, goal: "quantiles",
  scores: { quantiles: [{ quantile: 0.9, pinball: 1, d2: 0.4, below: 0.8 }, { quantile: 0.1, pinball: 3, d2: null, below: 0.2 }], coverage: 0.6, mean_width: 4 },
};

test("quantiles are numbers between 0 and 1, each once", () => {
  assert.deepEqual(quantilesOf("0.1, .5,0.9"), [0.1, 0.5, 0.9]);
  for (const text of ["", "0.1,", "0,0.5", "1", "0.5,0.5", "a", "1e-1", "0.5 0.6", Array.from({ length: 21 }, (_, k) => (k + 1) / 100).join()]) {
    assert.equal(quantilesOf(text), null, text);
  }
});

test("a fit asks for a tube or for quantiles", () => {
  const parameters = (changes) => fitFields({ ...REGRESS, kernel: "linear", ...changes }, false).parameters;
  assert.deepEqual(parameters({}), { loss: "epsilon_insensitive", kernel: "linear", fit_intercept: true });
  assert.deepEqual(
    parameters({ fromSpread: false, costBelow: 2, costAbove: 3, epsilon: 0.5 }),
    { loss: "epsilon_insensitive", C1: 2, C2: 3, epsilon: 0.5, kernel: "linear", fit_intercept: true },
  );
  assert.deepEqual(parameters({ goal: "quantiles" }), { quantile: [0.1, 0.5, 0.9], kernel: "linear", fit_intercept: true });
  assert.deepEqual(parameters({ goal: "quantiles", quantiles: "0.25", fromSpread: false, cost: 7 }), { quantile: [0.25], C: 7, kernel: "linear", fit_intercept: true });
  assert.equal(fitFields(REGRESS, false).choices.task, "regress");
});

test("settings of numbers survive the address", () => {
  const state = { ...REGRESS, goal: "quantiles", quantiles: "0.2, 0.8", fromSpread: false, cost: 12, costBelow: 0, epsilon: 2, tubeLoss: "squared_epsilon_insensitive", tab: "residuals" };
  assert.deepEqual(readState(writeState(state)), state);
  assert.deepEqual(readState({ task: "x", goal: "x", cost: "-1", epsilon: "-1", quantiles: "<b>", fromSpread: "1", tubeLoss: "hinge" }), DEFAULTS);
});

test("tabs are those that make sense", () => {
  const tabs = (overview, more = {}) => numbers.tabs({ overview, has_weights: false, search: null, ...more });
  assert.deepEqual(tabs(TUBE), ["samples", "predictions", "residuals", "projection", "path"]);
  assert.deepEqual(tabs(QUANTILES, { has_weights: true }), ["samples", "predictions", "residuals", "quantiles", "projection", "weights"]);
  assert.deepEqual(tabs({ ...QUANTILES, has_targets: false }), ["samples", "predictions", "projection"]);
  const ofClasses = (accuracy, search) => TASKS.classify.tabs({ overview: { accuracy }, has_weights: false, search });
  assert.deepEqual(ofClasses(0.5, {}), ["samples", "projection", "values", "abstain", "path", "search"]);
  assert.ok(!ofClasses(null, null).includes("abstain"));
  assert.equal(taskOf(DEFAULTS), TASKS.classify);
  assert.equal(taskOf(REGRESS), numbers);
  assert.deepEqual([numbers.canSearch(REGRESS), numbers.canSearch({ ...REGRESS, goal: "quantiles" })], [true, false]);
});

test("a search of numbers chooses costs and tube, and is scored by R²", () => {
  assert.deepEqual(numbers.chosen({ C1: 1, C2: 2, epsilon: 3 }), { costBelow: 1, costAbove: 2, epsilon: 3, fromSpread: false });
  const { search } = numbers;
  assert.deepEqual([search.score(0.66351, 2), search.score(-0.5)], ["0.664", "−0.500"]);
  assert.equal(search.width({ epsilon: [0.1, 2] }, 1), ", ε 2");
  assert.equal(search.part({ r2: 0.5, mae: 1, rmse: 2, n_samples: 3 }).sentence, "R² 0.5, mean absolute error 1, root mean squared error 2 (3 samples).");
});

test("figures are those of the tube, or of quantiles", () => {
  const named = (overview) => Object.fromEntries(numbers.figures(overview, 30).map(([name, value, note]) => [name, [value, note]]));
  const tube = named(TUBE);
  assert.deepEqual([tube["R²"][0], tube.MAE[0], tube.RMSE[0]], ["0.5", "2", "3"]);
  assert.deepEqual(tube.Above, ["5", "50 %, above the tube"]);
  const quantiles = named(QUANTILES);
  assert.deepEqual(quantiles["Pinball loss"], ["2", "mean of 2 quantiles"]);
  assert.equal(quantiles["D²"][0], "0.4"); // what is not known does not count
  assert.deepEqual(quantiles["Between 0.1 and 0.9"], ["60.0 %", "of the targets; should be 80 %"]);
  assert.ok(!("MAE" in quantiles));
  assert.equal(named({ ...TUBE, scores: { ...TUBE.scores, r2: null } })["R²"][0], "–");
  assert.deepEqual(Object.keys(named({ ...TUBE, scores: null, positions: null })), ["Samples"]);
});

test("the tube lies around the diagonal, and its residuals around 0", () => {
  const { xs, ys } = tubeOutline([0, 10], [1, 3]);
  assert.deepEqual(xs.map((x, k) => ys[k] - x), [-1, -1, 3, 3, -1]);
  // A prediction that is 3 above its target is on the edge: its residual is -3.
  assert.deepEqual(insideTube([1, 3]), [-3, 1]);
  assert.deepEqual(insideTube(null), []);
});

test("fans reach from the lowest to the highest quantile", () => {
  assert.deepEqual(fan({ target: [1, 2], low: [0, 2], high: [3, 2] })[0].ys, [0, 3, Number.NaN]);
  assert.deepEqual(fan({ target: [1], low: [2], high: [2] }), []);
});

test("penalties of numbers are those of predictions minus targets", () => {
  const parameters = { loss: "epsilon_insensitive" };
  const tube = penaltyOf({ tube: [1, 2], quantiles: [], costs: { below: 3, above: 5 }, parameters });
  assert.deepEqual([-2, -1, 0, 2, 4].map((z) => penalty(tube, z)), [3, 0, 0, 0, 10]);
  const squared = penaltyOf({ tube: [1, 1], quantiles: [], costs: { below: 3, above: 5 }, parameters: { loss: "squared_epsilon_insensitive" } });
  assert.equal(penalty(squared, -3), 12);
  const quantile = penaltyOf({ tube: null, quantiles: [0.9], costs: { C: 10 }, parameters: {} });
  assert.deepEqual([-1, 0, 1].map((z) => Number(penalty(quantile, z).toFixed(9))), [9, 0, 1]);
});

test("samples are read with target, prediction and place", () => {
  const values = { target: [10], prediction: [12], residual: [-2], low: [12], high: [12], position: [2], centre: "prediction" };
  assert.equal(numbers.points.read(values, 0), "target 10, prediction 12, residual −2, above.");
  const fanned = { ...values, low: [8], high: [15], centre: "quantile 0.5", target: null, position: null };
  assert.equal(numbers.points.read(fanned, 0), "quantile 0.5 12, quantiles from 8 to 15.");
  assert.equal(numbers.points.shapeOf(values)(0), "square");
  assert.equal(numbers.points.shapeOf(fanned)(0), "circle");
});
