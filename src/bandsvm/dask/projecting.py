"""Feasible dual points near others, chunk by chunk: `BandProblem.feasible` over a cluster."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bandsvm._linear.largest import Largest
from bandsvm._problem.band_problem import ROUNDING
from bandsvm._problem.piecewise import NEWTON_STEPS
from bandsvm.dask.crew import Crew, PerChunk
from bandsvm.dask.ground import Ground
from bandsvm.dask.roots import falling_root


@dataclass(frozen=True)
class Side:
    """Variables of a chunk that may move to make ``sum c`` 0, and how far.

    Attributes
    ----------
    moves : ndarray of bool of shape (n_samples,)
        Which ones.
    c : ndarray of shape (n_samples,)
        The coefficients of all variables of the chunk.
    lower, upper : ndarray
        Bounds of those that move; none changes its sign.
    """

    moves: NDArray[np.bool_]
    c: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]

    def shifted(self, shift: float) -> NDArray[np.float64]:
        """Return those that move, less a shift, within their bounds."""
        return np.clip(self.c[self.moves] - shift, self.lower, self.upper)


def feasible(crew: Crew, grounds: PerChunk, c: PerChunk, has_intercept: bool) -> PerChunk:
    """Return feasible coefficients near ``c`` that keep their zeros.

    Any excess of ``sum c`` over 0 is spread over variables at no bound, as far as possible.
    """
    c = crew.each(_within_bounds, grounds, c)
    for only_free in (True, False):
        if not has_intercept or _is_balanced(*crew.total(_sums, c)):
            break
        c = _spread(crew, crew.each(_side, grounds, c, only_free), c)
    return c


def _is_balanced(total: float, size: float) -> bool:
    return abs(total) <= ROUNDING * size


def _spread(crew: Crew, sides: PerChunk, c: PerChunk) -> PerChunk:
    """Return coefficients of sum 0 that differ by a shift, as far as bounds allow."""
    n_moving, fixed, lower, upper = crew.total(_room, sides)
    aim = -fixed
    if n_moving == 0:
        return c
    if not lower < aim < upper:
        return crew.each(_at_bounds, sides, aim >= upper)
    shift = 0.0
    for _ in range(NEWTON_STEPS):
        after = crew.total(_after, sides, shift)
        if _is_balanced(after[0] - aim, after[1]) or after[2] == 0:
            break
        shift += (after[0] - aim) / after[2]
    if not _is_balanced(after[0] - aim, after[1]):
        shift = _root(crew, sides, aim)
        after = crew.total(_after, sides, shift)
    total, _, _, size_inside = after
    return crew.each(_moved, sides, shift, aim - total, size_inside)


def _root(crew: Crew, sides: PerChunk, aim: float) -> float:
    """Return the shift after which the sum is what it should be."""
    minus_lowest, highest = crew.total(_ends, sides)

    def ask(shifts: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        totals, n_below, n_upto = crew.total(_totals, sides, shifts)
        return totals - aim, n_below, n_upto

    return falling_root(ask, -float(minus_lowest), float(highest))


def _within_bounds(ground: Ground, c: NDArray) -> NDArray[np.float64]:
    return ground.problem.within_bounds(c)


def _sums(c: NDArray) -> tuple[float, float]:
    return float(c.sum()), float(np.abs(c).sum())


def _side(ground: Ground, c: NDArray, only_free: bool) -> Side:
    """Return the variables that may move: those at no bound, or all that are not 0."""
    lowest, highest = -ground.problem.bounds.above, ground.problem.bounds.below
    moves = c != 0.0
    if only_free:
        moves &= (c > lowest) & (c < highest)
    lower, upper = np.where(c > 0.0, 0.0, lowest), np.where(c < 0.0, 0.0, highest)
    return Side(moves, c, lower[moves], upper[moves])


def _room(side: Side) -> tuple[int, float, float, float]:
    """Return how many move, the sum of the others, and the least and the largest sum of these."""
    fixed = float(side.c[~side.moves].sum())
    return int(side.moves.sum()), fixed, float(side.lower.sum()), float(side.upper.sum())


def _after(side: Side, shift: float) -> tuple[float, float, int, float]:
    """Return the sum after a shift, that of sizes; number and sum of sizes between bounds."""
    moved = side.shifted(shift)
    sizes = np.abs(moved)
    inside = (moved > side.lower) & (moved < side.upper)
    return (
        float(moved.sum()),
        float(sizes.sum()),
        int(np.count_nonzero(inside)),
        float(sizes[inside].sum()),
    )


def _totals(side: Side, shifts: NDArray) -> tuple[NDArray, ...]:
    """Return the sums after some shifts, and how many ends lie below and not above each."""
    c = side.c[side.moves]
    ends = np.sort(np.concatenate([c - side.upper, c - side.lower]))
    counts = (np.searchsorted(ends, shifts, side=at) for at in ("left", "right"))
    return np.array([side.shifted(shift).sum() for shift in shifts]), *counts


def _ends(side: Side) -> tuple[Largest, Largest]:
    """Return the largest shift before the first bound is left, negated, and the last one."""
    c = side.c[side.moves]
    first = np.min(c - side.upper, initial=np.inf)
    return Largest(-first), Largest(np.max(c - side.lower, initial=-np.inf))


def _at_bounds(side: Side, is_upper: bool) -> NDArray[np.float64]:
    c = side.c.copy()
    c[side.moves] = side.upper if is_upper else side.lower
    return c


def _moved(side: Side, shift: float, excess: float, size: float) -> NDArray[np.float64]:
    """Return coefficients after a shift; those inside share what rounding has left."""
    moved = side.shifted(shift)
    inside = (moved > side.lower) & (moved < side.upper)
    if size > 0.0:
        moved[inside] += excess * (np.abs(moved[inside]) / size)
    c = side.c.copy()
    c[side.moves] = np.clip(moved, side.lower, side.upper)
    return c
