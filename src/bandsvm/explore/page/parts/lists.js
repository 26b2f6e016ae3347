// Lists and tables of a few entries.

import { element } from "./elements.js";

/** Returns texts as items of a list. */
export function items(texts) {
  return texts.map((text) => element("li", {}, text));
}

/** Returns the items of a list of figures, a `dl` of class "figures", for entries [name, value, note, isAlarming]. */
export function figures(entries) {
  return entries.map(([name, value, note = "", isAlarming = false]) => element(
    "div", { class: isAlarming ? "figure complaint" : "figure" },
    element("dt", {}, name), element("dd", {}, value), element("dd", { class: "note" }, note),
  ));
}

/** Returns a line that says what went wrong: `say(text)`, with "" for nothing. */
export function complaintLine() {
  const line = element("p", { class: "complaint", role: "alert", hidden: true });
  return {
    element: line,
    say(text) {
      line.hidden = text === "";
      line.textContent = text;
    },
  };
}

/** Returns a frame in which a table scrolls. */
export function tableFrame(name, table) {
  return element("div", { class: "table-frame", tabindex: "0", role: "region", "aria-label": name }, table);
}

/** Returns a table in a frame; columns hold numbers but for `texts`, which are places of columns. */
export function table({ name, head, rows, texts = [] }) {
  const kind = (k) => (texts.includes(k) ? null : "number");
  return tableFrame(name, element(
    "table", {},
    element("thead", {}, element("tr", {}, head.map((title, k) => element("th", { scope: "col", class: kind(k) }, title)))),
    element("tbody", {}, rows.map((row) => element("tr", {}, row.map((cell, k) => element("td", { class: kind(k) }, cell))))),
  ));
}
