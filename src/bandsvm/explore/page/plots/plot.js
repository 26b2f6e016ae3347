// A plot: title, axes, layers, linked hover, and buttons that save it.

import { element, freshId, svg } from "../parts/elements.js";
import { tick } from "../parts/format.js";
import { onTheme, pixelSize } from "../parts/theme.js";
import { paint } from "./canvas.js";
import { saveButtons } from "./save.js";
import { scale, ticks } from "./scale.js";
import { pathOf } from "./shapes.js";

// In units of `pixelSize`.
const MARGIN = { left: 58, right: 14, top: 8, bottom: 40 };
const PIXELS_PER_TICK = { x: 80, y: 50 };
// How far from a sample, in pixels, it still counts as pointed at.
const REACH = 24;
// Plots narrower than this have smaller marks, down to a share.
const WIDTH_OF_FULL_MARKS = 520;
const MIN_MARKS = 0.65;

/**
 * A plot.
 *
 * Options: `title`, `name` (of saved files), `xLabel`, `yLabel`, `height` in pixels (or `aspect`, height by width), `hub` for
 * linked hover, `isCanvas` to draw the layers on a canvas.
 *
 * The plot has `element`; `draw(content)`, where content is { x, y, layers, points, description }: `x` and `y` are domains
 * [low, high], `xTicks` and `yTicks` may replace their ticks by pairs [value, text], `layers` as shapes.js describes them,
 * each with a `class` of plots.css, `points` { xs, ys } are what the hub counts, `description` is for screen readers;
 * `clear()`; `rename(title)`; and, after the first `draw`, `x`, `y` and `area`.
 */
export class Plot {
  constructor({ title, name, xLabel = "", yLabel = "", height = 220, aspect = null, hub = null, isCanvas = false }) {
    Object.assign(this, { name, xLabel, yLabel, height, aspect, hub, isCanvas });
    this.content = null;
    const id = freshId("plot");
    this.heading = element("h3", { id }, title);
    this.axes = svg("g");
    this.layers = svg("g");
    this.pointer = svg("circle", { class: "pointer", r: 7, visibility: "hidden" });
    this.picture = svg("svg", { role: "img", "aria-labelledby": id }, this.axes, this.layers, this.pointer);
    this.stage = element("div", { class: "stage" }, this.picture);
    if (isCanvas) {
      this.canvas = element("canvas", { "aria-hidden": "true" });
      this.stage.prepend(this.canvas);
    }
    const buttons = saveButtons(title, this.picture, name, (write) => this.withLayersInSvg(write));
    this.element = element("figure", { class: "plot" }, element("header", {}, this.heading, buttons), this.stage);
    new ResizeObserver(() => this.resize()).observe(this.stage);
    onTheme(() => this.redraw());
    if (hub) this.bind(hub);
  }

  rename(title) {
    if (this.heading.textContent !== title) this.heading.textContent = title;
  }

  draw(content) {
    this.content = content;
    this.picture.setAttribute("aria-label", `${this.heading.textContent}. ${content.description ?? ""}`);
    this.picture.removeAttribute("aria-labelledby");
    this.redraw();
  }

  clear() {
    this.content = null;
    this.axes.replaceChildren();
    this.layers.replaceChildren();
    this.pointer.setAttribute("visibility", "hidden");
    this.axesKey = null;
    this.canvas?.getContext("2d").clearRect(0, 0, this.canvas.width, this.canvas.height);
  }

  resize() {
    const unit = pixelSize();
    const width = Math.round(this.stage.clientWidth);
    const height = Math.round(this.aspect === null ? this.height * unit : this.aspect * width);
    if (width === 0 || (width === this.width && height === this.drawnHeight)) return;
    this.width = width;
    this.drawnHeight = height;
    this.picture.setAttribute("height", height);
    this.picture.setAttribute("width", width);
    this.unit = unit;
    this.area = {
      left: MARGIN.left * unit, right: width - MARGIN.right * unit, top: MARGIN.top * unit, bottom: height - MARGIN.bottom * unit,
      markScale: unit * Math.min(1, Math.max(MIN_MARKS, width / unit / WIDTH_OF_FULL_MARKS)),
    };
    this.pointer.setAttribute("r", 7 * unit);
    if (this.canvas) {
      const { left, right, top, bottom } = this.area;
      const box = { left, top, width: right - left, height: bottom - top };
      for (const [name, value] of Object.entries(box)) this.canvas.style[name] = `${value}px`;
    }
    this.axesKey = null;
    this.redraw();
  }

