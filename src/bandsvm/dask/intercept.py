"""The intercept of least loss for decision values that lie on workers.

The slope of the loss falls, with the sign changed, from the cost of all lower edges to minus that
of all upper edges as the intercept rises, as in `bandsvm.linear.point.best_intercept`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bandsvm.dask.crew import Crew, PerChunk
from bandsvm.dask.ground import Ground
from bandsvm.dask.roots import crossing, falling_root

# Difference of two sums of costs, as a share of them, that rounding can explain.
ROUNDING = 1e-14


@dataclass(frozen=True)
class Ends:
    """Intercepts that put samples of a chunk on the edges of their bands, in order, and the costs.

    Attributes
    ----------
    at : ndarray
        The intercepts.
    passed : ndarray
        The cost of all edges before each of them, and of all.
    lower, upper : tuple of ndarray
        The same intercepts and costs, by edge.
    """

    at: NDArray[np.float64]
    passed: NDArray[np.float64]
    lower: tuple[NDArray[np.float64], NDArray[np.float64]]
    upper: tuple[NDArray[np.float64], NDArray[np.float64]]


def best_intercept(crew: Crew, grounds: PerChunk, f: PerChunk, is_squared: bool) -> float:
    """Return the intercept of least loss; of several, the middle one."""
    ends = crew.each(_ends, grounds, f)
    minus_lowest, highest = crew.largest(_extremes, ends)
    lowest = -minus_lowest

    def n_ends(points: NDArray) -> NDArray:
        return crew.total(_n_ends, ends, points)[0]

    if is_squared:
        return falling_root(
            lambda points: crew.total(_pulls, ends, points)[0], n_ends, lowest, highest
        )
    (of_lower,) = crew.total(_cost_of_lower, ends)
    first, passed = crossing(
        lambda points: crew.total(_passed, ends, points)[0],
        n_ends,
        lambda above, upto: _merged(crew.listed(_within, ends, above, upto)),
        lowest,
        highest,
        of_lower * (1.0 - ROUNDING),
    )
    if first < highest and passed <= of_lower * (1.0 + ROUNDING):
        (minus_next,) = crew.largest(_minus_next, ends, first)
        return 0.5 * (first - minus_next)
    return first


def _ends(ground: Ground, f: NDArray) -> Ends:
    problem = ground.problem
    lower, upper = problem.below > 0.0, problem.above > 0.0
    at_lo, below = (problem.lo - f)[lower], problem.below[lower]
    at_hi, above = (problem.hi - f)[upper], problem.above[upper]
    at = np.concatenate([at_lo, at_hi])
    order = np.argsort(at, kind="stable")
    costs = np.concatenate([[0.0], np.concatenate([below, above])[order]])
    return Ends(at[order], np.cumsum(costs), (at_lo, below), (at_hi, above))


def _extremes(ends: Ends) -> tuple[float, float]:
    """Return the first end, negated, and the last."""
    return (-float(ends.at[0]), float(ends.at[-1])) if len(ends.at) else (-np.inf, -np.inf)


def _n_ends(ends: Ends, points: NDArray) -> tuple[NDArray[np.float64]]:
    return (np.searchsorted(ends.at, points, side="right").astype(np.float64),)


def _passed(ends: Ends, points: NDArray) -> tuple[NDArray[np.float64]]:
    return (ends.passed[np.searchsorted(ends.at, points, side="right")],)


def _pulls(ends: Ends, points: NDArray) -> tuple[NDArray[np.float64]]:
    """Return the slopes of squared losses at some intercepts, with the sign changed, halved."""
    (at_lo, below), (at_hi, above) = ends.lower, ends.upper
    slopes = [
        below @ np.maximum(at_lo - b, 0.0) - above @ np.maximum(b - at_hi, 0.0) for b in points
    ]
    return (np.array(slopes),)


def _cost_of_lower(ends: Ends) -> tuple[float]:
    return (float(ends.lower[1].sum()),)


def _within(ends: Ends, above: float, upto: float) -> tuple[NDArray, NDArray]:
    """Return the different ends above one point and not above another, and the cost of each."""
    first, last = np.searchsorted(ends.at, [above, upto], side="right")
    at, starts = np.unique(ends.at[first:last], return_index=True)
    passed = ends.passed[np.append(first + starts, last)]
    return at, np.diff(passed)


def _merged(parts: list[tuple[NDArray, NDArray]]) -> tuple[NDArray, NDArray]:
    """Return the different ends of all chunks in order, and the cost of each."""
    at, which = np.unique(np.concatenate([part[0] for part in parts]), return_inverse=True)
    return at, np.bincount(which, np.concatenate([part[1] for part in parts]), len(at))


def _minus_next(ends: Ends, point: float) -> tuple[float]:
    """Return the first end above a point, negated."""
    k = int(np.searchsorted(ends.at, point, side="right"))
    return (-float(ends.at[k]) if k < len(ends.at) else -np.inf,)
