// Numbers as people read them.

/** Returns a number with some significant digits; a true minus sign; no trailing zeros. */
export function short(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) return minus(value.toExponential(Math.min(digits - 1, 2)));
  return minus(String(Number(value.toPrecision(digits))));
}

/** Returns a decision value: as `short`, with a plus sign where it is above 0. */
export function signed(value, digits = 4) {
  return value > 0 ? `+${short(value, digits)}` : short(value, digits);
}

/** Returns a share as per cent. */
export function percent(share, digits = 1) {
  return `${minus((100 * share).toFixed(digits))} %`;
}

/** Returns a number with all the digits that an objective is worth. */
export function exact(value) {
  return value === null ? "–" : minus(String(Number(value.toPrecision(12))));
}

/** Returns the label of a tick: as many decimals as its step needs. */
export function tick(value, step) {
  if (value === 0) return "0";
  if (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-4) return minus(value.toExponential(0));
  const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  return minus(value.toFixed(Math.min(decimals, 6)));
}

/** Returns a time that is an estimate. */
export function duration(seconds) {
  if (seconds < 1) return "less than a second";
  if (seconds < 100) return `about ${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 100 ? `about ${minutes} min` : `about ${Math.round(minutes / 60)} h`;
}

/** Returns a text that begins with a capital letter. */
export function capitalized(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function minus(text) {
  return text.replaceAll("-", "−");
}
