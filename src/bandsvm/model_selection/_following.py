"""Prediction of the next solution on a path."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bandsvm._fitting.outcomes import Outcome
from bandsvm._kernels import KernelOperator
from bandsvm._kernels.sizes import MAX_BLOCK
from bandsvm._problem import Solution, Start, moved_by
from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.slopes import free_variables
from bandsvm._solvers import block_size, solve_for
from bandsvm.model_selection._shared import at_new_bounds

# Rounding error within which bounds move in the same direction.
SAME_DIRECTION = 1e-12
# A sample is likely to change its piece if this many more steps like its last would take it to an
# edge of the band ...
REACH = 3.0
# ... where no step counts as shorter than this share of the mean.
MIN_SHARE_OF_SPEED = 0.3
# Size of the first set, relative to the free variables, while speeds are still unknown.
ROOM_FOR_OTHERS = 1.25


class PathFollower:
    """Predicts each solution of a path from the previous one.

    Coefficients at a bound move with the bound. Along a path in costs there are many of them, and
    they move in the same direction: K times this direction is kept from point to point, and only
    the rows of coefficients that join or leave it are needed. Then the problem is solved for the
    free variables and those of samples that may soon reach an edge of their band. Usually no other
    variable has to move.
    """

    def __init__(self, rows: KernelOperator) -> None:
        self._rows = rows
        self._direction, self._gradient = np.zeros(rows.n_samples), np.zeros(rows.n_samples)
        self._last_offsets: NDArray | None = None

    def start(self, old: BandProblem, new: BandProblem, last: Outcome, tol: float) -> Solution:
        """Return where to start the next problem."""
        likely = self._likely_to_move(old, new, last)
        return solve_for(likely, new, self._rows, self._at_new_bounds(old, new, last), tol)

    def _at_new_bounds(self, old: BandProblem, new: BandProblem, last: Outcome) -> Start:
        """Return the last solution, its coefficients moved along with their bounds."""
        c = at_new_bounds(old, new, last.solution.c, last.decision)
        way = c - last.solution.c
        length = float(np.abs(way).max())
        if length == 0.0:
            return Start(c, last.solution.f.copy(), last.solution.moved)
        change = way / length - self._direction
        turned = np.flatnonzero(np.abs(change) > SAME_DIRECTION)
        self._rows.update(self._gradient, turned, change[turned])
        self._direction[turned] += change[turned]
        moved = moved_by(last.solution.moved, self._rows.sizes(), way)
        return Start(c, last.solution.f + length * self._gradient, moved)

    def _likely_to_move(
        self, old: BandProblem, new: BandProblem, last: Outcome
    ) -> NDArray[np.intp]:
        """Return the free variables, then others in the order in which they may reach an edge."""
        free = free_variables(old, last.solution.c)
        offsets = np.stack([last.decision - old.lo, last.decision - old.hi])
        soon, speed = np.abs(offsets), None
        if self._last_offsets is not None:
            speed = np.abs(offsets - self._last_offsets)
            # Steps within rounding error count as that long: a division by less could overflow.
            rounding = np.finfo(float).eps * soon.max() + np.finfo(float).tiny
            soon /= speed + MIN_SHARE_OF_SPEED * speed.mean() + rounding
        self._last_offsets = offsets
        soon[0, new.below == 0.0] = soon[1, new.above == 0.0] = np.inf
        soonest = soon.min(axis=0)
        soonest[free] = -1.0
        number = ROOM_FOR_OTHERS * len(free) if speed is None else np.sum(soonest < REACH)
        number = min(max(int(number), block_size(len(soonest))), MAX_BLOCK, self._rows.capacity)
        if len(free) > number:
            return np.empty(0, dtype=np.intp)
        if number < len(soonest):
            chosen = np.argpartition(soonest, number)[:number]
        else:
            chosen = np.arange(len(soonest))
        return chosen[np.argsort(soonest[chosen], kind="stable")]
