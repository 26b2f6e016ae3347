// What came of a fit: figures, remarks, and tabs.

import { copied } from "../../parts/clipboard.js";
import { button, segments } from "../../parts/controls.js";
import { element } from "../../parts/elements.js";
import { figures, items } from "../../parts/lists.js";
import { createTabs } from "../../parts/tabs.js";
import { saveAnswer } from "../../plots/save.js";
import { createAbstainTab } from "./abstain.js";
import { createPathTab } from "./path.js";
import { createPredictionsTab } from "./predictions.js";
import { createProjectionTab } from "./projection.js";
import { createQuantilesTab } from "./quantiles.js";
import { createResidualsTab } from "./residuals.js";
import { createSamplesTab } from "./samples.js";
import { createSearchTab } from "./search.js";
import { TASKS } from "./tasks.js";
import { createValuesTab } from "./values.js";
import { createWeightsTab } from "./weights.js";

const PART_NAMES = { "held out": "Held out", folds: "Folds", train: "Training", all: "All" };

/** Returns the results; `ask` is how tabs ask the server, `onChange(changes, isStep)` hears which tab and part are chosen. */
export function createResults(ask, onChange) {
  const tabs = [
    createSamplesTab, createPredictionsTab, createResidualsTab, createQuantilesTab, createProjectionTab, createValuesTab,
    createAbstainTab, createPathTab, createWeightsTab, createSearchTab,
  ].map((create) => create(ask));
  const pages = createTabs({ name: "Results", pages: tabs, onChoose: (tab) => onChange({ tab }, true) });
  const role = element("p", { class: "note", id: "data-role" });
  const list = element("dl", { class: "figures" });
  const remarks = element("ul", { class: "remarks" });
  const stale = element("p", { class: "stale", hidden: true }, "The settings have changed since this fit: press Fit to see what they do.");
  const partBox = element("div");
  const certificate = element("pre");
  const command = element("code");
  const outcome = element("span", { class: "note", role: "status" });
  const copy = async (text) => {
    outcome.textContent = `${await copied(text)}.`;
  };
  const copyCommand = button("Copy as command", () => copy(command.textContent), { class: "small" });
  const copyCode = button("Copy as Python", async () => {
    outcome.textContent = "";
    const answer = await ask("data.code", {}, "data.code");
    if (answer) await copy(answer.values.code);
  }, { class: "small" });
  const save = button("Save the model", async () => {
    saveAnswer(await ask("data.model", {}, "data.save"));
  }, { class: "small" });
  const saveReport = button("Save the report", async () => {
    saveAnswer(await ask("data.report", {}, "data.save"), "text/html;charset=utf-8");
  }, { class: "small" });
  const about = element("p", { class: "note" });
  const summary = element(
    "section", { class: "card summary", "aria-label": "Summary" },
    element("div", { class: "row spread" }, element("h2", {}, "Result"), element("div", { class: "row" }, partBox, saveReport)), stale, list, role, remarks,
    element(
      "details", {}, element("summary", {}, "Certificate, command and model file"), certificate,
      element("p", { class: "note" }, "At the shell the same parameters are fitted to all samples. In Python the same samples are held out."),
      element("div", { class: "command" }, command),
      element("div", { class: "row" }, copyCommand, copyCode, outcome), about, save,
    ),
  );
  const body = element("div", { class: "results", hidden: true }, summary, element("section", { class: "card", "aria-label": "Views of the result" }, pages.element));
  const title = element("h2", {}, "Look at your own data");
  const invitation = element("p", {}, "Open a table with a column to predict, classes or numbers, such as a CSV file.");
  const empty = element(
    "section", { class: "card empty" }, title, invitation,
    element("p", {}, "A quarter of the samples is held out, of each class if there are classes; a Banded SVM is fitted to the rest, and what you see of it comes from the held-out samples:"),
    element("ul", {}, items([
      "which samples are doubtful, typical or extreme, in a table and in the plane;",
      "how decision values are distributed, and what abstaining buys;",
      "how the model changes from a C-SVM to a narrow band; which features count;",
      "of numbers: predictions against targets, residuals against the tube, and whether quantiles cover what they should.",
    ])),
  );
  let current = null;
  let shown = { tab: null, part: null, result: null };

  const results = {
    element: element("div", {}, empty, body),
    /** Shows a new result, or with null none. */
    set(result) {
      current = result;
      body.hidden = result === null;
      empty.hidden = result !== null;
      if (result === null) return;
      const parts = segments({ name: "Samples", options: result.parts.map((part) => [part, PART_NAMES[part]]), onChange: (part) => onChange({ part }, true) });
      partBox.replaceChildren(parts.element);
      results.parts = parts;
      remarks.replaceChildren(...items(result.sentences));
      certificate.textContent = result.overview.certificate?.text ?? "";
      command.textContent = result.command;
      outcome.textContent = "";
      about.textContent = `The model file holds this model, fitted to ${result.n_train} training samples.`;
      const offered = TASKS[result.task].tabs(result);
      for (const { name } of tabs) pages.offer(name, offered.includes(name));
      shown = { tab: null, part: null, result: null };
    },
    /** Shows a path that was begun before the page was reloaded. */
    showPath(values) {
      tabs.find(({ name }) => name === "path").accept(values);
    },
    /** Says that a file is open, and what to do next. */
    invite(name) {
      title.textContent = name;
      invitation.textContent = "Choose the column to predict under “Target”, and whether it holds classes or numbers, then press Fit; or press Search to let cross-validation choose the parameters.";
    },
    /** Shows the part and the tab of a state; tabs that are not offered become the first. */
    async show(state, isStale) {
      stale.hidden = !isStale;
      if (current === null) return;
      const part = current.parts.includes(state.part) ? state.part : current.parts[0];
      const task = TASKS[current.task];
      const tab = task.tabs(current).includes(state.tab) ? state.tab : "samples";
      pages.choose(tab);
      results.parts.set(part);
      if (shown.part !== part || shown.result !== current) {
        const [asked, own] = [current, part === current.parts[0] ? { values: current.overview } : null];
        const answer = own ?? (await ask("data.view", { view: "overview", part }, "data.overview"));
        if (!answer || asked !== current) return; // overtaken
        list.replaceChildren(...searchFigures(current.search, task.search), ...figures(task.figures(answer.values, current.n_train)));
        role.textContent = roleWords(answer.values.role);
      }
      if (shown.tab === tab && shown.part === part && shown.result === current) return;
      shown = { tab, part, result: current };
      tabs.find(({ name }) => name === tab).show(current, part);
    },
  };

  return results;
}

/** Returns the cross-validated score of a search, which is the same for all parts of the samples. */
function searchFigures(search, { word, score: text }) {
  if (search === null) return [];
  const { score, deviation, n_folds: n } = search;
  return figures([["Cross-validated", text(score), `${word}, mean of ${n} folds; deviation ${text(deviation)}`]]);
}

/** Returns which samples figures come from, as a sentence. */
export function roleWords(role) {
  return `From ${role.charAt(0).toLowerCase()}${role.slice(1)}`;
}
