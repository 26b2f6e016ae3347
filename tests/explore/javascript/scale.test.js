import assert from "node:assert/strict";
import { test } from "node:test";
import { extent, SHADES, scale, shade, ticks } from "../../../src/bandsvm/explore/page/plots/scale.js";

const close = (found, expected) => assert.ok(Math.abs(found - expected) <= 1e-9 * Math.max(1, Math.abs(expected)), `${found} is not ${expected}`);

test("a scale maps ends to ends, and back", () => {
  const x = scale([-2, 6], [100, 500]);
  assert.equal(x(-2), 100);
  assert.equal(x(6), 500);
  assert.equal(x(0), 200);
  for (const value of [-2, 0.123, 6, 11]) close(x.invert(x(value)), value);
  assert.deepEqual(x.domain, [-2, 6]);
  // Up is less on screens.
  assert.equal(scale([0, 1], [300, 20])(1), 20);
});

test("a domain without width has a place", () => {
  assert.equal(scale([3, 3], [0, 100])(3), 0);
});

test("ticks are round and within the domain", () => {
  for (const [domain, count] of [[[0, 1], 5], [[-3.7, 12.2], 4], [[1e-6, 3e-6], 3], [[0, 123456], 6], [[0.95, 1.05], 2]]) {
    const { values, step } = ticks(domain, count);
    assert.ok(values.length >= 2 && values.length <= 2 * count + 1, `${values}`);
    const digit = step / 10 ** Math.floor(Math.log10(step * 1.0000001));
    assert.ok([1, 2, 5, 10].some((round) => Math.abs(digit - round) < 1e-6), `step ${step}`);
    for (const value of values) {
      assert.ok(value >= domain[0] - 1e-9 * step && value <= domain[1] + 1e-9 * step);
      close(value / step, Math.round(value / step));
    }
  }
});

test("ticks of a domain without width do not run forever", () => {
  assert.deepEqual(ticks([2, 2], 5), { values: [2], step: 1 });
  assert.deepEqual(ticks([NaN, NaN], 5).values.length, 1);
});

test("an extent has room around the values", () => {
  assert.deepEqual(extent([3, -1, 2], 0), [-1, 3]);
  const [low, high] = extent([0, 10], 0.1);
  close(low, -1);
  close(high, 11);
  assert.deepEqual(extent([]), [0, 1]);
  const [below, above] = extent([5]);
  assert.ok(below < 5 && above > 5);
});

test("shades go from 0 to the darkest", () => {
  assert.equal(shade(0, 0, 1), 0);
  assert.equal(shade(1, 0, 1), SHADES - 1);
  assert.equal(shade(0.5, 0, 1), SHADES / 2);
  assert.equal(shade(-3, 0, 1), 0);
  assert.equal(shade(2, 2, 2), SHADES - 1);
});
