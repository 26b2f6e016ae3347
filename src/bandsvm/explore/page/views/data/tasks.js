// The seam between classes and numbers: what the view does for one unlike the other, by the server's names.

import { classes } from "./classes.js";
import { numbers } from "./numbers.js";

/**
 * What a task has:
 * - `parameters(state)`: those of a fit, but for the kernel's; `canSearch(state)`: whether parameters can be searched for;
 *   `chosen(parameters)`: what a search changes in the state, but for gamma
 * - `targets`: what the column of targets holds, in the list of columns and as a sentence
 * - `places`: words for places below, inside and above, with their colours
 * - `tabs(about)`: names of the tabs that make sense for { overview, has_weights, search }
 * - `figures(overview, nTrain)`: entries [name, value, note, isAlarming]
 * - `table`: the table of samples: `canBeWrong`, `filters` (what the text filter finds), `remarks(values, query)`
 * - `points`: samples in a picture: `shapeOf(values)` returns that of the k-th, `flagged(values)` those with a ring,
 *   `read(values, k)` a sentence, `legend(values)` entries
 * - `path`: what paths `vary`, as options; `score`: its field; `line` and `about`: words
 * - `search`: `word` and `score(value, digits)` of what is maximised; `other(values, ratios)`: the axes of its second picture;
 *   `width(values, k)`: band or tube of a candidate; `part(scores, share)`: a sentence, a note and a table on some samples
 * - `model`: a model in a file: `predicts(model)` and `facts(model)` (entries of a list), `histogram` (a title), `penalty(model)` (its picture), `support(model)` (bars, or null)
 */
export const TASKS = { classify: classes, regress: numbers };
export const TASK_CHOICES = [["", "Detect"], ["classify", "Classes"], ["regress", "Numbers"]];

/** Returns the task of a state: without a choice the server takes labels for classes, or asks. */
export function taskOf(state) {
  return TASKS[state.task || "classify"];
}
