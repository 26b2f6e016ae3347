// The panel of the view "Your data": the file, its columns, the model, and what to do.

import { button, choice, group, segments, slider, toggle } from "../../parts/controls.js";
import { element } from "../../parts/elements.js";
import { filePicker, takeDrops } from "../../parts/files.js";
import { createColumns } from "./columns.js";
import { HEADERS, LOSSES, SCALES, WEIGHTS, usesGamma } from "./state.js";

const symbol = (letter, index, words) => [element("i", {}, letter), element("sub", {}, index), ` ${words}`];
const MEGABYTE = 2 ** 20;
// On narrow screens the results should not be far below the file.
const WIDE = "(min-width: 901px)";

const size = (n) => (n < MEGABYTE ? `${Math.ceil(n / 2 ** 10)} kB` : `${Math.round(n / MEGABYTE)} MB`);

/** Returns the panel; `onChange(changes, isStep)` hears what the user sets, `act` has `file`, `fit`, `search` and `stop`. */
export function createPanel(target, onChange, act) {
  const set = (name) => (value, isStep) => onChange({ [name]: value }, isStep);
  const fileName = element("p", { class: "file-name" });
  const fileFacts = element("p", { class: "note" });
  const columns = createColumns(onChange);
  const chooser = element("select", { id: "data-target", "aria-describedby": "data-target-note" });
  chooser.addEventListener("change", () => onChange({ target: chooser.value }, true));
  const targetRow = element("div", { class: "setting wide" }, element("label", { for: "data-target" }, "Target"), chooser);
  const header = choice({ label: "First line", options: HEADERS, onChange: set("header") });
  const columnsGroup = group(
    "Columns", targetRow,
    element("p", { class: "note", id: "data-target-note" }, "The column of labels, which the model learns to predict."),
    header.element, columns.element,
  );
  const controls = {
    rho1: slider({ label: symbol("ρ", "1", "lower edge"), name: "rho1, lower edge of the band", low: 0.05, high: 5, onChange: set("rho1") }),
    rho2: slider({ label: symbol("ρ", "2", "upper edge"), name: "rho2, upper edge of the band", low: 0.05, high: 5, onChange: set("rho2") }),
    C1: slider({ label: symbol("C", "1", "cost below"), name: "C1, cost of lying below the band", low: 0.01, high: 1000, isLog: true, onChange: set("C1") }),
    C2: slider({ label: symbol("C", "2", "cost above"), name: "C2, cost of lying above the band", low: 0.01, high: 1000, isLog: true, zero: true, onChange: set("C2") }),
    loss: segments({ name: "Loss", options: LOSSES, onChange: set("loss") }),
    kernel: choice({ label: "Kernel", options: [["rbf", "rbf"]], onChange: set("kernel") }),
    gamma: slider({ label: symbol("γ", "", "of the kernel"), name: "gamma of the kernel", low: 0.001, high: 100, isLog: true, onChange: set("gamma") }),
    degree: slider({ label: "Degree", name: "Degree of the kernel", low: 1, high: 10, min: 1, whole: true, onChange: set("degree") }),
    coef0: slider({ label: "Constant term", name: "coef0, constant term of the kernel", low: -2, high: 2, min: null, onChange: set("coef0") }),
    intercept: toggle({ label: "Intercept", onChange: set("intercept") }),
    scale: choice({ label: "Scale features", options: SCALES, onChange: set("scale") }),
    weight: choice({ label: "Class weights", options: WEIGHTS, onChange: set("weight") }),
  };
  const isScale = toggle({
    label: "γ from the data (scale)",
    onChange: (isOn) => onChange({ gamma: isOn ? "scale" : panel.usedGamma }, true),
  });
  const fit = button("Fit", act.fit, { class: "primary" });
  const search = button("Search", act.search, { title: "Search C1, C2, rho2 and gamma by cross-validation" });
  const stop = button("Stop", act.stop, { hidden: true });
  const bar = element("progress", { max: 1, value: 0, "aria-label": "Progress" });
  const line = element("p", { class: "note progress-line" });
  const progress = element("div", { class: "progress", hidden: true }, bar, line);
  const complaint = element("p", { class: "complaint", role: "alert", hidden: true });
  const model = element(
    "details", { class: "group model-settings", open: matchMedia(WIDE).matches },
    element("summary", {}, "Model"),
    controls.rho1.element, controls.rho2.element, controls.C1.element, controls.C2.element, controls.loss.element,
    controls.kernel.element, controls.gamma.element, isScale.element, controls.degree.element, controls.coef0.element,
    controls.intercept.element, controls.scale.element, controls.weight.element,
  );
  const afterFile = element(
    "div", { class: "after-file", hidden: true }, columnsGroup,
    element("div", { class: "group actions" }, element("div", { class: "row" }, fit, search, stop), progress),
    model,
  );
  const picker = filePicker({
    title: "Choose a file", onFile: act.file,
    hint: "Or drop one here: CSV, Parquet, ARFF, svmlight or NPZ, packed or not. It stays on this machine.",
  });
  takeDrops(target, act.file);
  const panel = {
    usedGamma: 1,
    element: element(
      "form", { class: "card panel", "aria-label": "File and model", autocomplete: "off", on: { submit: (event) => event.preventDefault() } },
      group("File", fileName, fileFacts, picker), complaint, afterFile,
    ),
    /** Shows a file's columns, and the kernels there are. */
    setFile(file, kernels) {
      afterFile.hidden = file === null;
      fileName.textContent = file?.name ?? "No file yet.";
      fileFacts.textContent = file ? `${file.kind}, ${size(file.n_bytes)}` : "";
      const select = controls.kernel.element.querySelector("select");
      select.replaceChildren(...kernels.map((name) => element("option", { value: name }, name)));
      const named = file?.columns ?? [];
      columnsGroup.hidden = named.length === 0;
      header.element.hidden = file?.kind !== "csv";
      chooser.replaceChildren(...named.map(({ name }, k) => element("option", { value: k }, name)));
      panel.file = file;
      columns.setFile(named, file?.left_out ?? []);
    },
    /** Takes over which columns the readers leave out; `set` shows it. */
    setLeftOut(leftOut) {
      columns.setLeftOut(leftOut);
    },
    /** Shows a state. */
    set(state) {
      for (const [name, control] of Object.entries(controls)) if (name !== "gamma") control.set(state[name]);
      header.set(state.header);
      isScale.set(state.gamma === "scale");
      if (state.gamma !== "scale") panel.useGamma(state.gamma);
      controls.gamma.enable(state.gamma !== "scale");
      controls.gamma.element.hidden = isScale.element.hidden = !usesGamma(state.kernel);
      controls.degree.element.hidden = state.kernel !== "poly";
      controls.coef0.element.hidden = !["poly", "sigmoid"].includes(state.kernel);
      const chosen = state.target === "" ? panel.file?.target : Number(state.target);
      chooser.value = String(chosen ?? "");
      columns.set(state, chosen);
    },
    /** Shows the gamma that a fit used. */
    useGamma(value) {
      if (!Number.isFinite(value)) return;
      panel.usedGamma = Number(value.toPrecision(4));
      controls.gamma.set(panel.usedGamma);
    },
    /** Shows that work is under way: a share from 0 to 1, or null if unknown, and a line; or, with null, that none is. */
    progress(report) {
      progress.hidden = stop.hidden = report === null;
      if (report === null) return;
      if (report.share === null) bar.removeAttribute("value");
      else bar.value = report.share;
      line.textContent = report.line;
    },
    /** Shows what went wrong, or with "" nothing. */
    complain(text) {
      complaint.hidden = text === "";
      complaint.textContent = text;
    },
  };
  return panel;
}
