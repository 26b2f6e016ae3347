// The state of the view "Your data": what the address holds, and what the server is asked.

export const LOSSES = [["hinge", "hinge"], ["squared_hinge", "squared hinge"]];
export const SCALES = [["standard", "standard"], ["maxabs", "maxabs"], ["none", "none"]];
export const WEIGHTS = [["", "equal"], ["balanced", "balanced"]];
export const HEADERS = [["", "as it looks"], ["yes", "holds names"], ["no", "holds values"]];
export const TABS = ["samples", "projection", "values", "abstain", "path", "weights", "search"];
export const PARTS = ["held out", "folds", "train", "all"];

/** What the address leaves out; parameters are as by default in BandedSVC. */
export const DEFAULTS = {
  target: "",
  header: "",
  drop: "",
  category: "",
  keep: "",
  C1: 1,
  C2: 1,
  rho1: 1,
  rho2: 3,
  loss: "hinge",
  kernel: "rbf",
  gamma: "scale",
  degree: 3,
  coef0: 0,
  intercept: true,
  scale: "standard",
  weight: "",
  tab: "samples",
  part: "held out",
};

const oneOf = (values) => (text) => (values.includes(text) ? text : undefined);
const keys = (options) => options.map(([value]) => value);
const number = (text) => (text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined);
const places = (text) => (/^(\d{1,6}(,\d{1,6})*)?$/.test(text) ? text : undefined);

const READERS = {
  target: places,
  header: oneOf(keys(HEADERS)),
  drop: places,
  category: places,
  keep: places,
  C1: number,
  C2: number,
  rho1: number,
  rho2: number,
  loss: oneOf(keys(LOSSES)),
  kernel: (text) => (/^[a-z0-9_]{1,30}$/.test(text) ? text : undefined),
  gamma: (text) => (text === "scale" ? text : number(text)),
  degree: number,
  coef0: number,
  intercept: (text) => ({ yes: true, no: false })[text],
  scale: oneOf(keys(SCALES)),
  weight: oneOf(keys(WEIGHTS)),
  tab: oneOf(TABS),
  part: oneOf(PARTS),
};

/** Returns the state that fields of an address describe; what they do not say, or say wrongly, is as by default. */
export function read(fields) {
  const state = { ...DEFAULTS };
  for (const [name, reader] of Object.entries(READERS)) {
    const value = name in fields ? reader(fields[name]) : undefined;
    if (value !== undefined) state[name] = value;
  }
  return state;
}

/** Returns the fields of an address for a state. */
export function written(state) {
  const text = (value) => (typeof value === "boolean" ? (value ? "yes" : "no") : String(value));
  return Object.fromEntries(
    Object.keys(DEFAULTS).filter((name) => state[name] !== DEFAULTS[name]).map((name) => [name, text(state[name])]),
  );
}

const list = (text) => (text === "" ? [] : text.split(",").map(Number));

/** Returns which columns have a role: "drop", "category" or "keep". */
export function columnsOf(state, role) {
  return list(state[role]);
}

/** Returns what becomes of the columns. */
export function columnChoices(state) {
  return {
    target: state.target === "" ? null : Number(state.target),
    dropped: list(state.drop),
    categorical: list(state.category),
    kept: list(state.keep),
    header: headerOf(state),
  };
}

/** Returns what the server is asked to fit. */
export function fitFields(state, isSearch) {
  const { C1, C2, rho1, rho2, loss, kernel, gamma, degree, coef0 } = state;
  return {
    search: isSearch,
    scale: state.scale,
    choices: columnChoices(state),
    parameters: {
      C1, C2, rho1, rho2, loss, kernel,
      ...(usesGamma(kernel) ? { gamma } : {}),
      ...(kernel === "poly" ? { degree } : {}),
      ...(["poly", "sigmoid"].includes(kernel) ? { coef0 } : {}),
      fit_intercept: state.intercept,
      class_weight: state.weight || null,
    },
  };
}

/** Returns whether the first line holds names: true, false, or null for as it looks. */
export function headerOf(state) {
  return { yes: true, no: false }[state.header] ?? null;
}

export function usesGamma(kernel) {
  return !["linear"].includes(kernel);
}
