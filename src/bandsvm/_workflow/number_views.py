"""What the page shows of samples and the numbers that a model predicts for them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._decisions.position import POSITIONS
from bandsvm._workflow.drawn import n_bins, position_codes
from bandsvm._workflow.evaluation import drawn_samples, histogram_edges
from bandsvm._workflow.holdout import TablePart

# Quantiles that the table of samples has columns for.
MAX_COLUMNS = 9
TARGET, RESIDUAL = "target", "residual"
# What the page calls a model with one prediction, and one with quantiles.
TUBE, QUANTILES = "tube", "quantiles"


def figures(part: TablePart) -> dict[str, Any]:
    """Return how well numbers are predicted, and how predictions lie against targets."""
    predictions, quality, place = part.predictions, part.predictions.quality, _place(part)
    return {
        "goal": _goal(part),
        "tube": predictions.tube,
        "names": predictions.names,
        "has_targets": predictions.y is not None,
        "scores": None if quality is None else quality.values(),
        "positions": None
        if place is None
        else {name: int(np.sum(place == name)) for name in POSITIONS.tolist()},
    }


def _goal(part: TablePart) -> str:
    return QUANTILES if part.predictions.tube is None else TUBE


def _place(part: TablePart) -> NDArray[np.str_] | None:
    return part.predictions.place


def number_scores(part: TablePart) -> dict[str, Any]:
    """Return errors of predictions, of samples with targets."""
    quality = part.predictions.quality
    assert quality is not None
    return {"role": part.role, "n_samples": len(part.places), **quality.values()}


def columns(part: TablePart) -> dict[str, NDArray]:
    """Return what the table of samples says of targets and predictions."""
    predictions, place = part.predictions, _place(part)
    parts: dict[str, NDArray] = {}
    if predictions.y is not None:
        parts[TARGET] = predictions.y
    if len(predictions.names) <= MAX_COLUMNS:
        parts |= {name: predictions.values[:, k] for k, name in enumerate(predictions.names)}
    else:
        parts[predictions.centre_name] = predictions.centre
    if place is not None:
        parts[RESIDUAL] = predictions.residuals
        parts["place"] = place
    return parts


def is_wrong(part: TablePart) -> None:
    """Return None: no prediction is just wrong."""


def order(part: TablePart, place: str) -> NDArray[np.float64]:
    """Return keys that sort the largest errors first; without targets, the order of the file."""
    predictions = part.predictions
    if predictions.y is None:
        return np.zeros(len(part.places))
    return -np.abs(predictions.residuals)


def about_samples(part: TablePart) -> dict[str, Any]:
    """Return what else the table of samples needs: which prediction residuals belong to."""
    predictions = part.predictions
    return {
        "centre": predictions.centre_name,
        "has_targets": predictions.y is not None,
        "goal": _goal(part),
    }


def axes(part: TablePart) -> dict[str, NDArray]:
    """Return what an axis may show of predictions."""
    predictions = part.predictions
    parts = {predictions.centre_name: predictions.centre}
    if predictions.y is None:
        return parts
    return {**parts, TARGET: predictions.y, RESIDUAL: predictions.residuals}


def points(part: TablePart, chosen: NDArray[np.intp]) -> dict[str, Any]:
    """Return positions, targets and predictions of some samples."""
    predictions, place, values = part.predictions, _place(part), part.predictions.values[chosen]
    has_targets = predictions.y is not None
    return {
        "position": None if place is None else position_codes(place[chosen]),
        "prediction": predictions.centre[chosen].tolist(),
        "low": values.min(axis=1).tolist(),
        "high": values.max(axis=1).tolist(),
        "target": predictions.y[chosen].tolist() if has_targets else None,
        "residual": predictions.residuals[chosen].tolist() if has_targets else None,
        "centre": predictions.centre_name,
    }


def errors(part: TablePart) -> dict[str, Any]:
    """Return predictions beside targets, with the tube, and how residuals are distributed.

    Without targets, how predictions are distributed.
    """
    predictions, chosen = part.predictions, drawn_samples(len(part.places))
    values = predictions.centre if predictions.y is None else predictions.residuals
    edges = histogram_edges(values, n_bins(len(values)))
    return {
        "role": part.role,
        "n_samples": len(part.places),
        "names": predictions.names,
        "tube": predictions.tube,
        "row": (part.places[chosen] + 1).tolist(),
        "edges": edges.tolist(),
        "counts": np.histogram(values, edges)[0].tolist(),
        **points(part, chosen),
    }


def quantile_scores(part: TablePart) -> dict[str, Any]:
    """Return how well each quantile is predicted, and what lies between the outermost ones."""
    quality = part.predictions.quality
    values = {} if quality is None else quality.values()
    if "quantiles" not in values:
        raise ValueError("Scores of quantiles need a model of quantiles, and targets.")
    return {
        "role": part.role,
        "n_samples": len(part.places),
        "scores": values["quantiles"],
        "sentences": quality.sentences(),
    }
