// From values to pixels and shades, and ticks at round values.

/** Returns a linear scale from a domain to a range of pixels, with `invert` for the way back. */
export function scale([low, high], [from, to]) {
  const factor = (to - from) / (high - low || 1);
  const map = (value) => from + (value - low) * factor;
  map.invert = (pixel) => low + (pixel - from) / factor;
  map.domain = [low, high];
  return map;
}

// Fewer ticks than this tell no scale.
const MIN_TICKS = 2;
// Shades of the style sheet: heat-0 to heat-5.
export const SHADES = 6;

/** Returns about `count` round values within a domain, and the step between them. */
export function ticks([low, high], count) {
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999) ?? rough;
  const values = [];
  if (!Number.isFinite(step) || step <= 0) return { values: [low], step: 1 };
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1) values.push(k * step);
  return values.length < MIN_TICKS && count < 10 ? ticks([low, high], count + 1) : { values, step };
}

/** Returns the least and the greatest of some values, widened by a share of their range. */
export function extent(values, room = 0.05) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (!(low <= high)) return [0, 1];
  const margin = room * (high - low || Math.abs(high) || 1);
  return [low - margin, high + margin];
}

/** Returns the shade of a value between two others. */
export function shade(value, low, high) {
  return high > low ? Math.min(SHADES - 1, Math.max(0, Math.floor(((value - low) / (high - low)) * SHADES))) : SHADES - 1;
}
