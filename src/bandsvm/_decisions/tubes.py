"""What decision values of regressions mean: predictions, and where they lie in tubes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._checks.numbers import ends_of, refuse_intervals, targets_of
from bandsvm._checks.tube_parameters import epsilon_of
from bandsvm._decisions.position import ROUNDING, BandPositions

# Of what a fit whose gap decides leaves open, no more than this counts, in units of the spread.
MAX_OPEN = 1e-3


def tube_positions(
    values: NDArray[np.float64], lo: NDArray, hi: NDArray, tol: float
) -> BandPositions:
    """Return where predictions lie in tubes; those on an edge up to ``tol`` or rounding are inside.

    Edges may be infinite.
    """
    slack = tol + ROUNDING[np.dtype(np.float64)] * np.abs(values)
    return BandPositions.from_slacks(lo - values - slack, values - hi - slack, 0.0)


def left_open(model: Any) -> float:
    """Return differences of decision values that a fit leaves open, at most its tolerance.

    Where the gap decides, there is no tolerance for them. Models of other programs' files have no
    certificate.
    """
    certificate = getattr(model, "certificate_", None)
    if certificate is None:
        return 0.0
    most = MAX_OPEN * certificate.scale if np.isinf(certificate.tol) else certificate.tol
    return min(certificate.kkt_violation + certificate.uncertainty, most)


class TubeRegressorMixin:
    """Adds `band_position` and `score` to a regressor that has a tube."""

    def band_position(self: Any, X: Any, y: Any) -> NDArray[np.str_]:
        """Return where predictions lie in the tubes of targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples, as for `predict`.
        y : array-like of shape (n_samples,) or (n_samples, 2)
            Their targets, or intervals.

        Returns
        -------
        ndarray of shape (n_samples,)
            'below' if the prediction is less than the lower edge of the tube, ``y - epsilon``,
            'above' if it is greater than the upper edge, ``y + epsilon``, else 'inside'.
            Predictions on an edge, up to what the certificate leaves open, are inside.
        """
        values = self.predict(X)
        lower, upper = ends_of(targets_of(y, len(values)))
        below, above = epsilon_of(self)
        tol = left_open(self)
        return tube_positions(values, lower - below, upper + above, tol).names

    def score(self: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the coefficient of determination R^2 of predictions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples, as for `predict`.
        y : array-like of shape (n_samples,)
            Their targets; for intervals there is no R^2.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        float
            1 for perfect predictions; 0 is as good as the mean of y.
        """
        refuse_intervals(y, "(model.band_position(X, y) == 'inside').mean() counts predictions")
        return super().score(X, y, sample_weight)  # type: ignore[misc]


def without_crossing(values: NDArray, quantiles: NDArray) -> NDArray:
    """Return values of quantiles, one column each, rearranged so that larger ones lie higher.

    The sorted values of a sample are nearer to its true quantiles than the values themselves
    (Chernozhukov, Fernandez-Val and Galichon, 2010).
    """
    order = np.argsort(quantiles, kind="stable")
    rearranged = np.empty_like(values)
    rearranged[:, order] = np.sort(values, axis=1)
    return rearranged
