// The tab of feature weights, for linear kernels.

import { element, freshId } from "../../parts/elements.js";
import { createBars } from "../../plots/bars.js";

/** Returns a picture of the weights of a linear model, with a menu of classes if there are several. */
export function createWeights() {
  const bars = createBars({ title: "Feature weights", name: "weights" });
  const id = freshId("weights");
  const select = element("select", { id });
  const chooser = element("span", { class: "row toolbar" }, element("label", { for: id }, "Class"), select);
  const note = element("p", { class: "note" });
  let last = null;
  select.addEventListener("change", () => draw());

  function draw() {
    const { features, weights, classes, n_features: n, is_prepared: isPrepared } = last;
    const k = Number(select.value);
    bars.draw({
      labels: features, values: weights[k], classes: weights[k].map((weight) => (weight < 0 ? "fill-negative" : "fill-positive")),
      description: features.map((name, i) => `${name} ${weights[k][i].toPrecision(3)}`).join(", "),
    });
    note.textContent = [
      `Positive weights speak for class ${classes[k]}.`,
      isPrepared ? "They belong to the features as scaled, filled in and encoded, so their sizes compare." : "",
      n > features.length ? `The ${features.length} largest of ${n}.` : "",
    ].join(" ");
  }

  return {
    element: element("div", {}, chooser, bars.element, note),
    set(next) {
      last = next;
      select.replaceChildren(...next.classes.map((name, k) => element("option", { value: k }, name)));
      select.value = "0";
      chooser.hidden = next.classes.length < 2;
      draw();
    },
  };
}

export function createWeightsTab(app, ask) {
  const weights = createWeights();
  return {
    name: "weights",
    title: "Weights",
    element: weights.element,
    async show(result, part) {
      const answer = await ask("data.view", { view: "weights", part }, "data.weights");
      if (answer) weights.set(answer.values);
    },
  };
}
