"""The reference solver in plain NumPy, ``solver="reference"``: one pair step after another.

Read this first. It solves the same problem as the fast solvers and shares no code with them; the
tests compare them with it. It is slow and keeps the whole kernel matrix in memory.
"""

from __future__ import annotations

from collections.abc import Generator

import numpy as np
from numpy.typing import NDArray

from bandsvm._problem.band_problem import BandProblem
from bandsvm._solvers.state import State
from bandsvm._system.stopping import check_stop

STEPS_BETWEEN_REPORTS = 1000
# Selection needs positive curvatures: this share of the largest will do, and the last is for none.
MIN_CURVATURE = 1e-12, np.finfo(np.float64).tiny


def reference_steps(state: State, tol: float) -> Generator[float]:
    """Yield the violation every thousand steps until it is at most ``tol`` or stops falling."""
    engine, problem = state.engine, state.problem
    K = engine.kernel.block(np.arange(problem.n_samples))
    c, f = engine.c.copy(), engine.f.copy()
    while True:
        try:
            violation, is_stuck = steps_until_report(problem, K, c, f, tol, state)
        finally:
            f[:] = K @ c  # without the rounding errors of many steps
            state.place(c, f)
            state.moved = state.size
        yield violation
        if violation <= tol or is_stuck:
            return


def steps_until_report(
    problem: BandProblem, K: NDArray, c: NDArray, f: NDArray, tol: float, state: State
) -> tuple[float, bool]:
    """Take pair steps; return the violation before the last, and whether that had no effect."""
    bounds, ridges = problem.bounds, problem.ridge
    share, tiny = MIN_CURVATURE
    smallest = max(share * float(np.abs(np.diag(K)).max()), tiny)
    for _ in range(STEPS_BETWEEN_REPORTS):
        check_stop()
        # Slopes of the dual for raising and for lowering each variable, and its curvatures.
        at_lo, at_hi = problem.lo - ridges.below * c - f, problem.hi - ridges.above * c - f
        up = np.where(c < bounds.below, np.where(c >= 0, at_lo, at_hi), -np.inf)
        down = np.where(c > -bounds.above, np.where(c > 0, at_lo, at_hi), np.inf)
        ridge_up = np.where(c >= 0, ridges.below, ridges.above)
        ridge_down = np.where(c > 0, ridges.below, ridges.above)
        if problem.has_intercept:
            violation = up.max() - down.min()
        else:
            violation = max(up.max(), -down.min(), 0.0)
        if violation <= tol:
            break
        before = c.copy()
        if problem.has_intercept:
            i = int(np.argmax(up))
            curvatures = np.diag(K) + K[i, i] - 2 * K[i]
            bent = curvatures + ridge_up[i] + ridge_down
            gains = np.maximum(up[i] - down, 0.0) ** 2
            j = int(np.argmax(gains / np.maximum(bent, smallest)))
            line_search(problem, c, f, {i: +1.0, j: -1.0}, curvatures[j])
        else:
            bent = np.diag(K) + np.where(up > -down, ridge_up, ridge_down)
            gains = np.maximum(np.maximum(up, -down), 0.0) ** 2
            i = int(np.argmax(gains / np.maximum(bent, smallest)))
            line_search(problem, c, f, {i: 1.0 if up[i] > -down[i] else -1.0}, K[i, i])
        state.n_pair_steps += 1
        moved = np.flatnonzero(c != before)
        if len(moved) == 0:
            return violation, True
        f += K[:, moved] @ (c - before)[moved]
    return violation, False


def line_search(
    problem: BandProblem, c: NDArray, f: NDArray, directions: dict[int, float], curvature: float
) -> None:
    """Move the variables in ``directions`` (+1 or -1 each) as far as the dual grows.

    On each piece the dual is a parabola in the distance: go to its maximum or to the end of the
    piece, where a variable reaches a bound or its kink at 0, whichever comes first. ``curvature``
    is that of K.
    """
    walked = 0.0
    # Each variable passes its kink once. What is no number passes it never.
    for _ in range(len(directions) + 1):
        gain, bent, ends = -curvature * walked, curvature, {}
        for k, sign in directions.items():
            if c[k] > 0 or (c[k] == 0 and sign > 0):
                edge, ridge = problem.lo[k], problem.ridge.below[k]
            else:
                edge, ridge = problem.hi[k], problem.ridge.above[k]
            bound = problem.bounds.below[k] if sign > 0 else -problem.bounds.above[k]
            ends[k] = 0.0 if c[k] * sign < 0 else bound
            gain += sign * (edge - ridge * c[k] - f[k])
            bent += ridge
        room = min(abs(ends[k] - c[k]) for k in directions)
        if gain <= 0 or room == 0:
            return
        top = gain / bent if bent > 0 else np.inf
        for k, sign in directions.items():
            at_end = top >= room and abs(ends[k] - c[k]) <= room
            c[k] = ends[k] if at_end else c[k] + sign * min(top, room)
        if top < room:
            return
        walked += room
