// The view "Your data": a file, a model fitted to most of it, and what the model says of the rest.

import { element } from "../../parts/elements.js";
import { short } from "../../parts/format.js";
import { upload } from "../../parts/files.js";
import { handOver } from "../model/view.js";
import { createPanel } from "./panel.js";
import { createResults } from "./results.js";
import { createSurface } from "./search.js";
import { DEFAULTS, fitFields, headerOf, read, written } from "./state.js";

// Smaller files are fitted as soon as they are open.
const FIT_AT_ONCE = 2 ** 20;
// What a fit depends on; the rest of the state only says what is shown.
const SHOWN_ONLY = ["tab", "part"];

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
    // What a server kept for this page is lost with the connection.
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
    else if (this.file && before.header !== this.state.header) this.describe({ again: true });
  }

  /** Opens the file again after the server has come back. */
  refresh() {
    this.isAsked = true;
    this.results.set(null);
    this.fitted = null;
    if (this.sent) this.open(this.sent);
    else this.describe({});
  }

  change(changes, isStep) {
    const before = this.state;
    this.state = { ...before, ...changes };
    if (this.state.rho2 < this.state.rho1) this.state["rho1" in changes ? "rho2" : "rho1"] = this.state["rho1" in changes ? "rho1" : "rho2"];
    this.app.address.write("data", written(this.state), isStep);
    this.panel.set(this.state);
    this.results.show(this.state, this.isStale());
    if (before.header !== this.state.header) this.describe({ again: true });
  }

  isStale() {
    return this.fitted !== null && this.fitted !== this.settings();
  }

  settings() {
    return JSON.stringify(Object.entries(this.state).filter(([name]) => !SHOWN_ONLY.includes(name)));
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
  report({ stage, share = null, line = "", surface, problem, n_steps: steps, violation, tol, n_support: support }) {
    if (surface) {
      this.live.hidden = false;
      this.surface.draw(surface);
    }
    if (stage === "read") this.panel.progress({ share: null, line: "Reading the file." });
    else if (stage === "fit") {
      const where = problem ? `${problem.charAt(0).toUpperCase()}${problem.slice(1)}: s` : "S";
      this.panel.progress({ share, line: `${where}tep ${steps}, violation ${short(violation, 2)}, tol ${short(tol, 2)}, ${support} support vectors.` });
    } else if (line) this.panel.progress({ share: null, line });
  }

  async open(file) {
    this.sent = file;
    this.panel.complain("");
    const key = await this.awaited(upload(this.app.connection, file));
    if (key !== null) await this.describe({ upload: key });
  }

  /** Asks for the columns of a file: one that was sent, the one that is open, or the one named at the shell. */
  async describe(which) {
    const header = headerOf(this.state);
    const answer = await this.ask("data.open", header === null ? which : { ...which, header }, "data.open");
    if (!answer) return;
    const { file, kernels, is_model: isModel } = answer.values;
    if (isModel) {
      handOver(this.sent);
      this.sent = null;
      location.hash = "#model";
      return;
    }
    const isOther = file !== null && file.name !== this.file?.name;
    if (isOther && this.file !== null) this.forget();
    this.file = file;
    this.panel.setFile(file, kernels);
    this.panel.set(this.state);
    if (file === null) return;
    if (!which.again) this.results.set(null);
    this.results.invite(file.name);
    this.app.announce(`${file.name} is open.`);
    if (!which.again && file.n_bytes <= FIT_AT_ONCE) this.fit(false);
  }

  /** Another file has other columns. */
  forget() {
    const { target, header, drop, category } = DEFAULTS;
    this.change({ target, drop, category, header }, false);
  }

  async fit(isSearch) {
    if (this.file === null) return;
    const settings = this.settings();
    const answer = await this.ask("data.fit", fitFields(this.state, isSearch), "data.work", true);
    if (answer === null) return;
    this.fitted = settings;
    this.accept(answer.values, isSearch);
  }

  accept(values, isSearch) {
    if (isSearch) {
      const { C1, C2, rho2, gamma } = values.parameters;
      const found = { C1, C2, rho2, ...(typeof gamma === "number" ? { gamma } : {}), tab: "search" };
      this.state = { ...this.state, ...found };
      this.fitted = this.settings();
      this.app.address.write("data", written(this.state), true);
      this.panel.set(this.state);
    }
    this.panel.useGamma(values.overview.gamma ?? NaN);
    this.results.set(values);
    this.results.show(this.state, this.isStale());
    this.app.announce(`Fitted. ${values.sentences.join(" ")}`);
  }
}
