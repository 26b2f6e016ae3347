"""Roots of falling piecewise linear functions, and the projection they give."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Newton's method mostly finds the root of a piecewise linear function after a few steps.
NEWTON_STEPS = 6
ROUNDING = 1e-15


def falling_root(start: float, breakpoints: NDArray, slope_changes: NDArray) -> float:
    """Return b with value(b) = 0 of a falling, continuous, piecewise linear function.

    Left of all breakpoints the function is ``start >= 0``; at each breakpoint its slope changes by
    the entry of ``slope_changes``; right of all of them it is constant again and at most 0.
    """
    order = np.argsort(breakpoints, kind="stable")
    points = breakpoints[order]
    slopes = np.cumsum(slope_changes[order])
    values = start + np.concatenate([[0.0], np.cumsum(slopes[:-1] * np.diff(points))])
    k = int(np.searchsorted(-values, 0.0))  # the first breakpoint at which the value is <= 0
    if k == 0 or k == len(points):
        # Only rounding, or nothing that moves, can leave the root outside the breakpoints.
        return float(points[min(k, len(points) - 1)])
    run, fall = points[k] - points[k - 1], values[k - 1] - values[k]
    return float(points[k - 1] + run * (values[k - 1] / fall))


def project(point: NDArray, lower: NDArray, upper: NDArray, total: float | None) -> NDArray:
    """Return the point of the box nearest to ``point``, among those of sum ``total`` if given."""
    moved = np.clip(point, lower, upper)
    if total is None or moved.sum() == total:
        return moved
    shift = 0.0
    for _ in range(NEWTON_STEPS):
        n_inside = np.count_nonzero((moved > lower) & (moved < upper))
        if n_inside == 0:
            break
        shift += (float(moved.sum()) - total) / n_inside
        moved = np.clip(point - shift, lower, upper)
        if abs(float(moved.sum()) - total) <= ROUNDING * float(np.abs(moved).sum()):
            return moved
    ones = np.ones(len(point))
    shift = falling_root(
        float(upper.sum()) - total,
        np.concatenate([point - upper, point - lower]),
        np.concatenate([-ones, ones]),
    )
    moved = np.clip(point - shift, lower, upper)
    # Breakpoints far from zero cost the root digits: what the sum lacks goes to those that move.
    inside = (moved > lower) & (moved < upper)
    if inside.any():
        moved[inside] += (total - moved.sum()) / np.count_nonzero(inside)
        np.clip(moved, lower, upper, out=moved)
    return moved
