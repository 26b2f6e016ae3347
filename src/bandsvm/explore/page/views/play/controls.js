// The panel of the Play view: one control for each field of the state.

import { button, choice, group, segments, slider, toggle } from "../../parts/controls.js";
import { element } from "../../parts/elements.js";
import { DATA, KERNELS, LOSSES, NOISE } from "./state.js";
import { PRESETS, presetOf } from "./presets.js";

const MAX_SEED = 10000;
const COSTS = { low: 0.01, high: 1000, isLog: true };
const EDGES = { low: 0.05, high: 3 };

const symbol = (letter, index, words) => [element("i", {}, letter), element("sub", {}, index), ` ${words}`];

/** Returns one control for each field of the state that has one. */
function createControls(onChange) {
  const set = (name) => (value, isStep) => onChange({ [name]: value }, isStep);
  const knob = (name, label, words, range) => slider({ label, name: words, onChange: set(name), ...range });
  return {
    data: choice({
      label: "Source",
      options: DATA,
      onChange: (data) => onChange({ data, noise: NOISE[data] }, true),
    }),
    n: knob("n", "Number", "Number of samples", { low: 18, high: 1000, isLog: true, min: 2, whole: true }),
    noise: knob("noise", "Noise", "Noise", { low: 0, high: 1 }),
    rho1: slider({
      label: symbol("ρ", "1", "lower edge"),
      name: "rho1, lower edge of the band",
      ...EDGES,
      onChange: (rho1, isStep) => onChange((state) => ({ rho1, rho2: Math.max(rho1, state.rho2) }), isStep),
    }),
    rho2: slider({
      label: symbol("ρ", "2", "upper edge"),
      name: "rho2, upper edge of the band",
      ...EDGES,
      onChange: (rho2, isStep) => onChange((state) => ({ rho2, rho1: Math.min(rho2, state.rho1) }), isStep),
    }),
    C1: knob("C1", symbol("C", "1", "cost below"), "C1, cost of lying below the band", COSTS),
    C2: knob("C2", symbol("C", "2", "cost above"), "C2, cost of lying above the band", { ...COSTS, zero: true }),
    loss: segments({ name: "Loss", options: LOSSES, onChange: set("loss") }),
    kernel: choice({ label: "Kernel", options: KERNELS, onChange: set("kernel") }),
    gamma: knob("gamma", symbol("γ", "", "of the kernel"), "gamma of the kernel", { low: 0.01, high: 100, isLog: true }),
    degree: knob("degree", "Degree", "Degree of the kernel", { low: 1, high: 10, min: 1, whole: true }),
    coef0: knob("coef0", "Constant term", "coef0, constant term of the kernel", { low: -2, high: 2, min: null }),
    intercept: toggle({ label: "Intercept", onChange: set("intercept") }),
    compare: toggle({ label: "Compare with the C-SVM", onChange: set("compare") }),
  };
}

/** Returns the panel; `onChange(changes, isStep)` hears what the user sets, `actions` are more buttons. */
export function createPanel(onChange, actions) {
  const controls = createControls(onChange);
  const isScale = toggle({
    label: "γ from the data (scale)",
    onChange: (isOn) => onChange({ gamma: isOn ? "scale" : panel.usedGamma }, true),
  });
  const preset = segments({
    name: "Presets",
    options: PRESETS.map(([name]) => [name, name]),
    onChange: (name) => onChange((state) => PRESETS.find(([own]) => own === name)[1](state), true),
  });
  const drawAgain = () => onChange({ seed: Math.floor(Math.random() * MAX_SEED) }, true);
  const again = button("Draw again", drawAgain, { class: "small" });
  const { data, n, noise, rho1, rho2, C1, C2, loss, kernel, gamma, degree, coef0, intercept, compare } = controls;
  const generated = element("div", {}, n.element, noise.element, element("div", { class: "row" }, again));
  const submit = (event) => event.preventDefault();
  let shown = {}; // a move of one slider should not touch the others
  const panel = {
    usedGamma: 1,
    element: element(
      "form",
      { class: "card panel", "aria-label": "Settings", autocomplete: "off", on: { submit } },
      group("Known models", preset.element, compare.element),
      group("Band", rho1.element, rho2.element),
      group("Costs", C1.element, C2.element, loss.element),
      group("Kernel", kernel.element, gamma.element, isScale.element, degree.element, coef0.element, intercept.element),
      group("Samples", data.element, generated),
      group("Take it with you", actions),
    ),
    /** Shows a state. */
    set(state) {
      for (const [name, control] of Object.entries(controls)) {
        if (name !== "gamma" && state[name] !== shown[name]) control.set(state[name]);
      }
      shown = state;
      isScale.set(state.gamma === "scale");
      if (state.gamma !== "scale") gamma.set((panel.usedGamma = state.gamma));
      gamma.enable(state.gamma !== "scale");
      preset.set(presetOf(state));
      const isPlain = state.kernel === "linear";
      gamma.element.hidden = isScale.element.hidden = isPlain;
      degree.element.hidden = state.kernel !== "poly";
      coef0.element.hidden = !["poly", "sigmoid"].includes(state.kernel);
      generated.hidden = state.data === "drawn";
      noise.element.hidden = again.hidden = state.data === "digits";
    },
    /** Shows the gamma that a fit took from the data. */
    useGamma(value) {
      if (!Number.isFinite(value)) return;
      panel.usedGamma = Number(value.toPrecision(4));
      gamma.set(panel.usedGamma);
    },
  };
  return panel;
}
