// Shades in six steps, from the style sheet: heat-0 to heat-5.

const STEPS = 6;

/** Returns the class for a share from 0 to 1; 0 has none. */
export function heatClass(share) {
  if (!(share > 0)) return "";
  return `heat-${Math.min(STEPS - 1, Math.floor(share * STEPS))}`;
}

/** Returns the step of a value between two others. */
export function heatStep(value, low, high) {
  return high > low ? Math.min(STEPS - 1, Math.max(0, Math.floor(((value - low) / (high - low)) * STEPS))) : STEPS - 1;
}

export { STEPS };
