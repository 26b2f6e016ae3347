import assert from "node:assert/strict";
import { test } from "node:test";
import { createHistory } from "../../../src/bandsvm/explore/page/views/play/history.js";

test("undo and redo go back and forth", () => {
  const heard = [];
  const history = createHistory((...can) => heard.push(can));
  assert.equal(history.undo("a"), null);
  history.record("a"); // now "b"
  history.record("b"); // now "c"
  assert.equal(history.undo("c"), "b");
  assert.equal(history.undo("b"), "a");
  assert.equal(history.undo("a"), null);
  assert.equal(history.redo("a"), "b");
  assert.deepEqual(heard, [[true, false], [true, false], [true, true], [false, true], [true, true]]);
});

test("an edit after an undo forgets what could be redone", () => {
  const history = createHistory(() => {});
  history.record("a");
  history.undo("b");
  history.record("a");
  assert.equal(history.redo("c"), null);
  assert.equal(history.undo("c"), "a");
});

test("the history has an end", () => {
  const history = createHistory(() => {});
  for (let k = 0; k < 500; k += 1) history.record(k);
  let steps = 0;
  while (history.undo("now") !== null) steps += 1;
  assert.equal(steps, 200);
});
