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
from bandsvm.dask._chunks import ChunkProblem
from bandsvm.dask._narrowing import falling_root, weighted_quantile
from bandsvm.dask._tasks import ChunkTasks, PerChunk

# Difference of two sums of costs, as a share of them, that rounding can explain.
ROUNDING = 1e-14


@dataclass(frozen=True)
class Ends:
    """Intercepts that put samples of a chunk on the edges of their bands, and the costs."""

    at: NDArray[np.float64]  # the different intercepts, in order
    passed: NDArray[np.float64]  # the cost of all edges before each of them, and of all
    # lower, upper: intercept and cost of every sample, by edge.
    lower: tuple[NDArray[np.float64], NDArray[np.float64]]
    upper: tuple[NDArray[np.float64], NDArray[np.float64]]


def best_intercept(tasks: ChunkTasks, problems: PerChunk, f: PerChunk, is_squared: bool) -> float:
    """Return the intercept of least loss; of several, the middle one."""
    ends = tasks.each(_ends, problems, f)
    minus_lowest, highest, of_lower = tasks.total(_extremes, ends)
    lowest, highest = -float(minus_lowest), float(highest)
    if is_squared:
        return falling_root(partial(tasks.total, _pulls, ends), lowest, highest)
    first, passed = weighted_quantile(
        partial(tasks.total, _passed, ends),
        lambda above, upto: _merged(tasks.listed(_within, ends, above, upto)),
        lowest,
        highest,
        of_lower * (1.0 - ROUNDING),
    )
    if first < highest and passed <= of_lower * (1.0 + ROUNDING):
        return 0.5 * (first - tasks.total(_minus_next, ends, first))
    return first


def _ends(chunk: ChunkProblem, f: NDArray) -> Ends:
    problem = chunk.problem
    lower, upper = problem.below > 0.0, problem.above > 0.0
    at_lo, below = (problem.lo - f)[lower], problem.below[lower]
    at_hi, above = (problem.hi - f)[upper], problem.above[upper]
    at, which = np.unique(np.concatenate([at_lo, at_hi]), return_inverse=True)
    costs = np.bincount(which, np.concatenate([below, above]), len(at))
    return Ends(at, np.append(0.0, np.cumsum(costs)), (at_lo, below), (at_hi, above))


def _extremes(ends: Ends) -> tuple[Largest, Largest, float]:
    """Return the first end, negated, the last, and the cost of all lower edges."""
    minus_first, last = (-ends.at[0], ends.at[-1]) if len(ends.at) else (-np.inf, -np.inf)
    return Largest(minus_first), Largest(last), float(ends.lower[1].sum())


def _passed(ends: Ends, points: NDArray) -> tuple[NDArray, ...]:
    """Return the cost of ends not above points, and how many lie below and not above them."""
    n_below, n_upto = _n_ends(ends, points)
    return ends.passed[n_upto], n_below, n_upto


def _pulls(ends: Ends, points: NDArray) -> tuple[NDArray, ...]:
    """Return the slopes of squared losses at some intercepts, with the sign changed, halved.

    Also return how many ends lie below and how many not above each of them.
    """
    (at_lo, below), (at_hi, above) = ends.lower, ends.upper
    slopes = [
        below @ np.maximum(at_lo - b, 0.0) - above @ np.maximum(b - at_hi, 0.0) for b in points
    ]
    return np.array(slopes), *_n_ends(ends, points)


def _n_ends(ends: Ends, points: NDArray) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    n_below, n_upto = (np.searchsorted(ends.at, points, side=at) for at in ("left", "right"))
    return n_below, n_upto


def _within(ends: Ends, above: float, upto: float) -> tuple[NDArray, NDArray]:
    """Return the ends above one point and not above another, and the cost of each."""
    first, last = np.searchsorted(ends.at, [above, upto], side="right")
    return ends.at[first:last], np.diff(ends.passed[first : last + 1])


def _merged(parts: list[tuple[NDArray, NDArray]]) -> tuple[NDArray, NDArray]:
    """Return the different ends of all chunks in order, and the cost of each."""
    at, which = np.unique(np.concatenate([part[0] for part in parts]), return_inverse=True)
    return at, np.bincount(which, np.concatenate([part[1] for part in parts]), len(at))


def _minus_next(ends: Ends, point: float) -> Largest:
    """Return the first end above a point, negated."""
    k = int(np.searchsorted(ends.at, point, side="right"))
    return Largest(-ends.at[k] if k < len(ends.at) else -np.inf)
