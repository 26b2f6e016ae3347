"""Block decomposition, ``solver="smo"``: pair steps on one block of variables after another."""

from __future__ import annotations

import itertools
from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._engines import engine_for
from bandsvm._kernels import KernelOperator
from bandsvm._kernels.sizes import MAX_BLOCK, MAX_PART, PANEL, SMALL_PROBLEM
from bandsvm._problem import Solution, Start, Status
from bandsvm._problem.band_problem import BandProblem
from bandsvm._solvers.face import climb_face
from bandsvm._solvers.state import Part, State, meter

# Variables of the first block: about BLOCK_GROWTH times the root of the number of samples, but not
# fewer than MIN_BLOCK. More mean fewer outer steps and kernel rows, but slower pair steps.
MIN_BLOCK = 480
BLOCK_GROWTH = 10.0
# A block has room for this many times as many variables as are free: too little room, and free
# variables push each other out; too much, and pair steps pass over variables that do not move.
ROOM_FOR_FREE = 1.5
# Share of a block that stays for the next: its rows are at hand and its variables still move, but
# they take the place of worse violators.
KEPT_SHARE = 0.5
# A block is solved this much better than the whole: less precision wastes kernel rows on a poor
# step, more wastes pair steps on values that the next block changes.
INNER_REDUCTION = 0.1
# From a warm start with at most this many blocks of variables in play, the end is close: there one
# more outer step costs more than many pair steps, and blocks are solved to WARM_REDUCTION.
BLOCKS_IN_PLAY = 3
WARM_REDUCTION = 0.01
# Largest share of free variables in its first block; the others are violators.
WARM_SHARE = 0.8
# No block is solved better than this share of tol; with 1 the whole could stay just above tol.
INNER_SHARE_OF_TOL = 0.5
# The same for small problems, which are polished afterwards: their free variables are then usually
# the final ones, and one Newton step makes them exact.
SMALL_SHARE_OF_TOL = _core.SMALL_SHARE_OF_TOL
# The same where no other variable is to move: only rounding comes on top.
SHARE_FOR_ALL = 0.9
# Pair steps per variable, and in small blocks in all, after which a step on the whole face is the
# better way on: fewer factorise faces that are not settled, more crawl where K is nearly singular.
STEPS_PER_VARIABLE = _core.STEPS_PER_VARIABLE
MIN_STEP_BUDGET = _core.MIN_STEP_BUDGET
# A sample is out of play if the violation must grow by this share before it takes part again. Less
# leaves out more samples, some of which must come back.
MARGIN_IN_PLAY = 0.5
# To look for samples out of play takes as long as to select a block: it is done when the violation
# has fallen to this share since the last time, or to the second one if samples were left out.
LOOK_AGAIN, LEAVE_OUT_AGAIN = 0.9, 0.5
# Fewer samples than this many of the smallest blocks are never left out: packing would cost more.
BLOCKS_WORTH_A_PART = 4
# After so many outer steps that do not halve the violation, all free variables are solved for,
# before the solver gives up for lack of progress.
MAX_STEPS_TO_HALF = 100
# After so many outer steps on a part, look at all samples again.
MAX_STEPS_ON_PART = 100


def block_steps(state: State, tol: float) -> Generator[float]:
    """Yield the violation after each outer step until it is at most ``tol`` or stops falling."""
    is_small = state.problem.n_samples <= SMALL_PROBLEM
    share_of_tol = SMALL_SHARE_OF_TOL if is_small else INNER_SHARE_OF_TOL
    steps = whole_steps(state, tol, bool(state.engine.c.any()), share_of_tol)
    look_below = np.inf
    for current in steps:
        yield current
        if current < look_below:
            part = part_in_play(state)
            look_below = (LOOK_AGAIN if part is None else LEAVE_OUT_AGAIN) * current
            if part is not None:
                yield from steps_on_part(state, part, tol)


