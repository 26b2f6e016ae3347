// The view "Your data": a file, a model fitted to most of it, and what the model says of the rest.

import { element } from "../../parts/elements.js";
import { rememberedFile, upload } from "../../parts/files.js";
import { changed } from "../../parts/state.js";
import { handOver } from "../model/view.js";
import { createPanel } from "./panel.js";
import { createRequests } from "./requests.js";
import { createResults } from "./results.js";
import { DEFAULTS, columnChoices, fitFields, headerOf, readState, writeState } from "./state.js";
import { TASKS } from "./tasks.js";

// Smaller files are fitted as soon as they are open.
const FIT_AT_ONCE = 2 ** 20;
// What a fit depends on; the rest of the state only says what is shown.
const SHOWN_ONLY = ["tab", "part"];
const remembered = rememberedFile("data");

export const view = {
  name: "data",
  title: "Your data",
  mount: (root, app) => new YourData(root, app),
};

class YourData {
  constructor(root, app) {
    this.app = app;
    this.root = root;
    this.state = { ...DEFAULTS };
    this.file = null; // as the server describes it
    this.sent = null; // as the user chose it, to send again if the server forgets it
    this.fitted = null; // the settings of the last fit
    this.panel = createPanel(root, (changes, isStep) => this.change(changes, isStep), {
      file: (file) => this.open(file),
      fit: () => this.fit(false),
      search: () => this.fit(true),
      stop: () => this.requests.ask("data.stop", {}, "data.stop"),
    });
    this.requests = createRequests(app.connection, root, this.panel);
    this.results = createResults(this.requests.ask, (changes, isStep) => this.change(changes, isStep));
    root.append(element("div", { class: "side-by-side" }, this.panel.element, element("div", { class: "stack" }, this.requests.element, this.results.element)));
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
    this.state = readState(fields);
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
    this.state = changed(before, changes);
    this.app.address.write("data", writeState(this.state), isStep);
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

  async open(file) {
    this.sent = file;
    this.panel.complain("");
    const key = await this.requests.awaited(upload(this.app.connection, file));
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
    const answer = await this.requests.ask("data.open", header === null ? which : { ...which, header }, "data.open");
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
    const { target, task, fromSpread, header, drop, category, keep } = DEFAULTS;
    this.change({ target, task, fromSpread, drop, category, keep, header }, false);
  }

  fitIfSmall() {
    if (this.file === null) return;
    if (this.file.n_bytes <= FIT_AT_ONCE) this.fit(false);
    else this.askForColumns();
  }

  /** Reads the whole file, to show which columns are left out before there is a fit. */
  async askForColumns() {
    const answer = await this.requests.ask("data.columns", { choices: columnChoices(this.state) }, "data.columns");
    if (answer) this.setLeftOut(answer.values.left_out);
  }

  setLeftOut(columns) {
    this.panel.setLeftOut(columns);
    this.panel.set(this.state);
  }

  async fit(isSearch) {
    if (this.file === null) return;
    const asked = { ...fitFields(this.state, isSearch), settings: this.settings() };
    const answer = await this.requests.ask("data.fit", asked, "data.work", true);
    if (answer !== null) this.accept(answer.values);
  }

  /** Shows what the page had before it was reloaded, and follows the work that is still under way. */
  async restore({ result, work }) {
    if (result !== null) {
      const isUntouched = result.settings === this.settings();
      this.showResult(result, isUntouched ? searched(result) : {});
    }
    if (work === null) return;
    const answer = await this.requests.ask("data.watch", {}, "data.work", true);
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
    if (Object.keys(changes).length) this.app.address.write("data", writeState(this.state), true);
    this.panel.useFitted(values);
    this.setLeftOut(values.left_out);
    this.results.set(values);
    this.results.show(this.state, this.isStale());
  }
}

/** Returns the parameters that a search chose, as the state has them. */
function searched({ task, search, parameters }) {
  const { gamma } = parameters;
  return search ? { ...TASKS[task].chosen(parameters), ...(typeof gamma === "number" ? { gamma } : {}) } : {};
}
