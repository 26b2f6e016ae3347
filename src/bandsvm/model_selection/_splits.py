"""The folds of a search, checked before any work begins."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv
from sklearn.utils import check_consistent_length

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def checked_splits(
    cv: Any, X: Any, y: NDArray, weights: NDArray, groups: Any, *, of_classes: bool
) -> list[Split]:
    """Return the samples to train on and those to hold out, fold by fold.

    None is empty, and every fold trains on samples that have weight: with ``of_classes``, of at
    least two classes.
    """
    if groups is not None:
        check_consistent_length(y, groups)
    splits = []
    cv = check_cv(cv, y, classifier=of_classes)
    for number, split in enumerate(_pairs(cv.split(X, y, groups))):
        train, held_out = (_indices(part, len(y), number) for part in split)
        counted = train[weights[train] > 0.0]
        if not len(counted):
            raise ValueError(
                f"cv must train on samples of weight greater than 0, but fold {number} trains on "
                "none; use fewer folds, or shuffled ones."
            )
        if of_classes and len(classes := np.unique(y[counted])) < 2:
            raise ValueError(
                f"cv must train on at least two classes, but fold {number} trains on "
                f"{classes.tolist()} only (samples of weight 0 do not count); use fewer folds, or "
                "shuffled or stratified ones."
            )
        splits.append((train, held_out))
    if not splits:
        raise ValueError("cv must give at least one fold, got none; is it an exhausted generator?")
    return splits


def _pairs(splits: Iterable[Any]) -> list[tuple[Any, Any]]:
    """Return the pairs that a generator yields."""
    try:
        return [(train, held_out) for train, held_out in splits]
    except (TypeError, ValueError) as error:
        if "unpack" not in str(error):
            raise
        raise ValueError(f"cv must give pairs (train, test) of indices: {error}.") from None


def _indices(part: Any, n_samples: int, number: int) -> NDArray[np.intp]:
    """Return indices, or a mask, as non-negative indices."""
    part = np.asarray(part)
    if part.dtype == bool and part.shape == (n_samples,):
        part = np.flatnonzero(part)
    if part.ndim != 1 or len(part) == 0 or part.dtype.kind not in "iu":
        raise ValueError(
            f"cv must give indices of at least one sample each, got {part.dtype} of shape "
            f"{part.shape} in fold {number}."
        )
    lowest, highest = int(part.min()), int(part.max())
    if lowest < -n_samples or highest >= n_samples:
        raise ValueError(
            f"cv must give indices of the {n_samples} samples, got {lowest} to {highest} in fold "
            f"{number}."
        )
    return np.where(part < 0, part + n_samples, part).astype(np.intp)
