"""The loop that drives all solvers: limits, progress and stopping."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from bandsvm._engines import engine_for
from bandsvm._kernels import KernelOperator
from bandsvm._kernels.sizes import SMALL_PROBLEM
from bandsvm._problem import Progress, Solution, Start, Status, after
from bandsvm._problem.band_problem import ROUNDING, BandProblem
from bandsvm._solvers.block import block_steps
from bandsvm._solvers.hard_margin import solve_hard
from bandsvm._solvers.limits import StallDetector, max_work, work_done
from bandsvm._solvers.polish import largest_rounding_error, polish, rounding_error
from bandsvm._solvers.projected_cg import projected_cg_steps
from bandsvm._solvers.reference import reference_steps
from bandsvm._solvers.state import State, meter
from bandsvm._system.stopping import Stop, check_stop, stop_when

_SOLVERS: dict[str, Callable[[State, float], Generator[float]]] = {
    "smo": block_steps,
    "pcg": projected_cg_steps,
    "reference": reference_steps,
}
# Seconds in which a solve that must end may finish what it was about to do.
SECONDS_TO_CATCH_UP = 0.2
# Where moves were so many times as large as the solution, and rounding errors may exceed this share
# of tol, ``f`` is recomputed at the end; if the violation is not what it seemed, steps go on, so
# often at most.
SHRUNK, SHARE_OF_DRIFT, MAX_REFRESHES = 10.0, 0.1, 3
# Where the terms of decision values are so close to overflow, sums in another order may overflow.
OVERFLOW_MARGIN = 16.0

Callback = Callable[[Progress], object]


def available_solvers() -> tuple[str, ...]:
    """Return the names that ``solver=`` accepts besides "auto"."""
    return tuple(_SOLVERS)


def solve(
    problem: BandProblem,
    kernel: KernelOperator,
    *,
    solver: str = "auto",
    tol: float = 1e-3,
    max_iter: int = 10_000,
    start: Start | None = None,
    polished: bool = True,
    callback: Callback | None = None,
) -> Solution:
    """Solve a band problem.

    Parameters
    ----------
    problem : BandProblem
        The problem to solve.
    kernel : KernelOperator
        Kernel rows of the samples, or another operator; may be shared with other problems.
    solver : {"auto", "smo", "pcg", "reference"}, default="auto"
        The method; "auto" is "smo".
    tol : float, default=1e-3
        Largest KKT violation that counts as converged.
    max_iter : int, default=10_000
        Largest number of outer steps.
    start : Start, default=None
        Where to start from; coefficients are moved to a nearby feasible point. None: from zero.
    polished : bool, default=True
        Whether small problems are solved exactly instead of to ``tol``.
    callback : callable, default=None
        Called with a `Progress` after every outer step. A true return value ends the solve; if it
        is a `Status`, it is the status of the solution.

    Returns
    -------
    Solution
        Coefficients, gradient, status and counts.
    """
    steps = _SOLVERS["smo" if solver == "auto" else solver]
    run = _Run(kernel, steps, tol, max_iter, polished, callback)
    # Values that overflow are noticed where they matter.
    with np.errstate(over="ignore", invalid="ignore"):
        if problem.has_hard_edges:
            return solve_hard(problem, kernel, start, run.solution)
        return run.solution(problem, start)


@dataclass(frozen=True)
class _Run:
    """Kernel, steps, tolerance, limit and observer of a solve."""

    kernel: KernelOperator
    steps: Callable[[State, float], Generator[float]]
    tol: float
    max_iter: int
    polished: bool
    callback: Callback | None

    def solution(
        self, problem: BandProblem, start: Start | None, earlier: Solution | None = None
    ) -> Solution:
        """Solve a problem whose costs are finite, perhaps after an ``earlier`` one."""
        spent, state = meter(self.kernel), _initial_state(problem, self.kernel, start)
        max_iter = max(0, self.max_iter - (0 if earlier is None else earlier.n_iter))

        def progress(n_iter: int, violation: float) -> Progress:
            now = Progress(
                n_iter=n_iter,
                violation=violation,
                tol=self.tol,
                n_pair_steps=state.n_pair_steps,
                point=state.engine,
                is_current=state.is_current,
                moved=state.moved,
                **spent(),
            )
            return now if earlier is None else after(earlier, now)

        n_iter = 0
        for _ in range(MAX_REFRESHES):
            status, n_iter = self._drive(state, n_iter, max_iter, progress)
            if status in (Status.TIME_LIMIT, Status.INTERRUPTED):
                state.catch_up_within(SECONDS_TO_CATCH_UP)
            else:
                state.catch_up()
            can_be_polished = status in (Status.CONVERGED, Status.NO_PROGRESS)
            if self.polished and problem.n_samples <= SMALL_PROBLEM and can_be_polished:
                status = Status.CONVERGED if polish(state) <= self.tol else Status.NO_PROGRESS
            if status is not Status.CONVERGED or not has_drifted(state, self.tol):
                break
            state.refresh()
        if not np.isfinite(OVERFLOW_MARGIN * state.reach):
            status = Status.NOT_FINITE
        return state.solution(status, n_iter, **spent())

    def _drive(
        self,
        state: State,
        n_iter: int,
        max_iter: int,
        progress: Callable[[int, float], Progress],
    ) -> tuple[Status, int]:
        """Run the solver's steps after ``n_iter`` others; return why they ended and how many."""
        detector, engine, callback = StallDetector(), state.engine, self.callback
        largest_error = cache(partial(largest_rounding_error, engine))

        def is_noise() -> bool:
            """Return whether the violation is no larger than rounding errors."""
            return violation <= largest_error() and violation <= rounding_error(engine, norm=2)

        try:
            for violation in self.steps(state, self.tol):
                verdict = callback is not None and callback(progress(n_iter, violation))
                if violation <= self.tol:
                    return Status.CONVERGED, n_iter
                if not np.isfinite(violation):
                    return Status.NOT_FINITE, n_iter
                if verdict:
                    reason = verdict if isinstance(verdict, Status) else Status.STOPPED
                    return reason, n_iter
                check_stop()
                if n_iter >= max_iter:
                    return Status.ITERATION_LIMIT, n_iter
                if work_done(state, n_iter) > max_work(state.problem.n_samples):
                    return Status.WORK_LIMIT, n_iter
                if state.is_current and detector.has_stalled(
                    n_iter, engine.dual_value(), violation, is_noise
                ):
                    break
                n_iter += 1
        except Stop as stop:
            return stop.reason, n_iter
        return Status.NO_PROGRESS, n_iter


