// Known models as special cases (docs/family.md). Each keeps the cost C1 that is set, and sets all else that defines it: the
// intercept too, which only the authors of ODM leave out.

const TAU = 0.5; // pinball: slope above the band, relative to that below
const EPS = 0.3; // half width of the tube of SVR
const D = 0.3; // ODM: half width of the band around 1
const MU = 0.5; // ODM: cost above, relative to that below

export const PRESETS = [
  ["C-SVM", ({ C1 }) => ({ loss: "hinge", C1, C2: 0, rho1: 1, rho2: 1, intercept: true })],
  ["B-SVM", ({ C1 }) => ({ loss: "hinge", C1, C2: C1, rho1: 1, rho2: 1.5, intercept: true })],
  ["Pinball", ({ C1 }) => ({ loss: "hinge", C1, C2: TAU * C1, rho1: 1, rho2: 1, intercept: true })],
  ["SVR", ({ C1 }) => ({ loss: "hinge", C1, C2: C1, rho1: 1 - EPS, rho2: 1 + EPS, intercept: true })],
  ["L2-SVM", ({ C1 }) => ({ loss: "squared_hinge", C1, C2: 0, rho1: 1, rho2: 1, intercept: true })],
  ["LS-SVM", ({ C1 }) => ({ loss: "squared_hinge", C1, C2: C1, rho1: 1, rho2: 1, intercept: true })],
  ["ODM", ({ C1 }) => ({ loss: "squared_hinge", C1, C2: MU * C1, rho1: 1 - D, rho2: 1 + D, intercept: false })],
];

/** Returns the name of the preset that a state agrees with, or null. */
export function presetOf(state) {
  const found = PRESETS.find(([, settings]) =>
    Object.entries(settings(state)).every(([name, value]) => state[name] === value),
  );
  return found ? found[0] : null;
}
