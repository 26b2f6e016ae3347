"""Exact solutions of small problems, which depend on neither ``tol`` nor sample order."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from bandsvm import _core
from bandsvm._engines import Engine
from bandsvm._problem.piecewise import shares
from bandsvm._problem.slopes import piece
from bandsvm._solvers.face import climb_face
from bandsvm._solvers.state import State
from bandsvm._system.stopping import Stop

# A round is a climb and pair steps on everything; problems that need more than a few are singular,
# and more rounds only delay saying so.
MAX_POLISHING_ROUNDS = _core.MAX_POLISHING_ROUNDS
# Rounds without half the violation after which rounding is all that is left.
ROUNDS_WITHOUT_GAIN = _core.ROUNDS_WITHOUT_GAIN
# Pair steps per variable in a round: enough to change the face, which the climb then solves for.
POLISHING_STEPS_PER_VARIABLE = _core.POLISHING_STEPS_PER_VARIABLE
# Multiplications on faces after which a round is the last: about a second.
MAX_WORK_OF_POLISHING = _core.MAX_WORK_OF_POLISHING
# Share of a bound, or of the other variables, that rounding may put between a variable and the
# end of its piece.
SNAP_SHARE = _core.SNAP_SHARE


def polish(state: State) -> float:
    """Bring the violation down to rounding error and return it.

    Newton steps on the face make its free variables exact; pair steps on all variables let others
    enter and leave. The point of the smallest violation seen is kept.
    """
    problem, engine = state.problem, state.engine
    everything = np.arange(problem.n_samples)
    best = engine.violation()
    best_c, best_f, waited = engine.c.copy(), engine.f.copy(), 0
    max_work = state.face_work + MAX_WORK_OF_POLISHING
    with suppress(Stop):  # keep the best point so far
        for _ in range(MAX_POLISHING_ROUNDS):
            snap_to_bounds(state)
            climb_face(state)
            state.refresh()
            current = engine.violation()
            waited = 0 if current < 0.5 * best else waited + 1
            if current < best:
                best, best_c, best_f = current, engine.c.copy(), engine.f.copy()
            if current <= rounding_error(engine) or waited >= ROUNDS_WITHOUT_GAIN:
                break
            if state.face_work > max_work:
                break
            budget = POLISHING_STEPS_PER_VARIABLE * problem.n_samples
            step = engine.solve_block(everything, rounding_error(engine), budget)
            state.n_pair_steps += step.n_steps
            state.move(everything, step.c)
    state.place(best_c, best_f)
    return best


def snap_to_bounds(state: State) -> None:
    """Remove accumulated rounding errors: variables next to the end of a piece, a wrong sum.

    A variable that is only rounding errors away from its bound would count as free and determine
    the intercept. Distances are relative to the bound or, next to 0, to the other variables,
    because a box can be much wider than any variable needs.
    """
    problem, engine = state.problem, state.engine
    free = engine.free()
    c, _ = engine.at(free)
    _, lower, upper = piece(problem, free, c)
    # Coefficients of samples far from the origin are small but matter; those near it are large.
    sizes = np.abs(engine.c)
    pulls = sizes * np.sqrt(np.abs(engine.kernel.diagonal()))
    # A single free variable can hold what bounds of the others miss the sum by.
    is_nothing = pulls[free] <= SNAP_SHARE * pulls.sum()
    is_nothing &= sizes[free] <= SNAP_SHARE * sizes.sum()
    bound = lower + upper  # the end that is not 0
    is_at_bound = np.abs(bound - c) <= SNAP_SHARE * np.abs(bound)
    c = np.where(is_nothing, 0.0, np.where(is_at_bound, bound, c))
    state.move(free, c)
    inside = (c != 0.0) & (c != bound)
    if problem.has_intercept:
        excess = float(engine.c.sum()) - problem.total
        moved = c[inside] - shares(excess, c[inside])
        state.move(free[inside], np.clip(moved, lower[inside], upper[inside]))


def largest_rounding_error(engine: Engine) -> float:
    """Return a bound of `rounding_error` with the 2-norm that holds for all points of the box."""
    bounds, diagonal = engine.problem.bounds, engine.kernel.diagonal()
    largest = float(max(bounds.below.max(), bounds.above.max()))
    terms = len(diagonal) ** 0.5 * float(np.abs(diagonal).max()) * largest
    return float(np.finfo(np.float64).eps) * (terms + _largest_edge(engine))


def rounding_error(engine: Engine, norm: int = 1) -> float:
    """Return the size of rounding errors in ``f``; smaller violations are meaningless.

    The 1-norm of the terms of f bounds the errors; the 2-norm is their typical size.
    """
    # |K_ij| <= sqrt(K_ii K_jj) for a kernel, and about that for an indefinite one.
    roots = np.sqrt(np.abs(engine.kernel.diagonal()))
    reach = float(roots.max() * np.linalg.norm(roots * engine.c, norm))
    return float(np.finfo(np.float64).eps) * (reach + _largest_edge(engine))


def _largest_edge(engine: Engine) -> float:
    return float(max(np.abs(engine.problem.lo).max(), np.abs(engine.problem.hi).max()))
