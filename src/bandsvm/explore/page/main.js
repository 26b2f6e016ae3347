// The shell: tabs, the theme, the connection, and one view at a time.

import { Address } from "./parts/address.js";
import { Connection } from "./parts/connection.js";
import { element } from "./parts/elements.js";
import { bindTheme } from "./parts/theme.js";
import { view as data } from "./views/data/view.js";
import { view as model } from "./views/model/view.js";
import { view as play } from "./views/play/view.js";

// Each has `name`, `title` and `mount(root, app)`, which builds it and returns what has `show(fields)` and `refresh()`.
const VIEWS = [play, data, model];
const GONE =
  "The server has stopped, so nothing is computed any more. Start it again with bandsvm explore; " +
  "this address keeps what you see, so copy what follows the # to the new page.";

const main = document.getElementById("main");
const banner = document.getElementById("banner");
const announcer = document.getElementById("announcer");

const app = {
  connection: new Connection(),
  // A tab leads to where its view was left.
  address: new Address(show, (name, hash) => tabs.get(name)?.setAttribute("href", hash)),
  /** Lets screen readers say something. */
  announce(text) {
    announcer.textContent = text;
  },
};
const shown = new Map();
let current = null;

const tabs = new Map(
  VIEWS.map(({ name, title }) => [name, element("a", { href: `#${name}` }, title)]),
);
document.getElementById("tabs").append(...tabs.values());
bindTheme(document.getElementById("theme"));

/** Shows a view with the fields of the address; an unknown one becomes the first. */
function show({ view: name, fields }) {
  const view = VIEWS.find((candidate) => candidate.name === name) ?? VIEWS[0];
  for (const [other, tab] of tabs) {
    if (other === view.name) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  document.title = `${view.title} · bandsvm`;
  if (!shown.has(view.name)) {
    const root = element("div", { class: `view-${view.name}` });
    main.append(root);
    shown.set(view.name, { root, mounted: view.mount(root, app) });
  }
  for (const [other, { root }] of shown) root.hidden = other !== view.name;
  current = shown.get(view.name).mounted;
  current.show(fields);
}

app.connection.onChange((open) => {
  banner.hidden = open;
  banner.textContent = open ? "" : GONE;
  if (open) current?.refresh();
});
// A skip link must not count as a view.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
app.address.visit();
