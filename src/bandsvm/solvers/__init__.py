"""Solvers of the band problem, and the one loop that drives them all."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bandsvm._watch import Stop, look, watched
from bandsvm.engines.cpu import CpuEngine
from bandsvm.kernels import Rows
from bandsvm.problem import ROUNDING, BandProblem
from bandsvm.solvers._polish import is_small, polish, rounding_error
from bandsvm.solvers._slopes import dual_value, free_variables
from bandsvm.solvers._solution import Progress, Solution, State, Status, after
from bandsvm.solvers._work import most_work, work_done
from bandsvm.solvers.block import LARGEST_BLOCK, block_size, block_steps, solve_for
from bandsvm.solvers.hard_margin import solve_hard
from bandsvm.solvers.projected_cg import projected_cg_steps
from bandsvm.solvers.reference import reference_steps

__all__ = [
    "LARGEST_BLOCK",
    "Progress",
    "Solution",
    "Status",
    "after",
    "available_solvers",
    "block_size",
    "free_variables",
    "solve",
    "solve_for",
]

_SOLVERS: dict[str, Callable[[State, float], Generator[float]]] = {
    "smo": block_steps,
    "pcg": projected_cg_steps,
    "reference": reference_steps,
}
# Outer steps in which the dual must rise by more than rounding ...
PATIENCE = 50
SMALLEST_GAIN = 1e-14
# ... and more of them in which it must rise visibly, or the violation fall.
LONG_PATIENCE = 200
VISIBLE_GAIN = 1e-9
VISIBLE_FALL = 0.9
# Seconds in which a solve that must end may finish what it was about to do.
SECONDS_TO_CATCH_UP = 0.2
# A violation of the size of rounding errors must fall soon.
SHORT_PATIENCE = 10


def available_solvers() -> tuple[str, ...]:
    """Return the names that ``solver=`` accepts besides "auto"."""
    return tuple(_SOLVERS)


def solve(
    problem: BandProblem,
    rows: Rows,
    *,
    solver: str = "auto",
    tol: float = 1e-3,
    max_iter: int = 10_000,
    start: NDArray | None = None,
    start_gradient: NDArray | None = None,
    polished: bool = True,
    callback: Callable[[Progress], object] | None = None,
) -> Solution:
    """Solve a band problem.

    Parameters
    ----------
    problem : BandProblem
        What to solve.
    rows : Rows
        Kernel rows of the samples; may be shared with other problems.
    solver : {"auto", "smo", "pcg", "reference"}, default="auto"
        The method; "auto" is "smo".
    tol : float, default=1e-3
        Largest KKT violation that counts as converged.
    max_iter : int, default=10_000
        Largest number of outer steps.
    start : ndarray of shape (n_samples,), default=None
        Coefficients to start from; moved to the nearest feasible point.
    start_gradient : ndarray of shape (n_samples,), default=None
        ``K start``, if it is known.
    polished : bool, default=True
        Whether a small problem ends exactly instead of at ``tol``.
    callback : callable, default=None
        Called with a `Progress` after every outer step; a true return value ends the solve, and
        a `Status` also says why.

    Returns
    -------
    Solution
        Coefficients, gradient, status and counts.
    """
    if problem.has_hard_edges:

        def solve_at(priced: BandProblem, c: NDArray | None, earlier: Solution | None) -> Solution:
            watch, left = callback, max_iter
            if earlier is not None:
                watch = callback and (lambda progress: callback(after(earlier, progress)))
                left = max(0, max_iter - earlier.n_iter)
            return solve(
                priced,
                rows,
                solver=solver,
                tol=tol,
                max_iter=left,
                start=c,
                polished=polished,
                callback=watch,
            )

        return solve_hard(problem, rows, start, solve_at)
    began, rows_before = time.perf_counter(), rows.n_computed
    state = _initial_state(problem, rows, start, start_gradient)
    status, n_iter = Status.NO_PROGRESS, 0
    hope = Patience()

    try:
        for violation in _SOLVERS["smo" if solver == "auto" else solver](state, tol):
            progress = Progress(
                n_iter=n_iter,
                violation=violation,
                tol=tol,
                n_kernel_rows=rows.n_computed - rows_before,
                n_pair_steps=state.n_pair_steps,
                seconds=time.perf_counter() - began,
                c=state.c,
                f=state.f,
                is_current=state.is_current,
            )
            verdict = callback is not None and callback(progress)
            if violation <= tol:
                status = Status.CONVERGED
                break
            if not np.isfinite(violation):
                status = Status.NOT_FINITE
                break
            if verdict:
                status = verdict if isinstance(verdict, Status) else Status.STOPPED
                break
            look()
            if n_iter >= max_iter:
                status = Status.ITERATION_LIMIT
                break
            if work_done(state, n_iter) > most_work(problem.n_samples):
                status = Status.WORK_LIMIT
                break
            if state.is_current and hope.is_lost(
                n_iter,
                dual_value(problem, state.c, state.f),
                violation,
                partial(_is_noise, state, violation),
            ):
                break
            n_iter += 1
    except Stop as stop:
        status = stop.reason
    if status in (Status.TIME_LIMIT, Status.INTERRUPTED):
        state.catch_up_within(SECONDS_TO_CATCH_UP)
    else:
        state.catch_up()

    if polished and is_small(problem) and status in (Status.CONVERGED, Status.NO_PROGRESS):
        status = Status.CONVERGED if polish(state) <= tol else Status.NO_PROGRESS
    return Solution(
        c=state.c,
        f=state.f,
        status=status,
        n_iter=n_iter,
        n_pair_steps=state.n_pair_steps,
        n_kernel_rows=rows.n_computed - rows_before,
        seconds=time.perf_counter() - began,
    )


def _is_noise(state: State, violation: float) -> bool:
    """Return whether a violation is of the size of rounding errors."""
    return violation <= rounding_error(state, norm=2)


class Patience:
    """Tells when a solver gets nowhere any more."""

    def __init__(self) -> None:
        self._dual, self._dual_at = -np.inf, 0
        self._visible_dual, self._violation, self._visible_at = -np.inf, np.inf, 0
        self._fell_at = 0

    def is_lost(
        self, n_iter: int, dual: float, violation: float, is_noise: Callable[[], bool]
    ) -> bool:
        """Return whether the dual has stood still for too long.

        Where the violation is of the size of rounding errors (``is_noise``, which is asked only if
        need be) the dual says nothing, and the violation has to fall.
        """
        if violation < VISIBLE_FALL * self._violation:
            self._fell_at = n_iter
        if n_iter == 0 or dual > self._dual + SMALLEST_GAIN * abs(self._dual):
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


def _initial_state(
    problem: BandProblem, rows: Rows, start: NDArray | None, gradient: NDArray | None
) -> State:
    """Return the state at the feasible point nearest to ``start``, or at zero."""
    engine = CpuEngine(problem, rows)
    if start is None:
        return State(problem, engine, np.zeros(problem.n_samples), np.zeros(problem.n_samples))
    c = problem.feasible(start)
    if gradient is None:
        state = State(problem, engine, c, np.zeros(problem.n_samples))
        try:
            state.refresh_gradient()
        except Stop as stop:
            if stop.reason is Status.INTERRUPTED:
                raise
            # Without it there would be nothing to return.
            with watched(None):
                state.refresh_gradient()
        return state
    change = c - start
    moved = np.flatnonzero(np.abs(change) > ROUNDING * np.abs(c).max(initial=0.0))
    f = gradient.astype(np.float64)
    engine.update(f, moved, change[moved])
    return State(problem, engine, c, f)
