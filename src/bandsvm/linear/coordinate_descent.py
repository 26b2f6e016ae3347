"""Coordinate descent on the dual of the linear band problem, for many features.

A pass takes one exact step along each variable ``c_i``, with its kink at 0 and its bounds, and
keeps ``w = X'c`` up to date: its cost is that of the values of X. Variables that would not move
for long are left out of the next passes.

The intercept is the multiplier of ``sum c = 0``. For given ``b`` the constraint is replaced by
``-b sum c - penalty (sum c)^2 / 2``; after every pass ``b`` moves by ``penalty sum c`` (method of
multipliers).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bandsvm.linear.point import Start, best_intercept
from bandsvm.linear.samples import LinearSamples
from bandsvm.problem import BandProblem
from bandsvm.system.stopping import check_stop

# The order of the variables is random, but the same every time.
SEED = 0
# Values of X that one call of the core goes through: some hundredths of a second.
VALUES_PER_CALL = 2**21
# Passes between two judgements, as a share of those so far: judging takes about two passes.
SHARE_BETWEEN = 0.2
# Violation, as a share of the last pass's, below which all variables take part again.
FALL_BEFORE_ALL = 0.1
# Estimates for `steps`: judge the point now, or not yet.
NOW, LATER = 0.0, 1.0


class CoordinateDescent:
    """A point of the dual and the passes that move it.

    Parameters
    ----------
    problem : BandProblem
        What to solve.
    samples : LinearSamples
        The samples.
    start : Start, default=None
        A model to start from, where its ``c`` is known.
    """

    patience = 100
    is_steady = False

    def __init__(
        self, problem: BandProblem, samples: LinearSamples, start: Start | None = None
    ) -> None:
        self._samples = samples
        norms = samples.squared_norms()
        self._band = (problem.lo, problem.hi, *problem.bounds, *problem.ridge, norms)
        takes_part = (problem.below > 0.0) | (problem.above > 0.0)
        self._variables = np.flatnonzero(takes_part).astype(np.int64)
        self._penalty = 0.0
        if problem.has_intercept:
            # The curvature of a usual sample, or what lets b move by 1 where no costs hold it back.
            total_cost = float(problem.below.sum() + problem.above.sum())
            self._penalty = max(float(norms[takes_part].mean()), 1.0 / total_cost)
        self._multiplier = best_intercept(problem, np.zeros(problem.n_samples))
        self._c, self._w = np.zeros(problem.n_samples), np.zeros(samples.n_features)
        if start is not None and start.c is not None:
            self._c = problem.feasible(start.c)
            self._w = samples.weights(self._c)
            self._multiplier = start.intercept
        self._random = np.random.default_rng(SEED)

    def candidates(self) -> Iterator[NDArray[np.float64]]:
        """Yield the dual point, whose sum need not be 0."""
        yield self._c

    def steps(self) -> Iterator[float]:
        """Yield after every pass whether the point is worth judging."""
        yield LATER
        active, slack, first = self._variables, np.inf, np.inf
        n_passes = next_judgement = 0
        while True:
            active, violation = self._pass(active, slack)
            n_passes += 1
            first = max(violation, 0.0) if np.isinf(first) else first
            if violation <= FALL_BEFORE_ALL * first or len(active) == 0:
                active, slack, first = self._variables, np.inf, np.inf
            else:
                slack = violation
            if n_passes >= next_judgement:
                next_judgement = n_passes + max(1, int(SHARE_BETWEEN * n_passes))
                yield NOW
            else:
                yield LATER

    def _pass(self, active: NDArray, slack: float) -> tuple[NDArray, float]:
        """Take a step along each of some variables; return those to go on with, and the violation.

        ``slack`` is what may push a variable that stays at its bound or kink before it moves.
        """
        order = self._random.permutation(active)
        total, worst, kept = float(self._c.sum()), 0.0, []
        per_sample = max(1, self._samples.n_values // max(1, self._samples.n_samples))
        size = max(1, VALUES_PER_CALL // per_sample)
        for start in range(0, len(order), size):
            check_stop()
            part = order[start : start + size]
            n_active, violation, total = self._samples.rows.descend(
                self._band, self._multiplier, self._penalty, part, slack, self._c, self._w, total
            )
            worst = max(worst, violation)
            kept.append(part[:n_active])
        self._multiplier += self._penalty * total
        return np.concatenate(kept), worst
