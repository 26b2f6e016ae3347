import assert from "node:assert/strict";
import { test } from "node:test";
import { unpack } from "../../../src/bandsvm/explore/page/parts/frames.js";

/** Returns a frame as server/responses.py packs it: a header, and arrays given as their bytes. */
function frame(header, ...parts) {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const length = Math.ceil((4 + text.length) / 8) * 8 - 4;
  const bytes = new Uint8Array(4 + length + parts.reduce((sum, part) => sum + Math.ceil(part.byteLength / 8) * 8, 0)).fill(32);
  new DataView(bytes.buffer).setUint32(0, length, true);
  bytes.set(text, 4);
  let offset = 4 + length;
  for (const part of parts) {
    bytes.set(new Uint8Array(part.buffer), offset);
    offset += Math.ceil(part.byteLength / 8) * 8;
  }
  return bytes.buffer;
}

test("values and arrays of a frame are those that were sent", () => {
  const arrays = [
    { name: "x", type: "float64", shape: [2], offset: 0 },
    { name: "kind", type: "uint8", shape: [3], offset: 16 },
    { name: "map", type: "float32", shape: [1, 2], offset: 24 },
    { name: "label", type: "int32", shape: [2], offset: 32 },
    { name: "none", type: "float64", shape: [0], offset: 40 },
  ];
  const sent = frame(
    { kind: "play.fit", id: 7, values: { text: "≥ ä" }, arrays },
    Float64Array.of(0.1, -1), Uint8Array.of(1, 2, 3), Float32Array.of(0.5, 2), Int32Array.of(-1, 1),
  );
  const { kind, id, values, arrays: found } = unpack(sent);
  assert.deepEqual([kind, id, values], ["play.fit", 7, { text: "≥ ä" }]);
  assert.deepEqual(found.x, Float64Array.of(0.1, -1));
  assert.deepEqual(found.kind, Uint8Array.of(1, 2, 3));
  assert.deepEqual(found.map, Float32Array.of(0.5, 2));
  assert.deepEqual(found.label, Int32Array.of(-1, 1));
  assert.equal(found.none.length, 0);
});
