// The state of the view "Your data": what the address holds, and what the server is asked.

import { LOSSES, defaultsOf, readFields, readers, usesOf, writeFields } from "../../parts/state.js";
import { TASK_CHOICES, taskOf } from "./tasks.js";

export const SCALES = [["standard", "standard"], ["maxabs", "maxabs"], ["none", "none"]];
export const WEIGHTS = [["", "equal"], ["balanced", "balanced"]];
export const HEADERS = [["", "detect"], ["yes", "holds names"], ["no", "holds values"]];
export const GOALS = [["tube", "One number"], ["quantiles", "Quantiles"]];
export const TUBE_LOSSES = [["epsilon_insensitive", "ε-insensitive"], ["squared_epsilon_insensitive", "squared"]];
export const TABS = ["samples", "predictions", "residuals", "quantiles", "projection", "values", "abstain", "path", "weights", "search"];
export const PARTS = ["held out", "folds", "train", "all"];

const { flag, matching, number, oneOf, or } = readers;
const columns = matching(/^(\d{1,6}(,\d{1,6})*)?$/);
// What the address holds: the value by default, as in BandedSVC, and how a text is read.
const FIELDS = {
  task: ["", oneOf(TASK_CHOICES)],
  target: ["", columns],
  header: ["", oneOf(HEADERS)],
  drop: ["", columns],
  category: ["", columns],
  keep: ["", columns],
  C1: [1, number()],
  C2: [1, number()],
  rho1: [1, number()],
  rho2: [3, number()],
  loss: ["hinge", oneOf(LOSSES)],
  goal: ["tube", oneOf(GOALS)],
  fromSpread: [true, flag],
  costBelow: [1, number(0)],
  costAbove: [1, number(0)],
  epsilon: [0.1, number(0)],
  tubeLoss: ["epsilon_insensitive", oneOf(TUBE_LOSSES)],
  cost: [1, number(0)],
  quantiles: ["0.1, 0.5, 0.9", matching(/^[\d., ]{1,200}$/)],
  kernel: ["rbf", matching(/^[a-z0-9_]{1,30}$/)],
  gamma: ["scale", or("scale", number())],
  degree: [3, number()],
  coef0: [0, number()],
  intercept: [true, flag],
  scale: ["standard", oneOf(SCALES)],
  weight: ["", oneOf(WEIGHTS)],
  tab: ["samples", (text) => (TABS.includes(text) ? text : undefined)],
  part: ["held out", (text) => (PARTS.includes(text) ? text : undefined)],
};
export const DEFAULTS = defaultsOf(FIELDS);

/** Returns the state that an address describes. */
export function readState(fields) {
  return readFields(fields, FIELDS);
}

/** Returns what of a state the address must hold. */
export function writeState(state) {
  return writeFields(state, FIELDS);
}

const list = (text) => (text === "" ? [] : text.split(",").map(Number));

/** Returns which columns have a role: "drop", "category" or "keep". */
export function columnsOf(state, role) {
  return list(state[role]);
}

/** Returns what targets are, and what becomes of the columns. */
export function columnChoices(state) {
  return {
    task: state.task || null,
    target: state.target === "" ? null : Number(state.target),
    dropped: list(state.drop),
    categorical: list(state.category),
    kept: list(state.keep),
    header: headerOf(state),
  };
}

/** Returns what the server is asked to fit. */
export function fitFields(state, isSearch) {
  const { kernel, gamma, degree, coef0 } = state;
  const uses = usesOf(kernel);
  return {
    search: isSearch,
    scale: state.scale,
    choices: columnChoices(state),
    parameters: {
      ...taskOf(state).parameters(state),
      kernel,
      ...(uses.gamma ? { gamma } : {}),
      ...(uses.degree ? { degree } : {}),
      ...(uses.coef0 ? { coef0 } : {}),
      fit_intercept: state.intercept,
    },
  };
}

/** Returns whether the first line holds names: true, false, or null to detect it. */
export function headerOf(state) {
  return { yes: true, no: false }[state.header] ?? null;
}
