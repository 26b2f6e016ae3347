"""The operations of linear solvers on samples that lie on workers.

What `bandsvm._linear.executor` does with arrays is done here with sums over chunks.
"""

from __future__ import annotations

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
from bandsvm._linear.chunk import Largest
from bandsvm._linear.executor import Executor, Method
from bandsvm._linear.newton_sums import NewtonSums
from bandsvm._linear.point import Start
from bandsvm._linear.solving import LinearSolution
from bandsvm._problem import Solution
from bandsvm.dask._chunks import ChunkProblem
from bandsvm.dask._descent import ClusterDescent
from bandsvm.dask._feasible import feasible
from bandsvm.dask._intercept import best_intercept
from bandsvm.dask._newton_sums import ClusterNewtonSums
from bandsvm.dask._tasks import ChunkTasks, PerChunk


class ClusterExecutor(Executor):
    """Operations on samples that lie on workers, as do all vectors with one value per sample."""

    def __init__(
        self,
        tasks: ChunkTasks,
        problems: PerChunk,
        shape: tuple[int, int],
        has_intercept: bool,
        is_squared: bool,
    ) -> None:
        self.tasks, self.problems = tasks, problems
        self.n_samples, self.n_features = shape
        self.has_intercept, self._is_squared = has_intercept, is_squared

    def zeros(self) -> PerChunk:
        return self.tasks.each(ChunkProblem.zeros, self.problems)

    def feasible(self, c: PerChunk) -> PerChunk:
        return feasible(self.tasks, self.problems, c, self.has_intercept)

    def weights(self, c: PerChunk) -> NDArray[np.float64]:
        return self.tasks.total(ChunkProblem.weights, self.problems, c)

    def product(self, w: NDArray) -> PerChunk:
        return self.tasks.each(ChunkProblem.product, self.problems, w)

    def intercept(self, f: PerChunk) -> float:
        if not self.has_intercept:
            return 0.0
        return best_intercept(self.tasks, self.problems, f, self._is_squared)

    def values(self, c: PerChunk, f: PerChunk, intercept: float) -> tuple[float, float]:
        return self.tasks.total(ChunkProblem.values, self.problems, c, f, intercept)

    def exact(self, c: PerChunk) -> None:
        """Return None: so few samples need no cluster."""

    def newton_sums(self) -> NewtonSums:
        return ClusterNewtonSums(self.tasks, self.problems)

    def descent(self, start: Start | None) -> Method:
        """Return coordinate descent; coefficients to start from would belong to other chunks."""
        return ClusterDescent(self)

    def certificate(self, solution: LinearSolution, tol: float) -> Certificate:
        """Certify a solution by all decision values, recomputed."""
        point = solution.point
        f = self.product(self.weights(point.c))
        sums = self.tasks.total(_measured, self.problems, point.c, f, point.f, point.intercept)
        *measured, drift = map(float, sums)
        spent = solution.n_iter, 0, 0, solution.seconds
        return assemble(
            Measured(*measured),
            Solution(point.c, point.f, solution.status, *spent),
            point.intercept,
            self.has_intercept,
            gradient_drift=drift,
            n_checked=self.n_samples,
            tol=np.inf,
            gap_tol=tol,
        )


def _measured(
    chunk: ChunkProblem, c: NDArray, f: NDArray, other: NDArray, intercept: float
) -> tuple[float, ...]:
    """Return what the certificate needs, and the largest difference of decision values."""
    # Arrays that other machines sent may not be aligned.
    c, f = as_contiguous(c), as_contiguous(f)
    measured = measure(chunk.problem, c, CheckedGradient(f, None, 0.0, len(f)), intercept)
    extremes = *measured[N_SUMS:], np.max(np.abs(f - other), initial=0.0)
    return *measured[:N_SUMS], *map(Largest, extremes)
