// Labels of classes: what the view shows of them.

import { capitalized, percent, short, signed } from "../../parts/format.js";
import { penalty } from "../play/curves.js";
import { fitFigures } from "./figures.js";

const PLACES = [["doubtful", "lower"], ["typical", "muted"], ["extreme", "upper"]];
const SHAPES = ["circle", "triangle", "square"];
// The cost of a hard margin, in a picture.
const HARD = 1e6;

const all = (values) => (values.every((value) => value === values[0]) ? short(values[0]) : values.map((value) => short(value)).join(", "));
const isWrong = ({ true: own, given, has_labels: hasLabels }) => (k) => hasLabels && own[k] !== given[k];

export const classes = {
  parameters: ({ C1, C2, rho1, rho2, loss, weight }) => ({ C1, C2, rho1, rho2, loss, class_weight: weight || null }),
  canSearch: () => true,
  chosen: ({ C1, C2, rho2 }) => ({ C1, C2, rho2 }),
  targets: { use: "labels", note: "The column of labels, classes that the model learns to predict." },
  places: PLACES,
  tabs: ({ overview, has_weights: hasWeights, search }) => [
    "samples", "projection", "values", ...(overview.accuracy === null ? [] : ["abstain"]), "path",
    ...(hasWeights ? ["weights"] : []), ...(search ? ["search"] : []),
  ],
  figures(overview, nTrain) {
    const { accuracy, n_wrong: wrong, n_samples: n, positions } = overview;
    const place = (word, where) => [capitalized(word), String(positions[word]), `${percent(positions[word] / n, 0)}, ${where}`];
    return [
      accuracy === null ? ["Samples", String(n), "without labels"] : ["Accuracy", percent(accuracy), `${wrong} of ${n} wrong`],
      place("doubtful", "below the band"),
      place("typical", "inside"),
      place("extreme", "above"),
      ...fitFigures(overview, nTrain),
    ];
  },
  table: {
    canBeWrong: true,
    filters: "label or text",
    remarks: ({ classes: names }, { sort, place }) => [
      sort === null ? `Sorted by confidence, the most ${place === "extreme" ? "extreme" : "doubtful"} first.` : "",
      "Samples are numbered from 1 in the order of the file.",
      names.length === 2
        ? `Decision values above 0 speak for class ${names[1]}, those below 0 for ${names[0]}.`
        : "Decision values are those of the predicted class.",
    ],
  },
  points: {
    shapeOf: ({ classes: names, true: own }) => (k) => (names.length <= SHAPES.length ? SHAPES[Math.max(own[k], 0)] : "circle"),
    flagged: (values) => [...values.xs.keys()].filter(isWrong(values)),
    read({ true: own, given, value, classes: names, has_labels: hasLabels, position }, k) {
      const label = hasLabels ? `label ${names[own[k]] ?? "unknown"}, ` : "";
      return `${label}predicted ${names[given[k]]}, decision value ${signed(value[k])}, ${PLACES[position[k]][0]}.`;
    },
    legend: ({ classes: names, has_labels: hasLabels }) => [
      ...PLACES.map(([label, colour]) => ({ label, layers: [{ type: "marks", shape: "circle", size: 4, class: `marks fill-${colour}` }] })),
      ...(names.length <= SHAPES.length ? names : []).map((label, k) => ({ label, layers: [{ type: "marks", shape: SHAPES[k], size: 4, class: "rings stroke-ink" }] })),
      ...(hasLabels ? [{ label: "predicted wrongly", layers: [{ type: "marks", shape: "circle", size: 5, class: "rings stroke-alarm" }] }] : []),
    ],
  },
  path: {
    vary: [["C2", "along C2"], ["rho2", "along rho2"]],
    score: "accuracy",
    line: "accuracy",
    about: "Fits about 25 models, from the C-SVM to a narrow band, each from the one before.",
  },
  search: {
    word: "accuracy",
    score: percent,
    other: ({ rho2, C2 }, ratios) => ({
      title: "Best score by C2 / C1 and rho2", xLabel: "C2 / C1, cost above by cost below", yLabel: "rho2, upper edge",
      xs: ratios, ys: rho2, isShown: (k) => C2[k] > 0,
    }),
    width: ({ C2, rho2 }, k) => (C2[k] > 0 ? `, rho2 ${short(rho2[k])}` : " (no upper edge)"),
    part: ({ accuracy, n_wrong: wrong, n_samples: n, classes: listed, n_classes: every }, share) => ({
      sentence: `Accuracy ${percent(accuracy, 2)}: ${wrong} of ${n} are wrong.`,
      more: every > listed.length ? ` The first ${listed.length} of ${every} classes.` : "",
      scores: {
        head: ["class", "precision", "recall", "f1", "samples"], texts: [0],
        rows: listed.map(({ class: name, precision, recall, f1, n_samples: count }) => [name, share(precision), share(recall), share(f1), String(count)]),
      },
    }),
  },
  model: {
    histogram: "Training samples against the band",
    predicts: ({ classes: names, n_classes: n }) => ["Classes", names.join(", ") + (n > names.length ? ", …" : "")],
    facts: ({ rho1, rho2, C1, C2 }) => [
      ["Band", `${all(rho1)} to ${all(rho2)}`],
      ["C1", all(C1)],
      ["C2", all(C2)],
    ],
    support: ({ classes: names, by_class: counts }) => counts && { labels: names, counts },
    penalty({ rho1: [low], rho2: [high], C1: [C1], C2: [C2], parameters }) {
      const top = high + Math.max(high, 1);
      const curve = { C1: C1 ?? HARD, C2, rho1: low, rho2: high, loss: parameters.loss ?? "hinge" };
      return { axis: "signed decision value y g(x)", from: -0.4 * top, to: top, most: penalty(curve, 0) * 1.3 || 1, curve };
    },
  },
};
