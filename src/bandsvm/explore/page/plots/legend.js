// Legends: what each class of line or mark means.

import { element, svg } from "../parts/elements.js";
import { scale } from "./scale.js";
import { pathOf } from "./shapes.js";

const SAMPLE = { left: 0, right: 20, top: 0, bottom: 14 };

/** Returns a list of entries { label, layers }, each layer with `class` and `type`: line or marks (with `shape`, `size`). */
export function legend(entries) {
  const x = scale([0, 20], [0, 20]);
  const picture = (layers) =>
    svg("svg", { viewBox: "0 0 20 14", "aria-hidden": "true" }, layers.map((layer) => {
      const place = layer.type === "marks" ? { xs: [10], ys: [7] } : { xs: [1, 19], ys: [7, 7] };
      return svg("path", { class: layer.class, d: pathOf({ ...place, ...layer }, x, x, SAMPLE) });
    }));
  return element("ul", { class: "legend" }, entries.map(({ label, layers }) => element("li", {}, picture(layers), label)));
}
