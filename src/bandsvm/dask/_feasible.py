"""Feasible dual points near others, chunk by chunk: `BandProblem.feasible` over a cluster."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bandsvm._linear.chunk import Largest
from bandsvm._problem.band_problem import ROUNDING
from bandsvm._problem.piecewise import NEWTON_STEPS
from bandsvm.dask._chunks import ChunkProblem
from bandsvm.dask._narrowing import falling_root
from bandsvm.dask._tasks import ChunkTasks, PerChunk


@dataclass(frozen=True)
class MovableVariables:
    """Variables of a chunk that may move to make ``sum c`` 0, and how far."""

    moves: NDArray[np.bool_]  # (n_samples,): which ones
    c: NDArray[np.float64]  # (n_samples,): the coefficients of all variables of the chunk
    lower: NDArray[np.float64]  # lower, upper: bounds of those that move; none changes its sign
    upper: NDArray[np.float64]

    def shifted(self, shift: float) -> NDArray[np.float64]:
        """Return those that move, less a shift, within their bounds."""
        return np.clip(self.c[self.moves] - shift, self.lower, self.upper)


def feasible(tasks: ChunkTasks, problems: PerChunk, c: PerChunk, has_intercept: bool) -> PerChunk:
    """Return feasible coefficients near ``c`` that keep their zeros.

    Any excess of ``sum c`` over 0 is spread over variables at no bound, as far as possible.
    """
    c = tasks.each(_within_bounds, problems, c)
    for only_free in (True, False):
        if not has_intercept or _is_balanced(*tasks.total(_sums, c)):
            break
        c = _spread(tasks, tasks.each(_movable, problems, c, only_free), c)
    return c


def _is_balanced(total: float, size: float) -> bool:
    return abs(total) <= ROUNDING * size


def _spread(tasks: ChunkTasks, movable: PerChunk, c: PerChunk) -> PerChunk:
    """Return coefficients of sum 0 that differ by a shift, as far as bounds allow."""
    n_moving, fixed, lower, upper = tasks.total(_room, movable)
    aim = -fixed
    if n_moving == 0:
        return c
    if not lower < aim < upper:
        return tasks.each(_at_bounds, movable, aim >= upper)
    shift = 0.0
    for _ in range(NEWTON_STEPS):
        after = tasks.total(_after, movable, shift)
        if _is_balanced(after[0] - aim, after[1]) or after[2] == 0:
            break
        shift += (after[0] - aim) / after[2]
    if not _is_balanced(after[0] - aim, after[1]):
        shift = _root(tasks, movable, aim)
        after = tasks.total(_after, movable, shift)
    total, _, _, size_inside = after
    return tasks.each(_moved, movable, shift, aim - total, size_inside)


def _root(tasks: ChunkTasks, movable: PerChunk, aim: float) -> float:
    """Return the shift after which the sum is what it should be."""
    minus_lowest, highest = tasks.total(_ends, movable)

    def ask(shifts: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        totals, n_below, n_upto = tasks.total(_totals, movable, shifts)
        return totals - aim, n_below, n_upto

    return falling_root(ask, -float(minus_lowest), float(highest))


def _within_bounds(chunk: ChunkProblem, c: NDArray) -> NDArray[np.float64]:
    return chunk.problem.within_bounds(c)


def _sums(c: NDArray) -> tuple[float, float]:
    return float(c.sum()), float(np.abs(c).sum())


def _movable(chunk: ChunkProblem, c: NDArray, only_free: bool) -> MovableVariables:
    """Return the variables that may move: those at no bound, or all that are not 0."""
    lowest, highest = -chunk.problem.bounds.above, chunk.problem.bounds.below
    moves = c != 0.0
    if only_free:
        moves &= (c > lowest) & (c < highest)
    lower, upper = np.where(c > 0.0, 0.0, lowest), np.where(c < 0.0, 0.0, highest)
    return MovableVariables(moves, c, lower[moves], upper[moves])


def _room(some: MovableVariables) -> tuple[int, float, float, float]:
    """Return how many move, the sum of the others, and the least and the largest sum of these."""
    fixed = float(some.c[~some.moves].sum())
    return int(some.moves.sum()), fixed, float(some.lower.sum()), float(some.upper.sum())


def _after(some: MovableVariables, shift: float) -> tuple[float, float, int, float]:
    """Return the sum after a shift, that of sizes; number and sum of sizes between bounds."""
    moved = some.shifted(shift)
    sizes = np.abs(moved)
    inside = (moved > some.lower) & (moved < some.upper)
    return (
        float(moved.sum()),
        float(sizes.sum()),
        int(np.count_nonzero(inside)),
        float(sizes[inside].sum()),
    )


def _totals(some: MovableVariables, shifts: NDArray) -> tuple[NDArray, ...]:
    """Return the sums after some shifts, and how many ends lie below and not above each."""
    c = some.c[some.moves]
    ends = np.sort(np.concatenate([c - some.upper, c - some.lower]))
    counts = (np.searchsorted(ends, shifts, side=at) for at in ("left", "right"))
    return np.array([some.shifted(shift).sum() for shift in shifts]), *counts


def _ends(some: MovableVariables) -> tuple[Largest, Largest]:
    """Return the largest shift before the first bound is left, negated, and the last one."""
    c = some.c[some.moves]
    first = np.min(c - some.upper, initial=np.inf)
    return Largest(-first), Largest(np.max(c - some.lower, initial=-np.inf))


def _at_bounds(some: MovableVariables, is_upper: bool) -> NDArray[np.float64]:
    c = some.c.copy()
    c[some.moves] = some.upper if is_upper else some.lower
    return c


def _moved(some: MovableVariables, shift: float, excess: float, size: float) -> NDArray[np.float64]:
    """Return coefficients after a shift; those inside share what rounding has left."""
    moved = some.shifted(shift)
    inside = (moved > some.lower) & (moved < some.upper)
    if size > 0.0:
        moved[inside] += excess * (np.abs(moved[inside]) / size)
    c = some.c.copy()
    c[some.moves] = np.clip(moved, some.lower, some.upper)
    return c
