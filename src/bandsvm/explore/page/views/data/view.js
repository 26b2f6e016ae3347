// The view "Your data": a file, a model fitted to most of it, and what the model says of the rest.

import { element } from "../../parts/elements.js";
import { duration, short } from "../../parts/format.js";
import { rememberedFile, upload } from "../../parts/files.js";
import { handOver } from "../model/view.js";
import { createPanel } from "./panel.js";
import { createResults } from "./results.js";
import { DEFAULTS, columnChoices, fitFields, headerOf, read, written } from "./state.js";
import { createSurface } from "./surface.js";

// Smaller files are fitted as soon as they are open.
const FIT_AT_ONCE = 2 ** 20;
// What a fit depends on; the rest of the state only says what is shown.
const SHOWN_ONLY = ["tab", "part"];
const remembered = rememberedFile("data");

export const view = {
  name: "data",
  title: "Your data",
  /** Builds the view in `root`; returns what the shell calls: `show` with fields of the address, `refresh`. */
  mount(root, app) {
    return new DataView(root, app);
  },
};

class DataView {
  constructor(root, app) {
    this.app = app;
    this.root = root;
    this.pending = 0; // requests under way
    this.state = { ...DEFAULTS };
    this.file = null; // as the server describes it
    this.sent = null; // as the user chose it, to send again if the server forgets it
    this.fitted = null; // the settings of the last fit
    this.jobs = 0; // those of them that take long
    this.searchProgress = null; // the last that was heard of a search
    this.panel = createPanel(root, (changes, isStep) => this.change(changes, isStep), {
      file: (file) => this.open(file),
      fit: () => this.fit(false),
      search: () => this.fit(true),
      stop: () => this.ask("data.stop", {}, "data.stop"),
    });
    this.results = createResults(app, (...wish) => this.ask(...wish), (changes, isStep) => this.change(changes, isStep));
    this.surface = createSurface("live-search");
    this.live = element("section", { class: "card live", "aria-label": "Search", hidden: true }, element("h2", {}, "Searching"), this.surface.element);
    root.append(element("div", { class: "side-by-side" }, this.panel.element, element("div", { class: "stack" }, this.live, this.results.element)));
    root.setAttribute("aria-busy", "true");
    this.isAsked = false;
    // A server that comes back may have forgotten the file.
    app.connection.onChange((isOpen) => {
      if (!isOpen) this.isAsked = false;
    });
    this.panel.setFile(null, ["rbf"]);
    this.results.set(null);
  }

  show(fields) {
    const before = this.state;
    this.state = read(fields);
    this.panel.set(this.state);
    this.results.show(this.state, this.isStale());
    if (!this.isAsked && this.app.connection.open) this.refresh();
    else if (this.file && before.header !== this.state.header) this.readHeader();
  }

  /** Shows what the server has kept for this page; otherwise opens its file again, or the one named at the shell. */
  async refresh() {
    this.isAsked = true;
    this.results.set(null);
    this.fitted = null;
    const opened = await this.askForFile({});
    if (opened === null) return;
    if (!opened.kept && this.sent) {
      this.open(this.sent);
      return;
    }
    this.setFile(opened);
    if (opened.kept) this.restore(opened.kept);
    else this.panel.complain(remembered.loss(this.file));
    if (!opened.kept?.result && !opened.kept?.work) this.fitIfSmall();
  }

  change(changes, isStep) {
    const before = this.state;
    this.state = { ...before, ...changes };
    if (this.state.rho2 < this.state.rho1) this.state["rho1" in changes ? "rho2" : "rho1"] = this.state["rho1" in changes ? "rho1" : "rho2"];
    this.app.address.write("data", written(this.state), isStep);
    this.panel.set(this.state);
    this.results.show(this.state, this.isStale());
    if (before.header !== this.state.header) this.readHeader();
  }

  isStale() {
    return this.fitted !== null && this.fitted !== this.settings();
  }

  settings(state = this.state) {
    return JSON.stringify(Object.entries(state).filter(([name]) => !SHOWN_ONLY.includes(name)));
  }

  /** Waits for an answer; says what goes wrong, and then resolves to null. */
  async awaited(answer) {
    this.wait(1);
    try {
      return await answer;
    } catch (error) {
      this.panel.complain(error.message);
      return null;
    } finally {
      this.wait(-1);
    }
  }

  wait(change) {
    this.pending += change;
    this.root.setAttribute("aria-busy", String(this.pending > 0));
  }

  /** Asks the server, as `awaited`; long work shows its progress. */
  async ask(kind, fields, channel, isLong = false) {
    if (!isLong) return this.awaited(this.app.connection.request(kind, fields, channel));
    this.begin({ share: null, line: "Computing." });
    const answer = await this.awaited(this.app.connection.request(kind, fields, channel, (report) => this.report(report)));
    this.end();
    return answer;
  }

  begin(report) {
    this.jobs += 1;
    this.searchProgress = null;
    this.panel.complain("");
    this.panel.progress(report);
  }

  end() {
    this.jobs -= 1;
    if (this.jobs === 0) {
      this.panel.progress(null);
      this.live.hidden = true;
    }
  }

