"""The one loop that drives both solvers: it judges, counts, reports, limits and stops."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bandsvm.linear.coordinate_descent import CoordinateDescent
from bandsvm.linear.interior_point import InteriorPoint
from bandsvm.linear.point import Point, Start, origin, point_of
from bandsvm.linear.samples import LinearSamples
from bandsvm.problem import BandProblem
from bandsvm.solvers import Status
from bandsvm.system.stopping import Stop, check_stop, stop_when

# Points are judged once a solver expects to be this many times ``tol`` from the optimum.
NEARLY = 10.0
# What is aimed at, so that rounding does not keep the certificate from ``tol``.
GAP_AIM = 0.9
# Problems of so few samples end exactly, as far as rounding allows, so that results depend neither
# on ``tol`` nor on the order of samples.
SMALL, EXACT = 1000, 1e-15
# From models of a larger relative gap, interior points take more steps than from nothing.
FAR = 1e-3
# Factor by which the gap of points that are judged must fall while a method has patience.
LEAST_FALL = 0.5


class Method(Protocol):
    """A solver on its way.

    Attributes
    ----------
    patience : int
        Steps without visible progress after which rounding errors are what is left.
    is_steady : bool
        Whether that holds far from the optimum, too: a method of slow steps only seems to stand
        still there.
    """

    patience: int
    is_steady: bool

    def steps(self) -> Iterator[float]:
        """Yield an estimate of the relative gap at the start and after every step."""

    def candidates(self) -> Iterator[NDArray[np.float64]]:
        """Yield dual points to judge the iterate by, the preferred one first."""


_METHODS: dict[str, Callable[[BandProblem, LinearSamples, Start | None], Method]] = {
    "newton": InteriorPoint,
    "cd": CoordinateDescent,
}


def available_linear_solvers() -> tuple[str, ...]:
    """Return the names that ``solver=`` of a linear model accepts besides "auto"."""
    return tuple(_METHODS)


@dataclass(frozen=True)
class LinearProgress:
    """Where a solve stands: after how many steps, how far from optimal, after how long."""

    n_iter: int
    relative_gap: float
    seconds: float


@dataclass(frozen=True)
class LinearSolution:
    """The end of a solve: the best point, why it ended, and what it cost."""

    point: Point
    status: Status
    n_iter: int
    seconds: float


class LinearSolve:
    """One problem on its way to a relative duality gap of ``tol``.

    Parameters
    ----------
    problem : BandProblem
        What to solve.
    samples : LinearSamples
        The samples.
    tol : float
        The relative gap that is asked for.
    max_iter : int
        Largest number of steps.
    callback : callable
        Called with a `LinearProgress` at the start and after every step.
    """

    def __init__(
        self,
        problem: BandProblem,
        samples: LinearSamples,
        tol: float,
        max_iter: int,
        callback: Callable[[LinearProgress], None],
    ) -> None:
        self._problem, self._samples = problem, samples
        self._tol, self._max_iter, self._callback = tol, max_iter, callback
        self._aim = min(EXACT, GAP_AIM * tol) if problem.n_samples <= SMALL else GAP_AIM * tol
        self._best = origin(problem, samples)
        self._n_iter, self._is_judged, self._is_finite = 0, True, True
        self._fell_at, self._gap_then = 0, np.inf

    def solution(self, solver: str, start: Start | None) -> LinearSolution:
        """Solve the problem from a model, or from nothing."""
        began = time.perf_counter()
        if self._problem.n_samples <= SMALL:
            start = None  # the last digits would tell
        method = None
        try:
            if start is not None and start.c is not None:
                self._keep(start.c)
            if solver == "newton" and start is not None and start.gap > FAR:
                start = None
            method = _METHODS[solver](self._problem, self._samples, start)
            status = self._drive(method, began)
        except Stop as stop:
            status = Status.CONVERGED if self._has_converged else stop.reason
        if method is not None and not self._is_judged:
            with stop_when(None):
                self._judge(method)
        if not self._is_finite:
            status = Status.NOT_FINITE
        return LinearSolution(self._best, status, self._n_iter, time.perf_counter() - began)

    def _drive(self, method: Method, began: float) -> Status:
        """Let a method take its steps; return why they ended."""
        for self._n_iter, estimate in enumerate(method.steps()):
            self._is_judged = False
            if estimate <= NEARLY * self._tol:
                self._judge(method)
            reached = self._best.relative_gap if self._is_judged else estimate
            self._callback(LinearProgress(self._n_iter, reached, time.perf_counter() - began))
            if self._best.relative_gap <= self._aim:
                break
            if not (self._is_finite and np.isfinite(reached)):
                return Status.NOT_FINITE
            check_stop()
            if self._n_iter >= self._max_iter:
                return Status.CONVERGED if self._has_converged else Status.ITERATION_LIMIT
            if self._is_stuck(method):
                break
        return Status.CONVERGED if self._has_converged else Status.NO_PROGRESS

    @property
    def _has_converged(self) -> bool:
        return self._best.relative_gap <= GAP_AIM * self._tol

    def _judge(self, method: Method) -> None:
        """Compute the models that a method proposes until one is good enough; keep the best."""
        for c in method.candidates():
            self._keep(c)
            if self._best.relative_gap <= self._aim:
                break
        self._is_judged = True

    def _keep(self, c: NDArray) -> None:
        """Keep the model of a dual point if it is the best so far."""
        point = point_of(self._problem, self._samples, c)
        self._is_finite &= bool(np.isfinite(point.relative_gap))
        if point.relative_gap < self._best.relative_gap:
            self._best = point

    def _is_stuck(self, method: Method) -> bool:
        """Return whether points that are judged have not come closer to the optimum for long."""
        if self._best.relative_gap <= LEAST_FALL * self._gap_then:
            self._fell_at, self._gap_then = self._n_iter, self._best.relative_gap
        elif method.is_steady and not self._is_judged:
            self._fell_at = self._n_iter
        may_give_up = method.is_steady or self._has_converged
        return may_give_up and self._n_iter - self._fell_at >= method.patience
