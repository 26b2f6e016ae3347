"""The run of a fit with a kernel: problems are solved and certified."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._certificate import Certificate
from bandsvm._fitting.outcomes import Outcome, Outcomes, certified
from bandsvm._fitting.rows import ProblemRows
from bandsvm._fitting.run import FitRun, Observer
from bandsvm._fitting.settings import FitSettings
from bandsvm._fitting.small_problems import SmallResults, solve_small_problems
from bandsvm._fitting.training import Training
from bandsvm._kernels import KernelOperator
from bandsvm._problem import Progress, Solution, Start, Status, after
from bandsvm._solvers import solve
from bandsvm._system.stopping import Stop, check_stop, stop_when
from bandsvm._system.threads import results_in_threads, single_threaded_blas

# Share of ``tol`` that a solver aims at if its rows are in single precision.
COARSE_AIM = 0.8
# Where rounding errors leave less of ``tol`` than the solver aimed at, it aims at this share of
# what they leave, unless that is less than the second share of ``tol``: steps in single precision
# are cheaper than decision values in double precision, but not if they must be many.
CLOSER_AIM, MIN_AIM = 0.9, 0.1


def aim_at(tol: float, rows: KernelOperator) -> float:
    """Return the violation that a solver aims at; rounding errors of coarse rows add to it."""
    return COARSE_AIM * tol if rows.is_coarse else tol


def closer_aim(certificate: Certificate) -> float | None:
    """Return a violation at which rounding errors do not matter; None if that is no way out.

    A solver that continues from recomputed decision values sees the certificate's violation; what
    it does not see is the uncertainty.
    """
    aim = CLOSER_AIM * (certificate.tol - certificate.uncertainty)
    is_way_out = MIN_AIM * certificate.tol <= aim < certificate.kkt_violation
    return aim if certificate.status is Status.CONVERGED and is_way_out else None


class KernelRun(FitRun):
    """Solves the problems of a training set, each from given coefficients or from zero.

    ``assemble`` returns a fitted estimator for outcomes.
    """

    progress: Progress
    _lent: KernelOperator  # to the problem whose step it is

    def __init__(
        self,
        settings: FitSettings,
        training: Training,
        X: Any,
        rows: ProblemRows,
        starts: list[NDArray | None],
        observers: Sequence[Observer[KernelRun]],
        assemble: Callable[[Outcomes], Any],
    ) -> None:
        super().__init__(observers)
        self.settings, self.training, self._X, self._rows = settings, training, X, rows
        self._starts, self._assemble = starts, assemble
        self._outcomes: dict[int, Outcome] = {}
        self._reached: dict[int, Solution] = {}  # by problems without an outcome
        self._earlier: dict[int, Solution] = {}  # with less precise rows, or a larger aim
        self._closer_aims: dict[int, float] = {}  # of problems that continue with the same rows
        self._has_steps = self._has_others = False

    @property
    def titles(self) -> list[str]:
        """A title for each problem."""
        return self.training.targets.titles

    def run(self) -> Outcomes:
        """Return the outcomes of all problems.

        Small ones are solved together, unless observers watch their steps. If the precision of the
        rows of others does not suffice for ``tol``, problems are solved better, as far as that
        helps, or else more precise rows continue.
        """
        indices = unsolved = list(range(len(self._starts)))
        if not any(observer.watches_steps for observer in self._observers):
            small = solve_small_problems(self.settings, self._X, self.training, self._starts)
            if small is not None and small.is_complete:
                return small.outcomes()
            unsolved = indices if small is None else self._take_over(small)
        with single_threaded_blas():
            self._solve_to_tol(indices, unsolved)
        return Outcomes.of([self._outcomes[index] for index in indices])

    def _solve_to_tol(self, indices: list[int], unsolved: list[int]) -> None:
        """Solve what is unsolved, and whatever falls short, as far as that helps."""
        has_aimed_closer = False
        while unsolved:
            self._solve_all(unsolved)
            short = [k for k in indices if self._outcomes[k].falls_short]
            aimable = [] if has_aimed_closer else short
            aims = {k: closer_aim(self._outcomes[k].certificate) for k in aimable}
            self._closer_aims = {k: aim for k, aim in aims.items() if aim is not None}
            has_aimed_closer = True
            unsolved = list(self._closer_aims) or (
                self._rows.upgrade_precision(short) if short else []
            )
            self._earlier = {index: self._outcomes.pop(index).solution for index in unsolved}
            self._reached.update(self._earlier)

    def _take_over(self, small: SmallResults) -> list[int]:
        """Keep what small problems have reached, certify it, and return what is unsolved."""
        self._outcomes = dict(small.certified())
        self._reached = dict(small.reached())
        self._has_steps = bool(self._outcomes or self._reached)
        solved = [k for k, at in self._reached.items() if at.status is Status.CONVERGED]
        for k in solved:
            self._outcomes[k] = self._certified(k, self._rows.of(k), self._reached.pop(k))
        self._earlier = self._reached.copy()
        for k in [k for k, outcome in self._outcomes.items() if outcome.falls_short]:
            del self._outcomes[k]
        return [k for k in range(len(self._starts)) if k not in self._outcomes]

    @property
    def distance(self) -> float:
        """The violation of the optimality conditions."""
        return self.progress.violation

    def describe(self) -> str:
        """Return a line on the current state."""
        progress, (n_lower, n_upper) = self.progress, self.n_support()
        return (
            f"step {progress.n_iter}: violation {progress.violation:.2e} (tol {progress.tol:.0e}), "
            f"{n_lower} + {n_upper} support vectors (lower + upper edge), "
            f"{progress.n_kernel_rows} kernel rows, {progress.n_pair_steps} pair steps, "
            f"{progress.seconds:.1f} s"
        )

    def figures(self) -> str:
        """Return the most important figures of that line, for a bar."""
        progress, n_support = self.progress, sum(self.n_support())
        return f"violation {progress.violation:.1e}, tol {progress.tol:.0e}, {n_support} SVs"

    def n_support(self) -> tuple[int, int]:
        """Return the current numbers of support vectors at the lower and at the upper edge."""
        own = self.training.problems.slices[self.index]
        signed = self.training.sides[own] * self.progress.c
        return int(np.count_nonzero(signed > 0.0)), int(np.count_nonzero(signed < 0.0))

    def model(self) -> Any:
        """Return an estimator fitted to the current state; later problems are at their starts."""
        self._note_progress()
        indices = range(len(self._starts))
        outcomes = [self._outcomes.get(k) or self._standing(k) for k in indices]
        return self._assemble(Outcomes.of(outcomes))

    def _standing(self, index: int) -> Outcome:
        """Return the outcome of a problem if it ended now."""
        # Rows that are lent to another problem may be in use.
        rows = (self._lent if index == self.index else self._rows.of(index)).separate_view()
        reached = self._reached.get(index) or self._at_start(index, rows)
        return self._certified(index, rows, reached)

    def _at_start(self, index: int, rows: KernelOperator) -> Solution:
        """Return the starting point of a problem, even if work must end."""
        problem, start = self.training.problems[index], self._starts[index]
        with stop_when(None):
            return solve(problem, rows, max_iter=0, start=None if start is None else Start(start))

    def _certified(self, index: int, rows: KernelOperator, solution: Solution) -> Outcome:
        """Certify a solution."""
        with self._rows.certifying:
            problem, tol = self.training.problems[index], self.settings.solving.tol
            return certified(problem, rows, solution, tol)

    def _solve_all(self, indices: list[int]) -> None:
        """Solve and certify problems; at the same time if observers, threads and memory allow."""
        interleaved = all(observer.may_interleave for observer in self._observers)
        n_at_once = self._rows.prepare(len(indices), len(indices) if interleaved else 1)
        self._has_others = n_at_once > 1
        jobs = [partial(self._solve, index) for index in indices]
        # Others end before they are waited for.
        with closing(results_in_threads(jobs, n_at_once)) as results, self._ending_others():
            for advice in results:
                if advice:
                    raise ValueError(advice)

    def _solve(self, index: int) -> str | None:
        """Solve and certify a problem; return advice if it has no solution.

        It is not raised here: of several such problems, the first one is reported.
        """
        with self._ending_others(), single_threaded_blas(), self._rows.lend(index) as rows:
            if index not in self._earlier:
                self._begin(index)
            solution = self._solution(index, rows)
            advice = self._advice(index, solution.status)
            if advice is None:
                outcome = self._certified(index, rows, solution)
                with self._turn:
                    self._outcomes[index] = outcome
                    self._reached.pop(index, None)
            return advice

    def _solution(self, index: int, rows: KernelOperator) -> Solution:
        """Return the solution of a problem, or what it has if work must end."""
        solving, earlier = self.settings.solving, self._earlier.get(index)
        aim = self._closer_aims.get(index)
        try:
            if earlier is not None:
                check_stop()  # decision values of a start may take long
            solution = solve(
                self.training.problems[index],
                rows,
                solver=solving.solver,
                tol=aim_at(solving.tol, rows) if aim is None else aim,
                max_iter=solving.max_iter - (0 if earlier is None else earlier.n_iter),
                start=self._start(index, keeps_gradient=aim is not None),
                callback=partial(self._observe, index, rows),
            )
        except Stop as stop:
            if not self._has_steps:
                raise
            # Without an outcome of every problem, those of the others would be lost.
            reached = self._reached.get(index) or self._at_start(index, rows)
            return replace(reached, status=stop.reason)
        return solution if earlier is None else after(earlier, solution)

    def _start(self, index: int, keeps_gradient: bool) -> Start | None:
        """Return where a problem starts: at its earlier solution, or where it was told to."""
        if (earlier := self._earlier.get(index)) is not None:
            return Start.at(earlier) if keeps_gradient else Start(earlier.c)
        start = self._starts[index]
        return None if start is None else Start(start)

    def _advice(self, index: int, status: Status) -> str | None:
        """Return what to tell the user if a problem has no solution."""
        band, kernel = self.settings.band, self.settings.kernel.kernel
        if status is Status.NOT_FINITE:
            costs = " and ".join(f"{name}={value!r}" for name, value in band.costs.items())
            return (
                f"The decision values overflow with kernel={kernel!r}, {costs}; scale X or lower "
                f"{' and '.join(band.costs)}."
            )
        if status is Status.NOT_SEPARABLE:
            title = self.titles[index].rstrip(":")
            return (
                f"C1=inf allows no sample below its band, but the classes cannot be separated that "
                f"way with kernel={kernel!r}{f' ({title})' if title else ''}; set a "
                f"finite C1, got C1={band.C1!r}."
            )
        return None

    def _observe(self, index: int, rows: KernelOperator, progress: Progress) -> Status | None:
        """Call all observers after a step; return the first reason to end."""
        with self._turn:
            self._lent, earlier = rows, self._earlier.get(index)
            reason = self._step(index, progress if earlier is None else after(earlier, progress))
            del self._lent  # as `progress`, it would keep rows in memory
            return reason

    def _before_observers(self) -> None:
        self._has_steps = True
        if self._has_others and self.progress.is_current:
            self._note_progress()  # another problem may ask for the model

    def _note_progress(self) -> None:
        """Keep the point that the current problem has reached."""
        at = self.progress
        spent = at.n_iter, at.n_pair_steps, at.n_kernel_rows, at.seconds
        here = Solution(at.c.copy(), at.f.copy(), Status.INTERRUPTED, *spent, at.moved)
        self._reached[self.index] = here
