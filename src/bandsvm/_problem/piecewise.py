"""Roots of falling piecewise linear functions, and the projection they give."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bandsvm import _core

# Newton's method usually finds the root of a piecewise linear function in a few steps.
NEWTON_STEPS = _core.NEWTON_STEPS
ROUNDING = 1e-15


def falling_root(value: Callable[[float], float], breakpoints: NDArray) -> float:
    """Return b with value(b) = 0 of a falling, continuous function, linear between breakpoints.

    Values are computed where they are needed. Accumulated from breakpoint to breakpoint, they would
    have the rounding errors of the largest one, and boxes can be much wider than a solution.
    """
    points = np.sort(breakpoints)
    first, last = 0, len(points) - 1
    before, after = value(float(points[first])), value(float(points[last]))
    if before <= 0.0 or after > 0.0:
        # The root lies outside the breakpoints only by rounding, or if the function is constant.
        return float(points[first] if before <= 0.0 else points[last])
    while last - first > 1:
        middle = (first + last) // 2
        at_middle = value(float(points[middle]))
        if at_middle > 0.0:
            first, before = middle, at_middle
        else:
            last, after = middle, at_middle
    run, fall = float(points[last] - points[first]), before - after
    if before < -after:
        return float(points[first]) + run * (before / fall)
    return float(points[last]) + run * (after / fall)


def project(point: NDArray, lower: NDArray, upper: NDArray, total: float | None) -> NDArray:
    """Return the point of the box nearest to ``point``, among those of sum ``total`` if given."""
    moved = np.clip(point, lower, upper)
    if total is None or moved.sum() == total:
        return moved
    # A corner of the box is returned exactly; a shift would only come close.
    if total <= lower.sum():
        return np.array(lower)
    if total >= upper.sum():
        return np.array(upper)
    shift = 0.0
    for _ in range(NEWTON_STEPS):
        n_inside = np.count_nonzero((moved > lower) & (moved < upper))
        if n_inside == 0:
            break
        shift += (float(moved.sum()) - total) / n_inside
        moved = np.clip(point - shift, lower, upper)
        if abs(float(moved.sum()) - total) <= ROUNDING * float(np.abs(moved).sum()):
            return moved
    shift = falling_root(
        lambda b: float(np.clip(point - b, lower, upper).sum()) - total,
        np.concatenate([point - upper, point - lower]),
    )
    moved = np.clip(point - shift, lower, upper)
    # For points far from the box, the root loses digits.
    inside = (moved > lower) & (moved < upper)
    moved[inside] += shares(total - float(moved.sum()), moved[inside])
    return np.clip(moved, lower, upper, out=moved)


def shares(excess: float, values: NDArray) -> NDArray[np.float64]:
    """Return the excess of a sum, divided among its terms in proportion to their size.

    Equal shares could be large relative to the smallest terms.
    """
    sizes = np.abs(values)
    if not sizes.any():
        sizes = np.ones(len(values))
    return excess * (sizes / sizes.sum())
