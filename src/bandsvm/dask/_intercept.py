"""The intercept of least loss for decision values that lie on workers.

The slope of the loss falls, with the sign changed, from the cost of all lower edges to minus that
of all upper edges as the intercept rises, as in `bandsvm._linear.point.best_intercept`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bandsvm._linear.chunk import Largest
from bandsvm._linear.point import middle_of
from bandsvm.dask._chunks import ChunkProblem
from bandsvm.dask._narrowing import falling_root
from bandsvm.dask._quantiles import Ranked, extremes_of, minus_next, quantile, ranked_numbers
from bandsvm.dask._tasks import ChunkTasks, PerChunk

# Difference of two sums of costs, as a share of them, that rounding can explain.
ROUNDING = 1e-14


@dataclass(frozen=True)
class Ends(Ranked):
    """Intercepts that put samples of a chunk on the edges of their bands, and the costs."""

    # lower, upper: intercept and cost of every sample, by edge.
    lower: tuple[NDArray[np.float64], NDArray[np.float64]]
    upper: tuple[NDArray[np.float64], NDArray[np.float64]]


def best_intercept(tasks: ChunkTasks, problems: PerChunk, f: PerChunk, is_squared: bool) -> float:
    """Return the intercept of least loss; of several, the middle one."""
    ends = tasks.each(_ends, problems, f)
    minus_lowest, highest, of_lower, lower, minus_upper = tasks.total(_extremes, ends)
    lowest, highest = -float(minus_lowest), float(highest)
    if is_squared:
        if lower <= -minus_upper:
            return middle_of(float(lower), -float(minus_upper))
        return falling_root(partial(tasks.total, _pulls, ends), lowest, highest)
    first, passed = quantile(tasks, ends, (lowest, highest), of_lower * (1.0 - ROUNDING))
    if first < highest and passed <= of_lower * (1.0 + ROUNDING):
        return 0.5 * (first - tasks.total(minus_next, ends, first))
    return first


def _ends(chunk: ChunkProblem, f: NDArray) -> Ends:
    problem = chunk.problem
    lower, upper = problem.below > 0.0, problem.above > 0.0
    at_lo, below = (problem.lo - f)[lower], problem.below[lower]
    at_hi, above = (problem.hi - f)[upper], problem.above[upper]
    ranked = ranked_numbers(np.concatenate([at_lo, at_hi]), np.concatenate([below, above]))
    return Ends(ranked.at, ranked.passed, (at_lo, below), (at_hi, above))


def _extremes(ends: Ends) -> tuple[Largest, Largest, float, Largest, Largest]:
    """Return the first end, negated, the last, and the cost of all lower edges.

    Also return the last lower end, and the first upper one, negated: there is no loss between them.
    """
    (at_lo, costs), (at_hi, _) = ends.lower, ends.upper
    lower = Largest(np.max(at_lo, initial=-np.inf))
    return *extremes_of(ends), float(costs.sum()), lower, Largest(np.max(-at_hi, initial=-np.inf))


def _pulls(ends: Ends, points: NDArray) -> tuple[NDArray, ...]:
    """Return the slopes of squared losses at some intercepts, with the sign changed, halved.

    Also return how many ends lie below and how many not above each of them.
    """
    (at_lo, below), (at_hi, above) = ends.lower, ends.upper
    slopes = [
        below @ np.maximum(at_lo - b, 0.0) - above @ np.maximum(b - at_hi, 0.0) for b in points
    ]
    return np.array(slopes), *ends.counts(points)
