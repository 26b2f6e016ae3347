"""What a search's best candidate says of samples that it was not trained on."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bandsvm._decisions.values import Decisions, decisions_of
from bandsvm._problem import Status
from bandsvm._workflow.quality import Judged

Splits = Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]


class NotHeldOut(Exception):  # noqa: N818  (a reason, not an error)
    """There are no held-out predictions; the text says why."""


def held_out(model: Any, X: Any, y: NDArray, splits: Splits, end: float) -> Judged:
    """Fit a model's parameters to the training part of each split; return what the rest gets.

    Parameters
    ----------
    model : BandedSVC
        The parameters; whether it is fitted does not matter.
    X, y : array-like
        The samples as the classifier takes them, and their labels.
    splits : sequence of pairs of ndarray
        Samples to train on, and samples to predict; each is predicted once.
    end : float
        When to end at the latest, by `time.monotonic`; it may be infinite.

    Raises
    ------
    NotHeldOut
        If time is up, or a part lacks a class.

    Warns
    -----
    ConvergenceWarning
        If a fit does not converge, which the search will have said already.
    """
    classes, values, fitted = np.unique(y), None, None
    for train, rest in splits:
        fitted = _fitted_until(end, model, X[train], y[train])
        if not np.array_equal(fitted.classes_, classes):
            raise NotHeldOut("some folds lack a class")
        part = decisions_of(fitted, X[rest]).of_problems
        if values is None:
            values = np.zeros((len(y), *part.shape[1:]), dtype=part.dtype)
        values[rest] = part
    assert values is not None
    return Judged(fitted, X, y, Decisions(fitted, values))


def _fitted_until(end: float, model: Any, X: Any, y: NDArray) -> Any:
    """Return a clone of a model that was fitted to some samples; raise if there is no time."""
    left = end - time.monotonic()
    if left <= 0.0:
        raise NotHeldOut("there was no time left")
    limit = left if np.isfinite(left) else None
    fitted = clone(model).set_params(verbose=0, time_limit=limit)
    fitted.fit(X, y)
    if fitted.certificate_.status is Status.TIME_LIMIT:
        raise NotHeldOut("there was no time left")
    return fitted
