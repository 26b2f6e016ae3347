"""Scores of predictions for collections: one pass over the chunks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
from numpy.typing import NDArray

import dask
from bandsvm.dask._collections import aligned
from bandsvm.dask._tasks import sum_of


def share_correct(predicted: da.Array, X: Any, y: Any, sample_weight: Any) -> float:
    """Return the weight of correct predictions as a share of all."""
    correct, total = sum_of(_of_chunks(_correct, predicted, X, y, sample_weight))
    return float(correct / total)


def r2_score(predicted: da.Array, X: Any, y: Any, sample_weight: Any) -> float:
    """Return the coefficient of determination R^2, as scikit-learn's `r2_score`."""
    moments = joint_moments(_of_chunks(_moments, predicted, X, y, sample_weight))
    if moments.total == 0.0:
        raise ValueError(
            "sample_weight must contain at least one non-zero number, but all weights are zero."
        )
    if moments.squares == 0.0:
        return float(moments.residual == 0.0)
    return 1.0 - moments.residual / moments.squares


def _of_chunks(function: Callable, predicted: da.Array, X: Any, y: Any, weights: Any) -> list[Any]:
    """Return what a function makes of predictions, targets and weights of every chunk."""
    _, y, weights = aligned(X, y, weights)
    parts = [predicted, y] + ([] if weights is None else [weights])
    chunks = [list(np.ravel(part.to_delayed())) for part in parts]
    if len({len(of_part) for of_part in chunks}) > 1:
        raise ValueError(
            f"X, y and sample_weight must have as many chunks each, got "
            f"{[len(of_part) for of_part in chunks]}; chunk them alike."
        )
    lazily = dask.delayed(function)
    return list(dask.compute(*(lazily(*some) for some in zip(*chunks, strict=True))))


def _checked(predicted: NDArray, y: Any, weights: Any) -> tuple[NDArray, NDArray[np.float64]]:
    """Return targets and weights of a chunk."""
    y = np.asarray(y).ravel()
    if len(y) != len(predicted):
        raise ValueError(
            f"y must have one entry per sample, got a chunk of {len(y)} for {len(predicted)} "
            "samples; chunk y like X."
        )
    return y, np.ones(len(y)) if weights is None else np.asarray(weights, dtype=np.float64)


def _correct(predicted: Any, y: Any, weights: Any = None) -> tuple[float, float]:
    """Return the weight of correct predictions, and of all."""
    y, weights = _checked(predicted, y, weights)
    return float(weights[predicted == y].sum()), float(weights.sum())


class Moments(NamedTuple):
    """Sums over samples: their weight, and squared distances from predictions and the mean."""

    total: float
    mean: float
    squares: float
    residual: float


def _moments(predicted: Any, y: Any, weights: Any = None) -> Moments:
    y, weights = _checked(predicted, y, weights)
    total = float(weights.sum())
    mean = float(weights @ y) / total if total else 0.0
    return Moments(
        total, mean, float(weights @ (y - mean) ** 2), float(weights @ (y - predicted) ** 2)
    )


def joint_moments(parts: list[Moments]) -> Moments:
    """Return the moments of several chunks together."""
    total = sum(part.total for part in parts)
    mean = sum(part.total * part.mean for part in parts) / total if total else 0.0
    squares = sum(part.squares + part.total * (part.mean - mean) ** 2 for part in parts)
    return Moments(total, mean, squares, sum(part.residual for part in parts))
