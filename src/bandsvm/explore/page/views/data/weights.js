// The tab of feature weights, for linear kernels.

import { placeMenu } from "../../parts/controls.js";
import { element } from "../../parts/elements.js";
import { createBars } from "../../plots/bars.js";

/** Returns a picture of the weights of a linear model, with a menu of classes if there are several. */
export function createWeights() {
  const bars = createBars({ title: "Feature weights", name: "weights" });
  const chooser = placeMenu("Decision rule", draw);
  chooser.element.classList.add("toolbar");
  const note = element("p", { class: "note" });
  let last = null;

  function draw(k) {
    const { features, weights, meanings, n_features: n, is_prepared: isPrepared } = last;
    bars.draw({
      labels: features, values: weights[k], classes: weights[k].map((weight) => (weight < 0 ? "fill-negative" : "fill-positive")),
      description: features.map((name, i) => `${name} ${weights[k][i].toPrecision(3)}`).join(", "),
    });
    note.textContent = [
      meanings[k],
      isPrepared ? "They belong to the features as scaled, filled in and encoded, so their sizes compare." : "",
      n > features.length ? `The ${features.length} largest of ${n}.` : "",
    ].join(" ");
  }

  return {
    element: element("div", {}, chooser.element, bars.element, note),
    set(next) {
      last = next;
      chooser.offer(next.problems, 0);
      chooser.element.hidden = next.problems.length < 2;
      draw(0);
    },
  };
}

export function createWeightsTab(ask) {
  const weights = createWeights();
  return {
    name: "weights",
    title: "Weights",
    element: weights.element,
    async show(_result, part) {
      const answer = await ask("data.view", { view: "weights", part }, "data.weights");
      if (answer) weights.set(answer.values);
    },
  };
}