  redraw() {
    if (this.content === null || !this.area) return;
    const { x, y, layers } = this.content;
    this.x = scale(x, [this.area.left, this.area.right]);
    this.y = scale(y, [this.area.bottom, this.area.top]);
    this.drawAxes();
    if (this.canvas) paint(this.canvas, layers, this.x, this.y, this.area, this.picture);
    else this.layers.replaceChildren(...this.shapes());
    if (this.hub) this.mark(this.hub.current);
  }

  /** Returns the layers as SVG elements. */
  shapes() {
    return this.content.layers.map((layer) => {
      if (layer.type !== "image") return svg("path", { d: pathOf(layer, this.x, this.y, this.area), class: layer.class });
      const [left, top] = [this.x(layer.left), this.y(layer.top)];
      return svg("image", {
        x: left, y: top, width: this.x(layer.right) - left, height: this.y(layer.bottom) - top,
        preserveAspectRatio: "none", href: layer.canvas.toDataURL(),
      });
    });
  }

  drawAxes() {
    const { area: { left, right, top, bottom }, unit } = this;
    const { xTicks, yTicks } = this.content;
    const key = JSON.stringify([this.x.domain, this.y.domain, this.xLabel, this.yLabel, xTicks, yTicks]);
    if (key === this.axesKey) return;
    this.axesKey = key;
    const text = (x, y, anchor, words) => svg("text", { x, y, "text-anchor": anchor }, words);
    const parts = [svg("path", { class: "axis", d: `M${left} ${top}V${bottom}H${right}` })];
    const across = xTicks ?? labelled(ticks(this.x.domain, (right - left) / unit / PIXELS_PER_TICK.x));
    for (const [value, words] of across) parts.push(text(this.x(value), bottom + 17 * unit, "middle", words));
    const up = yTicks ?? labelled(ticks(this.y.domain, (bottom - top) / unit / PIXELS_PER_TICK.y));
    for (const [value, words] of up) {
      const at = this.y(value);
      if (!this.canvas) parts.push(svg("path", { class: "axis", d: `M${left} ${at}H${right}` }));
      parts.push(text(left - 7 * unit, at + 4 * unit, "end", words));
    }
    parts.push(text((left + right) / 2, bottom + 35 * unit, "middle", this.xLabel));
    const beside = text(0, 0, "middle", this.yLabel);
    beside.setAttribute("transform", `translate(${11 * unit} ${(top + bottom) / 2}) rotate(-90)`);
    this.axes.replaceChildren(...parts, beside);
  }

  /** Runs a function while the layers of a canvas are in the SVG element as well. */
  async withLayersInSvg(write) {
    if (this.content === null) return;
    if (this.canvas) this.layers.replaceChildren(clip(this.area), ...clipped(this.shapes()));
    try {
      await write();
    } finally {
      if (this.canvas) this.layers.replaceChildren();
    }
  }

  bind(hub) {
    hub.onPoint((index) => this.mark(index));
    this.picture.addEventListener("pointermove", (event) => hub.point(this.nearest(event)));
    // A finger leaves at the end of every tap; what it pointed at stays.
    this.picture.addEventListener("pointerleave", (event) => event.pointerType === "touch" || hub.point(null));
  }

  /** Returns the sample nearest to a pointer, null if none is near. */
  nearest(event) {
    const box = this.picture.getBoundingClientRect();
    return this.nearestTo(event.clientX - box.left, event.clientY - box.top);
  }

  /** Returns the sample nearest to a place in pixels, null if none is near. */
  nearestTo(px, py) {
    const points = this.content?.points;
    if (!points || !this.area) return null;
    let best = null;
    let least = (REACH * this.unit) ** 2;
    for (let k = 0; k < points.xs.length; k += 1) {
      const distance = (this.x(points.xs[k]) - px) ** 2 + (this.y(points.ys[k]) - py) ** 2;
      if (distance < least) [best, least] = [k, distance];
    }
    return best;
  }

  mark(index) {
    const points = this.content?.points;
    const isShown = points && this.area && index !== null && index < points.xs.length;
    this.pointer.setAttribute("visibility", isShown ? "visible" : "hidden");
    if (!isShown) return;
    this.pointer.setAttribute("cx", this.x(points.xs[index]));
    this.pointer.setAttribute("cy", this.y(points.ys[index]));
  }
}

function labelled({ values, step }) {
  return values.map((value) => [value, tick(value, step)]);
}

const CLIP = "plot-area";

function clip({ left, right, top, bottom }) {
  return svg("clipPath", { id: CLIP }, svg("rect", { x: left, y: top, width: right - left, height: bottom - top }));
}

function clipped(shapes) {
  for (const shape of shapes) shape.setAttribute("clip-path", `url(#${CLIP})`);
  return shapes;
}