  /** Shows what the server reports of long work. */
  report({ stage, share = null, line = "", progress, surface, problem, n_steps: steps, violation, tol, n_support: support }) {
    if (surface) {
      this.live.hidden = false;
      this.surface.draw(surface);
    }
    if (stage === "read") this.panel.progress({ share: null, line: "Reading the file." });
    else if (stage === "fit") {
      const where = problem ? `${problem.charAt(0).toUpperCase()}${problem.slice(1)}: s` : "S";
      this.panel.progress({ share, line: `${where}tep ${steps}, violation ${short(violation, 2)}, tol ${short(tol, 2)}, ${support} support vectors.` });
    } else if (stage === "search") {
      this.searchProgress = progress ?? this.searchProgress;
      this.panel.progress(searchWords(this.searchProgress, line));
    } else if (line) this.panel.progress({ share: null, line });
  }

  async open(file) {
    this.sent = file;
    this.panel.complain("");
    const key = await this.awaited(upload(this.app.connection, file));
    const opened = key === null ? null : await this.askForFile({ upload: key });
    if (opened === null) return;
    this.results.set(null);
    this.setFile(opened);
    this.fitIfSmall();
  }

  /** Reads the columns again, after the first line was said to hold names, or values. */
  async readHeader() {
    const opened = await this.askForFile({});
    if (opened !== null) this.setFile(opened);
  }

  /** Asks for a file: one that was sent, the one that is open, or the one named at the shell. Null if it is a model. */
  async askForFile(which) {
    const header = headerOf(this.state);
    const answer = await this.ask("data.open", header === null ? which : { ...which, header }, "data.open");
    if (!answer) return null;
    if (!answer.values.is_model) return answer.values;
    handOver(this.sent);
    this.sent = null;
    location.hash = "#model";
    return null;
  }

  /** Shows a file's columns. */
  setFile({ file, kernels }) {
    const isOther = file !== null && file.name !== this.file?.name;
    if (isOther && this.file !== null) this.forget();
    this.file = file;
    this.panel.setFile(file, kernels);
    this.panel.set(this.state);
    if (file === null) return;
    this.results.invite(file.name);
    if (!isOther) return;
    remembered.set(file.name);
    this.app.announce(`${file.name} is open.`);
  }

  /** Another file has other columns. */
  forget() {
    const { target, header, drop, category, keep } = DEFAULTS;
    this.change({ target, drop, category, keep, header }, false);
  }

  fitIfSmall() {
    if (this.file === null) return;
    if (this.file.n_bytes <= FIT_AT_ONCE) this.fit(false);
    else this.askForColumns();
  }

  /** Reads the whole file, to show which columns are left out before there is a fit. */
  async askForColumns() {
    const answer = await this.ask("data.columns", { choices: columnChoices(this.state) }, "data.columns");
    if (answer) this.setLeftOut(answer.values.left_out);
  }

  setLeftOut(columns) {
    this.panel.setLeftOut(columns);
    this.panel.set(this.state);
  }

  async fit(isSearch) {
    if (this.file === null) return;
    const asked = { ...fitFields(this.state, isSearch), settings: this.settings() };
    const answer = await this.ask("data.fit", asked, "data.work", true);
    if (answer !== null) this.accept(answer.values);
  }

  /** Shows what the page had before it was reloaded, and follows the work that is still under way. */
  async restore({ result, work }) {
    if (result !== null) {
      const isUntouched = result.settings === this.settings();
      this.showResult(result, isUntouched ? searched(result) : {});
    }
    if (work === null) return;
    const answer = await this.ask("data.watch", {}, "data.work", true);
    if (answer === null) return;
    if (work === "path") this.results.showPath(answer.values);
    else this.accept(answer.values);
  }

  /** Shows the result of a fit that was waited for; a search also says which parameters to show. */
  accept(values) {
    this.showResult(values, values.search ? { ...searched(values), tab: "search" } : {});
    this.app.announce(`Fitted. ${values.sentences.join(" ")}`);
  }

  showResult(values, changes) {
    this.state = { ...this.state, ...changes };
    const asked = Object.fromEntries(JSON.parse(values.settings));
    this.fitted = this.settings({ ...asked, ...searched(values) });
    if (Object.keys(changes).length) this.app.address.write("data", written(this.state), true);
    this.setLeftOut(values.left_out);
    this.panel.useGamma(values.overview.gamma ?? NaN);
    this.results.set(values);
    this.results.show(this.state, this.isStale());
  }
}

/** Returns how far a search is, as a share and a line; `done` is what the server last said was done. */
function searchWords(progress, done) {
  if (progress === null) return { share: null, line: done };
  const { n_candidates: n, n_done: ended, n_all: all, n_folds: folds, share, seconds_left: seconds } = progress;
  const left = seconds === null ? "" : `; ${duration(seconds)} left`;
  return { share, line: `Fit ${ended} of about ${all} (${n} candidates in ${folds} folds)${left}.` };
}

/** Returns the parameters that a search chose, as the state has them. */
function searched({ search, parameters: { C1, C2, rho2, gamma } }) {
  return search ? { C1, C2, rho2, ...(typeof gamma === "number" ? { gamma } : {}) } : {};
}
