// Controls for the parameters of models that predict numbers.

import { segments, slider, toggle } from "../../parts/controls.js";
import { element, freshId } from "../../parts/elements.js";
import { quantilesOf } from "./numbers.js";
import { GOALS, TUBE_LOSSES } from "./state.js";

// A slider reaches this far below and above the value that follows from the data.
const REACH = { cost: 1000, epsilon: 100 };
const DIGITS = { fromData: 3, shown: 6 };
// Parameters in units of the targets, by the field of the state that holds them.
const PARAMETERS = { costBelow: "C1", costAbove: "C2", epsilon: "epsilon", cost: "C" };
const GOAL_OF = { costBelow: "tube", costAbove: "tube", epsilon: "tube", cost: "quantiles" };

const symbol = (letter, index, words) => [element("i", {}, letter), element("sub", {}, index), ` ${words}`];

/** Returns the controls: `elements`; `set(state)` shows a state, `useFitted(parameters)` those that a fit used. */
export function createTubeControls(onChange) {
  const set = (name) => (value, isStep) => onChange({ [name]: value }, isStep);
  const knob = (name, label, words, reach, zero) =>
    slider({ label, name: words, low: 1 / reach, high: reach, isLog: true, zero, onChange: set(name) });
  const knobs = {
    epsilon: knob("epsilon", symbol("ε", "", "tube"), "epsilon, half width of the tube", REACH.epsilon, true),
    costBelow: knob("costBelow", symbol("C", "1", "cost below"), "C1, cost of a prediction below the tube", REACH.cost, true),
    costAbove: knob("costAbove", symbol("C", "2", "cost above"), "C2, cost of a prediction above the tube", REACH.cost, true),
    cost: knob("cost", symbol("C", "", "cost"), "C, cost of an error", REACH.cost, false),
  };
  const goal = segments({ name: "What is predicted", options: GOALS, onChange: set("goal") });
  const loss = segments({ name: "Loss of the tube", options: TUBE_LOSSES, onChange: set("tubeLoss") });
  const fromSpread = toggle({
    label: "From the spread of the targets",
    onChange: (isOn) => onChange({ fromSpread: isOn, ...(isOn ? {} : used) }, true),
  });
  const id = freshId("quantiles");
  const field = element("input", { type: "text", id, spellcheck: "false", inputmode: "decimal", "aria-describedby": `${id}-note` });
  const note = element("p", { class: "note", id: `${id}-note` }, "Between 0 and 1, with commas; the median is 0.5.");
  const quantiles = element("div", { class: "setting wide quantiles" }, element("label", { for: id }, "Quantiles"), field, note);
  field.addEventListener("change", () => {
    const isFine = quantilesOf(field.value) !== null;
    field.setCustomValidity(isFine ? "" : "Numbers between 0 and 1, each once, such as 0.1, 0.5, 0.9.");
    if (field.reportValidity()) onChange({ quantiles: field.value.trim() }, true);
  });
  let used = {}; // values that followed from the data, by field
  const centres = {}; // values in the middle of the sliders, by field

  /** Lets sliders reach far to both sides of some values: targets may be of any size. */
  function centre(values) {
    for (const [name, value] of Object.entries(values)) {
      const reach = name === "epsilon" ? REACH.epsilon : REACH.cost;
      const isNear = value <= reach * centres[name] && value >= centres[name] / reach;
      if (!(value > 0) || isNear) continue;
      centres[name] = value;
      knobs[name].span(value / reach, value * reach);
    }
  }

  return {
    elements: [goal, quantiles, knobs.epsilon, knobs.costBelow, knobs.costAbove, knobs.cost, loss, fromSpread].map((part) => part.element ?? part),
    set(state) {
      const isHidden = goal.element.hidden;
      const isTube = state.goal === "tube";
      goal.set(state.goal);
      loss.set(state.tubeLoss);
      loss.element.hidden = isHidden || !isTube;
      quantiles.hidden = isHidden || isTube;
      if (field.value !== state.quantiles) field.value = state.quantiles;
      fromSpread.set(state.fromSpread);
      if (!state.fromSpread) centre(Object.fromEntries(Object.keys(PARAMETERS).map((name) => [name, state[name]])));
      for (const [name, control] of Object.entries(knobs)) {
        control.element.hidden = isHidden || GOAL_OF[name] !== state.goal;
        control.enable(!state.fromSpread);
        if (!state.fromSpread) control.set(Number(state[name].toPrecision(DIGITS.shown)));
        else if (name in used) control.set(used[name]);
        else control.clear();
      }
    },
    useFitted(parameters) {
      const found = Object.entries(PARAMETERS).filter(([, parameter]) => typeof parameters[parameter] === "number");
      used = { ...used, ...Object.fromEntries(found.map(([name, parameter]) => [name, Number(parameters[parameter].toPrecision(DIGITS.fromData))])) };
      centre(used);
    },
  };
}
