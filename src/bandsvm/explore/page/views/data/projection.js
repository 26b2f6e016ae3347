// The tab of samples in the plane: principal components or features, coloured by place in the band.

import { placeMenu } from "../../parts/controls.js";
import { element } from "../../parts/elements.js";
import { percent, signed } from "../../parts/format.js";
import { createHub } from "../../parts/hub.js";
import { legend } from "../../plots/legend.js";
import { Plot } from "../../plots/plot.js";
import { extent } from "../../plots/scale.js";
import { PLACES } from "./state.js";

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
  let [part, last, result] = [null, null, null];
  hub.onPoint((k) => {
    if (last === null || k === null) {
      readout.textContent = "Point at a sample to read it.";
      return;
    }
    const { row, true: own, given, value, classes, has_labels: hasLabels, position } = last;
    const label = hasLabels ? `label ${classes[own[k]] ?? "unknown"}, ` : "";
    readout.textContent = `Sample ${row[k]}: ${label}predicted ${classes[given[k]]}, decision value ${signed(value[k])}, ${PLACES[position[k]][0]}.`;
  });

  async function load() {
    const answer = await ask("data.view", { view: "projection", part, ...chosen }, "data.projection");
    if (!answer) return;
    last = answer.values;
    for (const name of ["x", "y"]) axes[name].offer(last.axes, chosen[name]);
    draw(last);
  }

  function draw({ xs, ys, axes: names, position, true: own, given, classes, explained, n_samples: n, has_labels: hasLabels }) {
    const all = [...xs.keys()].filter((k) => xs[k] !== null && ys[k] !== null);
    const shapeOf = (k) => (classes.length <= SHAPES.length ? SHAPES[Math.max(own[k], 0)] : "circle");
    const layers = [];
    PLACES.forEach(([, colour], place) => {
      for (const shape of SHAPES) {
        const only = all.filter((k) => position[k] === place && shapeOf(k) === shape);
        if (only.length) layers.push({ type: "marks", shape, size: 3.5, xs, ys, only, class: `marks fill-${colour}` });
      }
    });
    const wrong = hasLabels ? all.filter((k) => own[k] !== given[k]) : [];
    if (wrong.length) layers.push({ type: "marks", shape: "circle", size: 7, xs, ys, only: wrong, class: "rings stroke-alarm" });
    [plot.xLabel, plot.yLabel] = [label(names[chosen.x], chosen.x, explained), label(names[chosen.y], chosen.y, explained)];
    plot.draw({
      x: extent(all.map((k) => xs[k])), y: extent(all.map((k) => ys[k])), layers, points: { xs, ys },
      description: `${xs.length} samples, ${wrong.length} of them predicted wrongly.`,
    });
    const entries = PLACES.map(([word, colour]) => ({ label: word, layers: [{ type: "marks", shape: "circle", size: 4, class: `marks fill-${colour}` }] }));
    if (classes.length <= SHAPES.length) {
      entries.push(...classes.map((name, k) => ({ label: name, layers: [{ type: "marks", shape: SHAPES[k], size: 4, class: "rings stroke-ink" }] })));
    }
    if (hasLabels) entries.push({ label: "predicted wrongly", layers: [{ type: "marks", shape: "circle", size: 5, class: "rings stroke-alarm" }] });
    key.replaceChildren(legend(entries));
    const missing = xs.length - all.length;
    note.textContent = [
      xs.length < n ? `${xs.length} of ${n} samples, drawn at random.` : "",
      missing > 0 ? `${missing} samples have no value there.` : "",
    ].join(" ");
    hub.point(null);
    readout.textContent = "Point at a sample to read it.";
  }

  return {
    name: "projection",
    title: "In the plane",
    element: element("div", {}, element("div", { class: "row toolbar" }, axes.x.element, axes.y.element), plot.element, key, readout, note),
    show(next, wanted) {
      if (next !== result) [chosen.x, chosen.y] = [0, 1];
      [result, part] = [next, wanted];
      load();
    },
  };
}

function label(name, k, explained) {
  return k < explained.length && name.includes("component") ? `${name} (${percent(explained[k], 0)} of the variance)` : name;
}
