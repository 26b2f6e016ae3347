"""Probabilities of classes: Platt's sigmoids of decision values, fitted to held-out samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict

FOLDS = 5
# Slope and offset of each column of decision values.
Sigmoids = tuple[tuple[float, float], ...]


def check_can_calibrate(y: NDArray) -> None:
    """Refuse labels that cannot be dealt out over the folds."""
    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < FOLDS:
        rarest = classes[counts.argmin()]
        raise ValueError(
            f"--calibrate needs at least {FOLDS} samples of every class, got {counts.min()} of "
            f"class {rarest}; drop the class, or leave --calibrate out."
        )


def fit_sigmoids(pipeline: Any, X: Any, y: NDArray) -> Sigmoids:
    """Return the sigmoids of a model, by clones of it that were not fitted to the samples.

    The same as scikit-learn's ``CalibratedClassifierCV(ensemble=False)``.
    """
    model = clone(pipeline)
    model[-1].set_params(verbose=0, warm_start=False)
    if "decision_function_shape" in model[-1].get_params():
        model[-1].set_params(decision_function_shape="ovr")
    if "store_multipliers" in model[-1].get_params():
        model[-1].set_params(store_multipliers=False)
    values = cross_val_predict(
        model, X, y, cv=StratifiedKFold(FOLDS), method="decision_function"
    ).reshape(len(y), -1)
    classes = np.unique(y)
    positive = classes[1:] if values.shape[1] == 1 else classes
    return tuple(
        _sigmoid(column, y == label) for column, label in zip(values.T, positive, strict=True)
    )


def _sigmoid(values: NDArray, is_positive: NDArray[np.bool_]) -> tuple[float, float]:
    """Return slope and offset of the sigmoid of largest likelihood.

    Platt's targets stay away from 0 and 1, so that it is finite where values separate the classes.
    """
    n_samples, n_positive = len(values), int(is_positive.sum())
    highest, lowest = (n_positive + 1) / (n_positive + 2), 1 / (n_samples - n_positive + 2)
    targets = np.where(is_positive, highest, lowest)
    fitted = LogisticRegression(C=np.inf, tol=1e-8, max_iter=10_000).fit(
        np.concatenate([values, values])[:, None],
        np.repeat([1, 0], n_samples),
        sample_weight=np.concatenate([targets, 1.0 - targets]),
    )
    return float(fitted.coef_[0, 0]), float(fitted.intercept_[0])


def probabilities(sigmoids: Sigmoids, values: NDArray) -> NDArray[np.float64]:
    """Return the probability of every class, one column each, from decision values."""
    slopes, offsets = np.array(sigmoids).T
    own = expit(values.reshape(len(values), -1) * slopes + offsets)
    if own.shape[1] == 1:
        return np.hstack([1.0 - own, own])
    total = own.sum(axis=1, keepdims=True)
    even = np.full_like(own, 1.0 / own.shape[1])
    return np.divide(own, total, out=even, where=total > 0.0)
