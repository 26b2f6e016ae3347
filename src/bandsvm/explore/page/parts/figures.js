// Figures: a few numbers, each with a name and a note.

import { element } from "./elements.js";

/** Returns the items of a list of figures, a `dl` of class "figures", for entries [name, value, note, isAlarming]. */
export function figures(entries) {
  return entries.map(([name, value, note = "", isAlarming = false]) => element(
    "div", { class: isAlarming ? "figure complaint" : "figure" },
    element("dt", {}, name), element("dd", {}, value), element("dd", { class: "note" }, note),
  ));
}
