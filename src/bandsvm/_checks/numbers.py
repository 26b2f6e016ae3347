"""Checks of the targets of regression: numbers, or intervals in which they lie."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_array

from bandsvm._checks.data import check_samples
from bandsvm._system.advice import ParameterError, ParameterTypeError, literal


def check_numbers(estimator: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, NDArray]:
    """Return X, and y as numbers of shape (n_samples,) or intervals of shape (n_samples, 2)."""
    if are_intervals(y):
        ends = checked_ends(y)
        # scikit-learn would refuse infinite ends.
        X, _ = check_samples(estimator, X, np.zeros(len(ends)), reset=reset)
        return X, ends
    X, y = check_samples(estimator, X, y, reset=reset)
    return X, _as_numbers(y)


def are_intervals(y: Any) -> bool:
    """Return whether targets are pairs of numbers."""
    try:
        shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
    except ValueError:  # rows of different lengths, which scikit-learn refuses
        return False
    return len(shape) == 2 and shape[1] == 2


def checked_ends(y: Any) -> NDArray[np.float64]:
    """Return the ends of intervals, of shape (n_samples, 2)."""
    ends = check_array(y, dtype=np.float64, ensure_all_finite=False, input_name="y")
    lower, upper = ends.T
    if np.isnan(ends).any():
        raise ParameterError(
            "y",
            "must not hold NaN",
            cure="the ends of an interval that is open below or above are -inf and inf",
            of=f" of sample {_first(np.isnan(ends).any(axis=1))}",
        )
    for is_wrong, rule in (
        (lower > upper, "must not have a lower end above its upper end"),
        (np.isposinf(lower) | np.isneginf(upper), "must hold a number between its ends"),
    ):
        if is_wrong.any():
            first = _first(is_wrong)
            raise ParameterError(
                "y",
                rule,
                tuple(ends[first].tolist()),
                "with two columns, y holds intervals [lower, upper] of targets",
                f" of sample {first}",
            )
    return ends


def _first(is_wrong: NDArray[np.bool_]) -> int:
    return int(np.flatnonzero(is_wrong)[0])


def _as_numbers(y: NDArray) -> NDArray[np.float64]:
    """Return finite targets as floats."""
    advice = "for labels use BandedSVC"
    if y.dtype.kind in "USM":
        raise ParameterTypeError("y", "must hold numbers", y.tolist()[0], advice)
    try:
        numbers = y.astype(np.float64)
    except (TypeError, ValueError):
        raise ParameterTypeError("y", "must hold numbers", y.tolist()[0], advice) from None
    if not np.isfinite(numbers).all():
        raise ParameterError("y", "must hold finite numbers", cure="drop or replace the others")
    return numbers


def targets_of(y: Any, n_samples: int) -> NDArray[np.float64]:
    """Return numbers or intervals, one per sample."""
    targets = checked_ends(y) if are_intervals(y) else _as_numbers(column_or_1d(y, warn=True))
    if len(targets) != n_samples:
        raise ParameterError(
            "y", f"must have one entry for each of {n_samples} samples", len(targets)
        )
    return targets


def ends_of(y: NDArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of targets that are intervals; both are the same for numbers."""
    return (y, y) if y.ndim == 1 else (y[:, 0], y[:, 1])


def refuse_intervals(y: Any, cure: str) -> None:
    """Refuse intervals where only numbers make sense."""
    if are_intervals(y):
        raise ParameterError("y", "must hold numbers, not intervals", cure=literal(cure))
