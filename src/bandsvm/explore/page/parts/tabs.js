// Tabs within a view: one list, one panel at a time; arrow keys move between them.

import { element, freshId } from "./elements.js";

/** Returns tabs; each page has `name`, `title` and `element`. `onChoose(name)` hears what the user chooses. */
export function createTabs({ name, pages, onChoose }) {
  const buttons = new Map();
  const panels = new Map();
  let chosen = null;
  for (const page of pages) {
    const [id, panelId] = [freshId("tab"), freshId("panel")];
    const tab = element("button", { type: "button", role: "tab", id, "aria-controls": panelId, on: { click: () => onChoose(page.name) } }, page.title);
    buttons.set(page.name, tab);
    panels.set(page.name, element("div", { role: "tabpanel", id: panelId, "aria-labelledby": id, class: "tab-panel" }, page.element));
  }
  const list = element("div", { role: "tablist", "aria-label": name, class: "tab-list" }, [...buttons.values()]);
  list.addEventListener("keydown", (event) => {
    const offered = [...buttons].filter(([, tab]) => !tab.hidden);
    const at = offered.findIndex(([own]) => own === chosen);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: offered.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const [own, tab] = offered[(next + offered.length) % offered.length];
    onChoose(own);
    tab.focus();
  });
  return {
    element: element("div", {}, list, [...panels.values()]),
    /** Shows a page. */
    choose(wanted) {
      chosen = wanted;
      for (const [own, tab] of buttons) {
        tab.setAttribute("aria-selected", String(own === wanted));
        tab.setAttribute("tabindex", own === wanted ? "0" : "-1");
        panels.get(own).hidden = own !== wanted;
      }
      const tab = buttons.get(wanted);
      list.scrollLeft = tab.offsetLeft - list.offsetLeft - (list.clientWidth - tab.offsetWidth) / 2; // on narrow screens
    },
    /** Offers a page, or not. */
    offer(own, isOffered) {
      buttons.get(own).hidden = !isOffered;
    },
  };
}
