// Figures of a fit that do not depend on what the model predicts.

import { short } from "../../parts/format.js";

/** Returns entries on support vectors and optimality; `nTrain` is the number of training samples, if it is known. */
export function fitFigures({ n_support: support, certificate }, nTrain = null) {
  return [
    ...(support === undefined ? [] : [["Support vectors", String(support), nTrain === null ? "" : `of ${nTrain} training samples`]]),
    ...(certificate === null ? [] : [[
      "Optimality", certificate.is_optimal ? "optimal" : "not optimal", `gap ${short(certificate.relative_gap, 2)} of the objective`, !certificate.is_optimal,
    ]]),
  ];
}
