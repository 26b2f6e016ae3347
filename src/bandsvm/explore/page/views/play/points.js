// Points drawn by hand as text for the address: base64url of 5 bytes each (server/play_data.py).

const BYTES = 5;
const UNITS = 1000;
const MAX_UNITS = 32767;

/** Returns a coordinate as the address can hold it. */
export function snapped(value) {
  return Math.max(-MAX_UNITS, Math.min(MAX_UNITS, Math.round(value * UNITS))) / UNITS;
}

/** Returns the text of an array of { x, y, label }. */
export function encode(points) {
  const view = new DataView(new ArrayBuffer(BYTES * points.length));
  points.forEach(({ x, y, label }, k) => {
    view.setUint8(BYTES * k, label > 0 ? 1 : 0);
    view.setInt16(BYTES * k + 1, Math.round(x * UNITS), true);
    view.setInt16(BYTES * k + 3, Math.round(y * UNITS), true);
  });
  let binary = "";
  for (const byte of new Uint8Array(view.buffer)) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns the points of a text; none if it is damaged. */
export function decode(text) {
  let binary;
  try {
    binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return [];
  }
  const view = new DataView(Uint8Array.from(binary, (char) => char.charCodeAt(0)).buffer);
  const points = [];
  for (let k = 0; k + BYTES <= view.byteLength; k += BYTES) {
    points.push({
      label: view.getUint8(k) ? 1 : -1,
      x: view.getInt16(k + 1, true) / UNITS,
      y: view.getInt16(k + 3, true) / UNITS,
    });
  }
  return points;
}
