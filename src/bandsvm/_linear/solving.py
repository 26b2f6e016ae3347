"""The one loop that drives all solvers: it evaluates, counts, reports, limits and stops."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bandsvm._linear.executor import Executor, Method
from bandsvm._linear.few_samples import SMALL
from bandsvm._linear.interior_point import InteriorPoint
from bandsvm._linear.point import Point, Start
from bandsvm._linear.solver_choice import (
    AT_ONCE,
    CD_THEN_NEWTON,
    at_once,
    descent_then_newton,
)
from bandsvm._problem import Status
from bandsvm._system.stopping import Stop, check_stop, stop_when

# What is aimed at, so that rounding does not keep the certificate from ``tol``.
GAP_AIM = 0.9
# What is aimed at with few samples: as far as rounding allows. Points whose samples lie exactly on
# their edges are as good from a gap on that rounding explains; they are looked for from an estimate
# of this size on.
EXACT, EXPLAINED_BY_ROUNDING, WORTH_EXACTNESS = 1e-15, 1e-13, 1e-4
# What all steps at once reach where K is far from singular; elsewhere another method goes on.
EXACT_OF_FEW = 1e-11
# Factor by which the gap of points that are evaluated must fall while a method has patience.
MIN_FALL = 0.5


LINEAR_METHODS: dict[str, Callable[[Any, Start | None], Method]] = {
    "newton": InteriorPoint,
    "cd": lambda executor, start: executor.descent(start),
    CD_THEN_NEWTON: descent_then_newton,
    AT_ONCE: at_once,
}


def available_linear_solvers() -> tuple[str, ...]:
    """Return the names that ``solver=`` of a linear model accepts besides "auto"."""
    return tuple(name for name in LINEAR_METHODS if name.isalpha())


@dataclass(frozen=True)
class LinearProgress:
    """Where a solve stands: after how many steps, how far from optimal, after how long."""

    n_iter: int
    relative_gap: float
    tol: float
    seconds: float


@dataclass(frozen=True)
class LinearSolution:
    """The end of a solve: the best point, which solver came there, why it ended, what it cost.

    There is no solver where a solve was stopped before its first step.
    """

    point: Point
    solver: str | None
    status: Status
    n_iter: int
    seconds: float


class LinearSolve:
    """One problem on its way to a relative duality gap of ``tol``.

    ``callback`` is called at the start and after every step; a status that it returns ends the
    solve.
    """

    def __init__(
        self,
        executor: Executor,
        tol: float,
        max_iter: int,
        callback: Callable[[LinearProgress], Status | None],
    ) -> None:
        self._executor = executor
        self._tol, self._max_iter, self._callback = tol, max_iter, callback
        self._is_small, self._is_exact = executor.n_samples <= SMALL, False
        self._aim = min(EXACT, GAP_AIM * tol) if self._is_small else GAP_AIM * tol
        self._best = executor.origin()
        self._n_iter, self._is_evaluated, self._is_finite = 0, True, True
        self._fell_at, self._gap_then = 0, np.inf

    def solution(self, method_name: str, start: Start | None) -> LinearSolution:
        """Solve the problem by one of `LINEAR_METHODS`, from a model or from nothing."""
        began = time.perf_counter()
        if self._is_small:
            start = None  # the last digits would tell
        method: Method | None = None
        try:
            if start is not None and start.c is not None:
                self._keep(start.c)
            # What is not finite is noticed by its outcome.
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                method = LINEAR_METHODS[method_name](self._executor, start)
                status = self._drive(method, began)
        except Stop as stop:
            status = Status.CONVERGED if self._has_converged else stop.reason
        if method is not None and not self._is_evaluated:
            with stop_when(None):
                self._evaluate(method)
        if not self._is_finite:
            status = Status.NOT_FINITE
        name = None if method is None else method.name
        return LinearSolution(self._best, name, status, self._n_iter, time.perf_counter() - began)

    def _drive(self, method: Method, began: float) -> Status:
        """Let a method take its steps; return why they ended."""
        for estimate, is_promising in method.steps(self._aim, self._max_iter):
            self._n_iter, self._is_evaluated = method.n_iter, False
            if is_promising:
                self._evaluate(method)
            elif estimate <= WORTH_EXACTNESS:
                self._try_exactly(next(method.candidates()))
            reached = self._best.relative_gap if self._is_evaluated else estimate
            seconds = time.perf_counter() - began
            reason = self._callback(LinearProgress(self._n_iter, reached, self._tol, seconds))
            if self._has_arrived:
                break
            if not (self._is_finite and np.isfinite(reached)):
                return Status.NOT_FINITE
            check_stop()
            if reason is not None:
                raise Stop(reason)
            if self._n_iter >= self._max_iter:
                return Status.CONVERGED if self._has_converged else Status.ITERATION_LIMIT
            if self._is_stuck(method):
                break
        return Status.CONVERGED if self._has_converged else Status.NO_PROGRESS

    @property
    def _has_arrived(self) -> bool:
        return self._best.relative_gap <= self._aim or self._is_exact

    @property
    def _has_converged(self) -> bool:
        return self._best.relative_gap <= GAP_AIM * self._tol

    def _evaluate(self, method: Method) -> None:
        """Compute the models that a method proposes until one is good enough; keep the best."""
        for c in method.candidates():
            self._try_exactly(c)
            if not self._is_exact:
                self._keep(c)
                self._is_exact = method.is_exact and self._best.relative_gap <= EXACT_OF_FEW
            if self._has_arrived:
                break
        self._is_evaluated = True

    def _try_exactly(self, c: Any) -> None:
        """Keep the model whose samples on edges are those of a dual point, if that is optimal."""
        if not self._is_small or (exact := self._executor.exact(c)) is None:
            return
        point = self._executor.point(exact)
        if point.relative_gap <= min(EXPLAINED_BY_ROUNDING, GAP_AIM * self._tol):
            self._best, self._is_exact, self._is_evaluated = point, True, True

    def _keep(self, c: Any) -> None:
        """Keep the model of a dual point if it is the best so far."""
        point = self._executor.point(c)
        self._is_finite &= bool(np.isfinite(point.relative_gap))
        if point.relative_gap < self._best.relative_gap:
            self._best = point

    def _is_stuck(self, method: Method) -> bool:
        """Return whether points that are evaluated have not come closer to the optimum for long."""
        if self._best.relative_gap <= MIN_FALL * self._gap_then:
            self._fell_at, self._gap_then = self._n_iter, self._best.relative_gap
        elif method.is_steady and not self._is_evaluated:
            self._fell_at = self._n_iter
        may_give_up = method.is_steady or self._has_converged
        return may_give_up and self._n_iter - self._fell_at >= method.patience
