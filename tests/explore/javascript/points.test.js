import assert from "node:assert/strict";
import { test } from "node:test";
import { edits } from "../../../src/bandsvm/explore/page/views/play/drawing.js";
import { samplesOf } from "../../../src/bandsvm/explore/page/views/play/editor.js";
import { decode, encode, snapped } from "../../../src/bandsvm/explore/page/views/play/points.js";

const POINTS = [{ x: 0.1, y: 0.2, label: 1 }, { x: -0.1, y: -0.2, label: -1 }];

test("points survive the address", () => {
  assert.equal(encode(POINTS), "AWQAyAAAnP84_w"); // as in the tests of the server
  assert.deepEqual(decode(encode(POINTS)), POINTS);
  assert.deepEqual(decode(""), []);
  assert.deepEqual(decode("?"), []);
});

test("coordinates are thousandths that two bytes hold", () => {
  assert.equal(snapped(0.12345), 0.123);
  assert.equal(snapped(1e9), 32.767);
  assert.equal(snapped(-1e9), -32.767);
});

test("edits change one point", () => {
  assert.deepEqual(edits.add(0.5004, 1, -1)(POINTS), [...POINTS, { x: 0.5, y: 1, label: -1 }]);
  assert.deepEqual(edits.move(1, 0, 1)(POINTS)[1], { x: 0, y: 1, label: -1 });
  assert.deepEqual(edits.flip(0)(POINTS)[0].label, -1);
  assert.deepEqual(edits.delete(0)(POINTS), [POINTS[1]]);
});

test("points become samples", () => {
  const { xs, ys, labels } = samplesOf(POINTS);
  assert.deepEqual([...xs], [0.1, -0.1]);
  assert.deepEqual([...ys], [0.2, -0.2]);
  assert.deepEqual([...labels], [1, -1]);
});
