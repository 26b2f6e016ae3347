// The decision map: g(x) as a tint, its contours at 0 and the edges of the band, and the samples.

import { colour, onTheme } from "../../parts/theme.js";
import { contour } from "../../plots/contours.js";
import { legend } from "../../plots/legend.js";
import { Plot } from "../../plots/plot.js";

export const ASPECT = 0.78; // height by width
const ROLES = { lowerFree: 1, lowerBound: 2, upperFree: 3, upperBound: 4 };
// The tint is full at the upper edge; it never hides a sample.
const MAX_TINT = 0.4;
const BEYOND = 1.6; // share of the tint beyond the upper edge
const LEVELS = [
  [() => 0, "line stroke-ink"],
  [(band) => band.rho1, "line stroke-accent"],
  [(band) => -band.rho1, "line stroke-accent"],
  [(band) => band.rho2, "line dashed stroke-accent"],
  [(band) => -band.rho2, "line dashed stroke-accent"],
];

let tints = null;
onTheme(() => { tints = null; });

function channels(name) {
  return colour(name).match(/[\da-f]{2}/gi).map((part) => parseInt(part, 16));
}

/** Returns a map that draws what `play.fit` answers for one model. */
export function createMap(hub, title, name) {
  const plot = new Plot({ title, name, aspect: ASPECT, hub, isCanvas: true });
  const image = document.createElement("canvas");
  return {
    plot,
    element: plot.element,
    /** `axes` are the names of what lies across and up. */
    draw({ view, columns, rows }, samples, model, axes) {
      [plot.xLabel, plot.yLabel] = axes;
      const [left, right, bottom, top] = view;
      const layers = model ? [tint(image, view, columns, rows, model), ...contours(view, columns, rows, model)] : [];
      layers.push(...marks(samples, model));
      plot.draw({ x: [left, right], y: [bottom, top], layers, points: samples, description: describe(samples, model) });
    },
  };
}

/** Returns the legend of the map. */
export function mapLegend() {
  const mark = (shape, classes, size = 4) => ({ type: "marks", shape, size, class: classes });
  return legend([
    { label: "class +1", layers: [mark("triangle", "marks fill-positive")] },
    { label: "class −1", layers: [mark("circle", "marks fill-negative")] },
    { label: "boundary, g = 0", layers: [{ type: "line", class: "line stroke-ink" }] },
    { label: "±ρ₁", layers: [{ type: "line", class: "line stroke-accent" }] },
    { label: "±ρ₂", layers: [{ type: "line", class: "line dashed stroke-accent" }] },
    { label: "lower edge, free", layers: [mark("circle", "rings stroke-lower", 5)] },
    { label: "lower edge, at its bound", layers: [mark("circle", "rings bold stroke-lower", 5)] },
    { label: "upper edge, free", layers: [mark("square", "rings stroke-upper", 5)] },
    { label: "upper edge, at its bound", layers: [mark("square", "rings bold stroke-upper", 5)] },
  ]);
}

/** Returns the layer that colours the plane by the decision value. */
function tint(image, [left, right, bottom, top], columns, rows, { map, parameters }) {
  tints ??= { positive: channels("positive"), negative: channels("negative") };
  const { rho2 } = parameters;
  image.width = columns;
  image.height = rows;
  const context = image.getContext("2d");
  const pixels = context.createImageData(columns, rows);
  const bytes = pixels.data;
  for (let k = 0; k < map.length; k += 1) {
    const share = Math.min(Math.abs(map[k]) / rho2, BEYOND) / BEYOND;
    const [red, green, blue] = map[k] > 0 ? tints.positive : tints.negative;
    bytes[4 * k] = red;
    bytes[4 * k + 1] = green;
    bytes[4 * k + 2] = blue;
    bytes[4 * k + 3] = 255 * MAX_TINT * share;
  }
  context.putImageData(pixels, 0, 0);
  // The outermost values lie on the sides of the view, in the middle of their pixels.
  const [across, up] = [(right - left) / (columns - 1) / 2, (top - bottom) / (rows - 1) / 2];
  return { type: "image", canvas: image, left: left - across, right: right + across, top: top + up, bottom: bottom - up };
}

function contours([left, right, bottom, top], columns, rows, { map, parameters }) {
  const levels = parameters.C2 > 0 ? LEVELS : LEVELS.slice(0, 3);
  return levels.map(([level, classes]) => {
    const { xs, ys } = contour(map, columns, rows, level(parameters));
    for (let k = 0; k < xs.length; k += 1) {
      xs[k] = left + (xs[k] * (right - left)) / (columns - 1);
      ys[k] = top - (ys[k] * (top - bottom)) / (rows - 1);
    }
    return { type: "line", xs, ys, class: classes };
  });
}

function marks({ xs, ys, labels }, model) {
  const indices = [...xs.keys()];
  const of = (role) => (model ? indices.filter((k) => model.role[k] === role) : []);
  const layer = (shape, size, classes, only) => ({ type: "marks", shape, size, xs, ys, class: classes, only });
  const rings = (shape, classes, role) => layer(shape, 5.5, `rings ${classes}`, of(role));
  return [
    layer("circle", 3, "marks fill-negative", indices.filter((k) => labels[k] < 0)),
    layer("triangle", 3.25, "marks fill-positive", indices.filter((k) => labels[k] > 0)),
    rings("circle", "stroke-lower", ROLES.lowerFree),
    rings("circle", "bold stroke-lower", ROLES.lowerBound),
    rings("square", "stroke-upper", ROLES.upperFree),
    rings("square", "bold stroke-upper", ROLES.upperBound),
  ];
}

function describe({ xs }, model) {
  if (!model) return `${xs.length} samples, no model.`;
  return (
    `${xs.length} samples; ${model.n_lower} support vectors at the lower edge of the band and ${model.n_upper} at the upper ` +
    `edge; ${(100 * model.accuracy).toFixed(1)} per cent are classified correctly.`
  );
}
