// The tab of quantiles: whether they leave as many targets below as they should, and their losses.

import { element } from "../../parts/elements.js";
import { percent, short } from "../../parts/format.js";
import { items, table } from "../../parts/lists.js";
import { legend } from "../../plots/legend.js";
import { Plot } from "../../plots/plot.js";

export function createQuantilesTab(ask) {
  const plot = new Plot({ title: "Targets below each quantile", name: "quantiles", xLabel: "quantile, %", yLabel: "targets below, %", height: 340 });
  const key = legend([
    { label: "found", layers: [{ type: "line", class: "line stroke-accent" }] },
    { label: "as it should be", layers: [{ type: "line", class: "line thin dashed stroke-muted" }] },
  ]);
  const scores = element("div");
  const remarks = element("ul", { class: "remarks" });

  return {
    name: "quantiles",
    title: "Quantiles",
    element: element("div", {}, element("div", { class: "pair" }, element("div", {}, plot.element, key), element("div", {}, element("h3", {}, "Scores"), scores, remarks))),
    async show(_result, part) {
      const answer = await ask("data.view", { view: "quantiles", part }, "data.quantiles");
      if (!answer) return;
      const { scores: found, sentences } = answer.values;
      const sorted = [...found].sort((a, b) => a.quantile - b.quantile);
      const [xs, ys] = [sorted.map(({ quantile }) => 100 * quantile), sorted.map(({ below }) => 100 * below)];
      plot.draw({
        x: [0, 100], y: [0, 102],
        layers: [
          { type: "line", xs: [0, 100], ys: [0, 100], class: "line thin dashed stroke-muted" },
          { type: "line", xs, ys, class: "line stroke-accent" },
          { type: "marks", shape: "circle", size: 5, xs, ys, class: "marks fill-accent" },
        ],
        description: sorted.map(({ quantile, below }) => `${percent(below)} below quantile ${quantile}`).join(", "),
      });
      scores.replaceChildren(table({
        name: "Scores of quantiles", head: ["quantile", "pinball loss", "D²", "targets below"],
        rows: sorted.map(({ quantile, pinball, d2, below }) => [short(quantile), short(pinball), short(d2), percent(below)]),
      }));
      remarks.replaceChildren(...items(sentences));
    },
  };
}
