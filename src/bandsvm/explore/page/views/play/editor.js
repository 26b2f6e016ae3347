// Edits of the samples by hand: tools, undo and redo.

import { button, segments } from "../../parts/controls.js";
import { element } from "../../parts/elements.js";
import { TOOLS } from "./drawing.js";
import { createHistory } from "./history.js";
import { decode, encode, snapped } from "./points.js";
import { parseView } from "./state.js";

const OF_SAMPLES = ["data", "n", "noise", "seed", "points", "view"];

/**
 * Returns what edits the samples of a view: `toolbar` is its element, `tool` the tool in use. `view` has `state`, `samples`,
 * `frame` (the last answer's, with its `view`) and `become(state, isStep)`; `onTool(tool)` hears which tool is chosen.
 */
export function createEditor(view, onTool) {
  let before = null; // the samples before an edit that is not finished
  const undo = button("Undo", () => editor.undo(), { class: "small", disabled: true });
  const redo = button("Redo", () => editor.redo(), { class: "small", disabled: true });
  const clear = button("Clear", () => editor.edit(() => [], true), { class: "small" });
  const history = createHistory((canUndo, canRedo) => {
    undo.disabled = !canUndo;
    redo.disabled = !canRedo;
  });
  const tools = segments({
    name: "Tool on the map", options: TOOLS,
    onChange: (tool) => {
      editor.tool = tool;
      onTool(tool);
    },
  });

  const ofSamples = () => Object.fromEntries(OF_SAMPLES.map((name) => [name, view.state[name]]));

  const goTo = (samples) => {
    if (samples !== null) view.become({ ...view.state, ...samples }, true);
  };

  /** Returns the samples as points, however they came about. */
  const points = () => {
    if (view.state.data === "drawn") return decode(view.state.points);
    const { xs, ys, labels } = view.samples;
    return Array.from(xs, (x, k) => ({ x: snapped(x), y: snapped(ys[k]), label: labels[k] }));
  };

  /** Returns the view of drawn samples, which must not move while one draws. */
  const fixedView = () => {
    const isFixed = view.state.data === "drawn" && parseView(view.state.view);
    return isFixed ? view.state.view : view.frame.view.map((side) => side.toFixed(3)).join(",");
  };

  const editor = {
    tool: TOOLS[0][0],
    toolbar: element("div", { class: "row tools" }, tools.element, element("div", { class: "row" }, undo, redo, clear)),
    /** Applies an edit; samples that were generated are drawn by hand from now on. */
    edit(change, isStep) {
      if (!view.samples) return;
      before ??= ofSamples();
      const state = { ...view.state, data: "drawn", points: encode(change(points())), view: fixedView() };
      if (isStep) {
        if (before.points !== state.points) history.record(before);
        before = null;
      }
      view.become(state, isStep);
    },
    undo: () => goTo(history.undo(ofSamples())),
    redo: () => goTo(history.redo(ofSamples())),
  };
  tools.set(editor.tool);
  return editor;
}

/** Returns the samples of points drawn by hand, as the server would answer them. */
export function samplesOf(points) {
  return {
    xs: Float64Array.from(points, ({ x }) => x),
    ys: Float64Array.from(points, ({ y }) => y),
    labels: Int32Array.from(points, ({ label }) => label),
  };
}
