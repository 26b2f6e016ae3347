// What the view says in words and numbers: the certificate, and the sample that is pointed at.

import { element } from "../../parts/elements.js";
import { exact, percent, short, signed } from "../../parts/format.js";

const POSITIONS = ["below", "inside", "above"];
const ROLES = ["no", "lower edge, free", "lower edge, bound", "upper edge, free", "upper edge, bound"];

/** The names of two models that are compared, in their order. */
export const NAMES = ["C-SVM", "Your model"];

/** Returns the names of one or two models. */
function modelNames(models) {
  return NAMES.slice(-models.length);
}

/** Returns the card of the certificate. */
export function createCertificate() {
  const body = element("div", { class: "certificates" });
  const waiting = element("span", { class: "waiting", hidden: true }, "fitting …");
  return {
    element: element("section", { class: "card", "aria-labelledby": "certificate" },
      element("h2", {}, element("span", { id: "certificate" }, "Certificate"), waiting), body),
    wait(isWaiting) {
      if (waiting.hidden === isWaiting) waiting.hidden = !isWaiting;
    },
    draw(models) {
      const titles = models.length > 1 ? modelNames(models) : [null];
      body.replaceChildren(...models.map((model, k) => certificate(model, titles[k])));
    },
    complain(message) {
      body.replaceChildren(element("p", { class: "complaint", role: "status" }, message));
    },
  };
}

function certificate(model, title) {
  const { objective, words, accuracy, coverage, n_lower: lower, n_upper: upper } = model;
  const shares = [coverage.below, coverage.inside, coverage.above];
  const numbers = [
    ["Objective", exact(objective), "objective"],
    ["Classified correctly", percent(accuracy)],
    ["Below, in, above the band", shares.map((share) => percent(share, 0)).join(" · ")],
    ["Support vectors, lower and upper edge", `${lower} · ${upper}`],
  ];
  return element(
    "div", { class: "certificate" },
    title ? element("h3", {}, title) : null,
    element("dl", { class: "numbers" }, numbers.map(([name, value, id]) =>
      element("div", {}, element("dt", {}, name), element("dd", { "data-value": id }, value)))),
    words.map((sentence, k) => element("p", { class: k === 0 ? "verdict" : "detail" }, unbroken(sentence))),
  );
}

/** Returns text in which numbers such as 1e-9 stay on one line. */
function unbroken(text) {
  return text.replaceAll(/(\de)-(\d)/g, "$1\u2011$2");
}

/** Returns the card of the sample that is pointed at. */
export function createSample() {
  const hint = element("p", { class: "lead" }, "Point at a sample, in any picture, to see where it lies in all of them.");
  const body = element("div", {}, hint);
  const heading = element("h2", { id: "sample" }, "Sample");
  return {
    element: element("section", { class: "card sample", "aria-labelledby": "sample" }, heading, body),
    draw(index, samples, models) {
      if (index === null || !samples || index >= samples.xs.length) {
        body.replaceChildren(hint);
        return;
      }
      const names = modelNames(models);
      const rows = [
        ["Decision value g(x)", ({ decision }) => signed(decision[index])],
        ["y g(x)", ({ decision }) => signed(decision[index] * samples.labels[index])],
        ["Band", (model) => placeOf(index, samples, model)],
        ["Slack", (model) => slackOf(index, model)],
        ["Multiplier", (model) => multiplierOf(index, model)],
        ["Support vector", ({ role }) => ROLES[role[index]]],
      ];
      const head = element("tr", {}, element("td"), names.map((name) => element("th", { scope: "col" }, name)));
      const line = ([name, value]) =>
        element("tr", {}, element("th", { scope: "row" }, name), models.map((model) => element("td", {}, value(model))));
      body.replaceChildren(
        element("p", {}, headline(index, samples)),
        element(
          "table", {},
          models.length > 1 ? element("thead", {}, head) : null,
          element("tbody", {}, rows.map(line)),
        ),
      );
    },
  };
}

function headline(index, { xs, ys, labels }) {
  return `Number ${index + 1}, class ${labels[index] > 0 ? "+1" : "−1"}, at (${short(xs[index])}, ${short(ys[index])})`;
}

function placeOf(index, { labels }, { decision, position }) {
  return decision[index] * labels[index] < 0 ? "wrong side" : POSITIONS[position[index]];
}

function slackOf(index, { xi, eta, position }) {
  return ({ below: `ξ = ${short(xi[index])}`, above: `η = ${short(eta[index])}` })[POSITIONS[position[index]]] ?? "0";
}

function multiplierOf(index, { alpha, theta }) {
  if (alpha[index] > 0) return `α = ${short(alpha[index])}`;
  return theta[index] > 0 ? `θ = ${short(theta[index])}` : "0";
}

/** Returns one sentence about a sample, for screen readers. */
export function sampleInWords(index, samples, models) {
  const names = modelNames(models);
  const parts = models.map((model, k) => {
    const name = models.length > 1 ? `${names[k]}: ` : "";
    const value = signed(model.decision[index]);
    return `${name}decision value ${value}, ${placeOf(index, samples, model)}, support vector: ${ROLES[model.role[index]]}`;
  });
  return `${headline(index, samples)}. ${parts.join(". ")}.`;
}
