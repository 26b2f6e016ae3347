"""The linear equations of a Newton step: ``(I + X'DX) dw`` and the intercept."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from bandsvm.linear.samples import LinearSamples
from bandsvm.problem import BandProblem

# What is added to the unit diagonal of a matrix that rounding has left indefinite, and how often.
RIDGE, RIDGE_GROWTH, MOST_RIDGES = 1e-15, 100.0, 6


class NewtonSystem:
    """The matrix ``[I + X'DX, X'D1; 1'DX, 1'D1]``, factored.

    The intercept is eliminated: what is left are samples measured from their mean, by ``D``.

    Parameters
    ----------
    problem : BandProblem
        Whether there is an intercept.
    samples : LinearSamples
        The samples ``X``.
    D : ndarray of shape (n_samples,)
        Positive factors; 0 for samples that take no part.
    """

    def __init__(self, problem: BandProblem, samples: LinearSamples, D: NDArray) -> None:
        self._samples, self._has_intercept = samples, problem.has_intercept
        if problem.has_intercept:
            self._total = float(D.sum())
            self._mean = samples.weights(D) / self._total
            matrix = samples.gram(D, self._mean)
        else:
            matrix = samples.gram(D)
        matrix[np.diag_indices_from(matrix)] += 1.0
        # Columns of any units: the matrix gets a unit diagonal.
        diagonal = np.maximum(np.diag(matrix), np.finfo(float).tiny)
        self._scale = 1.0 / np.sqrt(diagonal)
        matrix *= self._scale
        matrix *= self._scale[:, None]
        self._factor = _factor(matrix)

    def solve(self, right: NDArray, total: float) -> tuple[NDArray[np.float64], float]:
        """Return the steps of the weights and of the intercept for a right-hand side."""
        if not self._has_intercept:
            return self._solve(right), 0.0
        dw = self._solve(right - self._mean * total)
        return dw, total / self._total - float(self._mean @ dw)

    def _solve(self, right: NDArray) -> NDArray[np.float64]:
        scaled = self._scale * right
        return self._scale * scipy.linalg.cho_solve(self._factor, scaled, check_finite=False)


def _factor(matrix: NDArray) -> tuple[NDArray, bool]:
    """Return the Cholesky factor of a matrix of unit diagonal, or of one close to it."""
    ridge = 0.0
    for attempt in range(MOST_RIDGES + 1):
        try:
            shifted = matrix + ridge * np.eye(len(matrix)) if ridge else matrix
            return scipy.linalg.cho_factor(shifted, lower=True, check_finite=False)
        except np.linalg.LinAlgError:
            ridge = RIDGE * RIDGE_GROWTH**attempt * len(matrix)
    raise np.linalg.LinAlgError("the matrix of a Newton step is not positive definite")
