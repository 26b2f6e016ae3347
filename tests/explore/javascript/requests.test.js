import assert from "node:assert/strict";
import { test } from "node:test";
import { progressOf } from "../../../src/bandsvm/explore/page/views/data/requests.js";

test("progress is a share and a line", () => {
  assert.deepEqual(progressOf({ stage: "read" }, null), { share: null, line: "Reading the file." });
  const fit = { stage: "fit", share: 0.5, problem: "class a", n_steps: 3, violation: 0.0123, tol: 0.001, n_support: 7 };
  assert.deepEqual(progressOf(fit, null), { share: 0.5, line: "Class a: step 3, violation 0.012, tol 0.001, 7 support vectors." });
  assert.equal(progressOf({ ...fit, problem: "" }, null).line.slice(0, 6), "Step 3");
  const search = { n_candidates: 20, n_done: 3, n_all: 100, n_folds: 5, share: 0.03, seconds_left: 12 };
  assert.deepEqual(progressOf({ stage: "search" }, search), { share: 0.03, line: "Fit 3 of about 100 (20 candidates in 5 folds); about 12 s left." });
  assert.equal(progressOf({ stage: "search" }, { ...search, seconds_left: null }).line, "Fit 3 of about 100 (20 candidates in 5 folds).");
  assert.deepEqual(progressOf({ stage: "search", line: "C1 first" }, null), { share: null, line: "C1 first" });
  assert.deepEqual(progressOf({ stage: "path", line: "5 of 25" }, null), { share: null, line: "5 of 25" });
  assert.equal(progressOf({ stage: "path" }, null), null);
});
