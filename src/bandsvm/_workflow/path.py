"""Models along C2 or rho2: what changes from the C-SVM to a narrow band."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from bandsvm._system.stopping import Stop, check_stop, stop_when
from bandsvm._workflow.evaluation import Predictions
from bandsvm._workflow.holdout import PLACE_WORDS, Holdout
from bandsvm._workflow.pipeline import Classifier
from bandsvm._workflow.work import Work, collected_warnings
from bandsvm.model_selection import band_path
from bandsvm.model_selection._band_path import PathInterrupted

VARIED = ("C2", "rho2")
POINTS = 25
# The smallest C2 of a path but for 0, and the widest band, as multiples of C1 and of rho1.
MIN_C2, MAX_BAND = 1e-3, 3.0


def band_path_on_page(
    holdout: Holdout, classifier: Classifier, vary: str, work: Work
) -> dict[str, Any]:
    """Return what a model becomes along C2, or along rho2, with all else as it is.

    A path that is stopped keeps the points that it has reached, and says so.
    """
    if vary not in VARIED:
        raise ValueError(f"vary must be one of {', '.join(VARIED)}, got {vary!r:.60}.")
    model = clone(classifier)
    values = _values(model, vary)
    places = holdout.held_out if len(holdout.held_out) else holdout.train
    y = holdout.table.y[places]
    work.report({"stage": "path", "line": f"Fitting {len(values)} models."})
    with collected_warnings() as said, stop_when(work.reason):
        try:
            found = band_path(
                holdout.training_samples, holdout.y_train, vary=vary, values=values, model=model
            )
        except PathInterrupted as interrupt:
            found = interrupt.path
        points: dict[str, list[Any]] = {name: [] for name in ("accuracy", *PLACE_WORDS.values())}
        work.take_stop()
        try:
            for k in range(len(found.values)):
                check_stop()
                predictions = Predictions(found.model(k), holdout.samples[places], y)
                is_right = predictions.predicted_codes == predictions.true_codes
                points["accuracy"].append(float(np.mean(is_right)))
                for place, word in PLACE_WORDS.items():
                    points[word].append(float(np.mean(predictions.position == place)))
        except Stop:
            pass
    n_points = len(points["accuracy"])
    if vary == "rho2" and model.C2 == 0.0:
        said = ["C2 is 0, so there is no upper edge and rho2 changes nothing.", *said]
    if n_points == 0:
        raise ValueError("The path was stopped before its first point.")
    if n_points < len(values):
        said = [f"Stopped: {n_points} of {len(values)} points.", *said]
    return {
        "vary": vary,
        "values": found.values[:n_points].tolist(),
        "own": float(getattr(classifier, vary)),
        "n_lower": found.n_alpha[:n_points].tolist(),
        "n_upper": found.n_theta[:n_points].tolist(),
        "primal": [certificate.primal for certificate in found.certificates[:n_points]],
        "is_optimal": [certificate.is_optimal for certificate in found.certificates[:n_points]],
        "n_samples": len(places),
        "is_held_out": len(holdout.held_out) > 0,
        "sentences": said,
        **points,
    }


def _values(model: Classifier, vary: str) -> Any:
    """Return the values of a path; the model's own is among them."""
    if vary == "C2":
        grid = np.geomspace(MIN_C2 * model.C1, max(model.C1, model.C2), POINTS - 1)
        return np.unique([0.0, *grid, model.C2])
    widest = max(MAX_BAND * model.rho1, model.rho2)
    # From a wide band (almost a C-SVM) to a narrow one, which has the most support vectors.
    return np.unique([*np.linspace(model.rho1, widest, POINTS), model.rho2])[::-1]
