import assert from "node:assert/strict";
import { test } from "node:test";
import { capitalized, duration, exact, percent, short, signed, tick } from "../../../src/bandsvm/explore/page/parts/format.js";

test("short numbers have few digits and a true minus sign", () => {
  for (const [value, text] of [
    [0, "0"], [1.5, "1.5"], [-2, "−2"], [0.123456, "0.1235"], [123456, "123500"], [1e6, "1.00e+6"], [-1e-9, "−1.00e−9"],
    [Infinity, "∞"], [-Infinity, "−∞"], [NaN, "–"], [null, "–"], [undefined, "–"],
  ]) assert.equal(short(value), text);
  assert.equal(short(0.123456, 2), "0.12");
});

test("decision values have a sign", () => {
  assert.deepEqual([1.25, -1.25, 0].map((value) => signed(value)), ["+1.25", "−1.25", "0"]);
});

test("shares are per cent", () => {
  assert.equal(percent(0.12345), "12.3 %");
  assert.equal(percent(1, 0), "100 %");
  assert.equal(percent(-0.5), "−50.0 %");
});

test("objectives have twelve digits", () => {
  assert.equal(exact(1234.567890123456), "1234.56789012");
  assert.equal(exact(null), "–");
});

test("ticks have as many decimals as their step needs", () => {
  assert.deepEqual([0, 0.5, 1].map((value) => tick(value, 0.5)), ["0", "0.5", "1.0"]);
  assert.equal(tick(-20, 10), "−20");
  assert.equal(tick(0.25, 0.05), "0.25");
  assert.equal(tick(2e5, 1e5), "2e+5");
  assert.equal(tick(3e-5, 1e-5), "3e−5");
});

test("estimates of times are rough", () => {
  assert.deepEqual([0.2, 5.4, 99, 150, 7300].map(duration), ["less than a second", "about 5 s", "about 99 s", "about 3 min", "about 2 h"]);
});

test("sentences begin with a capital letter", () => {
  assert.equal(capitalized("class a against b"), "Class a against b");
  assert.equal(capitalized(""), "");
});
