"""The width of the tube for which coefficients have a given share of what their costs allow.

With ``nu``, the objective of `SVR` has ``C nu epsilon sum(weights)`` as one more term and `epsilon`
is a variable. Its dual has the constraint ``sum |c| <= C nu sum(weights)`` instead of the term
``epsilon sum |c|``. For a given epsilon both are the same problem, and ``sum |c|`` falls,
piecewise linearly, as epsilon grows: the best epsilon is where it has the value of the constraint,
or 0 if it is smaller there already.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from bandsvm._fitting.fit import fit_model
from bandsvm._kernels.sizes import SMALL_PROBLEM

# Shares of small problems, which end at rounding error, are met up to this.
EXACT = 1e-10
# Epsilon is known up to this share of the largest.
PRECISION = 1e-13
# Seconds of the first fit if there is no time for it.
SHORTEST_LIMIT = 1e-9


class NuSearch:
    """Fits a `BandedSVR` of equal costs for one epsilon after the other, each from the last."""

    def __init__(self, banded: Any, X: Any, y: NDArray, weights: NDArray | None, nu: float) -> None:
        self._banded, self._X, self._y, self._nu = banded, X, y, nu
        self._weights = np.ones(len(y)) if weights is None else weights
        self._met = EXACT if len(y) <= SMALL_PROBLEM else banded.tol * nu
        self._end = None if banded.time_limit is None else time.monotonic() + banded.time_limit
        self._fitted_at = np.nan
        self.was_interrupted = False

    def run(self) -> None:
        """Fit the estimator for the best epsilon."""
        warm_start, time_limit = self._banded.warm_start, self._banded.time_limit
        counted = self._y[self._weights > 0.0]
        # All targets lie in the tube around their middle.
        widest = 0.5 * float(np.ptp(counted))
        epsilon = 0.0
        try:
            if self._excess(0.0) > 0.0:
                step = PRECISION * widest
                epsilon = brentq(
                    self._below_widest, 0.0, widest, (widest,), step, 4e-15, disp=False
                )
            self._fit(epsilon)
            # Where coefficients jump, as they do if K is singular, the best width is the one of the
            # jump alone.
            is_met = epsilon > 0.0 and self._excess(epsilon) == 0.0
            if is_met and (middle := self._middle()) is not None:
                self._fit(middle)
        except StopIteration:  # the fit was stopped: its model is the best so far
            pass
        self._banded.warm_start, self._banded.time_limit = warm_start, time_limit

    def _below_widest(self, epsilon: float, widest: float) -> float:
        return self._excess(epsilon) if epsilon < widest else -self._nu

    def _excess(self, epsilon: float) -> float:
        """Return how far the share of coefficients is above ``nu``; 0 if that is little."""
        self._fit(epsilon)
        size = float(np.abs(self._banded.dual_coef_).sum())
        excess = size / (self._banded.C1 * float(self._weights.sum())) - self._nu
        return 0.0 if abs(excess) <= self._met else excess

    def _fit(self, epsilon: float) -> None:
        if epsilon == self._fitted_at:
            return
        banded = self._banded
        banded.epsilon = epsilon
        if self._end is not None:
            left = self._end - time.monotonic()
            if left <= 0.0 and not np.isnan(self._fitted_at):
                raise StopIteration
            banded.time_limit = max(left, SHORTEST_LIMIT)
        self.was_interrupted = fit_model(banded, self._X, self._y, self._weights)
        self._fitted_at, banded.warm_start = epsilon, True
        if self.was_interrupted or banded.certificate_.status.is_limit:
            raise StopIteration

    def _middle(self) -> float | None:
        """Return the middle of all epsilons for which the coefficients are the same, if several.

        Coefficients between their bounds fix ``epsilon + b`` if they are positive, ``epsilon - b``
        if they are negative. Otherwise neither samples outside the tube may enter it nor others
        leave it, which gives an interval.
        """
        banded, counts = self._banded, self._weights > 0.0
        c = np.zeros(len(self._y))
        c[banded.support_] = banded.dual_coef_[0]
        b = float(banded.intercept_[0])
        residuals = self._y - banded._problem_values(self._X)[:, 0] + b
        is_free = (c != 0.0) & (np.abs(c) < (1.0 - EXACT) * banded.C1 * self._weights)
        if (is_free & (c > 0.0)).any() and (is_free & (c < 0.0)).any():
            return None
        ends = []
        for sign in (1.0, -1.0):
            outside, values = counts & (sign * c > 0.0), sign * residuals
            known = values[is_free & outside]
            if len(known) == 0:
                known = np.array([values[counts & ~outside].max(), values[outside].min()])
            ends.append(float(known.mean()))
        return max(0.5 * sum(ends), 0.0)
