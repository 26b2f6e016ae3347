// The tab of decision values: how they are distributed, by class, against the band.

import { placeMenu } from "../../parts/controls.js";
import { element } from "../../parts/elements.js";
import { short } from "../../parts/format.js";
import { legend } from "../../plots/legend.js";
import { Plot } from "../../plots/plot.js";
import { extent } from "../../plots/scale.js";

const COLOURS = ["negative", "positive"];

export function createValuesTab(ask) {
  const plot = new Plot({ title: "Decision values", name: "decision-values", xLabel: "decision value", yLabel: "samples", height: 320 });
  const chooser = placeMenu("Class", (place) => {
    chosen = place;
    load();
  });
  chooser.element.classList.add("toolbar");
  const key = element("div");
  const note = element("p", { class: "note" });
  let [part, result, chosen] = [null, null, 0];

  async function load() {
    const answer = await ask("data.view", { view: "distribution", part, class: chosen }, "data.values");
    if (!answer) return;
    const { edges, groups, bands, classes, is_by_label: isByLabel } = answer.values;
    chooser.element.hidden = classes.length <= 2;
    chooser.offer(classes, chosen);
    const layers = bands.map(([from, to]) => ({ type: "strip", axis: "x", from, to, class: "area fill-accent" }));
    for (const [from, to] of bands) {
      layers.push({ type: "rule", axis: "x", at: from, class: "line thin stroke-accent" }, { type: "rule", axis: "x", at: to, class: "line thin stroke-accent" });
    }
    groups.forEach(({ counts }, k) => {
      const outline = outlineOf(edges, counts);
      layers.push({ type: "line", ...outline, class: `area solid fill-${COLOURS[k]}` }, { type: "line", ...outline, class: `line thin stroke-${COLOURS[k]}` });
    });
    const most = Math.max(1, ...groups.flatMap(({ counts }) => counts));
    plot.xLabel = classes.length > 2 ? `decision value of class ${classes[chosen]}` : "decision value g(x)";
    plot.draw({
      x: extent([...edges, ...bands.flat()], 0.03), y: [0, 1.06 * most], layers,
      description: groups.map(({ name, counts }) => `${name}: ${counts.reduce((sum, count) => sum + count, 0)} samples.`).join(" "),
    });
    key.replaceChildren(legend([
      ...groups.map(({ name }, k) => ({ label: name, layers: [{ type: "line", class: `line stroke-${COLOURS[k]}` }] })),
      { label: `band, ${short(bands[1][0])} to ${short(bands[1][1])}`, layers: [{ type: "marks", shape: "square", size: 6, class: "area fill-accent" }] },
    ]));
    note.textContent = isByLabel ? "" : "The file has no labels: samples count to the class that is predicted.";
  }

  return {
    name: "values",
    title: "Decision values",
    element: element("div", {}, chooser.element, plot.element, key, note),
    show(next, wanted) {
      if (next !== result) chosen = 0;
      [result, part] = [next, wanted];
      load();
    },
  };
}

/** Returns the outline of a histogram. */
export function outlineOf(edges, counts) {
  const [xs, ys] = [[edges[0]], [0]];
  counts.forEach((count, k) => {
    xs.push(edges[k], edges[k + 1]);
    ys.push(count, count);
  });
  xs.push(edges.at(-1));
  ys.push(0);
  return { xs, ys };
}
