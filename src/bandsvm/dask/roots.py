"""Roots and quantiles of sums over chunks, narrowed down round by round.

Each round asks all chunks for their values at a few points; how many rounds it takes depends on how
closely the samples lie, not on their number.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

# Points at which a round asks for values.
POINTS_PER_ROUND = 32
# Ends of intervals, over all chunks, that are few enough to be sent to the client.
FEW_ENDS = 1000
# Rounds after which any interval of floating point numbers has shrunk to nothing.
MAX_ROUNDS_OF_ROOTS = 500

Values = Callable[[NDArray], NDArray]


def falling_root(values: Values, n_ends: Values, lowest: float, highest: float) -> float:
    """Return where a falling, continuous function is 0 that is linear between its ends.

    Parameters
    ----------
    values : callable
        Returns the function at some points.
    n_ends : callable
        Returns the number of ends at or below some points.
    lowest, highest : float
        The first and the last end.
    """
    first, last = lowest, highest
    before, after = values(np.array([first, last]))
    if before <= 0.0 or after >= 0.0:
        return first if before <= 0.0 else last
    for _ in range(MAX_ROUNDS_OF_ROOTS):
        points = _between(first, last)
        n_inside = np.diff(n_ends(np.array([first, np.nextafter(last, first)])))[0]
        if n_inside <= 0 or len(points) == 0:
            break
        at = values(points)
        k = int(np.searchsorted(-at, 0.0))  # the first that is not positive
        if k > 0:
            first, before = float(points[k - 1]), float(at[k - 1])
        if k < len(points):
            last, after = float(points[k]), float(at[k])
    run, fall = last - first, before - after
    return first + run * (before / fall) if before < -after else last + run * (after / fall)


def crossing(
    passed: Values,
    n_ends: Values,
    ends_within: Callable[[float, float], tuple[NDArray, NDArray]],
    lowest: float,
    highest: float,
    level: float,
) -> tuple[float, float]:
    """Return the first end at which the weight passed reaches a level, and that weight.

    Parameters
    ----------
    passed : callable
        Returns the weight of all ends at or below some points.
    n_ends : callable
        Returns their number.
    ends_within : callable
        Returns the ends above one point and not above another, in order, with their weights.
    lowest, highest : float
        The first and the last end.
    level : float
        The level, at most the weight of all ends.
    """
    first, last = np.nextafter(lowest, -np.inf), highest
    for _ in range(MAX_ROUNDS_OF_ROOTS):
        points = _between(first, last)
        if len(points) == 0 or np.diff(n_ends(np.array([first, last])))[0] <= FEW_ENDS:
            break
        k = int(np.searchsorted(passed(points), level))
        if k > 0:
            first = float(points[k - 1])
        if k < len(points):
            last = float(points[k])
    ends, weights = ends_within(first, last)
    weight = float(passed(np.array([first]))[0]) + np.cumsum(weights)
    k = min(int(np.searchsorted(weight, level)), len(ends) - 1)
    return float(ends[k]), float(weight[k])


def _between(first: float, last: float) -> NDArray[np.float64]:
    """Return points strictly between two numbers, none if there are none."""
    shares = np.arange(1, POINTS_PER_ROUND + 1) / (POINTS_PER_ROUND + 1)
    points = np.unique(first + (last - first) * shares)
    return points[(points > first) & (points < last)]
