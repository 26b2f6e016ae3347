import assert from "node:assert/strict";
import { test } from "node:test";
import { spread } from "../../../src/bandsvm/explore/page/views/data/path.js";
import { rangeOf, shades } from "../../../src/bandsvm/explore/page/views/data/surface.js";
import { outlineOf } from "../../../src/bandsvm/explore/page/views/data/values.js";
import { penalty, placesOnSensitivity, valuesRange } from "../../../src/bandsvm/explore/page/views/play/curves.js";

const BAND = { C1: 3, C2: 2, rho1: 1, rho2: 2 };

test("the penalty is zero in the band and grows on both sides", () => {
  const hinge = (z) => penalty({ ...BAND, loss: "hinge" }, z);
  assert.deepEqual([-1, 0.5, 1, 1.5, 2, 4].map(hinge), [6, 1.5, 0, 0, 0, 4]);
  const squared = (z) => penalty({ ...BAND, loss: "squared_hinge" }, z);
  assert.deepEqual([-1, 0.5, 1, 2, 4].map(squared), [12, 0.75, 0, 0, 8]);
});

test("samples lie on the sensitivity curve", () => {
  const { xs, ys } = placesOnSensitivity(Float64Array.of(2, -1, 1, 0.5), Int32Array.of(1, -1, -1, 1));
  assert.deepEqual([...xs], [100, 50, 0, 25]);
  assert.deepEqual([...ys], [25, 50, 100, 75]);
  assert.deepEqual([...placesOnSensitivity(Float64Array.of(0), Int32Array.of(1)).ys], [100]);
});

test("the range of decision values has room for the band", () => {
  const parameters = { rho1: 1, rho2: 3, C2: 1 };
  const [low, high] = valuesRange([{ decision: [0.5, -0.5], parameters }]);
  assert.ok(low < -3 && high > 3);
  const without = valuesRange([{ decision: [0.5, -0.5], parameters: { ...parameters, C2: 0 } }]);
  assert.ok(without[1] > 1 && without[1] < 2);
});

test("a histogram has an outline of steps", () => {
  assert.deepEqual(outlineOf([0, 1, 2], [3, 5]), { xs: [0, 0, 1, 1, 2, 2], ys: [0, 3, 3, 5, 5, 0] });
});

test("a path has ticks at its ends and some between", () => {
  const values = Array.from({ length: 26 }, (_, k) => k / 10);
  const ticks = spread(values);
  assert.deepEqual(ticks[0], [0, "0"]);
  assert.deepEqual(ticks.at(-1), [25, "2.5"]);
  assert.ok(ticks.length <= 7);
  assert.deepEqual(spread([1]), [[0, "1"]]);
});

test("hopeless scores do not hide the differences between good ones", () => {
  assert.deepEqual(rangeOf([0.5, 0.9, 0.91, 0.92]).map((score) => score.toFixed(2)), ["0.88", "0.92"]);
  assert.deepEqual(rangeOf([0.7, 0.7]), [0.7, 0.7]);
});

test("shades say what they mean", () => {
  const found = shades(0.4, 1);
  assert.equal(found.length, 6);
  assert.deepEqual(found[0], ["below 50.0 %", 0]);
  assert.deepEqual(found.at(-1), ["90.0 % to 100.0 %", 5]);
  assert.deepEqual(shades(1, 1), [["100.0 %", 5]]);
});
