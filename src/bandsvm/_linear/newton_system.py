"""The linear equations of a Newton step of the weights and the intercept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack  # SciPy's own checks take longer than small systems

# What is added to the unit diagonal of a matrix that rounding has left indefinite, and how often.
RIDGE, RIDGE_GROWTH, MAX_RIDGES = 1e-15, 100.0, 6
TINY = np.finfo(float).tiny


class NewtonSystem:
    """The matrix ``[I + X'DX, X'D1; 1'DX, 1'D1]``, factored.

    The intercept is eliminated: what is left are samples measured from their mean, by ``D``; None
    if there is no intercept. ``gram``, which is overwritten, is ``sum D (x - mean) (x - mean)'``,
    and ``total`` is ``sum D``.
    """

    def __init__(self, gram: NDArray, total: float, mean: NDArray | None) -> None:
        self._total, self._mean = total, mean
        gram.flat[:: len(gram) + 1] += 1.0
        # Columns of any units: the matrix gets a unit diagonal.
        self._scale = 1.0 / np.sqrt(np.maximum(gram.diagonal(), TINY))
        gram *= self._scale
        gram *= self._scale[:, None]
        self._factor = _factor(gram)

    def solve(self, right: NDArray, total: float) -> tuple[NDArray[np.float64], float]:
        """Return the steps of the weights and of the intercept for a right-hand side."""
        if self._mean is None:
            return self._solve(right), 0.0
        dw = self._solve(right - self._mean * total)
        return dw, total / self._total - float(self._mean @ dw)

    def _solve(self, right: NDArray) -> NDArray[np.float64]:
        scaled = self._scale * right
        solution, _ = lapack.dpotrs(self._factor, scaled, lower=True)
        return self._scale * solution


def _factor(matrix: NDArray) -> NDArray:
    """Return the Cholesky factor of a matrix of unit diagonal, or of one close to it."""
    ridge = 0.0
    for attempt in range(MAX_RIDGES + 1):
        shifted = matrix + ridge * np.eye(len(matrix)) if ridge else matrix
        factor, failure = lapack.dpotrf(shifted, lower=True, clean=False)
        if not failure:
            return factor
        ridge = RIDGE * RIDGE_GROWTH**attempt * len(matrix)
    raise np.linalg.LinAlgError("the matrix of a Newton step is not positive definite")
