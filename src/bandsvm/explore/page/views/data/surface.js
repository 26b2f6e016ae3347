// Pictures of the candidates of a search and their scores, live while it runs and afterwards in a tab.

import { element } from "../../parts/elements.js";
import { percent, short } from "../../parts/format.js";
import { legend } from "../../plots/legend.js";
import { Plot } from "../../plots/plot.js";
import { SHADES, shade } from "../../plots/scale.js";
import { TASKS } from "./tasks.js";

// Scores are told apart down to this many times the distance from the best to the middle one below it.
const BELOW_MIDDLE = 3;
const SIZE = 9;

/** Returns pictures of candidates: the best score at each C1 and gamma, and at what else is searched. */
export function createSurface(name) {
  const left = new Plot({ title: "Best score by C1 and γ", name: `${name}-C1-gamma`, xLabel: "C1, cost below", height: 280 });
  const right = new Plot({ title: "Best score", name: `${name}-band`, height: 280 });
  const words = element("p", { role: "status" });
  const key = element("div");

  function draw(values) {
    const { C1, C2, gamma, score, best, is_whole: isWhole, n_folds: nFolds } = values;
    const task = TASKS[values.task].search;
    const scored = [...score.keys()].filter((k) => score[k] !== null);
    if (scored.length === 0) return;
    const [low, high] = rangeOf(scored.map((k) => score[k]));
    const hasGamma = gamma.some((value) => value !== null);
    const ratios = C2.map((value, k) => Number((value / C1[k]).toPrecision(6)));
    left.rename(`Best score by C1 and ${hasGamma ? "γ" : "C2 / C1"}`);
    left.yLabel = hasGamma ? "γ of the kernel" : "C2 / C1";
    heat(left, C1, hasGamma ? gamma : ratios, scored, score, best, [low, high]);
    const { title, xLabel, yLabel, xs, ys, isShown } = task.other(values, ratios);
    const shown = scored.filter(isShown);
    right.rename(title);
    Object.assign(right, { xLabel, yLabel });
    right.element.hidden = shown.length === 0;
    if (shown.length) heat(right, xs, ys, shown, score, best, [low, high]);
    const given = isWhole.filter((isAll) => !isAll).length;
    words.textContent = best === null
      ? `${score.length} candidates so far.`
      : `Best of ${score.length} candidates: ${task.score(score[best], 2)} in ${nFolds} folds, with C1 ${short(C1[best])}, C2 ${short(C2[best])}` +
        `${task.width(values, best)}${hasGamma ? `, γ ${short(gamma[best])}` : ""}.` +
        `${given ? ` ${given} were given up early.` : ""}`;
    key.replaceChildren(element("p", { class: "note" }, `Mean ${task.word} in the folds, the best of all candidates with these values:`), legend([
      ...shades(low, high, task.score).map(([label, step]) => ({ label, layers: [{ type: "marks", shape: "square", size: 6, class: `heat-${step}` }] })),
      { label: "chosen", layers: [{ type: "marks", shape: "circle", size: 5, class: "rings stroke-ink" }] },
    ]));
  }

  return { element: element("div", {}, words, element("div", { class: "pair" }, left.element, right.element), key), draw };
}

/** Returns what the shades of scores mean: pairs of a range, in the words of `text(score, digits)`, and a step. */
export function shades(low, high, text = percent) {
  if (!(high > low)) return [[text(high, 1), SHADES - 1]];
  const edge = (step) => low + ((high - low) * step) / SHADES;
  const digits = high - low < 0.05 ? 2 : 1;
  return Array.from({ length: SHADES }, (_, step) => [
    step === 0 ? `below ${text(edge(1), digits)}` : `${text(edge(step), digits)} to ${text(edge(step + 1), digits)}`, step,
  ]);
}

/** Draws the best score at each pair of values; both axes count the values that occur. */
function heat(plot, xs, ys, chosen, score, best, [low, high]) {
  const [across, up] = [distinct(chosen.map((k) => xs[k])), distinct(chosen.map((k) => ys[k]))];
  const top = new Map();
  for (const k of chosen) {
    const at = `${across.indexOf(xs[k])} ${up.indexOf(ys[k])}`;
    if (!top.has(at) || score[k] > score[top.get(at)]) top.set(at, k);
  }
  const cells = [...top].map(([at, k]) => [...at.split(" ").map(Number), shade(score[k], low, high)]);
  const layers = [];
  for (let step = 0; step < SHADES; step += 1) {
    const own = cells.filter(([, , darkness]) => darkness === step);
    if (own.length) layers.push({ type: "marks", shape: "square", size: SIZE, xs: own.map(([x]) => x), ys: own.map(([, y]) => y), class: `heat-${step}` });
  }
  if (best !== null && chosen.includes(best)) {
    layers.push({ type: "marks", shape: "circle", size: SIZE / 2, xs: [across.indexOf(xs[best])], ys: [up.indexOf(ys[best])], class: "rings stroke-ink" });
  }
  plot.draw({
    x: [-0.6, across.length - 0.4], y: [-0.6, up.length - 0.4], layers,
    xTicks: thinned(across), yTicks: thinned(up),
    description: `${chosen.length} candidates.`,
  });
}

function distinct(values) {
  return [...new Set(values)].sort((a, b) => a - b);
}

function thinned(values) {
  const step = Math.ceil(values.length / 7);
  return values.flatMap((value, k) => (k % step === 0 ? [[k, short(value, 2)]] : []));
}

/** Returns the scores between which shades differ: hopeless ones would hide all differences. */
export function rangeOf(scores) {
  const sorted = [...scores].sort((a, b) => a - b);
  const [high, middle] = [sorted.at(-1), sorted[Math.floor(sorted.length / 2)]];
  return [Math.max(sorted[0], middle - BELOW_MIDDLE * (high - middle)), high];
}
