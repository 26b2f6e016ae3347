// Drawing on a map, by mouse, touch and keyboard. Every edit is a function from points to points.

import { svg } from "../../parts/elements.js";
import { snapped } from "./points.js";

export const TOOLS = [
  ["look", "Look"],
  ["add+", "Add +1"],
  ["add-", "Add −1"],
  ["move", "Move"],
  ["flip", "Flip"],
  ["delete", "Delete"],
];
export const KEYS =
  "Keys on the map: arrows move the cursor, N and P step through the samples, + and − add one at the cursor, M picks one up " +
  "and puts it down, F flips its label, Delete removes it, Ctrl+Z undoes.";
const TRAIL = 16; // pixels between samples while a line is drawn
const STRIDE = 0.025; // of the view, for one press of an arrow key
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export const edits = {
  add: (x, y, label) => (points) => [...points, { x: snapped(x), y: snapped(y), label }],
  move: (index, x, y) => (points) =>
    points.map((point, k) => (k === index ? { ...point, x: snapped(x), y: snapped(y) } : point)),
  flip: (index) => (points) => points.map((point, k) => (k === index ? { ...point, label: -point.label } : point)),
  delete: (index) => (points) => points.filter((_, k) => k !== index),
};

/**
 * Lets the user draw on a map. `tool()` is the tool in use, `edit(change, isStep)` applies an edit (isStep: it can be undone by
 * itself), `undo` and `redo` do as they say, `say(index)` tells a screen reader about a sample.
 */
export function bindDrawing(plot, { hub, tool, edit, undo, redo, say }) {
  const { picture } = plot;
  const cursor = svg("path", { class: "pointer", visibility: "hidden" });
  picture.append(cursor);
  picture.setAttribute("tabindex", "0");
  picture.setAttribute("role", "application");
  picture.setAttribute("aria-roledescription", "decision map");
  picture.setAttribute("aria-describedby", "drawing-keys");
  bindPointer(plot, { hub, tool, edit });
  bindKeys(plot, cursor, { hub, edit, undo, redo, say });
}

/** Returns where in the plane a pointer is. */
function placeOf(plot, event) {
  const box = plot.picture.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

function isInside({ left, right, top, bottom }, [px, py]) {
  return px >= left && px <= right && py >= top && py <= bottom;
}

function bindPointer(plot, { hub, tool, edit }) {
  const { picture } = plot;
  let held = null; // index of the sample that is being moved
  let last = null; // where the last sample of a line was added

  const add = (place) => {
    edit(edits.add(plot.x.invert(place[0]), plot.y.invert(place[1]), tool() === "add+" ? 1 : -1), true);
    last = place;
  };
  picture.addEventListener("pointerdown", (event) => {
    if (!plot.area || event.button !== 0) return;
    const place = placeOf(plot, event);
    const index = plot.nearest(event);
    hub.point(index);
    if (tool() === "look" || !isInside(plot.area, place)) return;
    event.preventDefault();
    picture.focus({ preventScroll: true });
    picture.setPointerCapture(event.pointerId);
    if (tool().startsWith("add")) add(place);
    else if (index === null) return;
    else if (tool() === "move") held = index;
    else edit(edits[tool()](index), true);
  });
  picture.addEventListener("pointermove", (event) => {
    const place = placeOf(plot, event);
    if (held !== null) edit(edits.move(held, plot.x.invert(place[0]), plot.y.invert(place[1])), false);
    if (last !== null && isInside(plot.area, place) && Math.hypot(place[0] - last[0], place[1] - last[1]) >= TRAIL) add(place);
  });
  const release = () => {
    if (held !== null) edit((points) => points, true);
    held = last = null;
  };
  picture.addEventListener("pointerup", release);
  picture.addEventListener("pointercancel", release);
}

function bindKeys(plot, cursor, { hub, edit, undo, redo, say }) {
  const { picture } = plot;
  let [x, y] = [null, null];
  let held = null;

  const samples = () => plot.content?.points ?? { xs: [], ys: [] };
  const show = () => {
    const [px, py] = [plot.x(x), plot.y(y)];
    cursor.setAttribute("d", `M${px - 11} ${py}h7M${px + 4} ${py}h7M${px} ${py - 11}v7M${px} ${py + 4}v7`);
    cursor.setAttribute("visibility", "visible");
  };
  const goTo = (index) => {
    [x, y] = [samples().xs[index], samples().ys[index]];
    show();
    hub.point(index);
    say(index);
  };
  const step = (direction) => {
    const count = samples().xs.length;
    if (count > 0) goTo(((hub.current ?? (direction > 0 ? -1 : 0)) + direction + count) % count);
  };
  const walk = ([dx, dy], isFine) => {
    const stride = (isFine ? 0.2 : 1) * STRIDE * (plot.x.domain[1] - plot.x.domain[0]);
    x = Math.min(plot.x.domain[1], Math.max(plot.x.domain[0], x + dx * stride));
    y = Math.min(plot.y.domain[1], Math.max(plot.y.domain[0], y + dy * stride));
    show();
    if (held !== null) edit(edits.move(held, x, y), false);
    else hub.point(plot.nearestTo(plot.x(x), plot.y(y)));
  };
  const pick = () => {
    held = hub.current;
  };
  const put = () => {
    held = null;
    edit((points) => points, true);
  };
  const KEY = {
    n: () => step(1),
    p: () => step(-1),
    "+": () => edit(edits.add(x, y, 1), true),
    "-": () => edit(edits.add(x, y, -1), true),
    m: () => (held === null ? pick() : put()),
    f: () => hub.current !== null && edit(edits.flip(hub.current), true),
    Delete: () => hub.current !== null && edit(edits.delete(hub.current), true),
    Escape: () => held !== null && put(),
  };
  picture.addEventListener("keydown", (event) => {
    if (!plot.area || plot.content === null) return;
    if (x === null) [x, y] = [plot.x.domain, plot.y.domain].map(([low, high]) => (low + high) / 2);
    const isCommand = event.ctrlKey || event.metaKey;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (isCommand && (key === "y" || (key === "z" && event.shiftKey))) redo();
    else if (isCommand && key === "z") undo();
    else if (isCommand || event.altKey) return;
    else if (key in ARROWS) walk(ARROWS[key], event.shiftKey);
    else if (key in KEY) KEY[key]();
    else return;
    event.preventDefault();
  });
  picture.addEventListener("focus", () => picture.matches(":focus-visible") && x !== null && show());
  picture.addEventListener("blur", () => {
    cursor.setAttribute("visibility", "hidden");
    if (held !== null) put();
  });
}
