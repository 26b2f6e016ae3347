// Layers of a plot drawn on a canvas: the same classes, the same colours as in SVG, and quicker for many samples.

import { svg } from "../parts/elements.js";
import { onTheme } from "../parts/theme.js";
import { pathOf } from "./shapes.js";

const styles = new Map();
onTheme(() => styles.clear());

/** Returns what the style sheet says of a class of paths, as canvas wants it. */
function styleOf(classes, host) {
  if (!styles.has(classes)) {
    const probe = svg("path", { class: classes });
    host.append(probe);
    const { fill, fillOpacity, stroke, strokeOpacity, strokeWidth, strokeDasharray } = getComputedStyle(probe);
    styles.set(classes, {
      fill: fill === "none" ? null : fill,
      fillOpacity: Number(fillOpacity),
      stroke: stroke === "none" ? null : stroke,
      strokeOpacity: Number(strokeOpacity),
      width: parseFloat(strokeWidth),
      dash: strokeDasharray === "none" ? [] : strokeDasharray.split(",").map(parseFloat),
    });
    probe.remove();
  }
  return styles.get(classes);
}

/** Draws layers on a canvas that covers `area`; `host` is an SVG element that knows the style sheet. */
export function paint(canvas, layers, x, y, area, host) {
  const ratio = devicePixelRatio || 1;
  const [width, height] = [area.right - area.left, area.bottom - area.top];
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, -area.left * ratio, -area.top * ratio);
  context.clearRect(area.left, area.top, width, height);
  context.lineJoin = "round";
  for (const layer of layers) {
    if (layer.type === "image") {
      const [left, right] = [x(layer.left), x(layer.right)];
      const [top, bottom] = [y(layer.top), y(layer.bottom)];
      context.imageSmoothingQuality = "high";
      context.drawImage(layer.canvas, left, top, right - left, bottom - top);
      continue;
    }
    const path = new Path2D(pathOf(layer, x, y, area));
    const style = styleOf(layer.class, host);
    if (style.fill) {
      context.globalAlpha = style.fillOpacity;
      context.fillStyle = style.fill;
      context.fill(path);
      context.globalAlpha = 1;
    }
    if (style.stroke) {
      context.globalAlpha = style.strokeOpacity;
      context.strokeStyle = style.stroke;
      context.lineWidth = style.width;
      context.setLineDash(style.dash);
      context.stroke(path);
      context.globalAlpha = 1;
    }
  }
}
