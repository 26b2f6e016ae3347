// The state of the Play view: what the address holds, what the server is asked.

import { LOSSES, defaultsOf, readFields, readers, writeFields } from "../../parts/state.js";

export const DATA = [
  ["clusters", "Paper's clusters"],
  ["moons", "Moons"],
  ["circles", "Circles"],
  ["blobs", "Blobs"],
  ["digits", "Digits 3 and 8 (PCA)"],
  ["drawn", "Drawn by hand"],
];
export const KERNELS = [
  ["rbf", "rbf"],
  ["linear", "linear"],
  ["poly", "poly"],
  ["sigmoid", "sigmoid"],
  ["laplacian", "laplacian"],
];
export const NOISE = { clusters: 0.2, moons: 0.2, circles: 0.1, blobs: 0.7, digits: 0, drawn: 0 };
const MAX_SAMPLES = 2000;

const { flag, matching, number, oneOf, or, whole } = readers;
const cost = number(0, 1e12);
// What the address holds: the value by default, and how a text is read. The paper's samples and band; that of BandedSVC is
// wider, and would show less.
const FIELDS = {
  data: ["clusters", oneOf(DATA)],
  n: [270, whole(2, MAX_SAMPLES)],
  noise: [NOISE.clusters, number(0, 5)],
  seed: [0, whole(0, 2 ** 31 - 1)],
  points: ["", matching(/^[\w-]*$/)],
  view: ["", (text) => (parseView(text) ? text : undefined)],
  C1: [10, cost],
  C2: [10, cost],
  rho1: [1, cost],
  rho2: [1.5, cost],
  loss: ["hinge", oneOf(LOSSES)],
  kernel: ["rbf", oneOf(KERNELS)],
  gamma: [2, or("scale", cost)],
  degree: [3, whole(1, 10)],
  coef0: [0, number(-1e12, 1e12)],
  intercept: [true, flag],
  compare: [false, flag],
};
export const DEFAULTS = defaultsOf(FIELDS);
const OF_DRAWINGS = ["points", "view"];
const OF_GENERATED = ["n", "noise", "seed"];

/** Returns the state that an address describes. */
export function readState(fields) {
  return readFields(fields, FIELDS);
}

/** Returns what of a state the address must hold. */
export function writeState(state) {
  const unused = state.data === "drawn" ? OF_GENERATED : OF_DRAWINGS;
  return writeFields(state, FIELDS, (name) => !unused.includes(name));
}

/** Returns what the axes of samples from a source are. */
export function axesOf(data) {
  const what = data === "digits" ? "principal component" : "feature";
  return [`first ${what}`, `second ${what}`];
}

/** Returns [left, right, bottom, top] of a text, or null. */
export function parseView(text) {
  const sides = text.split(",").map(Number);
  const isValid = sides.length === 4 && sides.every(Number.isFinite) && sides[0] < sides[1] && sides[2] < sides[3];
  return isValid ? sides : null;
}

/** Returns the fields of the requests play.fit and play.code. */
export function request(state, columns, rows) {
  const { data: source, n, noise, seed, points, view, C1, C2, rho1, rho2, loss, kernel, gamma, degree, coef0 } = state;
  const sides = source === "drawn" ? parseView(view) : null;
  return {
    data: source === "drawn" ? { source, points } : { source, n, noise, seed },
    model: {
      C1, C2, rho1, rho2, loss, kernel, degree, coef0, fit_intercept: state.intercept,
      gamma: gamma === "scale" ? null : gamma,
    },
    compare: state.compare,
    columns,
    rows,
    view: sides && { left: sides[0], right: sides[1], bottom: sides[2], top: sides[3] },
  };
}
