// Layers of a plot as SVG path data, which both SVG and canvas take.

const round = (value) => Math.round(value * 10) / 10;

const MARKS = {
  circle: (x, y, r) => `M${round(x - r)} ${round(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
  square: (x, y, r) => `M${round(x - r)} ${round(y - r)}h${2 * r}v${2 * r}h${-2 * r}z`,
  triangle: (x, y, r) => `M${round(x)} ${round(y - 1.25 * r)}l${round(1.2 * r)} ${round(2.1 * r)}h${round(-2.4 * r)}z`,
};

/**
 * Returns the path data of a layer. Types:
 * - line: `xs`, `ys`; what is not finite breaks it
 * - marks: `xs`, `ys`, `shape` (circle, square, triangle), `size` in pixels, and `only`, the indices to draw
 * - strip: from `from` to `to` along `axis`, across the whole plot
 * - rule: a line at `at` on `axis`, across the whole plot
 */
export function pathOf(layer, x, y, area) {
  return DRAWERS[layer.type](layer, x, y, area);
}

const DRAWERS = {
  line({ xs, ys }, x, y) {
    let data = "";
    let pen = "M";
    for (let k = 0; k < xs.length; k += 1) {
      const isPoint = Number.isFinite(xs[k]) && Number.isFinite(ys[k]);
      if (isPoint) data += `${pen}${round(x(xs[k]))} ${round(y(ys[k]))}`;
      pen = isPoint ? "L" : "M";
    }
    return data;
  },
  marks({ xs, ys, shape = "circle", size = 3, only = null }, x, y, { markScale = 1 }) {
    const mark = MARKS[shape];
    const radius = round(size * markScale);
    let data = "";
    if (only === null) for (let k = 0; k < xs.length; k += 1) data += mark(x(xs[k]), y(ys[k]), radius);
    else for (const k of only) data += mark(x(xs[k]), y(ys[k]), radius);
    return data;
  },
  strip({ axis, from, to }, x, y, { left, right, top, bottom }) {
    if (axis === "y") return `M${left} ${round(y(from))}H${right}V${round(y(to))}H${left}z`;
    return `M${round(x(from))} ${top}V${bottom}H${round(x(to))}V${top}z`;
  },
  rule({ axis, at }, x, y, { left, right, top, bottom }) {
    return axis === "y" ? `M${left} ${round(y(at))}H${right}` : `M${round(x(at))} ${top}V${bottom}`;
  },
};
