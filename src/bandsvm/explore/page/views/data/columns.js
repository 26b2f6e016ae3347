// The columns of a file: what each holds, and what it is used for.

import { element } from "../../parts/elements.js";
import { columnsOf } from "./state.js";

// Columns whose use can be changed; any can be the target.
const MAX_LISTED = 300;
const ROLES = ["drop", "category", "keep"];
const USES = [["", "use"], ["drop", "Leave out"], ["category", "Categories"]];
const TITLES = { keep: "use", category: "Categories" };

/** Returns the list of columns; `onChange(changes, isStep)` hears what the user sets. */
export function createColumns(onChange) {
  const list = element("div", { class: "columns" });
  const summary = element("summary");
  let rows = [];
  let nColumns = 0;
  let leftOut = new Map(); // what the readers leave out by themselves: { reason, use } by column

  const choose = () => {
    const of = (role) => rows.flatMap(({ select }, k) => (select.value === role ? [k] : [])).join(",");
    onChange(Object.fromEntries(ROLES.map((role) => [role, of(role)])), true);
  };

  function row({ name, kind }) {
    const select = element("select", { "aria-label": `Use of column ${name}`, on: { change: choose } });
    const note = element("span", { class: "note" });
    return { kind, select, note, element: element("div", { class: "column" }, element("span", { class: "column-name", title: name }, name), select, note) };
  }

  return {
    element: element("details", {}, summary, list),
    /** Lists the columns of a file; of some it is known at once that they are left out. */
    setFile(columns, leftOutColumns) {
      nColumns = columns.length;
      rows = columns.slice(0, MAX_LISTED).map(row);
      this.setLeftOut(leftOutColumns);
      list.replaceChildren(...rows.map((own) => own.element));
    },
    /** Takes over which columns are left out: { column, reason, use }, where `use` is the role that would use it, or null. */
    setLeftOut(columns) {
      leftOut = new Map(columns.map(({ column, ...why }) => [column, why]));
    },
    /** Shows what columns are used for; `target` is the one to predict, and `use` what it holds. */
    set(state, target, use) {
      const chosen = Object.fromEntries(ROLES.map((role) => [role, columnsOf(state, role)]));
      const isOut = (k) => leftOut.has(k) && k !== target && !chosen[leftOut.get(k).use]?.includes(k);
      rows.forEach(({ kind, select, note }, k) => {
        const uses = k === target ? [["", use]] : usesOf(leftOut.get(k), chosen.keep.includes(k));
        select.replaceChildren(...uses.map(([value, title]) => element("option", { value }, title)));
        select.value = uses.find(([value]) => value && chosen[value].includes(k))?.[0] ?? "";
        select.disabled = uses.length === 1;
        note.textContent = isOut(k) ? `left out: ${leftOut.get(k).reason}` : kind;
      });
      const n = [...leftOut.keys()].filter(isOut).length;
      const listed = rows.length < nColumns ? `The first ${rows.length} of ${nColumns} columns` : `All ${nColumns} columns`;
      summary.textContent = n > 0 ? `${listed}, ${n} left out` : listed;
    },
  };
}

/** Returns the choices for a column, as pairs of role and title; the first one is what becomes of it without a choice. */
function usesOf(why, isKept) {
  if (isKept) return [["", "left out"], ["keep", TITLES.keep]];
  if (why === undefined) return USES;
  return [["", "left out"], ...(why.use === null ? [] : [[why.use, TITLES[why.use]]])];
}
