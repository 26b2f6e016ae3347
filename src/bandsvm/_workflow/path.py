"""Models along a parameter: from the C-SVM to a narrow band, or from a wide tube to none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bandsvm._estimators.quantiles import BandedQuantileSVR
from bandsvm._system.stopping import Stop, check_stop, stop_when
from bandsvm._tables.options import CLASSIFY, REGRESS
from bandsvm._workflow.holdout import PLACE_WORDS, Holdout
from bandsvm._workflow.numbers import EPSILON_SHARE, spread_of_targets
from bandsvm._workflow.pipeline import Estimator
from bandsvm._workflow.tasks import TASKS
from bandsvm._workflow.work import Work, collected_warnings
from bandsvm.model_selection import band_path
from bandsvm.model_selection._band_path import PathInterrupted

POINTS = 25
# The smallest C2 of a path but for 0, and the widest band, as multiples of C1 and of rho1.
MIN_C2, MAX_BAND = 1e-3, 3.0
# The widest tube, as a multiple of the usual one, and how far costs are from the model's own.
MAX_TUBE, MAX_COST_FACTOR = 20.0, 100.0


class PathKind(NamedTuple):
    """What paths do for a kind of target unlike for the other."""

    # What can be varied: (model, training targets) -> its values, among them the model's own.
    values: Mapping[str, Callable[[Any, NDArray], NDArray[np.float64]]]
    score: str  # what it calls the score of a model
    of_predictions: Callable[[Any], float]  # that score
    places: Mapping[str, str]  # words for places
    remark: Callable[[Any, str], list[str]]  # (model, what varies) -> sentences


def band_path_on_page(
    holdout: Holdout, estimator: Estimator, vary: str, work: Work
) -> dict[str, Any]:
    """Return what a model becomes along a parameter, with all else as it is.

    A path that is stopped keeps the points that it has reached, and says so.
    """
    task = holdout.table.task
    kind = PATHS[task]
    if vary not in kind.values:
        raise ValueError(f"vary must be one of {', '.join(kind.values)}, got {vary!r:.60}.")
    if isinstance(estimator, BandedQuantileSVR):
        raise ValueError("Paths are for tubes and bands; choose one number instead of quantiles.")
    model = clone(estimator)
    values = kind.values[vary](model, holdout.y_train)
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
        points: dict[str, list[Any]] = {name: [] for name in (kind.score, *kind.places.values())}
        work.take_stop()
        try:
            for k in range(len(found.values)):
                check_stop()
                predictions = TASKS[task].predictions(found.model(k), holdout.samples[places], y)
                points[kind.score].append(kind.of_predictions(predictions))
                for place, word in kind.places.items():
                    points[word].append(float(np.mean(predictions.position == place)))
        except Stop:
            pass
    n_points = len(points[kind.score])
    said = [*kind.remark(model, vary), *said]
    if n_points == 0:
        raise ValueError("The path was stopped before its first point.")
    if n_points < len(values):
        said = [f"Stopped: {n_points} of {len(values)} points.", *said]
    return {
        "task": task,
        "vary": vary,
        "values": found.values[:n_points].tolist(),
        "own": float(getattr(model, vary, 1.0)),
        "n_lower": found.n_alpha[:n_points].tolist(),
        "n_upper": found.n_theta[:n_points].tolist(),
        "primal": [certificate.primal for certificate in found.certificates[:n_points]],
        "is_optimal": [certificate.is_optimal for certificate in found.certificates[:n_points]],
        "n_samples": len(places),
        "is_held_out": len(holdout.held_out) > 0,
        "sentences": said,
        **points,
    }


def _costs_above(model: Any, y: NDArray) -> NDArray[np.float64]:
    """Return C2 from 0 on."""
    grid = np.geomspace(MIN_C2 * model.C1, max(model.C1, model.C2), POINTS - 1)
    return np.unique([0.0, *grid, model.C2])


def _upper_edges(model: Any, y: NDArray) -> NDArray[np.float64]:
    """Return rho2 from a wide band (almost a C-SVM) to a narrow one, with most support vectors."""
    widest = max(MAX_BAND * model.rho1, model.rho2)
    return np.unique([*np.linspace(model.rho1, widest, POINTS), model.rho2])[::-1]


def _widths(model: Any, y: NDArray) -> NDArray[np.float64]:
    """Return epsilon from a wide tube to none, which has the most support vectors."""
    widest = max(MAX_TUBE * EPSILON_SHARE * spread_of_targets(y), model.epsilon)
    return np.unique([*np.linspace(0.0, widest, POINTS), model.epsilon])[::-1]


def _cost_factors(model: Any, y: NDArray) -> NDArray[np.float64]:
    """Return factors of both costs around 1."""
    return np.unique([*np.geomspace(1.0 / MAX_COST_FACTOR, MAX_COST_FACTOR, POINTS), 1.0])


def _about_upper_edge(model: Any, vary: str) -> list[str]:
    if vary == "rho2" and model.C2 == 0.0:
        return ["C2 is 0, so there is no upper edge and rho2 changes nothing."]
    return []


def _share_right(predictions: Any) -> float:
    return float(np.mean(predictions.predicted_codes == predictions.true_codes))


def _r2(predictions: Any) -> float:
    return predictions.quality.errors.r2


PATHS = {
    CLASSIFY: PathKind(
        {"C2": _costs_above, "rho2": _upper_edges},
        "accuracy",
        _share_right,
        PLACE_WORDS,
        _about_upper_edge,
    ),
    REGRESS: PathKind(
        {"epsilon": _widths, "cost": _cost_factors},
        "r2",
        _r2,
        {place: place for place in PLACE_WORDS},
        lambda model, vary: [],
    ),
}
