// Tables of a few rows.

import { element } from "./elements.js";

/** Returns a table in a frame that scrolls; columns hold numbers but for `texts`, which are places of columns. */
export function table({ name, head, rows, texts = [] }) {
  const kind = (k) => (texts.includes(k) ? null : "number");
  return element(
    "div", { class: "table-frame", tabindex: "0", role: "region", "aria-label": name },
    element(
      "table", {},
      element("thead", {}, element("tr", {}, head.map((title, k) => element("th", { scope: "col", class: kind(k) }, title)))),
      element("tbody", {}, rows.map((row) => element("tr", {}, row.map((cell, k) => element("td", { class: kind(k) }, cell))))),
    ),
  );
}
