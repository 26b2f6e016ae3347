// Horizontal bars with a label each: weights, counts. Bars to both sides of zero where values have both signs.

import { element, freshId, svg } from "../parts/elements.js";
import { short } from "../parts/format.js";
import { savePng, saveSvg } from "./save.js";

const ROW = 24;
const THICKNESS = 14;
const NUMBER_WIDTH = 62;
const LONGEST_LABEL = 0.38; // of the width
const PIXELS_PER_CHARACTER = 7;
const EDGE = 6;

/** Returns a picture of bars: `draw({ labels, values, classes, description })`; classes are of plots.css, one per bar. */
export function createBars({ title, name, format = short }) {
  const id = freshId("bars");
  const heading = element("h3", { id }, title);
  const picture = svg("svg", { role: "img", "aria-labelledby": id });
  const stage = element("div", { class: "stage" }, picture);
  const saver = (kind, write) =>
    element("button", { type: "button", class: "quiet small", "aria-label": `Save ${title} as ${kind}`, on: { click: () => write(picture, name) } }, kind);
  let content = null;

  const redraw = () => {
    const width = Math.round(stage.clientWidth);
    if (content === null || width === 0) return;
    const { labels, values, classes } = content;
    const height = ROW * labels.length + 2 * EDGE;
    const longest = Math.max(...labels.map((label) => label.length), 1);
    const left = Math.min(longest * PIXELS_PER_CHARACTER + 10, LONGEST_LABEL * width);
    const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
    // Numbers stand beside their bars, on the side where the bars end.
    const from = left + (low < 0 ? NUMBER_WIDTH : 0);
    const to = width - (high > 0 ? NUMBER_WIDTH : EDGE);
    const x = (value) => from + ((value - low) / (high - low || 1)) * (to - from);
    const most = Math.max(3, Math.floor((left - 10) / PIXELS_PER_CHARACTER));
    const parts = labels.flatMap((label, k) => {
      const middle = EDGE + ROW * (k + 0.5);
      const [begin, end] = [x(Math.min(0, values[k])), x(Math.max(0, values[k]))];
      const isLeft = values[k] < 0;
      return [
        svg("text", { x: left - 8, y: middle + 4, "text-anchor": "end", class: "name" }, svg("title", {}, label), cut(label, most)),
        svg("rect", { x: begin, y: middle - THICKNESS / 2, width: Math.max(end - begin, 1), height: THICKNESS, rx: 2, class: classes[k] }),
        svg("text", { x: isLeft ? begin - 6 : end + 6, y: middle + 4, "text-anchor": isLeft ? "end" : "start" }, format(values[k])),
      ];
    });
    parts.push(svg("path", { class: "zero", d: `M${x(0)} ${EDGE}V${height - EDGE}` }));
    picture.setAttribute("width", width);
    picture.setAttribute("height", height);
    picture.replaceChildren(...parts);
  };
  new ResizeObserver(redraw).observe(stage);
  return {
    element: element("figure", { class: "plot bars" }, element("header", {}, heading, saver("SVG", saveSvg), saver("PNG", savePng)), stage),
    heading,
    draw(next) {
      content = next;
      picture.removeAttribute("aria-labelledby");
      picture.setAttribute("aria-label", `${heading.textContent}. ${next.description ?? ""}`);
      redraw();
    },
  };
}

function cut(text, most) {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
