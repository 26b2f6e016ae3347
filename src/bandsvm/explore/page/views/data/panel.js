// The panel of the view "Your data": the file, its columns, the model, and what to do.

import { button, choice, group, segments } from "../../parts/controls.js";
import { element } from "../../parts/elements.js";
import { filePicker, takeDrops } from "../../parts/files.js";
import { complaintLine } from "../../parts/lists.js";
import { createModelControls } from "../../parts/model_controls.js";
import { createColumns } from "./columns.js";
import { HEADERS, SCALES, WEIGHTS } from "./state.js";
import { TASKS, TASK_CHOICES, taskOf } from "./tasks.js";
import { createTubeControls } from "./tube_controls.js";

const RANGES = { maxEdge: 5, minGamma: 0.001, kernels: [["rbf", "rbf"]] };
const MEGABYTE = 2 ** 20;
const DETECTING = "Texts and codes are taken as classes. Where numbers may be measurements, you are asked which is meant.";
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
  const targetNote = element("p", { class: "note", id: "data-target-note" });
  const task = segments({ name: "What the target holds", options: TASK_CHOICES, onChange: set("task") });
  const targetGroup = group("Prediction", targetRow, task.element, targetNote);
  const columnsGroup = group("Columns", header.element, columns.element);
  const scale = choice({ label: "Scale features", options: SCALES, onChange: set("scale") });
  const weight = choice({ label: "Class weights", options: WEIGHTS, onChange: set("weight") });
  const model = createModelControls(onChange, RANGES, { scale, weight });
  const tube = createTubeControls(onChange);
  const fit = button("Fit", act.fit, { class: "primary" });
  const search = button("Search", act.search, { title: "Search costs, band or tube, and gamma by cross-validation" });
  const stop = button("Stop", act.stop, { hidden: true });
  const bar = element("progress", { max: 1, value: 0, "aria-label": "Progress" });
  const line = element("p", { class: "note progress-line" });
  const progress = element("div", { class: "progress", hidden: true }, bar, line);
  const complaint = complaintLine();
  const settings = element(
    "details", { class: "group model-settings", open: matchMedia(WIDE).matches },
    element("summary", {}, "Model"), model.band, model.costs, tube.elements, model.kernel, scale.element, weight.element,
  );
  // Controls that one task alone has.
  const ofTask = new Map([[TASKS.classify, [...model.band, ...model.costs, weight.element]], [TASKS.regress, tube.elements]]);
  const afterFile = element(
    "div", { class: "after-file", hidden: true }, targetGroup, columnsGroup,
    element("div", { class: "group actions" }, element("div", { class: "row" }, fit, search, stop), progress),
    settings,
  );
  const picker = filePicker({
    title: "Choose a file", onFile: act.file,
    hint: "Or drop one here: CSV, Parquet, ARFF, svmlight or NPZ, packed or not. It stays on this machine.",
  });
  takeDrops(target, act.file);
  const panel = {
    element: element(
      "form", { class: "card panel", "aria-label": "File and model", autocomplete: "off", on: { submit: (event) => event.preventDefault() } },
      group("File", fileName, fileFacts, picker), complaint.element, afterFile,
    ),
    /** Shows a file's columns, and the kernels there are. */
    setFile(file, kernels) {
      afterFile.hidden = file === null;
      fileName.textContent = file?.name ?? "No file yet.";
      fileFacts.textContent = file ? `${file.kind}, ${size(file.n_bytes)}` : "";
      model.offerKernels(kernels);
      const named = file?.columns ?? [];
      columnsGroup.hidden = targetRow.hidden = named.length === 0;
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
      const chosenTask = taskOf(state);
      for (const [own, parts] of ofTask) for (const part of parts) part.hidden = own !== chosenTask;
      model.set(state);
      tube.set(state);
      task.set(state.task);
      search.hidden = !chosenTask.canSearch(state);
      targetNote.textContent = state.task === "" ? DETECTING : chosenTask.targets.note;
      header.set(state.header);
      const chosen = state.target === "" ? panel.file?.target : Number(state.target);
      chooser.value = String(chosen ?? "");
      columns.set(state, chosen, chosenTask.targets.use);
    },
    /** Shows the parameters that a fit took from the data. */
    useFitted({ overview, parameters }) {
      model.useGamma(overview.gamma ?? Number.NaN);
      tube.useFitted(parameters);
    },
    /** Shows that work is under way: a share from 0 to 1, or null if unknown, and a line; or, with null, that none is. */
    progress(report) {
      progress.hidden = stop.hidden = report === null;
      if (report === null) return;
      if (report.share === null) bar.removeAttribute("value");
      else bar.value = report.share;
      line.textContent = report.line;
    },
    complain: complaint.say,
  };
  return panel;
}
