import assert from "node:assert/strict";
import { test } from "node:test";
import { changed, usesOf } from "../../../src/bandsvm/explore/page/parts/state.js";
import { columnChoices, columnsOf, DEFAULTS, fitFields, headerOf, readState, writeState } from "../../../src/bandsvm/explore/page/views/data/state.js";

test("a state survives the address", () => {
  const state = { ...DEFAULTS, target: "0", drop: "1,4", C2: 0, kernel: "linear", scale: "none", weight: "balanced", header: "no", tab: "path", part: "train" };
  assert.deepEqual(readState(writeState(state)), state);
  assert.deepEqual(writeState(DEFAULTS), {});
});

test("what is wrong in an address is as by default", () => {
  const wrong = { target: "x", drop: "1,,2", keep: "1234567", C1: "", kernel: "<b>", gamma: "auto", intercept: "1", scale: "x", weight: "x", tab: "x", part: "x", header: "x" };
  assert.deepEqual(readState(wrong), DEFAULTS);
});

test("choices name columns by their place", () => {
  const state = { ...DEFAULTS, task: "classify", target: "3", drop: "0,2", category: "1", header: "yes" };
  assert.deepEqual(columnChoices(state), { task: "classify", target: 3, dropped: [0, 2], categorical: [1], kept: [], header: true });
  assert.deepEqual(columnsOf(state, "drop"), [0, 2]);
  assert.equal(columnChoices(DEFAULTS).target, null);
  assert.equal(columnChoices(DEFAULTS).task, null);
  assert.deepEqual(["yes", "no", ""].map((header) => headerOf({ header })), [true, false, null]);
});

test("a fit asks for the parameters that its kernel has", () => {
  const names = (kernel) => Object.keys(fitFields({ ...DEFAULTS, kernel }, false).parameters);
  assert.ok(!names("linear").includes("gamma"));
  assert.ok(names("rbf").includes("gamma") && !names("rbf").includes("degree"));
  assert.ok(["gamma", "degree", "coef0"].every((name) => names("poly").includes(name)));
  assert.deepEqual(usesOf("sigmoid"), { gamma: true, degree: false, coef0: true });
  const { search, parameters } = fitFields({ ...DEFAULTS, weight: "balanced" }, true);
  assert.equal(search, true);
  assert.equal(parameters.class_weight, "balanced");
  assert.equal(fitFields(DEFAULTS, false).parameters.class_weight, null);
});

test("an edge of the band takes the other along", () => {
  const state = { rho1: 1, rho2: 1.5, C1: 1 };
  assert.deepEqual(changed(state, { rho1: 2 }), { rho1: 2, rho2: 2, C1: 1 });
  assert.deepEqual(changed(state, { rho2: 0.5 }), { rho1: 0.5, rho2: 0.5, C1: 1 });
  assert.deepEqual(changed(state, { rho1: 1.2 }), { rho1: 1.2, rho2: 1.5, C1: 1 });
  assert.deepEqual(changed(state, { C1: 3 }), { rho1: 1, rho2: 1.5, C1: 3 });
});
