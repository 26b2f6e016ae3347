import assert from "node:assert/strict";
import { test } from "node:test";
import { contour } from "../../../src/bandsvm/explore/page/plots/contours.js";

/** Returns the lines of a contour, each as a list of points. */
function linesOf({ xs, ys }) {
  const lines = [[]];
  xs.forEach((x, k) => {
    if (Number.isNaN(x)) lines.push([]);
    else lines.at(-1).push([x, ys[k]]);
  });
  assert.deepEqual(lines.pop(), []);
  return lines;
}

test("a level between two columns is a straight line", () => {
  const [line, ...others] = linesOf(contour([0, 1, 2, 0, 1, 2, 0, 1, 2], 3, 3, 0.25));
  assert.deepEqual(others, []);
  assert.deepEqual(line.map(([x]) => x), [0.25, 0.25, 0.25]);
  assert.deepEqual(line.map(([, y]) => y).sort(), [0, 1, 2]);
});

test("a hill has a closed contour", () => {
  const [line, ...others] = linesOf(contour([0, 0, 0, 0, 1, 0, 0, 0, 0], 3, 3, 0.5));
  assert.deepEqual(others, []);
  assert.deepEqual(line[0], line.at(-1));
  assert.equal(line.length, 5);
  for (const [x, y] of line) assert.equal(Math.abs(x - 1) + Math.abs(y - 1), 0.5);
});

test("a saddle is cut by the value at its centre", () => {
  const high = linesOf(contour([3, 0, 0, 3], 2, 2, 1));
  const low = linesOf(contour([2, 0, 0, 2], 2, 2, 1.5));
  assert.equal(high.length, 2);
  assert.equal(low.length, 2);
  // Around the low corners, top right and bottom left; or around the high ones.
  const touches = (lines) => lines.map((line) => line.map(([x, y]) => (x === 1 ? "right" : x === 0 ? "left" : y === 0 ? "top" : "bottom")).sort().join(" ")).sort();
  assert.deepEqual(touches(high), ["bottom left", "right top"]);
  assert.deepEqual(touches(low), ["bottom right", "left top"]);
});

test("a level that nothing reaches has no contour", () => {
  assert.deepEqual(contour([0, 0, 0, 0], 2, 2, 1), { xs: [], ys: [] });
});
