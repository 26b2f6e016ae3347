// The tab of samples in the plane: principal components or features, coloured by place in the band.

import { placeMenu } from "../../parts/controls.js";
import { element } from "../../parts/elements.js";
import { percent } from "../../parts/format.js";
import { createHub } from "../../parts/hub.js";
import { legend } from "../../plots/legend.js";
import { Plot } from "../../plots/plot.js";
import { extent } from "../../plots/scale.js";
import { TASKS } from "./tasks.js";

/** What a readout says while no sample is pointed at. */
export const IDLE = "Point at a sample to read it.";
const SHAPES = ["circle", "triangle", "square"];

export function createProjectionTab(ask) {
  const hub = createHub();
  const plot = new Plot({ title: "Samples in the plane", name: "samples", height: 460, hub, isCanvas: true });
  const chosen = { x: 0, y: 1 };
  const axis = (name, title) => placeMenu(title, (place) => {
    chosen[name] = place;
    load();
  });
  const axes = { x: axis("x", "Across"), y: axis("y", "Up") };
  const readout = element("p", { class: "note readout", role: "status" });
  const key = element("div");
  const note = element("p", { class: "note" });
  let [part, last, result, task] = [null, null, null, null];
  hub.onPoint((k) => {
    if (last === null || k === null) {
      readout.textContent = IDLE;
      return;
    }
    readout.textContent = `Sample ${last.row[k]}: ${task.points.read(last, k)}`;
  });

  async function load() {
    const answer = await ask("data.view", { view: "projection", part, ...chosen }, "data.projection");
    if (!answer) return;
    last = answer.values;
    for (const name of ["x", "y"]) axes[name].offer(last.axes, chosen[name]);
    draw(last);
  }

  function draw(values) {
    const { xs, ys, axes: names, explained } = values;
    const all = [...xs.keys()].filter((k) => xs[k] !== null && ys[k] !== null);
    const layers = placeLayers(task, values, all, 3.5);
    const rings = new Set(task.points.flagged(values));
    const flagged = all.filter((k) => rings.has(k));
    if (flagged.length) layers.push({ type: "marks", shape: "circle", size: 7, xs, ys, only: flagged, class: "rings stroke-alarm" });
    [plot.xLabel, plot.yLabel] = [label(names[chosen.x], chosen.x, explained), label(names[chosen.y], chosen.y, explained)];
    plot.draw({
      x: extent(all.map((k) => xs[k])), y: extent(all.map((k) => ys[k])), layers, points: { xs, ys },
      description: `${xs.length} samples${flagged.length ? `, ${flagged.length} of them predicted wrongly` : ""}.`,
    });
    key.replaceChildren(legend(task.points.legend(values)));
    const missing = xs.length - all.length;
    note.textContent = [
      drawnWords(values),
      missing > 0 ? `${missing} samples have no value there.` : "",
    ].join(" ");
    hub.point(null);
    readout.textContent = IDLE;
  }

  return {
    name: "projection",
    title: "In the plane",
    element: element("div", {}, element("div", { class: "row toolbar" }, axes.x.element, axes.y.element), plot.element, key, readout, note),
    show(next, wanted) {
      if (next !== result) [chosen.x, chosen.y] = [0, 1];
      [result, part, task] = [next, wanted, TASKS[next.overview.task]];
      load();
    },
  };
}

function label(name, k, explained) {
  return k < explained.length && name.includes("component") ? `${name} (${percent(explained[k], 0)} of the variance)` : name;
}

/** Legend entries that pictures share. */
export const legendOf = { tube: { label: "tube", layers: [{ type: "marks", shape: "square", size: 6, class: "area fill-accent" }] } };

/** Returns how many samples are drawn, if these are not all. */
export function drawnWords({ row, n_samples: n }) {
  return row.length < n ? `${row.length} of ${n} samples, drawn at random.` : "";
}

/** Returns layers of marks at `xs` and `ys`: some samples, coloured by their place, in the task's shapes. */
export function placeLayers(task, values, some, size) {
  const { xs, ys, position } = values;
  const shapeOf = task.points.shapeOf(values);
  const colours = position === null ? ["accent"] : task.places.map(([, colour]) => colour);
  return colours.flatMap((colour, place) => SHAPES.flatMap((shape) => {
    const only = some.filter((k) => (position === null || position[k] === place) && shapeOf(k) === shape);
    return only.length ? [{ type: "marks", shape, size, xs, ys, only, class: `marks fill-${colour}` }] : [];
  }));
}
