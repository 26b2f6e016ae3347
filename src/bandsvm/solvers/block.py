"""Block decomposition, ``solver="smo"``: pair steps on one block of variables after another."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bandsvm.solvers._slopes import ascent_slopes, violation
from bandsvm.solvers._solution import State
from bandsvm.solvers.face import climb_face

BLOCK_SIZE = 1008  # whole panels of the compiled engine
# Half of a block stays for the next: its rows are at hand and its variables still move.
KEPT_SHARE = 0.5
# A block is solved this much better than the whole, but no better than the whole needs.
INNER_REDUCTION = 0.1
INNER_SHARE_OF_TOL = 0.5
# Pair steps per variable after which a step on the whole face is the better way on.
STEPS_PER_VARIABLE = 30
SMALLEST_STEP_BUDGET = 1000


def block_steps(state: State, tol: float) -> Iterator[float]:
    """Yield the violation after each outer step until it is at most ``tol`` or stops falling."""
    problem, engine = state.problem, state.engine
    size = min(BLOCK_SIZE, engine.largest_block, problem.n_samples)
    block = np.empty(0, dtype=np.intp)
    while True:
        rise, fall = ascent_slopes(problem, state.c, state.f)
        current = violation(problem, rise, fall)
        yield current
        if current <= tol:
            return
        block = choose_block(rise, fall, problem.has_intercept, block, size)
        inner_tol = max(INNER_REDUCTION * current, INNER_SHARE_OF_TOL * tol)
        budget = max(SMALLEST_STEP_BUDGET, STEPS_PER_VARIABLE * len(block))
        step = engine.solve_block(block, state.c, state.f, inner_tol, budget)
        state.n_pair_steps += step.n_steps
        state.move(block, step.c)
        if step.n_steps >= budget or step.stalled:
            gained = climb_face(state)
            if step.n_steps == 0 and not gained:
                return


def choose_block(
    rise: NDArray, fall: NDArray, has_intercept: bool, previous: NDArray, size: int
) -> NDArray[np.intp]:
    """Return at most ``size`` variables: the worst violators and half of the previous block."""
    n_samples = len(rise)
    if n_samples <= size:
        return np.arange(n_samples)
    # With b free a variable takes part in a violating pair if it can rise above M or fall below m.
    b_low, b_high = (float(fall.min()), float(rise.max())) if has_intercept else (0.0, 0.0)
    kept = previous[: int(KEPT_SHARE * size)]
    rise, fall = rise.copy(), fall.copy()
    rise[kept], fall[kept] = -np.inf, np.inf
    half = (size - len(kept)) // 2
    risers = _largest(rise, half, above=b_low)
    fallers = _largest(-fall, half, above=-b_high)
    # New ones first, so that the oldest leave the next block; a kink can both rise and fall.
    fallers = fallers[~np.isin(fallers, risers)]
    return np.concatenate([risers, fallers, kept])


def _largest(values: NDArray, count: int, above: float) -> NDArray[np.intp]:
    """Return the indices of the ``count`` largest values among those greater than ``above``."""
    candidates = np.flatnonzero(values > above)
    if len(candidates) <= count:
        return candidates
    order = np.argpartition(values[candidates], len(candidates) - count)
    return candidates[order[-count:]]
