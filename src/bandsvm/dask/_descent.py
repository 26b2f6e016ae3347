"""Coordinate descent on the dual by all workers at once, whose messages are vectors of weights.

In a round every chunk improves its own ``c`` while those of the others stay, with the quadratic
part of its own changes multiplied by ``safety``. The changes of all chunks together then raise the
dual at least by the sum of what each chunk counted on, provided that

    |sum of dw|^2 <= safety * sum of |dw|^2     over the changes dw = X'dc of the chunks

(CoCoA+: Ma et al. 2015). The number of chunks always suffices for ``safety``. Less makes longer
steps, so it is lowered as long as the inequality holds, and a round that breaks it is not taken.

The intercept ``b`` is found by the method of multipliers, as on one machine: ``sum c = 0`` is
replaced by ``-b sum c - penalty (sum c)^2 / 2``, and after every round ``b`` moves by ``penalty sum
c``. The quadratic term is that of one more feature, ``sqrt(penalty)`` for all samples, which all
chunks share.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._kernels.samples import as_contiguous
from bandsvm._linear.samples import LinearSamples
from bandsvm.dask._chunks import ChunkProblem
from bandsvm.dask._tasks import PerChunk

if TYPE_CHECKING:
    from bandsvm.dask._executor import ClusterExecutor

# Passes of a chunk over its own samples between two messages.
PASSES_PER_ROUND = 5.0
# The penalty of ``sum c`` is so many times a sample's curvature, over the number of samples.
# All samples change that sum together, so more makes all steps short; with less, b moves slowly.
USUAL_MOVES = 20.0
# What safety is above the ratio of the last round, and how it grows after one that is not taken.
ABOVE_RATIO, GROWTH = 1.2, 2.0
# Rounds between two evaluations, as a share of those so far: one takes about ten messages.
SHARE_BETWEEN_EVALUATIONS = 0.2

# The coefficients of a chunk after its passes, and the change of the weights.
Descended = tuple[NDArray[np.float64], NDArray[np.float64]]


class ClusterDescent:
    """A point of the dual and the rounds that move it."""

    name = "cd"
    patience = 100
    is_exact = False
    is_steady = False

    def __init__(self, executor: ClusterExecutor) -> None:
        tasks = self._tasks = executor.tasks
        self.n_iter, self._penalty = 0, 0.0
        if executor.has_intercept:
            # A share of a usual sample's curvature, or what lets b move by 1 where costs are low.
            norms, n_samples, costs = tasks.total(_sizes, executor.problems)
            share = min(1.0, USUAL_MOVES / n_samples)
            self._penalty = max(share * norms / n_samples, 1.0 / costs)
        self._chunks = tasks.each(_widened, executor.problems, self._penalty)
        self._c = executor.zeros()
        self._w = np.zeros(executor.n_features + executor.has_intercept)
        self._multiplier = executor.intercept(self._c)
        self._safety = float(len(tasks))

    def candidates(self) -> Iterator[PerChunk]:
        """Yield the dual point, whose sum need not be 0."""
        yield self._c

    def steps(self, aim: float, max_iter: int) -> Iterator[tuple[float, bool]]:
        """Yield 1, as nothing is known of the gap, and whether the point is worth evaluating."""
        yield 1.0, False
        next_evaluation = 0
        while True:
            self._round()
            self.n_iter += 1
            is_due = self.n_iter >= next_evaluation
            if is_due:
                more = max(1, int(SHARE_BETWEEN_EVALUATIONS * self.n_iter))
                next_evaluation = self.n_iter + more
            yield 1.0, is_due

    def _round(self) -> None:
        """Let all chunks descend, and take their steps if they are safe together."""
        tasks, most = self._tasks, float(len(self._tasks))
        descended = tasks.each(
            _descended, self._chunks, self._c, self._w, self._multiplier, self._safety
        )
        dw, squares = tasks.total(_message, descended)
        together = float(dw @ dw)
        if together > self._safety * squares and self._safety < most:
            self._safety = min(GROWTH * self._safety, most)
            return
        if squares > 0.0:
            self._safety = min(max(1.0, ABOVE_RATIO * together / squares), most)
        self._c = tasks.each(itemgetter(0), descended)
        self._w = self._w + dw
        if self._penalty:
            self._multiplier += np.sqrt(self._penalty) * float(self._w[-1])


def _widened(chunk: ChunkProblem, penalty: float) -> ChunkProblem:
    """Return a chunk with the feature that stands for ``sum c``; if it has one, it is a copy."""
    if not penalty:
        return chunk
    X = chunk.samples.X
    column = np.full((X.shape[0], 1), np.sqrt(penalty), dtype=X.dtype)
    wider = sp.hstack([X, column], format="csr") if sp.issparse(X) else np.hstack([X, column])
    return ChunkProblem(chunk.problem, LinearSamples(wider, chunk.samples.n_threads))


def _sizes(chunk: ChunkProblem) -> tuple[float, int, float]:
    """Return the sum of squared norms, the number of samples, and the sum of costs."""
    problem = chunk.problem
    takes_part = (problem.below > 0.0) | (problem.above > 0.0)
    norms = chunk.samples.squared_norms()[takes_part]
    return float(norms.sum()), len(norms), float(problem.below.sum() + problem.above.sum())


def _descended(
    chunk: ChunkProblem, c: NDArray, w: NDArray, multiplier: float, safety: float
) -> Descended:
    """Take some passes over the samples of a chunk.

    With ``safety c`` for ``c``, costs that many times larger and ridges that many times smaller,
    steps along single variables are those of one machine.
    """
    problem, samples = chunk.problem, chunk.samples
    bounds = (safety * bound for bound in problem.bounds)
    ridges = (ridge / safety for ridge in problem.ridge)
    # What was received as bytes may lie anywhere in memory.
    lo, hi, w = (as_contiguous(values) for values in (problem.lo, problem.hi, w))
    descent = samples.descent((lo, hi, *bounds, *ridges), safety * c, w, multiplier, 0.0)
    descent.run(0.0, PASSES_PER_ROUND)
    after = np.empty(len(c))
    descent.coefficients(after)
    after /= safety
    return after, samples.weights(after - c)


def _message(descended: Descended) -> tuple[NDArray[np.float64], float]:
    """Return the change of the weights and its square."""
    _, dw = descended
    return dw, float(dw @ dw)
