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
FEW_ENDS = 10_000
# Rounds after which any interval of floating point numbers has shrunk to nothing.
MAX_ROUNDS_OF_ROOTS = 500

# Returns a function at some points, and how many ends lie below each and how many not above it.
Ask = Callable[[NDArray], tuple[NDArray, NDArray, NDArray]]


def falling_root(ask: Ask, lowest: float, highest: float) -> float:
    """Return where a falling, continuous function is 0 that is linear between its ends.

    ``lowest`` and ``highest`` are the first and the last end.
    """
    points = np.array([lowest, highest])
    at, n_below, n_upto = ask(points)
    if at[0] <= 0.0 or at[-1] >= 0.0:
        return lowest if at[0] <= 0.0 else highest
    for _ in range(MAX_ROUNDS_OF_ROOTS):
        k = int(np.searchsorted(-at, 0.0))  # the first that is not positive
        first, last = points[k - 1], points[k]
        if n_below[k] <= n_upto[k - 1] or len(inner := _between(first, last)) == 0:
            break
        points = np.concatenate([[first], inner, [last]])
        at, n_below, n_upto = ask(points)
    before, after = at[k - 1], at[k]
    run, fall = last - first, before - after
    return float(first + run * (before / fall) if before < -after else last + run * (after / fall))


def weighted_quantile(
    ask: Ask,
    ends_within: Callable[[float, float], tuple[NDArray, NDArray]],
    lowest: float,
    highest: float,
    level: float,
) -> tuple[float, float]:
    """Return the first end at which the weight passed reaches a level, and that weight.

    ``ask`` returns the weight of all ends not above some points, ``ends_within`` the ends above one
    point and not above another, in order, with their weights. The level is at most the weight of
    all ends, of which ``lowest`` and ``highest`` are the first and the last.
    """
    points = np.array([np.nextafter(lowest, -np.inf), highest])
    passed, _, n_upto = ask(points)
    for _ in range(MAX_ROUNDS_OF_ROOTS):
        # The last point stands for the level where rounding keeps all weights below it.
        k = max(1, min(int(np.searchsorted(passed, level)), len(points) - 1))
        first, last = points[k - 1], points[k]
        few = n_upto[k] - n_upto[k - 1] <= FEW_ENDS
        if few or len(inner := _between(first, last)) == 0:
            break
        points = np.concatenate([[first], inner, [last]])
        passed, _, n_upto = ask(points)
    ends, weights = ends_within(first, last)
    weight = passed[k - 1] + np.cumsum(weights)
    k = min(int(np.searchsorted(weight, level)), len(ends) - 1)
    return float(ends[k]), float(weight[k])


def _between(first: float, last: float) -> NDArray[np.float64]:
    """Return points strictly between two numbers, none if there are none."""
    shares = np.arange(1, POINTS_PER_ROUND + 1) / (POINTS_PER_ROUND + 1)
    points = np.unique(first + (last - first) * shares)
    return points[(points > first) & (points < last)]
