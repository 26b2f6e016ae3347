// The view "A model": what a model file holds, in words and in pictures.

import { element } from "../../parts/elements.js";
import { filePicker, rememberedFile, takeDrops, upload } from "../../parts/files.js";
import { short } from "../../parts/format.js";
import { complaintLine } from "../../parts/lists.js";
import { createBars } from "../../plots/bars.js";
import { Plot } from "../../plots/plot.js";
import { TASKS } from "../data/tasks.js";
import { createWeights } from "../data/weights.js";
import { penalty } from "../play/curves.js";
import { createModelData } from "./data.js";

// Of the penalty curve: so many that it seems to end at the top of the plot.
const POINTS = 1001;

let handedOver = null;
const remembered = rememberedFile("model");

/** Leaves a model file for this view, which was dropped on another. */
export function handOver(file) {
  handedOver = file;
}

export const view = {
  name: "model",
  title: "A model",
  mount: (root, app) => new ModelView(root, app),
};

class ModelView {
  constructor(root, app) {
    this.app = app;
    this.sent = null;
    this.isAsked = false;
    app.connection.onChange((isOpen) => {
      if (!isOpen) this.isAsked = false;
    });
    const complaint = complaintLine();
    this.complain = complaint.say;
    this.title = element("h2", {}, "No model yet");
    this.facts = element("dl", { class: "facts" });
    this.text = element("pre", { class: "card-text", tabindex: "0", "aria-label": "What bandsvm inspect says" });
    this.histogram = createBars({ title: "Training samples against the band", name: "training-samples", format: String });
    this.support = createBars({ title: "Support vectors by class", name: "support-vectors", format: String });
    this.penalty = new Plot({ title: "Penalty", name: "penalty", xLabel: "signed decision value y g(x)", yLabel: "penalty", height: 260 });
    this.weights = createWeights();
    this.pictures = [this.histogram, this.support, this.penalty, this.weights].map(({ element: picture }) => element("section", { class: "card" }, picture));
    const picker = filePicker({
      title: "Choose a model file", onFile: (file) => this.open(file),
      hint: "Or drop one here: a .bsvm file of bandsvm fit, bandsvm tune or bandsvm.save.",
    });
    this.data = createModelData(app, this.complain);
    this.data.picker.hidden = true;
    takeDrops(root, (file) => (this.data.picker.hidden || file.name.endsWith(".bsvm") ? this.open(file) : this.data.open(file)));
    this.body = element(
      "div", { class: "stack", hidden: true },
      this.data.element,
      element("div", { class: "tiles" }, this.pictures),
      element("section", { class: "card" }, element("h3", {}, "bandsvm inspect"), this.text),
    );
    root.append(element("div", { class: "side-by-side" }, element("div", { class: "card panel" }, this.title, this.facts, picker, this.data.picker, complaint.element), this.body));
  }

  show() {
    const file = handedOver;
    handedOver = null;
    if (file) this.open(file);
    else if (!this.isAsked) this.refresh();
  }

  /** Shows the model that the server has kept for this page; otherwise opens its file again, or the one named at the shell. */
  async refresh() {
    if (await this.ask({})) return;
    if (this.sent) this.open(this.sent);
    else this.complain(remembered.loss(null));
  }

  async open(file) {
    this.sent = file;
    try {
      await this.ask({ upload: await upload(this.app.connection, file) });
    } catch (error) {
      this.complain(error.message);
    }
  }

  /** Opens a model and resolves to whether there is one. */
  async ask(fields) {
    if (!this.app.connection.open) return true; // `refresh` follows
    this.isAsked = true;
    try {
      const answer = await this.app.connection.request("model.open", fields, "model.open");
      if (answer === null) return true;
      this.complain("");
      const { model, data } = answer.values;
      if (model) this.draw(model);
      if (data) this.data.show(data);
      return Boolean(model);
    } catch (error) {
      this.complain(error.message);
      return true;
    }
  }

  draw(model) {
    const { parameters, support, certificate } = model;
    const task = TASKS[model.task].model;
    this.body.hidden = this.data.picker.hidden = false;
    this.data.clear();
    this.title.textContent = model.model;
    this.list([
      ["Steps", model.steps.join(", ")],
      task.predicts(model),
      ["Features", String(model.n_features)],
      ["Kernel", parameters.kernel ?? "linear"],
      ...(model.gamma ? [["γ", short(model.gamma)]] : []),
      ...task.facts(model),
      ...(support ? [["Support vectors", support.lower === undefined ? String(support.total) : `${support.total} (${support.lower} lower, ${support.upper} upper edge)`]] : []),
      ...(certificate ? [["Certificate", certificate.is_optimal ? `optimal, gap ${short(certificate.relative_gap, 2)}` : "not optimal"]] : []),
    ]);
    this.text.textContent = model.text;
    this.drawPictures(model, task);
    this.drawPenalty(task.penalty(model));
    remembered.set(model.model);
    this.app.announce(`${model.model} is open.`);
  }

  list(entries) {
    this.facts.replaceChildren(...entries.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  }

  drawPictures(model, task) {
    const { histogram, weights } = model;
    const support = task.support(model);
    const [bars, vectors, , features] = this.pictures;
    bars.hidden = histogram.length === 0;
    this.histogram.heading.textContent = task.histogram;
    if (histogram.length) {
      const colour = (words) => (words.endsWith("below") ? "fill-lower" : words.endsWith("above") ? "fill-upper" : "fill-muted");
      this.histogram.draw({
        labels: histogram.map(({ values }) => values), values: histogram.map(({ n_samples: n }) => n),
        classes: histogram.map(({ values }) => colour(values)),
        description: histogram.map(({ values, n_samples: n }) => `${values}: ${n}`).join(", "),
      });
    }
    vectors.hidden = support === null;
    if (support) {
      this.support.draw({
        labels: support.labels, values: support.counts, classes: support.labels.map(() => "fill-accent"),
        description: support.labels.map((name, k) => `${name} ${support.counts[k]}`).join(", "),
      });
    }
    features.hidden = weights === null;
    if (weights) this.weights.set(weights);
  }

  drawPenalty({ axis, from, to, most, curve }) {
    const zs = Array.from({ length: POINTS }, (_, k) => from + ((to - from) * k) / (POINTS - 1)).filter((z) => penalty(curve, z) <= most);
    this.penalty.xLabel = axis;
    this.penalty.draw({
      x: [from, to], y: [-0.02 * most, most],
      layers: [
        ...(curve.C2 > 0 ? [{ type: "strip", axis: "x", from: curve.rho1, to: curve.rho2, class: "area fill-accent" }] : []),
        { type: "line", xs: zs, ys: zs.map((z) => penalty(curve, z)), class: "line stroke-accent" },
      ],
      description: `Zero from ${curve.rho1} to ${curve.C2 > 0 ? curve.rho2 : "infinity"}.`,
    });
  }
}
