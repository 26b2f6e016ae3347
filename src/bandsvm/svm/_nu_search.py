"""The width of the tube for which coefficients have a given share of what their costs allow.

With ``nu``, the objective of `SVR` has ``C nu epsilon sum(weights)`` as one more term and `epsilon`
is a variable. Its dual has the constraint ``sum |c| <= C nu sum(weights)`` instead of the term
``epsilon sum |c|``. For a given epsilon both are the same problem, and ``sum |c|`` falls,
piecewise linearly, as epsilon grows: the best epsilon is where it has the value of the constraint,
or 0 if it is smaller there already.

The coefficients of every fit bound the best objective for all widths from below, by a line in
epsilon. Fits that are not exact can put the sum on the wrong side; so the search is repeated with a
smaller tolerance until the sum has its value, or the lines show that the width is the best one
although the sum jumps there.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from bandsvm._fitting.fit import fit_model
from bandsvm._kernels.sizes import SMALL_PROBLEM

# Shares of small problems, which end at rounding error, are met up to this.
EXACT = 1e-10
# Where no width has the share, as coefficients jump there, the model is as good as the best one up
# to the first share of the objective. It has missed the share if it may be worse by the second.
BEST, MISSED = 1e-6, 1e-3
# A search that misses the share is repeated, so often at most, with so much less tolerance.
SHARPER, N_SEARCHES = 0.1, 4
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
        # Epsilon and `tol` of the last fit.
        self._fitted_at: tuple[float, float] | None = None
        # Bounds from below, ``height + slope * epsilon``; the first of coefficients that are all 0.
        self._lines = [(0.0, self._cost() * nu)]
        self.was_interrupted = False
        # Whether the share is ``nu``, or the best that there is.
        self.is_met = False

    def run(self) -> None:
        """Fit the estimator for the best epsilon."""
        banded = self._banded
        banded._task.check_parameters(banded)
        warm_start, time_limit, tol = banded.warm_start, banded.time_limit, banded.tol
        counted = self._y[self._weights > 0.0]
        # All targets lie in the tube around their middle.
        widest = 0.5 * float(np.ptp(counted))
        try:
            for search in range(N_SEARCHES):
                banded.tol = tol * SHARPER**search
                self._search(widest)
                self.is_met = self._is_best(BEST)
                if self.is_met:
                    break
            self.is_met = self.is_met or self._is_best(MISSED)
            # Where coefficients jump, as they do if K is singular, the best width is the one of the
            # jump alone.
            has_share = banded.epsilon > 0.0 and self._excess(banded.epsilon) == 0.0
            if has_share and (middle := self._middle()) is not None:
                self._fit(middle)
        except StopIteration:  # the fit was stopped: its model is the best so far
            self.is_met = self.is_met or self._is_narrowest()
        # What was asked for, of fits that may have been asked for more.
        certificate = banded.certificate_
        banded.certificate_ = replace(certificate, tol=certificate.scale * tol)
        banded.warm_start, banded.time_limit, banded.tol = warm_start, time_limit, tol

    def why_missed(self) -> str | None:
        """Return what is wrong with the share, and what to do about it."""
        if self.is_met:
            return None
        has_time = self._end is None or time.monotonic() < self._end
        cure = "lower tol, or C" if has_time else "raise time_limit"
        return (
            f"ended before the width of its tube was found: coefficients sum up to the share "
            f"{self._share():.3g} of what C allows, not nu={self._nu:.3g}; {cure}."
        )

    def _search(self, widest: float) -> None:
        """Fit for the epsilon at which the share passes ``nu``."""
        epsilon = 0.0
        if self._excess(0.0) > 0.0:
            step = PRECISION * widest
            epsilon = brentq(self._below_widest, 0.0, widest, (widest,), step, 4e-15, disp=False)
        self._fit(epsilon)

    def _is_best(self, share_of_value: float) -> bool:
        """Return whether the share is ``nu``, or the objective about that of the best width."""
        epsilon = self._banded.epsilon
        if self._excess(epsilon) == 0.0 or self._is_narrowest():
            return True
        value = self._banded.certificate_.primal + self._cost() * self._nu * epsilon
        return value - self._bound() <= share_of_value * abs(value)

    def _is_narrowest(self) -> bool:
        """Return whether a tube of width 0 already has a share of ``nu`` or less."""
        return self._banded.epsilon == 0.0 and self._share() <= self._nu

    def _bound(self) -> float:
        """Return the largest value that the objective is known to reach at every epsilon."""
        heights, slopes = np.array(self._lines).T
        with np.errstate(divide="ignore", invalid="ignore"):
            crossings = np.subtract.outer(heights, heights) / -np.subtract.outer(slopes, slopes)
        widths = np.append(crossings[np.isfinite(crossings) & (crossings > 0.0)], 0.0)
        return float((heights + np.outer(widths, slopes)).max(axis=1).min())

    def _below_widest(self, epsilon: float, widest: float) -> float:
        return self._excess(epsilon) if epsilon < widest else -self._nu

    def _excess(self, epsilon: float) -> float:
        """Return how far the share of coefficients is above ``nu``; 0 if that is little."""
        self._fit(epsilon)
        excess = self._share() - self._nu
        return 0.0 if abs(excess) <= self._met else excess

    def _share(self) -> float:
        return float(np.abs(self._banded.dual_coef_).sum()) / self._cost()

    def _cost(self) -> float:
        return float(self._banded.C1 * self._weights.sum())

    def _fit(self, epsilon: float) -> None:
        banded = self._banded
        if (epsilon, banded.tol) == self._fitted_at:
            return
        if self._end is not None:
            left = self._end - time.monotonic()
            if left <= 0.0 and self._fitted_at is not None:
                raise StopIteration
            banded.time_limit = max(left, SHORTEST_LIMIT)
        banded.epsilon = epsilon
        self.was_interrupted = fit_model(banded, self._X, self._y, self._weights)
        self._fitted_at, banded.warm_start = (epsilon, banded.tol), True
        if self.was_interrupted or banded.certificate_.status.is_limit:
            raise StopIteration
        # For another width, the same coefficients have another dual value.
        size = self._share() * self._cost()
        slope = self._nu * self._cost() - size
        self._lines.append((banded.certificate_.dual + epsilon * size, slope))

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
