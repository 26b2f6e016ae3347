"""Coordinate descent on the dual of the linear band problem, for many features.

A pass takes one exact step along each variable ``c_i``, with its kink at 0 and its bounds, and
keeps ``w = X'c`` up to date: its cost is that of the values of X. Variables that would not move
for long are left out of the next passes, so passes are counted by the values that they read.

The intercept is the multiplier of ``sum c = 0``. For given ``b`` the constraint is replaced by
``-b sum c - penalty (sum c)^2 / 2``; after every pass ``b`` moves by ``penalty sum c`` (method of
multipliers).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bandsvm._linear.point import Start, best_intercept
from bandsvm._linear.samples import LinearSamples
from bandsvm._problem.band_problem import BandProblem
from bandsvm._system.stopping import check_stop

# Values of X that one call of the core goes through: some hundredths of a second.
VALUES_PER_CALL = 2**21
# Passes before the first evaluation that the core does not ask for, and between two of them, as a
# share of those so far: an evaluation costs about two passes.
FIRST_EVALUATION, SHARE_BETWEEN = 30.0, 0.5
# Factor of what the core aims at if its estimate of the gap turns out to be too small.
AIM_FALL = 0.5


class CoordinateDescent:
    """A point of the dual and the passes that move it; it starts from a model of known ``c``."""

    name = "cd"
    patience = 100
    is_exact = False
    is_steady = False

    def __init__(
        self, problem: BandProblem, samples: LinearSamples, start: Start | None = None
    ) -> None:
        self.n_iter = 0
        self._n_samples = problem.n_samples
        takes_part = (problem.below > 0.0) | (problem.above > 0.0)
        penalty = 0.0
        if problem.has_intercept:
            # The curvature of a usual sample, or what lets b move by 1 where no costs hold it back.
            total_cost = float(problem.below.sum() + problem.above.sum())
            norms = samples.squared_norms()
            penalty = max(float(norms[takes_part].mean()), 1.0 / total_cost)
        multiplier = best_intercept(problem, np.zeros(problem.n_samples))
        c, w = np.zeros(problem.n_samples), np.zeros(samples.n_features)
        if start is not None and start.c is not None:
            c = problem.feasible(start.c)
            w, multiplier = samples.weights(c), start.intercept
        band = (problem.lo, problem.hi, *problem.bounds, *problem.ridge)
        self._descent = samples.descent(band, c, w, multiplier, penalty)
        self._passes_per_call = VALUES_PER_CALL / max(1, samples.n_values)

    def candidates(self) -> Iterator[NDArray[np.float64]]:
        """Yield the dual point, whose sum need not be 0."""
        c = np.empty(self._n_samples)
        self._descent.coefficients(c)
        yield c

    def steps(self, aim: float, max_iter: int) -> Iterator[tuple[float, bool]]:
        descent, n_passes, next_evaluation = self._descent, 0.0, FIRST_EVALUATION
        yield 1.0, False
        while True:
            check_stop()
            some = min(max(1.0, n_passes), self._passes_per_call, max_iter - n_passes)
            n_passes += descent.run(aim, some)
            self.n_iter = min(math.ceil(n_passes), max_iter)
            is_due = descent.is_enough or n_passes >= next_evaluation
            if is_due:
                next_evaluation = n_passes * (1.0 + SHARE_BETWEEN)
            if descent.is_enough:
                aim *= AIM_FALL
            yield min(1.0, descent.gap / descent.primal), is_due
