// The Play view: settings, pictures and words for one model, or two side by side.

import { copy } from "../../parts/clipboard.js";
import { Latest } from "../../parts/connection.js";
import { button } from "../../parts/controls.js";
import { element } from "../../parts/elements.js";
import { createHub } from "../../parts/hub.js";
import { changed } from "../../parts/state.js";
import { createCodeDialog } from "./code.js";
import { createPanel } from "./controls.js";
import { valuesRange } from "./curves.js";
import { bindDrawing, KEYS } from "./drawing.js";
import { createEditor, samplesOf } from "./editor.js";
import { ASPECT, createMap, mapLegend } from "./map.js";
import { createPenalty, createSensitivity, createValues, curvesLegend } from "./pictures.js";
import { decode } from "./points.js";
import { createCertificate, createSample, NAMES, sampleInWords } from "./readout.js";
import { axesOf, parseView, readState, request, writeState } from "./state.js";

// Points of the decision map, across and down.
const COLUMNS = 96;
const ROWS = Math.round(COLUMNS * ASPECT);
const PER_MODEL = ["decision", "alpha", "theta", "xi", "eta", "role", "position", "thresholds", "reached", "map"];
const FILES = ["-c-svm", ""]; // ends of the names of saved pictures
const NARROW = "(max-width: 900px)"; // as in play.css
const OWN = 1; // the place of the model that the settings describe; the C-SVM is at 0

export const view = {
  name: "play",
  title: "Play",
  mount: (root, app) => new Play(root, app),
};

class Play {
  constructor(root, app) {
    this.app = app;
    this.root = root;
    this.state = readState({});
    this.hub = createHub();
    this.fits = new Latest(app.connection, "play.fit", "play", {
      onAnswer: (answer, asked) => this.draw(answer, asked),
      onError: (error) => app.connection.open && this.complain(error.message),
      onWait: (isLong) => this.certificate.wait(isLong),
      onBusy: (isBusy) => root.setAttribute("aria-busy", isBusy),
    });
    this.code = createCodeDialog(app, () => request(this.state, COLUMNS, ROWS));
    this.panel = createPanel((changes, isStep) => this.change(changes, isStep), this.actions());
    this.maps = FILES.map((name) => createMap(this.hub, "Decision map", `decision-map${name}`));
    this.values = FILES.map((name) => createValues(this.hub, "Decision values", `decision-values${name}`));
    this.penalty = createPenalty(this.hub);
    this.sensitivity = createSensitivity(this.hub);
    this.certificate = createCertificate();
    this.sample = createSample();
    this.hub.onPoint((index) => this.sample.draw(index, this.samples, this.models ?? []));
    this.editor = createEditor(this, (tool) => {
      for (const { element: figure } of this.maps) figure.dataset.tool = tool;
    });
    this.curves = [curvesLegend(), curvesLegend()];
    for (const map of this.maps) this.letDraw(map.plot);
    root.append(this.layout());
    root.classList.add("play");
  }

  layout() {
    const card = (...children) => element("div", { class: "card" }, ...children);
    const map = element(
      "div", { class: "card play-map" },
      this.editor.toolbar,
      element("div", { class: "play-twins" }, this.maps.map(({ element: figure }) => figure)),
      mapLegend(),
      element("p", { class: "unseen", id: "drawing-keys" }, KEYS),
    );
    this.stage = element(
      "div", { class: "play-stage" },
      element("div", { class: "play-words" }, this.certificate.element, this.sample.element),
      element("div", { class: "card play-values" },
        element("div", { class: "play-twins" }, this.values.map((plot) => plot.element))),
      card(this.penalty.element, this.curves[0]),
      card(this.sensitivity.element, this.curves[1]),
    );
    const bench = element("div", { class: "play-bench" }, this.panel.element);
    // On narrow screens the map stays in sight above the settings that move it.
    const place = ({ matches: isNarrow }) => (isNarrow ? bench : this.stage).prepend(map);
    const narrow = matchMedia(NARROW);
    narrow.addEventListener("change", place);
    place(narrow);
    return element("div", { class: "play-layout" }, bench, this.stage, this.code.element);
  }

