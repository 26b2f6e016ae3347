import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleInWords } from "../../../src/bandsvm/explore/page/views/play/readout.js";

const samples = { xs: [0.5, 1], ys: [-1, 2], labels: [1, -1] };
const model = { decision: [1.2, 0.3], position: [1, 0], role: [0, 2] };

test("a sample is described in a sentence", () => {
  assert.equal(
    sampleInWords(0, samples, [model]),
    "Number 1, class +1, at (0.5, −1). decision value +1.2, inside, support vector: no.",
  );
});

test("a sample on the wrong side is called so, for each model", () => {
  const words = sampleInWords(1, samples, [model, { ...model, decision: [1, -2], position: [1, 2] }]);
  assert.match(words, /^Number 2, class −1, at \(1, 2\)\. C-SVM: decision value \+0\.3, wrong side, support vector: lower edge, bound\. /);
  assert.match(words, /Your model: decision value −2, above/);
});
