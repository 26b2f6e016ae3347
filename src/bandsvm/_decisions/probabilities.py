"""Probabilities of classes: sigmoids of decision values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from bandsvm._checks.device_arrays import in_kind
from bandsvm._decisions.values import decisions_of


def probabilities(sigmoids: NDArray, values: NDArray) -> NDArray[np.float64]:
    """Return the probability of every class, one column each, from decision values."""
    slopes, offsets = sigmoids.T
    own = expit(values.reshape(len(values), -1) * slopes + offsets)
    if own.shape[1] == 1:
        return np.hstack([1.0 - own, own])
    total = own.sum(axis=1, keepdims=True)
    even = np.full_like(own, 1.0 / own.shape[1])
    return np.divide(own, total, out=even, where=total > 0.0)


class ProbabilityMixin:
    """Adds `predict_proba` to a classifier that `calibrate` has given sigmoids."""

    @property
    def predict_proba(self: Any) -> Callable[[Any], NDArray[np.float64]]:
        """Return the probabilities of classes, one column each; see `bandsvm.calibrate`."""
        if not hasattr(self, "sigmoids_"):
            name = type(self).__name__
            raise AttributeError(
                f"{name} has no predict_proba until it is calibrated: call bandsvm.calibrate(model,"
                f" X, y) after fit, or use CalibratedClassifierCV({name}(), ensemble=False)."
            )
        return self._predict_proba

    @in_kind
    def _predict_proba(self: Any, X: Any) -> NDArray[np.float64]:
        return probabilities(self.sigmoids_, decisions_of(self, X).by_class)
