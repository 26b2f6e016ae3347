// The tab of samples: a table to sort, filter and save.

import { button, segments, toggle } from "../../parts/controls.js";
import { element, freshId } from "../../parts/elements.js";
import { capitalized, short, signed } from "../../parts/format.js";
import { tableFrame } from "../../parts/lists.js";
import { saveAnswer } from "../../plots/save.js";
import { TASKS } from "./tasks.js";

const ROWS = 50;
const SETTLE_MS = 200;

export function createSamplesTab(ask) {
  const query = { place: "", text: "", wrong: false, sort: null, descending: false };
  let [part, start, found, timer, task] = [null, 0, 0, null, null];
  const placesBox = element("div");
  const wrong = toggle({ label: "wrong only", onChange: (isOn) => change({ wrong: isOn }) });
  const id = freshId("filter");
  const filter = element("input", { type: "text", id, spellcheck: "false" });
  filter.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => change({ text: filter.value }), SETTLE_MS);
  });
  const head = element("tr");
  const body = element("tbody");
  const caption = element("caption", { class: "unseen" }, "Samples");
  const table = element("table", { class: "samples" }, caption, element("thead", {}, head), body);
  const frame = tableFrame("Table of samples", table);
  const count = element("p", { class: "note", role: "status" });
  const before = button("Previous", () => turn(-ROWS), { class: "small" });
  const after = button("Next", () => turn(ROWS), { class: "small" });
  const save = button("Save as CSV", async () => {
    saveAnswer(await ask("data.csv", { part, ...query }, "data.save"), "text/csv;charset=utf-8");
  }, { class: "small" });
  const note = element("p", { class: "note" });

  /** Offers the places of another task. */
  function setTask(next) {
    task = next;
    Object.assign(query, { place: "", wrong: false });
    const options = [["", "All"], ...task.places.map(([place]) => [place, capitalized(place)])];
    const places = segments({ name: "Place", options, onChange: (place) => change({ place, sort: null }) });
    places.set("");
    placesBox.replaceChildren(places.element);
    wrong.set(false);
    wrong.element.hidden = !task.table.canBeWrong;
    filter.placeholder = task.table.filters;
  }

  function change(changes) {
    Object.assign(query, changes);
    start = 0;
    load();
  }

  function turn(step) {
    start = Math.max(0, Math.min(start + step, found - 1));
    load();
  }

  async function load() {
    const answer = await ask("data.view", { view: "samples", part, start, count: ROWS, ...query }, "data.samples");
    if (!answer) return;
    const { columns, rows, n_found: n, n_samples: all, n_features_left_out: more, is_sparse: isSparse } = answer.values;
    found = n;
    head.replaceChildren(...columns.map((column, k) => heading(column, k)));
    body.replaceChildren(...rows.map((row) => element("tr", {}, row.map((cell, k) => tableCell(cell, columns[k])))));
    const last = Math.min(start + ROWS, n);
    count.textContent = n === 0 ? "No sample is like that." : `${start + 1} to ${last} of ${n}${n < all ? ` (of ${all} samples)` : " samples"}`;
    before.disabled = start === 0;
    after.disabled = last >= n;
    note.textContent = [
      ...task.table.remarks(answer.values, query),
      isSparse ? "Features of sparse samples are not listed." : more > 0 ? `${more} more features are not shown; the CSV file has them.` : "",
    ].filter(Boolean).join(" ");
  }

  function heading({ name, is_number: isNumber }, k) {
    const isSorted = query.sort === k;
    const order = isSorted ? (query.descending ? "descending" : "ascending") : "none";
    const arrow = { ascending: " ↑", descending: " ↓", none: "" }[order];
    const sort = () => change({ sort: k, descending: isSorted ? !query.descending : false });
    return element(
      "th", { scope: "col", "aria-sort": order, class: isNumber ? "number" : null },
      element("button", { type: "button", class: "quiet small", on: { click: sort } }, name, arrow),
    );
  }

  return {
    name: "samples",
    title: "Samples",
    element: element(
      "div", {},
      element(
        "div", { class: "row toolbar" }, placesBox, wrong.element,
        element("span", { class: "row" }, element("label", { for: id }, "Contains"), filter), save,
      ),
      frame,
      element("div", { class: "row spread" }, count, element("div", { class: "row" }, before, after)), note,
    ),
    show(result, chosen) {
      if (task !== TASKS[result.overview.task]) setTask(TASKS[result.overview.task]);
      placesBox.hidden = result.overview.positions === null; // without targets there are no places
      if (part !== chosen || result !== this.result) start = 0;
      if (result !== this.result) query.sort = null; // another table may have other columns
      [part, this.result] = [chosen, result];
      load();
    },
  };
}

function tableCell(cell, { name, is_number: isNumber, is_signed: isSigned }) {
  const text = cell === null ? "–" : typeof cell === "number" ? (isSigned ? signed : short)(cell, 5) : String(cell);
  const kind = name === "place" ? `place-${text}` : name === "is right" && text === "no" ? "wrong" : null;
  return element("td", { class: isNumber ? "number" : kind }, text);
}
