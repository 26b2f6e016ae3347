// What the pictures of a model compute from its decision values.

import { extent } from "../../plots/scale.js";

/** Returns the penalty of a signed decision value. */
export function penalty({ C1, C2, rho1, rho2, loss }, z) {
  const [below, above] = [Math.max(rho1 - z, 0), Math.max(z - rho2, 0)];
  return loss === "hinge" ? C1 * below + C2 * above : C1 * below ** 2 + C2 * above ** 2;
}

/** Returns decision values with the sign of their label: positive ones are on the right side. */
export function signedValues(decision, labels) {
  return Float64Array.from(decision, (value, k) => value * labels[k]);
}

/** Returns the range of decision values that all models need. */
export function valuesRange(models) {
  const bounds = models.flatMap(({ decision, parameters: { rho1, rho2, C2 } }) => {
    const edge = C2 > 0 ? rho2 : rho1;
    return [...extent(decision, 0), edge, -edge];
  });
  return extent(bounds, 0.06);
}

/**
 * Returns the places of samples on their sensitivity curve, { xs, ys } in per cent: a sample lies where the curve drops because
 * of it.
 */
export function placesOnSensitivity(decision, labels) {
  const values = signedValues(decision, labels);
  const largest = decision.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
  const sorted = values.slice().sort();
  return {
    xs: values.map((value) => Math.max(0, (100 * value) / largest)),
    ys: values.map((value) => (100 * (sorted.length - lowerBound(sorted, value))) / sorted.length),
  };
}

/** Returns how many of some sorted values are less than another. */
function lowerBound(sorted, value) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
