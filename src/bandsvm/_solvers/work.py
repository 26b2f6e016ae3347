"""How much work a solve may take, as counts, so that results do not depend on the machine.

The unit is a multiplication in a factorisation; a core does about 1e10 of them per second.
"""

from __future__ import annotations

from bandsvm._kernels.sizes import MAX_BLOCK, SMALL_PROBLEM
from bandsvm._solvers.state import State

# A small problem may take a few seconds; a larger one as long as it takes to factorise all of K as
# often. Less would give up on hard problems that end, more would wait longer for those that do not.
MAX_WORK = 5e10
# What an outer step costs beside pair steps and faces, and a pair step beside its passes.
PER_OUTER_STEP = 1e7
PER_PAIR_STEP = 3e3
# Passes over a block wait for memory.
PER_VALUE = 10.0


def work_done(state: State, n_iter: int) -> float:
    """Return an estimate of the work that a solve has taken so far."""
    block = min(state.problem.n_samples, MAX_BLOCK)
    on_pairs = state.n_pair_steps * (PER_PAIR_STEP + PER_VALUE * block)
    return n_iter * PER_OUTER_STEP + on_pairs + state.face_work


def most_work(n_samples: int) -> float:
    """Return how much work a solve may take."""
    return MAX_WORK * max(1.0, n_samples / SMALL_PROBLEM) ** 3
