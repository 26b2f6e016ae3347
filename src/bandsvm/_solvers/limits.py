"""When a solve gives up: it makes no more progress, or has taken too much work.

Work is a count, so that results do not depend on the machine. The unit is a multiplication in a
factorisation; a core does about 1e10 of them per second.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bandsvm._kernels.sizes import MAX_BLOCK, SMALL_PROBLEM
from bandsvm._solvers.state import State

# Outer steps in which the dual must rise by more than rounding ...
PATIENCE = 50
MIN_GAIN = 1e-14
# ... and more of them in which it must rise visibly, or the violation fall.
LONG_PATIENCE = 200
VISIBLE_GAIN = 1e-9
VISIBLE_FALL = 0.9
# A violation of the size of rounding errors must fall soon.
SHORT_PATIENCE = 10
# A small problem may take a few seconds; a larger one as long as it takes to factorise all of K as
# often. Less would give up on hard problems that end, more would wait longer for those that do not.
MAX_WORK = 5e10
# What an outer step costs beside pair steps and faces, and a pair step beside its passes.
PER_OUTER_STEP = 1e7
PER_PAIR_STEP = 3e3
# Passes over a block wait for memory.
PER_VALUE = 10.0


class StallDetector:
    """Detects from the history of the dual and the violation that a solver has stalled."""

    def __init__(self) -> None:
        self._dual, self._dual_at = -np.inf, 0
        self._visible_dual, self._violation, self._visible_at = -np.inf, np.inf, 0
        self._fell_at = 0

    def has_stalled(
        self, n_iter: int, dual: float, violation: float, is_noise: Callable[[], bool]
    ) -> bool:
        """Return whether the dual has not risen for too long.

        If the violation is no larger than rounding errors (``is_noise``, called only if needed),
        the dual is not informative, and the violation has to fall.
        """
        if violation < VISIBLE_FALL * self._violation:
            self._fell_at = n_iter
        if n_iter == 0 or dual > self._dual + MIN_GAIN * abs(self._dual):
            self._dual, self._dual_at = dual, n_iter
        rose = dual > self._visible_dual + VISIBLE_GAIN * abs(self._visible_dual)
        if n_iter == 0 or rose or violation < VISIBLE_FALL * self._violation:
            self._visible_dual, self._visible_at = dual, n_iter
            self._violation = min(violation, self._violation)
        return (
            n_iter - self._dual_at >= PATIENCE
            or n_iter - self._visible_at >= LONG_PATIENCE
            or (n_iter - self._fell_at >= SHORT_PATIENCE and is_noise())
        )


def work_done(state: State, n_iter: int) -> float:
    """Return an estimate of the work that a solve has taken so far."""
    block = min(state.problem.n_samples, MAX_BLOCK)
    on_pairs = state.n_pair_steps * (PER_PAIR_STEP + PER_VALUE * block)
    return n_iter * PER_OUTER_STEP + on_pairs + state.face_work


def max_work(n_samples: int) -> float:
    """Return how much work a solve may take."""
    return MAX_WORK * max(1.0, n_samples / SMALL_PROBLEM) ** 3
