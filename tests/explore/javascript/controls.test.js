import assert from "node:assert/strict";
import { test } from "node:test";
import { curve } from "../../../src/bandsvm/explore/page/parts/controls.js";

test("sliders reach their ends, and values have places", () => {
  for (const range of [{ low: 0.05, high: 3 }, { low: 0.01, high: 1000, isLog: true }, { low: 0.01, high: 1000, isLog: true, zero: true }]) {
    const { at, of } = curve(range);
    assert.ok(Math.abs(at(1) - range.high) < 1e-9);
    assert.equal(at(0), range.zero ? 0 : range.low);
    for (const value of [0.06, 1, 2.5]) assert.ok(Math.abs(at(of(value)) - value) < 1e-9);
  }
  assert.equal(curve({ low: 0.01, high: 1000, isLog: true, zero: true }).of(0), 0);
});
