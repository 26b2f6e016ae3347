"""Folds of a search: each prepares samples by its training part, and predicts the others."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from bandsvm._fitting.fitted import classes_of
from bandsvm._problem import Status
from bandsvm._workflow.pipeline import Estimator, rows_of, transformed

# The same folds every time.
SEED_OF_FOLDS = 0

Splits = Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]


def stratified_splits(y: NDArray, n_folds: int, groups: NDArray | None = None) -> Splits:
    """Return folds with the same share of each class, which keep groups together if given."""
    placeholder = np.zeros(len(y))
    if groups is None:
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=SEED_OF_FOLDS)
        return list(folds.split(placeholder, y))
    grouped = StratifiedGroupKFold(n_folds, shuffle=True, random_state=SEED_OF_FOLDS)
    return list(grouped.split(placeholder, y, groups))


def number_splits(y: NDArray, n_folds: int, groups: NDArray | None = None) -> Splits:
    """Return folds at random, for targets that are numbers; they keep groups together if given."""
    placeholder = np.zeros(len(y))
    if groups is None:
        folds = KFold(n_folds, shuffle=True, random_state=SEED_OF_FOLDS)
        return list(folds.split(placeholder))
    grouped = GroupKFold(n_folds, shuffle=True, random_state=SEED_OF_FOLDS)
    return list(grouped.split(placeholder, groups=groups))


@dataclass(frozen=True)
class PreparedFolds:
    """Training samples, as an estimator takes them: in every fold, and for the final model."""

    X: Any  # the samples, prepared by steps that were fitted to all of them
    y: NDArray  # their targets
    splits: Splits  # samples to train on, and samples to predict; each is predicted once
    # The samples, prepared by steps that were fitted to the training part of each fold. None:
    # nothing has to be fitted, and X serves all folds.
    by_fold: list[Any] | None

    @classmethod
    def of(
        cls, pipeline: Pipeline, X: Any, X_raw: Any, y: NDArray, splits: Splits
    ) -> PreparedFolds:
        """Return folds of ``X_raw``, of which ``X`` is what the fitted pipeline made."""
        by_fold = None
        if len(pipeline) > 1:
            by_fold = [_prepared(pipeline, X_raw, train) for train, _ in splits]
        return cls(X, y, splits, by_fold)

    def held_out_values(
        self, model: Estimator, end: float, values_of: Callable[[Any, Any], NDArray]
    ) -> tuple[Any, NDArray] | str:
        """Fit a model's parameters to the training part of each fold; return what the rest gets.

        That is what ``values_of`` returns of a fitted model and samples, beside one of the models.
        Or why that is unknown: time is up, or a part lacks a class. ``end`` is when to end at the
        latest, by `time.monotonic`; it may be infinite. Fits that do not converge warn.
        """
        classes, values, fitted = np.unique(self.y), None, None
        for fold, (train, rest) in enumerate(self.splits):
            X = self.X if self.by_fold is None else self.by_fold[fold]
            fitted = _fitted_until(end, model, X[train], self.y[train])
            if fitted is None:
                return "there was no time left"
            own = classes_of(fitted)
            if len(own) and not np.array_equal(own, classes):
                return "some folds lack a class"
            part = values_of(fitted, X[rest])
            if values is None:
                values = np.zeros((len(self.y), *part.shape[1:]), dtype=part.dtype)
            values[rest] = part
        assert values is not None
        assert fitted is not None
        return fitted, values


def _prepared(pipeline: Pipeline, X: Any, train: NDArray[np.intp]) -> Any:
    """Return all samples, prepared by steps that were fitted to some of them."""
    with warnings.catch_warnings():
        # A column without a number in a fold's training part is left out there, and only there.
        warnings.filterwarnings("ignore", "Skipping features without any observed values")
        steps = clone(pipeline[:-1]).fit(rows_of(X, train))
        return transformed(Pipeline([*steps.steps, pipeline.steps[-1]]), X)


def _fitted_until(end: float, model: Estimator, X: Any, y: NDArray) -> Estimator | None:
    """Return a clone of a model that was fitted to some samples; None if there is no time."""
    left = end - time.monotonic()
    if left <= 0.0:
        return None
    limit = left if np.isfinite(left) else None
    fitted = clone(model).set_params(verbose=0, time_limit=limit).fit(X, y)
    return None if fitted.certificate_.status is Status.TIME_LIMIT else fitted
