"""What decision values of regressions mean: predictions, and where they lie in tubes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._decisions.position import ROUNDING, BandPositions


def tube_positions(
    values: NDArray[np.float64], lo: NDArray, hi: NDArray, tol: float
) -> BandPositions:
    """Return where predictions lie in tubes; those on an edge up to ``tol`` or rounding are inside.

    Edges may be infinite.
    """
    slack = tol + ROUNDING[np.dtype(np.float64)] * np.abs(values)
    return BandPositions.from_slacks(lo - values - slack, values - hi - slack, 0.0)


def left_open(certificate: Any) -> float:
    """Return differences of decision values that a fit leaves open, at most its tolerance."""
    return min(certificate.kkt_violation + certificate.uncertainty, certificate.tol)


def without_crossing(values: NDArray, quantiles: NDArray) -> NDArray:
    """Return values of quantiles, one column each, rearranged so that larger ones lie higher.

    The sorted values of a sample are nearer to its true quantiles than the values themselves
    (Chernozhukov, Fernandez-Val and Galichon, 2010).
    """
    order = np.argsort(quantiles, kind="stable")
    rearranged = np.empty_like(values)
    rearranged[:, order] = np.sort(values, axis=1)
    return rearranged
