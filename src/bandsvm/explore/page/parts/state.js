// The state of a view, as the address holds it: a text per field, and none for what is as by default.

const yesOrNo = { yes: true, no: false };

/** Readers of fields: each returns the value of a text, or undefined if the text is wrong. */
export const readers = {
  /** One of the values of [value, title] pairs. */
  oneOf: (options) => (text) => (options.some(([value]) => value === text) ? text : undefined),
  number: (low = -Infinity, high = Infinity) => (text) => {
    const value = Number(text);
    return text.trim() !== "" && Number.isFinite(value) && value >= low && value <= high ? value : undefined;
  },
  whole: (low, high) => (text) => {
    const value = readers.number(low, high)(text);
    return Number.isInteger(value) ? value : undefined;
  },
  matching: (pattern) => (text) => (pattern.test(text) ? text : undefined),
  flag: (text) => yesOrNo[text],
  /** A text that stands for itself, or whatever another reader takes. */
  or: (word, reader) => (text) => (text === word ? text : reader(text)),
};

const mapped = (table, f) => Object.fromEntries(Object.entries(table).map(([name, entry]) => [name, f(entry, name)]));

/** Returns the state by default; a table has [default, reader] for each field. */
export function defaultsOf(table) {
  return mapped(table, ([usual]) => usual);
}

/** Returns the state that fields of an address describe; what they leave out, or have wrong, is as by default. */
export function readFields(fields, table) {
  return mapped(table, ([usual, read], name) => (name in fields ? read(fields[name]) : undefined) ?? usual);
}

/** Returns the fields of an address for a state, but for those that are as by default, or not needed. */
export function writeFields(state, table, isNeeded = () => true) {
  const text = (value) => (typeof value === "boolean" ? (value ? "yes" : "no") : String(value));
  return Object.fromEntries(
    Object.entries(table).filter(([name, [usual]]) => isNeeded(name) && state[name] !== usual).map(([name]) => [name, text(state[name])]),
  );
}

export const LOSSES = [["hinge", "hinge"], ["squared_hinge", "squared hinge"]];

/** Returns a state after changes; an edge of the band that moves past the other takes it along. */
export function changed(state, changes) {
  const { rho1, rho2 } = { ...state, ...changes };
  const edges = "rho1" in changes ? { rho2: Math.max(rho1, rho2) } : "rho2" in changes ? { rho1: Math.min(rho1, rho2) } : {};
  return { ...state, ...changes, ...edges };
}

/** Returns the parameters that belong to a kernel. */
export function usesOf(kernel) {
  return {
    gamma: kernel !== "linear",
    degree: kernel === "poly",
    coef0: ["poly", "sigmoid"].includes(kernel),
  };
}
