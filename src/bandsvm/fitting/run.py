"""The run of a fit: one problem after the other, with observers that may end it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm.certificate import Certificate, certify, choose_intercept
from bandsvm.fitting.rows import ProblemRows
from bandsvm.fitting.settings import FitSettings
from bandsvm.fitting.training import Training
from bandsvm.kernels import KernelOperator
from bandsvm.problem import BandProblem
from bandsvm.solvers import Progress, Solution, Status, after, solve
from bandsvm.system.stopping import Stop, stop_when
from bandsvm.system.threads import in_threads, single_threaded_blas

# Share of ``tol`` that a solver aims at if its rows are in single precision.
COARSE_AIM = 0.8


def aim_at(tol: float, rows: KernelOperator) -> float:
    """Return the violation that a solver aims at; rounding errors of coarse rows add to it."""
    return COARSE_AIM * tol if rows.is_coarse else tol


# Spot checks of a certificate if work must end at once.
FEWEST_SPOT_CHECKS = 4


class Outcome(NamedTuple):
    """Solution, intercept and certificate of one problem."""

    solution: Solution
    intercept: float
    certificate: Certificate

    @property
    def decision(self) -> NDArray[np.float64]:
        """Decision values of the training samples."""
        return self.solution.f + self.intercept


def judge(problem: BandProblem, rows: KernelOperator, solution: Solution, tol: float) -> Outcome:
    """Choose the intercept of a solution and certify it; with fewer spot checks if time is up."""
    intercept = choose_intercept(problem, solution.c, solution.f)
    try:
        certificate = certify(problem, rows, solution, intercept, tol)
    except Stop:
        with stop_when(None):
            certificate = certify(problem, rows, solution, intercept, tol, FEWEST_SPOT_CHECKS)
    return Outcome(solution, intercept, certificate)


class Observer:
    """Watches a fit: a context around it that is called for every problem and every step."""

    # Whether it has `begin` and `step`, so that problems must be solved one after the other.
    watches_steps = True

    def __enter__(self) -> Observer:
        """Start, before anything is computed."""
        return self

    def __exit__(self, *error: object) -> None:
        """Clean up, whether or not the fit succeeded."""

    def begin(self, run: FitRun) -> None:
        """Called before problem ``run.index``."""

    def step(self, run: FitRun) -> Status | None:
        """Called after a step, see ``run.progress``; returning a status ends the fit with it."""
        return None


class FitRun:
    """Solves the problems of a training set.

    Parameters
    ----------
    settings : FitSettings
        How to solve.
    training : Training
        The problems to solve.
    rows : ProblemRows
        Kernel rows of the problems.
    starts : list of ndarray or None
        Coefficients from which each problem starts.
    observers : sequence of Observer
        Called for every problem and every step.
    assemble : callable
        Returns a fitted estimator for outcomes.
    """

    progress: Progress

    def __init__(
        self,
        settings: FitSettings,
        training: Training,
        rows: ProblemRows,
        starts: list[NDArray | None],
        observers: Sequence[Observer],
        assemble: Callable[[list[Outcome]], Any],
    ) -> None:
        self.settings, self.training = settings, training
        self.index = 0
        self._rows = rows
        self._starts, self._observers, self._assemble = starts, observers, assemble
        self._outcomes: list[Outcome] = []
        self._earlier: Solution | None = None  # with less precise rows

    def run(self) -> list[Outcome]:
        """Return the outcomes of all problems.

        If the precision of the rows does not suffice for ``tol``, more precise rows continue.
        """
        problems = range(len(self._starts))
        is_watched = any(observer.watches_steps for observer in self._observers)
        if not is_watched and self._rows.n_at_once > 1:
            rows = self._rows.for_threads()
            jobs = [partial(self._outcome_alone, k, rows) for k in problems]
            return in_threads(jobs, self._rows.n_at_once)
        for index in problems:
            self._outcomes.append(self._outcome(index))
        return self._outcomes

    def _outcome_alone(self, index: int, rows: ProblemRows) -> Outcome:
        """Return the outcome of a problem while other threads solve others."""
        settings, training = self.settings, self.training
        run = FitRun(settings, training, rows.aside(), self._starts, [], self._assemble)
        with single_threaded_blas():
            return run._outcome(index)

    def _outcome(self, index: int) -> Outcome:
        """Return the outcome of a problem."""
        self.index = index
        for observer in self._observers:
            observer.begin(self)
        self._earlier = None
        outcome = self._solve(self._starts[index])
        limited = outcome.solution.status.is_limit
        falls_short = not (limited or outcome.certificate.is_optimal)
        if falls_short and self._rows.more_precise():
            self._earlier = outcome.solution
            outcome = self._solve(outcome.solution.c)
        return outcome

    def n_support(self) -> tuple[int, int]:
        """Return the current numbers of support vectors at the lower and at the upper edge."""
        members = self.training.members[self.index]
        signed = self.training.signs[self.index, members] * self.progress.c
        return int(np.count_nonzero(signed > 0.0)), int(np.count_nonzero(signed < 0.0))

    def model(self) -> Any:
        """Return an estimator fitted to the current state; later problems are at their starts."""
        progress = self.progress
        now = Solution(
            c=progress.c.copy(),
            f=progress.f.copy(),
            status=Status.INTERRUPTED,
            n_iter=progress.n_iter,
            n_pair_steps=progress.n_pair_steps,
            n_kernel_rows=progress.n_kernel_rows,
            seconds=progress.seconds,
        )
        tol, index = self.settings.solving.tol, self.index
        rows = self._rows.of(index)
        outcomes = [*self._outcomes, judge(self.training.problems[index], rows, now, tol)]
        later = self._rows.aside()
        for index in range(len(outcomes), len(self._starts)):
            problem, rows = self.training.problems[index], later.of(index)
            untouched = solve(problem, rows, max_iter=0, start=self._starts[index])
            outcomes.append(judge(problem, rows, untouched, tol))
        return self._assemble(outcomes)

    def _solve(self, start: NDArray | None) -> Outcome:
        """Solve and certify the current problem."""
        settings, problem = self.settings, self.training.problems[self.index]
        band, kernel, solving = settings.band, settings.kernel.kernel, settings.solving
        n_before = 0 if self._earlier is None else self._earlier.n_iter
        rows = self._rows.of(self.index)
        solution = solve(
            problem,
            rows,
            solver=solving.solver,
            tol=aim_at(solving.tol, rows),
            max_iter=solving.max_iter - n_before,
            start=start,
            callback=self._observe,
        )
        if self._earlier is not None:
            solution = after(self._earlier, solution)
        if solution.status is Status.NOT_FINITE:
            raise ValueError(
                f"The decision values overflow with kernel={kernel!r}, "
                f"C1={band.C1!r} and C2={band.C2!r}; scale X or lower C1 and C2."
            )
        if solution.status is Status.NOT_SEPARABLE:
            title = self.training.titles[self.index].rstrip(":")
            raise ValueError(
                f"C1=inf allows no sample below its band, but the classes cannot be separated that "
                f"way with kernel={kernel!r}{f' ({title})' if title else ''}; set a "
                f"finite C1, got C1={band.C1!r}."
            )
        return judge(problem, rows, solution, solving.tol)

    def _observe(self, progress: Progress) -> Status | None:
        """Call all observers after a step; return the first reason to end."""
        self.progress = progress if self._earlier is None else after(self._earlier, progress)
        reasons = [observer.step(self) for observer in self._observers]
        return next((reason for reason in reasons if reason is not None), None)
