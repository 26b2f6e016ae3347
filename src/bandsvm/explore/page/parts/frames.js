// Answers of the server: a JSON header, then arrays as they lie in memory (server/responses.py).

const ARRAYS = { float64: Float64Array, float32: Float32Array, int32: Int32Array, uint8: Uint8Array };
const LENGTH_OF_LENGTH = 4;

/** Returns kind, id, values and arrays of a frame. */
export function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, LENGTH_OF_LENGTH, length)));
  const begin = LENGTH_OF_LENGTH + length;
  const arrays = {};
  for (const { name, type, shape, offset } of header.arrays) {
    const size = shape.reduce((product, extent) => product * extent, 1);
    arrays[name] = new ARRAYS[type](buffer, begin + offset, size);
  }
  return { kind: header.kind, id: header.id, values: header.values, arrays };
}
