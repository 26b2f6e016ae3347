"""Models of dual points whose coefficients lie on workers, and how far from optimal they are.

What `bandsvm._linear.point` does with arrays is done here with sums over chunks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bandsvm._certificate import (
    N_SUMS,
    Certificate,
    CheckedGradient,
    Measured,
    assemble,
    measure,
)
from bandsvm._kernels.samples import as_contiguous
from bandsvm._linear.largest import Largest
from bandsvm._linear.point import Point, relative_gap, values_without_weights
from bandsvm._linear.solving import LinearSolution
from bandsvm._problem import Solution
from bandsvm.dask.crew import Crew, PerChunk
from bandsvm.dask.ground import Ground
from bandsvm.dask.intercept import best_intercept
from bandsvm.dask.projecting import feasible


@dataclass(frozen=True)
class ClusterJudge:
    """A judge of points whose coefficients lie on workers.

    Parameters
    ----------
    crew : Crew
        The workers.
    grounds : PerChunk
        Samples and band problem of each chunk.
    n_samples, n_features : int
        Numbers of samples and features.
    has_intercept, is_squared : bool
        Whether decision values have an intercept, and losses are squared.
    """

    crew: Crew
    grounds: PerChunk
    n_samples: int
    n_features: int
    has_intercept: bool
    is_squared: bool

    def origin(self) -> Point:
        """Return the model of ``c = 0``, whose decision values are all the same."""
        zeros = self.crew.each(_zeros, self.grounds)
        return self._judged(zeros, np.zeros(self.n_features), zeros)

    def point(self, c: PerChunk) -> Point:
        """Return the model of a feasible point near ``c``."""
        c = feasible(self.crew, self.grounds, c, self.has_intercept)
        w = self.weights(c)
        return self._judged(c, w, self.crew.each(_products, self.grounds, w))

    def exact(self, c: PerChunk) -> None:
        """Return None: so few samples need no cluster."""

    def weights(self, c: PerChunk) -> NDArray[np.float64]:
        """Return ``X'c``."""
        return self.crew.total(_weights, self.grounds, c)[0]

    def intercept(self, f: PerChunk) -> float:
        """Return the intercept of least loss for decision values ``f``, or 0 if it must be 0."""
        if not self.has_intercept:
            return 0.0
        return best_intercept(self.crew, self.grounds, f, self.is_squared)

    def certificate(self, solution: LinearSolution, tol: float) -> Certificate:
        """Certify a solution by all decision values, recomputed."""
        point, crew = solution.point, self.crew
        f = crew.each(_products, self.grounds, self.weights(point.c))
        *measured, drift = crew.total(_measured, self.grounds, point.c, f, point.f, point.intercept)
        spent = solution.n_iter, 0, 0, solution.seconds
        return assemble(
            Measured(*measured),
            (point.intercept, self.has_intercept),
            Solution(point.c, point.f, solution.status, *spent),
            (drift, self.n_samples),
            (np.inf, tol),
        )

    def _judged(self, c: PerChunk, w: NDArray, f: PerChunk) -> Point:
        intercept = self.intercept(f)
        primal, dual = self.crew.total(_values, self.grounds, c, f, intercept)
        return Point(c, w, f, intercept, relative_gap(w, primal, dual))


def _zeros(ground: Ground) -> NDArray[np.float64]:
    return np.zeros(ground.problem.n_samples)


def _products(ground: Ground, w: NDArray) -> NDArray[np.float64]:
    return ground.samples.product(w)


def _weights(ground: Ground, c: NDArray) -> tuple[NDArray[np.float64]]:
    return (ground.samples.weights(c),)


def _values(ground: Ground, c: NDArray, f: NDArray, intercept: float) -> tuple[float, float]:
    return values_without_weights(ground.problem, c, f + intercept)


def _measured(
    ground: Ground, c: NDArray, f: NDArray, other: NDArray, intercept: float
) -> tuple[float, ...]:
    """Return what the certificate needs, and the largest difference of decision values."""
    # Arrays that other machines sent may not be aligned.
    c, f = as_contiguous(c), as_contiguous(f)
    measured = measure(ground.problem, c, CheckedGradient(f, None, 0.0, len(f)), intercept)
    extremes = *measured[N_SUMS:], np.max(np.abs(f - other), initial=0.0)
    return *measured[:N_SUMS], *map(Largest, extremes)
