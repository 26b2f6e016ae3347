import assert from "node:assert/strict";
import { test } from "node:test";
import { PRESETS, presetOf } from "../../../src/bandsvm/explore/page/views/play/presets.js";
import { axesOf, DEFAULTS, parseView, readState, request, writeState } from "../../../src/bandsvm/explore/page/views/play/state.js";

test("an empty address is as by default", () => {
  assert.deepEqual(readState({}), DEFAULTS);
  assert.deepEqual(writeState(DEFAULTS), {});
});

test("a state survives the address", () => {
  const state = { ...DEFAULTS, data: "moons", n: 50, C1: 0.25, gamma: "scale", kernel: "poly", intercept: false, compare: true };
  const fields = writeState(state);
  assert.deepEqual(fields, { data: "moons", n: "50", C1: "0.25", gamma: "scale", kernel: "poly", intercept: "no", compare: "yes" });
  assert.deepEqual(readState(fields), state);
});

test("drawn samples need no number, generated ones no points", () => {
  const drawn = { ...DEFAULTS, data: "drawn", points: "AWQAyAA", view: "0,1,0,1", n: 50 };
  assert.deepEqual(Object.keys(writeState(drawn)).sort(), ["data", "points", "view"]);
  assert.deepEqual(writeState({ ...drawn, data: "moons" }), { data: "moons", n: "50" });
});

test("what is wrong in an address is as by default", () => {
  const wrong = {
    data: "nothing", n: "1e9", noise: "-1", seed: "0.5", points: "<b>", view: "1,0,0,1", C1: "", C2: "x", rho1: "-1", rho2: "Infinity",
    loss: "log", kernel: "<b>", gamma: "auto", degree: "2.5", coef0: "1e99", intercept: "maybe", compare: "1", other: "1",
  };
  assert.deepEqual(readState(wrong), DEFAULTS);
});

test("views go from left to right and from bottom to top", () => {
  assert.deepEqual(parseView("-1,2,0,0.5"), [-1, 2, 0, 0.5]);
  for (const text of ["", "1", "0,1,0", "1,0,0,1", "0,1,0,x"]) assert.equal(parseView(text), null);
});

test("a request holds what the server checks", () => {
  const { data, model, view, columns, rows } = request({ ...DEFAULTS, gamma: "scale" }, 8, 6);
  assert.deepEqual(data, { source: "clusters", n: 270, noise: 0.2, seed: 0 });
  assert.equal(model.gamma, null);
  assert.equal(model.fit_intercept, true);
  assert.deepEqual([view, columns, rows], [null, 8, 6]);
  const drawn = request({ ...DEFAULTS, data: "drawn", points: "AWQAyAA", view: "-1,1,-2,2" }, 8, 6);
  assert.deepEqual(drawn.data, { source: "drawn", points: "AWQAyAA" });
  assert.deepEqual(drawn.view, { left: -1, right: 1, bottom: -2, top: 2 });
});

test("axes are called what they are", () => {
  assert.deepEqual(axesOf("moons"), ["first feature", "second feature"]);
  assert.deepEqual(axesOf("digits"), ["first principal component", "second principal component"]);
});

test("each preset recognizes itself, whatever the cost", () => {
  for (const [name, settings] of PRESETS) {
    for (const C1 of [0.5, 10]) assert.equal(presetOf({ ...DEFAULTS, ...settings({ C1 }) }), name);
  }
  assert.equal(presetOf({ ...DEFAULTS, rho2: 7 }), null);
});