  actions() {
    const link = button("Copy link", () => {
      this.app.address.flush();
      copy(location.href, link);
    });
    return element("div", { class: "row" },
      button("Copy as Python", () => this.code.open("python")),
      button("Copy as command", () => this.code.open("command")),
      link);
  }

  letDraw(plot) {
    const { editor } = this;
    bindDrawing(plot, {
      hub: this.hub,
      tool: () => editor.tool,
      edit: editor.edit,
      undo: editor.undo,
      redo: editor.redo,
      say: (index) => this.models && this.app.announce(sampleInWords(index, this.samples, this.models)),
    });
  }

  /** Shows what the address says. */
  show(fields) {
    this.state = readState(fields);
    this.refresh();
  }

  /** Shows the state, and asks for its fit. */
  refresh() {
    this.panel.set(this.state);
    this.fits.ask(request(this.state, COLUMNS, ROWS));
  }

  /** Takes over what the user set: values by name, or a function that returns them. */
  change(changes, isStep) {
    const wanted = typeof changes === "function" ? changes(this.state) : changes;
    if (wanted.data === "drawn") this.editor.edit((points) => points, true);
    else this.become(changed(this.state, wanted), isStep);
  }

  /** Shows another state, and puts it into the address. */
  become(state, isStep) {
    this.state = state;
    this.refresh();
    this.app.address.write("play", writeState(state), isStep);
  }

  draw({ values, arrays }, asked) {
    const { models, ...frame } = values;
    this.frame = frame;
    const { X, y } = arrays;
    this.samples = {
      xs: Float64Array.from(y, (_, k) => X[2 * k]),
      ys: Float64Array.from(y, (_, k) => X[2 * k + 1]),
      labels: y,
    };
    this.models = models.map((model, k) => ({
      ...model,
      ...Object.fromEntries(PER_MODEL.map((name) => [name, arrays[`${name}${k}`]])),
    }));
    this.place();
    const own = this.models.at(-1);
    if (this.state.gamma === "scale") this.panel.useGamma(own.gamma);
    const range = valuesRange(this.models);
    const places = this.models.length > 1 ? [0, 1] : [OWN];
    this.models.forEach((model, k) => {
      this.maps[places[k]].draw(frame, this.samples, model, axesOf(this.state.data));
      this.values[places[k]].draw(this.samples, model, range);
    });
    this.penalty.draw(this.samples, this.models);
    this.sensitivity.draw(this.samples, this.models);
    this.certificate.draw(this.models);
    this.sample.draw(this.hub.current, this.samples, this.models);
    // For measurements: how long it took from the request to the picture.
    this.root.dispatchEvent(new CustomEvent("picture", { detail: performance.now() - asked, bubbles: true }));
  }

  /** Shows one model or two. */
  place() {
    const isComparison = this.models.length > 1;
    for (const plots of [this.maps, this.values]) plots[0].element.hidden = !isComparison;
    const title = (words, k) => (isComparison ? `${words}: ${NAMES[k]}` : words);
    NAMES.forEach((_, k) => {
      this.maps[k].plot.rename(title("Decision map", k));
      this.values[k].plot.rename(title("Decision values", k));
    });
    for (const own of this.curves) own.hidden = !isComparison;
    this.stage.classList.toggle("is-comparison", isComparison);
  }

  /** Shows the samples without a model, and why there is none. */
  complain(message) {
    this.certificate.complain(message);
    if (this.state.data !== "drawn" || !this.frame) return;
    this.samples = samplesOf(decode(this.state.points));
    this.models = null;
    const frame = { ...this.frame, view: parseView(this.state.view) ?? this.frame.view };
    for (const map of this.maps) map.draw(frame, this.samples, null, axesOf(this.state.data));
    for (const { plot } of [...this.values, this.penalty, this.sensitivity]) plot.clear();
    this.hub.point(null);
  }
}
