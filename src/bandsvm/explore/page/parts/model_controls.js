// Controls for the parameters of a model, which the views Play and "Your data" share.

import { choice, segments, slider, toggle } from "./controls.js";
import { element } from "./elements.js";
import { LOSSES, usesOf } from "./state.js";

// Digits of a gamma that was computed.
const DIGITS = { typed: 6, fromData: 4 };
const COSTS = { low: 0.01, high: 1000, isLog: true };

const symbol = (letter, index, words) => [element("i", {}, letter), element("sub", {}, index), ` ${words}`];

/**
 * Returns controls by the name of their field; `onChange(changes, isStep)` hears what the user sets. The sliders of the edges end
 * at `maxEdge`, that of gamma begins at `minGamma`; `kernels` are [value, title] pairs.
 */
function createControls(onChange, { maxEdge, minGamma, kernels }) {
  const set = (name) => (value, isStep) => onChange({ [name]: value }, isStep);
  const knob = (name, label, words, range) => slider({ label, name: words, onChange: set(name), ...range });
  const edges = { low: 0.05, high: maxEdge };
  return {
    rho1: knob("rho1", symbol("ρ", "1", "lower edge"), "rho1, lower edge of the band", edges),
    rho2: knob("rho2", symbol("ρ", "2", "upper edge"), "rho2, upper edge of the band", edges),
    C1: knob("C1", symbol("C", "1", "cost below"), "C1, cost of lying below the band", COSTS),
    C2: knob("C2", symbol("C", "2", "cost above"), "C2, cost of lying above the band", { ...COSTS, zero: true }),
    loss: segments({ name: "Loss", options: LOSSES, onChange: set("loss") }),
    kernel: choice({ label: "Kernel", options: kernels, onChange: set("kernel") }),
    gamma: knob("gamma", symbol("γ", "", "of the kernel"), "gamma of the kernel", { low: minGamma, high: 100, isLog: true }),
    degree: knob("degree", "Degree", "Degree of the kernel", { low: 1, high: 10, min: 1, whole: true }),
    coef0: knob("coef0", "Constant term", "coef0, constant term of the kernel", { low: -2, high: 2, min: null }),
    intercept: toggle({ label: "Intercept", onChange: set("intercept") }),
  };
}

/**
 * Returns the controls of a model's parameters and of more fields: `band`, `costs` and `kernel` are their elements in groups;
 * `set(state)` shows a state; `useGamma(value)` shows the gamma that a fit took from the data; `offerKernels(names)` replaces
 * the menu of kernels.
 */
export function createModelControls(onChange, ranges, more = {}) {
  const controls = { ...createControls(onChange, ranges), ...more };
  const { rho1, rho2, C1, C2, loss, kernel, gamma, degree, coef0, intercept } = controls;
  let shown = {}; // a move of one slider should not touch the others
  let usedGamma = 1;
  const isScale = toggle({
    label: "γ from the data (scale)",
    onChange: (isOn) => onChange({ gamma: isOn ? "scale" : usedGamma }, true),
  });
  const elements = (...parts) => parts.map((part) => part.element);
  return {
    band: elements(rho1, rho2),
    costs: elements(C1, C2, loss),
    kernel: elements(kernel, gamma, isScale, degree, coef0, intercept),
    set(state) {
      for (const [name, control] of Object.entries(controls)) {
        if (name !== "gamma" && state[name] !== shown[name]) control.set(state[name]);
      }
      shown = state;
      const isFromData = state.gamma === "scale";
      isScale.set(isFromData);
      gamma.enable(!isFromData);
      if (!isFromData) {
        usedGamma = state.gamma;
        gamma.set(Number(usedGamma.toPrecision(DIGITS.typed)));
      }
      const uses = usesOf(state.kernel);
      gamma.element.hidden = isScale.element.hidden = !uses.gamma;
      degree.element.hidden = !uses.degree;
      coef0.element.hidden = !uses.coef0;
    },
    useGamma(value) {
      if (!Number.isFinite(value)) return;
      usedGamma = Number(value.toPrecision(DIGITS.fromData));
      gamma.set(usedGamma);
    },
    offerKernels(names) {
      kernel.offer(names.map((name) => [name, name]));
      shown = { ...shown, kernel: undefined };
    },
  };
}
