// The view "A model".

import { element } from "../../parts/elements.js";

export const view = {
  name: "model",
  title: "A model",
  /** Builds the view in `root`; returns what the shell calls: `show` with fields of the address, `refresh`. */
  mount(root, app) {
    root.append(element("p", { class: "lead" }, "Nothing here yet."));
    return { show(fields) {}, refresh() {} };
  },
};
