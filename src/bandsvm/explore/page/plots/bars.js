// Horizontal bars with a label each: weights, counts. Bars to both sides of zero where values have both signs.

import { element, freshId, svg } from "../parts/elements.js";
import { short } from "../parts/format.js";
import { pixelSize } from "../parts/theme.js";
import { saveButtons } from "./save.js";

// In units of `pixelSize`.
const ROW = 24;
const THICKNESS = 14;
const NUMBER_WIDTH = 62;
const CHARACTER = 7;
const EDGE = 6;
const GAP = 8;
const MAX_LABEL_WIDTH = 0.38; // of the width

/** Returns a picture of bars: `draw({ labels, values, classes, description })`; classes are of plots.css, one per bar. */
export function createBars({ title, name, format = short }) {
  const id = freshId("bars");
  const heading = element("h3", { id }, title);
  const picture = svg("svg", { role: "img", "aria-labelledby": id });
  const stage = element("div", { class: "stage" }, picture);
  let content = null;

  const redraw = () => {
    const width = Math.round(stage.clientWidth);
    if (content === null || width === 0) return;
    const { labels, values, classes } = content;
    const unit = pixelSize();
    const [row, edge, gap, character] = [ROW, EDGE, GAP, CHARACTER].map((size) => size * unit);
    const height = row * labels.length + 2 * edge;
    const longest = Math.max(...labels.map((label) => label.length), 1);
    const left = Math.min(longest * character + gap, MAX_LABEL_WIDTH * width);
    const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
    // Numbers stand beside their bars, on the side where the bars end.
    const from = left + (low < 0 ? NUMBER_WIDTH * unit : 0);
    const to = width - (high > 0 ? NUMBER_WIDTH * unit : edge);
    const x = (value) => from + ((value - low) / (high - low || 1)) * (to - from);
    const most = Math.max(3, Math.floor((left - gap) / character));
    const parts = labels.flatMap((label, k) => {
      const middle = edge + row * (k + 0.5);
      const [begin, end] = [x(Math.min(0, values[k])), x(Math.max(0, values[k]))];
      const isLeft = values[k] < 0;
      const text = (at, anchor, ...words) => svg("text", { x: at, y: middle + 4 * unit, "text-anchor": anchor }, ...words);
      const name = text(left - gap, "end", svg("title", {}, label), cut(label, most));
      name.setAttribute("class", "name");
      const bar = svg("rect", {
        x: begin, y: middle - (THICKNESS * unit) / 2, width: Math.max(end - begin, 1), height: THICKNESS * unit, rx: 2, class: classes[k],
      });
      return [name, bar, text(isLeft ? begin - gap : end + gap, isLeft ? "end" : "start", format(values[k]))];
    });
    parts.push(svg("path", { class: "zero", d: `M${x(0)} ${edge}V${height - edge}` }));
    picture.setAttribute("width", width);
    picture.setAttribute("height", height);
    picture.replaceChildren(...parts);
  };
  new ResizeObserver(redraw).observe(stage);
  return {
    element: element("figure", { class: "plot bars" }, element("header", {}, heading, saveButtons(title, picture, name)), stage),
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
