// Requests of the view "Your data": whether any is under way, and how far long work is.

import { element } from "../../parts/elements.js";
import { capitalized, duration, short } from "../../parts/format.js";
import { createSurface } from "./surface.js";

/**
 * Returns how the view asks the server. `root` shows whether it is busy, `panel` what goes wrong and how far long work is;
 * `element` shows the candidates of a search that is under way.
 */
export function createRequests(connection, root, panel) {
  const surface = createSurface("live-search");
  const live = element("section", { class: "card live", "aria-label": "Search", hidden: true }, element("h2", {}, "Searching"), surface.element);
  let pending = 0;
  let pendingLong = 0; // those of them that take long
  let searchProgress = null; // the last that was heard of a search

  function wait(change) {
    pending += change;
    root.setAttribute("aria-busy", String(pending > 0));
  }

  function begin() {
    pendingLong += 1;
    searchProgress = null;
    panel.complain("");
    panel.progress({ share: null, line: "Computing." });
  }

  function end() {
    pendingLong -= 1;
    if (pendingLong > 0) return;
    panel.progress(null);
    live.hidden = true;
  }

  function report(values) {
    if (values.surface) {
      live.hidden = false;
      surface.draw(values.surface);
    }
    searchProgress = values.progress ?? searchProgress;
    const progress = progressOf(values, searchProgress);
    if (progress !== null) panel.progress(progress);
  }

  const requests = {
    element: live,
    /** Waits for an answer; says what goes wrong, and then resolves to null. */
    async awaited(answer) {
      wait(1);
      try {
        return await answer;
      } catch (error) {
        panel.complain(error.message);
        return null;
      } finally {
        wait(-1);
      }
    },
    /** Asks the server, as `awaited`; long work shows its progress. */
    async ask(kind, fields, channel, isLong = false) {
      if (!isLong) return requests.awaited(connection.request(kind, fields, channel));
      begin();
      const answer = await requests.awaited(connection.request(kind, fields, channel, report));
      end();
      return answer;
    },
  };
  return requests;
}

/** Returns { share, line } for a report; `searchProgress` is the last that was heard of a search. Null if there is nothing to say. */
export function progressOf({ stage, share = null, line = "", problem, n_steps: steps, violation, tol, n_support: support }, searchProgress) {
  if (stage === "read") return { share: null, line: "Reading the file." };
  if (stage === "fit") {
    const where = problem ? `${capitalized(problem)}: step` : "Step";
    return { share, line: `${where} ${steps}, violation ${short(violation, 2)}, tol ${short(tol, 2)}, ${support} support vectors.` };
  }
  if (stage === "search" && searchProgress !== null) return searchLine(searchProgress);
  return stage === "search" || line ? { share: null, line } : null;
}

/** Returns how far a search is. */
function searchLine({ n_candidates: n, n_done: ended, n_all: all, n_folds: folds, share, seconds_left: seconds }) {
  const left = seconds === null ? "" : `; ${duration(seconds)} left`;
  return { share, line: `Fit ${ended} of about ${all} (${n} candidates in ${folds} folds)${left}.` };
}
