"""One band problem over samples, wherever they are: what all linear solvers ask for.

`LocalExecutor` computes with arrays of this process. `bandsvm.dask` has another, whose vectors stay
on the workers of a cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bandsvm._linear.coordinate_descent import CoordinateDescent
from bandsvm._linear.few_samples import AllSteps, by_matrix, by_weights, takes_weights
from bandsvm._linear.newton_sums import LocalNewtonSums, NewtonSums, newton_chunks
from bandsvm._linear.point import (
    Point,
    Start,
    best_intercept,
    on_edges,
    relative_gap,
    values_without_weights,
)
from bandsvm._linear.samples import LinearSamples
from bandsvm._problem.band_problem import BandProblem


class Method(Protocol):
    """A solver on its way."""

    name: str  # the solver's name
    n_iter: int  # passes over the samples so far
    patience: int  # passes without visible progress after which rounding errors are what is left
    is_exact: bool  # whether the points that it proposes are exact up to rounding errors
    is_steady: bool  # whether that holds far from the optimum, too, where slow steps seem to stand

    def steps(self, aim: float, max_iter: int) -> Iterator[tuple[float, bool]]:
        """Yield an estimate of the relative gap, and whether the point is worth evaluating.

        The first is that of the start. ``aim`` is the relative gap to reach, ``max_iter`` the
        number of passes after which no step will be asked for.
        """

    def candidates(self) -> Iterator[Any]:
        """Yield dual points to evaluate the iterate by, the preferred one first."""


class Executor(Protocol):
    """Operations on the samples of one problem.

    Vectors with one value per sample are arrays, or whatever stands for arrays that are elsewhere.
    """

    n_samples: int
    n_features: int
    has_intercept: bool

    def zeros(self) -> Any:
        """Return a vector of zeros."""

    def feasible(self, c: Any) -> Any:
        """Return a feasible point near ``c``."""

    def weights(self, c: Any) -> NDArray[np.float64]:
        """Return ``X'c``."""

    def product(self, w: NDArray) -> Any:
        """Return ``X w``."""

    def intercept(self, f: Any) -> float:
        """Return the intercept of least loss for decision values ``f``; 0 if it must be 0."""

    def values(self, c: Any, f: Any, intercept: float) -> tuple[float, float]:
        """Return the primal and the dual value, both without ``w'w / 2``."""

    def exact(self, c: Any) -> Any:
        """Return ``c`` without its rounding errors, or None; see `point.on_edges`."""

    def newton_sums(self) -> NewtonSums:
        """Return what executes the operations of the interior point method."""

    def descent(self, start: Start | None) -> Method:
        """Return coordinate descent from a start."""

    def origin(self) -> Point:
        """Return the model of ``c = 0``, whose decision values are all the same."""
        zeros = self.zeros()
        return self._evaluated(zeros, np.zeros(self.n_features), zeros)

    def point(self, c: Any) -> Point:
        """Return the model of a feasible point near ``c``, and how far from optimal it is."""
        c = self.feasible(c)
        w = self.weights(c)
        return self._evaluated(c, w, self.product(w))

    def _evaluated(self, c: Any, w: NDArray, f: Any) -> Point:
        intercept = self.intercept(f)
        return Point(c, w, f, intercept, relative_gap(w, *self.values(c, f, intercept)))


class LocalExecutor(Executor):
    """Operations on samples in the memory of this process."""

    def __init__(self, problem: BandProblem, samples: LinearSamples) -> None:
        self.problem, self.samples = problem, samples
        self.n_samples, self.n_features = problem.n_samples, samples.n_features
        self.has_intercept = problem.has_intercept

    def zeros(self) -> NDArray[np.float64]:
        return np.zeros(self.n_samples)

    def feasible(self, c: NDArray) -> NDArray[np.float64]:
        return self.problem.feasible(c)

    def weights(self, c: NDArray) -> NDArray[np.float64]:
        return self.samples.weights(c)

    def product(self, w: NDArray) -> NDArray[np.float64]:
        return self.samples.product(w)

    def intercept(self, f: NDArray) -> float:
        return best_intercept(self.problem, f)

    def values(self, c: NDArray, f: NDArray, intercept: float) -> tuple[float, float]:
        return values_without_weights(self.problem, c, f + intercept)

    def exact(self, c: NDArray) -> NDArray | None:
        """Return ``c`` with samples exactly on their edges, or None."""
        return on_edges(self.problem, self.samples, c)

    def newton_sums(self) -> NewtonSums:
        return LocalNewtonSums(newton_chunks(self.problem, self.samples))

    def descent(self, start: Start | None) -> Method:
        return CoordinateDescent(self.problem, self.samples, start)

    def at_once(self, max_iter: int) -> AllSteps | None:
        """Take all steps on few samples; None if that cannot be or ends nowhere."""
        problem, samples = self.problem, self.samples
        if takes_weights(samples, problem.is_squared):
            start = best_intercept(problem, np.zeros(self.n_samples))
            found = by_weights(problem, samples, start, max_iter)
        elif samples.kernel is None:
            return None
        else:
            found = by_matrix(problem, samples.kernel, max_iter)
        return found if np.isfinite(found.c).all() else None
