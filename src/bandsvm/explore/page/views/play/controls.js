// The panel of the Play view: one control for each field of the state.

import { button, choice, group, segments, slider, toggle } from "../../parts/controls.js";
import { element } from "../../parts/elements.js";
import { createModelControls } from "../../parts/model_controls.js";
import { PRESETS, presetOf } from "./presets.js";
import { DATA, KERNELS, NOISE } from "./state.js";

const MAX_SEED = 10000;
const RANGES = { maxEdge: 3, minGamma: 0.01, kernels: KERNELS };

/** Returns the panel; `onChange(changes, isStep)` hears what the user sets, `actions` are more buttons. */
export function createPanel(onChange, actions) {
  const set = (name) => (value, isStep) => onChange({ [name]: value }, isStep);
  const data = choice({ label: "Source", options: DATA, onChange: (source) => onChange({ data: source, noise: NOISE[source] }, true) });
  const n = slider({ label: "Number", name: "Number of samples", low: 18, high: 1000, isLog: true, min: 2, whole: true, onChange: set("n") });
  const noise = slider({ label: "Noise", name: "Noise", low: 0, high: 1, onChange: set("noise") });
  const compare = toggle({ label: "Compare with the C-SVM", onChange: set("compare") });
  const model = createModelControls(onChange, RANGES, { data, n, noise, compare });
  const preset = segments({
    name: "Presets",
    options: PRESETS.map(([name]) => [name, name]),
    onChange: (name) => onChange((state) => PRESETS.find(([own]) => own === name)[1](state), true),
  });
  const drawAgain = () => onChange({ seed: Math.floor(Math.random() * MAX_SEED) }, true);
  const again = button("Draw again", drawAgain, { class: "small" });
  const generated = element("div", {}, n.element, noise.element, element("div", { class: "row" }, again));
  const submit = (event) => event.preventDefault();
  return {
    element: element(
      "form",
      { class: "card panel", "aria-label": "Settings", autocomplete: "off", on: { submit } },
      group("Known models", preset.element, compare.element),
      group("Band", model.band),
      group("Costs", model.costs),
      group("Kernel", model.kernel),
      group("Samples", data.element, generated),
      group("Take it with you", actions),
    ),
    /** Shows a state. */
    set(state) {
      model.set(state);
      preset.set(presetOf(state));
      generated.hidden = state.data === "drawn";
      noise.element.hidden = again.hidden = state.data === "digits";
    },
    /** Shows the gamma that a fit took from the data. */
    useGamma: model.useGamma,
  };
}
