"""The band problem: all that a solver needs to know of labels, bands, costs and weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bandsvm._piecewise import project

# Share of sum |c| that rounding may leave in sum c.
ROUNDING = 1e-13


@dataclass(frozen=True)
class BandProblem:
    """One band problem, docs/theory.md section 3.

    Maximise ``sum_i h_i(c_i) - c'Kc / 2`` subject to ``-above <= c <= below`` and, with an
    intercept, ``sum c = 0``; ``h_i(c)`` is ``lo_i c`` for ``c >= 0`` and ``hi_i c`` for ``c <= 0``.

    Parameters
    ----------
    lo, hi : ndarray of shape (n_samples,)
        Edges of each sample's band, in units of the decision value g.
    below : ndarray of shape (n_samples,)
        Cost of lying below ``lo``: the upper bound of c.
    above : ndarray of shape (n_samples,)
        Cost of lying above ``hi``: minus the lower bound of c.
    has_intercept : bool, default=True
        Whether g has an intercept, that is, whether ``sum c = 0`` holds.
    """

    lo: NDArray[np.float64]
    hi: NDArray[np.float64]
    below: NDArray[np.float64]
    above: NDArray[np.float64]
    has_intercept: bool = True

    @property
    def n_samples(self) -> int:
        """Number of samples, of variables and of kernel rows."""
        return len(self.lo)

    def feasible(self, c: NDArray) -> NDArray[np.float64]:
        """Return a feasible point near ``c`` whose zeros, which are kinks, stay zeros."""
        c = np.clip(c, -self.above, self.below)
        excess = float(c.sum())
        if not self.has_intercept or abs(excess) <= ROUNDING * float(np.abs(c).sum()):
            return c
        # The side that is too heavy gives way, by equal amounts until a variable reaches 0.
        heavy = c > 0.0 if excess > 0.0 else c < 0.0
        side = c[heavy]
        ends = np.minimum(side, 0.0), np.maximum(side, 0.0)
        c[heavy] = project(side, *ends, total=float(side.sum()) - excess)
        return c


def band_problem(
    signs: NDArray,
    rho1: float | NDArray,
    rho2: float | NDArray,
    C1: float | NDArray,
    C2: float | NDArray,
    weights: float | NDArray = 1.0,
    has_intercept: bool = True,
) -> BandProblem:
    """Write the Banded SVM of labels -1 and +1 as a band problem.

    Parameters
    ----------
    signs : ndarray of shape (n_samples,)
        Labels, -1 or +1.
    rho1, rho2 : float or ndarray of shape (n_samples,)
        The band of ``y g(x)``.
    C1, C2 : float or ndarray of shape (n_samples,)
        Cost of lying below ``rho1`` and above ``rho2``.
    weights : float or ndarray of shape (n_samples,), default=1.0
        Factor of both costs of each sample.
    has_intercept : bool, default=True
        Whether the decision rule has an intercept.

    Returns
    -------
    BandProblem
        The four vectors of docs/theory.md section 3.
    """
    positive = np.asarray(signs) > 0
    shape = positive.shape
    rho1, rho2, C1, C2 = (np.broadcast_to(value, shape) for value in (rho1, rho2, C1, C2))
    return BandProblem(
        lo=np.where(positive, rho1, -rho2).astype(np.float64),
        hi=np.where(positive, rho2, -rho1).astype(np.float64),
        below=np.asarray(weights * np.where(positive, C1, C2), dtype=np.float64),
        above=np.asarray(weights * np.where(positive, C2, C1), dtype=np.float64),
        has_intercept=has_intercept,
    )


def split_coefficients(signs: NDArray, c: NDArray) -> tuple[NDArray, NDArray]:
    """Return the paper's ``alpha`` and ``theta`` of the signed coefficients ``c``."""
    difference = signs * c
    return np.maximum(difference, 0.0), np.maximum(-difference, 0.0)


def slacks(
    signs: NDArray, decision: NDArray, rho1: float | NDArray, rho2: float | NDArray
) -> tuple[NDArray, NDArray]:
    """Return ``xi`` and ``eta``: how far ``y g(x)`` lies below and above the band."""
    signed = signs * decision
    return np.maximum(rho1 - signed, 0.0), np.maximum(signed - rho2, 0.0)
