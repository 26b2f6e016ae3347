import assert from "node:assert/strict";
import { test } from "node:test";
import { createHub } from "../../../src/bandsvm/explore/page/parts/hub.js";

test("a hub tells each change once", () => {
  const hub = createHub();
  const heard = [];
  hub.onPoint((index) => heard.push(index));
  for (const index of [3, 3, null, 4]) hub.point(index);
  assert.deepEqual(heard, [3, null, 4]);
  assert.equal(hub.current, 4);
});
