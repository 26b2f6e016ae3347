// The tab of a search: cross-validated scores first, then candidates, held-out samples and, last, training samples.

import { element } from "../../parts/elements.js";
import { capitalized, short } from "../../parts/format.js";
import { table } from "../../parts/lists.js";
import { createSurface } from "./surface.js";
import { TASKS } from "./tasks.js";

const PARTS = {
  folds: "Cross-validated predictions",
  "held out": "Samples that the search has not seen",
  train: "Training samples",
};
const DIGITS = 2;

export function createSearchTab(ask) {
  const folds = element("div");
  const surface = createSurface("search");
  const candidates = element("div");
  const parts = element("div");

  function draw({ surface: scores, folds: own, candidates: listed, n_candidates: n, no_folds: reason, parts: found }) {
    const { mean, deviation } = listed[0];
    const task = TASKS[scores.task].search;
    const share = shareOf(task);
    folds.replaceChildren(
      element("h3", {}, "Scores of the chosen candidate"),
      element("p", { class: "note" }, `${capitalized(task.word)} in each fold of the training samples, by a model that was fitted to the other folds.`),
      table({
        name: "Scores by fold",
        head: [...own.map((_, k) => `fold ${k + 1}`), "mean", "deviation"],
        rows: [[...own, mean, deviation].map((score) => share(score))],
      }),
    );
    surface.draw(scores);
    candidates.replaceChildren(
      element("h3", {}, "Candidates"),
      element("p", { class: "note" }, `The chosen one and those of the highest mean ${task.word}${n > listed.length ? `; ${n - listed.length} more` : ""}. Candidates that were given up early have scores in fewer folds.`),
      candidatesTable(listed, share),
    );
    parts.replaceChildren(
      ...(reason ? [element("h3", {}, PARTS.folds), element("p", { class: "note" }, `There are none: ${reason}.`)] : []),
      ...Object.entries(found).flatMap(([name, part]) => partScores(PARTS[name], part, task)),
    );
  }

  return {
    name: "search",
    title: "Search",
    element: element("div", { class: "search" }, folds, surface.element, candidates, parts),
    async show(_result, part) {
      const answer = await ask("data.view", { view: "search", part }, "data.search");
      if (answer) draw(answer.values);
    },
  };
}

const shareOf = (task) => (score) => (score === null ? "–" : task.score(score, DIGITS));

function candidatesTable(listed, share) {
  const names = Object.keys(listed[0].settings).filter((name) => listed.some(({ settings }) => settings[name] !== null));
  return table({
    name: "Candidates",
    head: [...names, "mean", "deviation", "folds"],
    texts: names.flatMap((name, k) => (name === "kernel" ? [k] : [])),
    rows: listed.map(({ settings, mean, deviation, n_folds: n }) => [
      ...names.map((name) => settingWords(name, settings)),
      share(mean), share(deviation), String(n),
    ]),
  });
}

/** Returns a setting as text; without a cost above the band its upper edge means nothing. */
function settingWords(name, settings) {
  const value = name === "rho2" && settings.C2 === 0 ? null : settings[name];
  return typeof value === "number" ? short(value) : (value ?? "–");
}

/** Returns what a part of the samples says of the model: a sentence and, if there is one, a table. */
function partScores(title, part, task) {
  const { sentence, more, scores } = task.part(part, shareOf(task));
  return [
    element("h3", {}, title), element("p", {}, sentence), element("p", { class: "note" }, `${part.role}${more}`),
    ...(scores === null ? [] : [table({ ...scores, name: `Scores by class: ${title}` })]),
  ];
}
