// The dialog with code that reproduces what the view shows.

import { copy } from "../../parts/clipboard.js";
import { button } from "../../parts/controls.js";
import { element } from "../../parts/elements.js";

const TITLES = { python: "As Python", command: "As command" };

/** Returns a dialog; `open(kind)` asks the server for the code and shows it. */
export function createCodeDialog(app, fields) {
  const heading = element("h2", { id: "code-title" });
  const text = element("code");
  const copied = button("Copy", () => copy(text.textContent, copied), { class: "primary" });
  const dialog = element(
    "dialog", { "aria-labelledby": "code-title" },
    heading,
    element("p", { class: "lead" }, "This gives the model and the numbers that you see."),
    element("pre", { tabindex: "0", role: "region", "aria-labelledby": "code-title" }, text),
    element("div", { class: "row" }, copied, button("Close", () => dialog.close())),
  );
  return {
    element: dialog,
    async open(kind) {
      heading.textContent = TITLES[kind];
      copied.textContent = "Copy";
      text.textContent = "";
      try {
        const answer = await app.connection.request("play.code", fields(), "play.code");
        if (answer === null) return;
        text.textContent = answer.values[kind];
      } catch (error) {
        text.textContent = error.message;
      }
      dialog.showModal();
    },
  };
}