def has_drifted(state: State, tol: float) -> bool:
    """Return whether ``f`` may have rounding errors that `refresh` would remove."""
    if state.moved <= SHRUNK * state.size:
        return False
    errors = state.engine.kernel.rounding_errors(state.engine.c, state.moved)
    return not float(errors.max()) <= SHARE_OF_DRIFT * tol


def _initial_state(problem: BandProblem, kernel: KernelOperator, start: Start | None) -> State:
    """Return the state at the feasible point nearest to ``start``, or to zero."""
    if start is None:
        if not problem.total:
            return State(engine_for(kernel, problem))
        start = Start(np.zeros(problem.n_samples))
    c = problem.feasible(start.c)
    if start.gradient is not None:
        change = c - start.c
        changed = np.flatnonzero(np.abs(change) > ROUNDING * np.abs(c).max(initial=0.0))
        engine = engine_for(kernel, problem, start.c.copy(), start.gradient.astype(np.float64))
        state = State(engine, start.moved)
        state.move(changed, c[changed])
        engine.put(np.arange(problem.n_samples), c)
        return state
    state = State(engine_for(kernel, problem, c))
    try:
        state.refresh()
    except Stop as stop:
        if stop.reason is Status.INTERRUPTED:
            raise
        # Without a state there would be nothing to return.
        with stop_when(None):
            state.refresh()
    return state
