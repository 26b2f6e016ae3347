import assert from "node:assert/strict";
import { test } from "node:test";
import { scale } from "../../../src/bandsvm/explore/page/plots/scale.js";
import { pathOf } from "../../../src/bandsvm/explore/page/plots/shapes.js";

const x = scale([0, 10], [0, 100]);
const y = scale([0, 10], [100, 0]);
const area = { left: 0, right: 100, top: 0, bottom: 100 };

test("a line breaks where a value is missing", () => {
  const layer = { type: "line", xs: [0, 1, NaN, 3, 4], ys: [0, 1, 2, null, 4].map((value) => value ?? NaN) };
  assert.equal(pathOf(layer, x, y, area), "M0 100L10 90M40 60");
});

test("marks are drawn at the indices to draw, smaller on narrow plots", () => {
  const layer = { type: "marks", shape: "square", size: 4, xs: [1, 5], ys: [1, 5] };
  assert.equal(pathOf({ ...layer, only: [1] }, x, y, area), "M46 46h8v8h-8z");
  assert.equal(pathOf({ ...layer, only: [1] }, x, y, { ...area, markScale: 0.5 }), "M48 48h4v4h-4z");
  assert.equal(pathOf(layer, x, y, area).split("M").length, 3);
  for (const shape of ["circle", "triangle"]) assert.match(pathOf({ ...layer, shape }, x, y, area), /^M.*z$/);
});

test("strips and rules cross the whole plot", () => {
  assert.equal(pathOf({ type: "strip", axis: "y", from: 2, to: 4 }, x, y, area), "M0 80H100V60H0z");
  assert.equal(pathOf({ type: "strip", axis: "x", from: 2, to: 4 }, x, y, area), "M20 0V100H40V0z");
  assert.equal(pathOf({ type: "rule", axis: "y", at: 5 }, x, y, area), "M0 50H100");
  assert.equal(pathOf({ type: "rule", axis: "x", at: 5 }, x, y, area), "M50 0V100");
});