def whole_steps(state: State, tol: float, is_warm: bool, share_of_tol: float) -> Generator[float]:
    """Take block steps that keep all of ``f`` up to date; yield the violation before each.

    With a warm start, the number of violators shows at once how many variables have to move. No
    block is solved better than to ``share_of_tol`` times ``tol``.
    """
    problem, engine = state.problem, state.engine
    wanted, reduction = block_size(problem.n_samples), INNER_REDUCTION
    block = np.empty(0, dtype=np.intp)
    if is_warm:
        current, n_violators = engine.violators(tol)
        if current <= tol:
            yield current
            return
        # Free variables respond to every other change.
        block = engine.free()
        in_play = n_violators + len(block)
        if in_play <= BLOCKS_IN_PLAY * MAX_BLOCK:
            reduction = WARM_REDUCTION
        wanted = max(wanted, whole_panels(in_play))
    largest = min(MAX_BLOCK, engine.kernel.capacity, problem.n_samples)
    size = min(wanted, largest)
    share = WARM_SHARE if is_warm else KEPT_SHARE
    halved_at, halved = 0, np.inf
    for n_steps in itertools.count():
        kept, share = block[: int(share * size)], KEPT_SHARE
        current, chosen = engine.select(kept, size - len(kept))
        yield current
        if current <= tol:
            return
        # New variables come first, so that the oldest leave the next block.
        everything = problem.n_samples <= size
        block = np.arange(size) if everything else np.concatenate([chosen, kept])
        inner_tol = share_of_tol * tol
        if not everything:
            inner_tol = max(reduction * current, inner_tol)
        budget = max(MIN_STEP_BUDGET, STEPS_PER_VARIABLE * len(block))
        step = engine.solve_block(block, inner_tol, budget)
        state.n_pair_steps += step.n_steps
        state.move(block, step.c)
        if size < largest:
            room = whole_panels(int(ROOM_FOR_FREE * len(engine.free())))
            size = max(size, min(room, largest))
        if current < 0.5 * halved:
            halved_at, halved = n_steps, current
        is_slow = n_steps - halved_at >= MAX_STEPS_TO_HALF
        if step.n_steps >= budget or step.stalled or is_slow:
            halved_at = n_steps
            gained = climb_face(state)
            if step.n_steps == 0 and not gained:
                return


def block_size(n_samples: int) -> int:
    """Return the number of variables to solve for at a time."""
    if n_samples <= SMALL_PROBLEM:
        return n_samples  # the whole kernel matrix is kept, and need not be copied
    wanted = whole_panels(int(BLOCK_GROWTH * n_samples**0.5))
    return min(max(wanted, MIN_BLOCK), MAX_BLOCK)


def whole_panels(number: int) -> int:
    """Round a number of variables to whole panels of the compiled engine."""
    return number // PANEL * PANEL


def part_in_play(state: State) -> Part | None:
    """Return the samples that may still move, as a part; None if that saves no time."""
    n_samples = state.problem.n_samples
    if n_samples <= BLOCKS_WORTH_A_PART * MIN_BLOCK:
        return None
    indices = state.engine.in_play(MARGIN_IN_PLAY)
    if len(indices) > MAX_PART * n_samples:
        return None
    engine = state.engine.part(indices)
    return None if engine is None else Part(indices, State(engine), engine.c.copy())


def steps_on_part(state: State, part: Part, tol: float) -> Generator[float]:
    """Solve for the samples of ``part`` only; ``f`` of the others is updated at the end."""
    state.part = part
    steps = whole_steps(part.state, tol, is_warm=True, share_of_tol=INNER_SHARE_OF_TOL)
    for n_steps, current in enumerate(steps):
        if current <= tol or n_steps >= MAX_STEPS_ON_PART:
            break
        if n_steps > 0:
            state.engine.put(part.indices, part.state.engine.c)
            yield current
    state.catch_up()


def solve_for(
    variables: NDArray,
    problem: BandProblem,
    rows: KernelOperator,
    start: Start,
    tol: float,
) -> Solution:
    """Solve for some variables only, then update the gradient of all, once.

    Their block of K must fit in memory. ``start`` needs a gradient, which may be overwritten; its
    coefficients need not sum to zero. The solution is feasible, and optimal in these variables.
    """
    spent = meter(rows)
    assert start.gradient is not None
    whole = State(engine_for(rows, problem, start.c.copy(), start.gradient), start.moved)
    c = problem.feasible(start.c)
    if len(variables):
        # The block of K gives the effect of `feasible` on the gradient of its own variables.
        change, block = (c - start.c)[variables], rows.block(variables)
        seen = start.gradient.copy()
        first = int(np.flatnonzero(change)[-1]) + 1 if change.any() else 0
        seen[variables] += block[:, :first] @ change[:first].astype(block.dtype)
        budget = max(MIN_STEP_BUDGET, STEPS_PER_VARIABLE * len(variables))
        step = engine_for(rows, problem, c, seen).solve_block(
            variables, SHARE_FOR_ALL * tol, budget
        )
        c[variables], whole.n_pair_steps = step.c, step.n_steps
    changed = np.flatnonzero(c != start.c)
    whole.move(changed, c[changed])
    whole.engine.put(np.arange(problem.n_samples), c)
    return whole.solution(Status.ITERATION_LIMIT, 1, **spent())
