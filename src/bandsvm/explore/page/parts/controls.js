// Controls: each has `element`, `set(value)`, and calls `onChange(value, isStep)`; isStep is false while a slider moves.

import { element, freshId } from "./elements.js";

const STEPS = 400;
const DIGITS = 3;

/** Returns the curve between a slider's position, 0 to 1, and its value; with `zero`, its left end is 0. */
export function curve({ low, high, isLog, zero }) {
  if (!isLog) {
    return { at: (t) => low + t * (high - low), of: (value) => (value - low) / (high - low) };
  }
  const ratio = Math.log(high / low);
  const start = zero ? 1 / STEPS : 0;
  return {
    at: (t) => (zero && t < start ? 0 : low * Math.exp((ratio * (t - start)) / (1 - start))),
    of: (value) => (value <= 0 ? 0 : start + ((1 - start) * Math.log(value / low)) / ratio),
  };
}

const rounded = (value) => Number(value.toPrecision(DIGITS));
const clamped = (t) => Math.min(1, Math.max(0, t));

/**
 * Returns a slider with a number field. `label` may hold nodes, `name` is plain text for screen readers; the slider goes from
 * `low` to `high` (logarithmic if `isLog`, with 0 at its left end if `zero`), the field takes any number from `min` on.
 */
export function slider({ label, name, low, high, isLog = false, zero = false, min = 0, whole = false, onChange }) {
  let { at, of } = curve({ low, high, isLog, zero });
  const displayed = (value) => (whole ? Math.round(value) : rounded(value));
  const id = freshId("setting");
  const field = element("input", { type: "number", id, min, step: "any", required: true, "aria-label": name });
  const range = element("input", { type: "range", min: 0, max: STEPS, step: 1, "aria-label": `${name}, slider` });
  const place = (value) => {
    range.value = String(Math.round(STEPS * clamped(of(value))));
    range.setAttribute("aria-valuetext", String(value));
  };
  const fromRange = (isStep) => {
    const value = displayed(at(Number(range.value) / STEPS));
    field.value = String(value);
    range.setAttribute("aria-valuetext", String(value));
    onChange(value, isStep);
  };
  range.addEventListener("input", () => fromRange(false));
  range.addEventListener("change", () => fromRange(true));
  field.addEventListener("change", () => {
    if (!field.reportValidity()) return;
    place(Number(field.value));
    onChange(whole ? Math.round(Number(field.value)) : Number(field.value), true);
  });
  return {
    element: element("div", { class: "setting" }, element("label", { for: id }, label), field, range),
    set(value) {
      field.value = String(value);
      place(value);
    },
    /** Shows no value, as none is known yet. */
    clear() {
      field.value = "";
      range.removeAttribute("aria-valuetext");
    },
    /** Lets the slider go from one value to another. */
    span(from, to) {
      ({ at, of } = curve({ low: from, high: to, isLog, zero }));
      if (field.value !== "") place(Number(field.value));
    },
    enable(isEnabled) {
      field.disabled = range.disabled = !isEnabled;
    },
  };
}

/** Returns a menu of [value, title] pairs. */
export function choice({ label, options, onChange }) {
  const id = freshId("choice");
  const select = element("select", { id, on: { change: () => onChange(select.value, true) } });
  offer(select, options);
  return {
    element: element("div", { class: "setting wide" }, element("label", { for: id }, label), select),
    set(value) {
      select.value = value;
    },
    /** Replaces what can be chosen. */
    offer: (others) => offer(select, others),
  };
}

function offer(select, options) {
  select.replaceChildren(...options.map(([value, title]) => element("option", { value }, title)));
}

/** Returns a menu in a row of others, of titles that are chosen by their place: `offer(titles, chosen)`; `onChange(place)`. */
export function placeMenu(label, onChange) {
  const id = freshId("menu");
  const select = element("select", { id, on: { change: () => onChange(Number(select.value)) } });
  return {
    element: element("span", { class: "row" }, element("label", { for: id }, label), select),
    offer(titles, chosen) {
      offer(select, titles.map((title, k) => [k, title]));
      select.value = String(chosen);
    },
  };
}

/** Returns a slider over the places of a list, with its label: `set(count, place)`; `onChange(place)` hears of moves. */
export function placeSlider(label, onChange) {
  const id = freshId("slider");
  const input = element("input", { type: "range", id, min: 0, max: 0, step: 1, value: 0, on: { input: () => onChange(Number(input.value)) } });
  return {
    element: element("div", { class: "slider-row" }, element("label", { for: id }, label), input),
    /** Shows a place among so many. */
    set(count, place) {
      input.max = String(count - 1);
      input.value = String(place);
    },
    /** Says in words where the slider is. */
    describe(words) {
      input.setAttribute("aria-valuetext", words);
    },
  };
}

/** Returns a check box. */
export function toggle({ label, onChange }) {
  const box = element("input", { type: "checkbox" });
  box.addEventListener("change", () => onChange(box.checked, true));
  return {
    element: element("label", { class: "switch" }, box, element("span", {}, label)),
    set(value) {
      box.checked = value;
    },
  };
}

/** Returns a row of [value, title] pairs of which one is chosen. */
export function segments({ name, options, onChange }) {
  const group = freshId("segments");
  const boxes = new Map();
  const labels = options.map(([value, title]) => {
    const box = element("input", { type: "radio", name: group, value });
    box.addEventListener("change", () => onChange(value, true));
    boxes.set(value, box);
    return element("label", {}, box, element("span", {}, title));
  });
  return {
    element: element("div", { class: "segments", role: "radiogroup", "aria-label": name }, labels),
    set(value) {
      for (const [own, box] of boxes) box.checked = own === value;
    },
  };
}

/** Returns a button. */
export function button(title, onClick, attributes = {}) {
  return element("button", { type: "button", ...attributes, on: { click: onClick } }, title);
}

/** Returns controls under a heading. */
export function group(title, ...children) {
  return element("fieldset", { class: "group" }, element("legend", {}, title), ...children);
}
