"""Many band problems over one store of kernel rows, each started from a neighbouring solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bandsvm._certificate import N_SPOT_CHECKS, checked_gradient, measure
from bandsvm._fitting.settings import SolverSettings
from bandsvm._kernels import KernelOperator
from bandsvm._problem import Progress, Solution, Start, Status, after
from bandsvm._problem.band_problem import BandProblem
from bandsvm._solvers import solve
from bandsvm.model_selection._grid import Candidate

# Where estimates of rounding errors are below this share of tol, fewer checks suffice: they are to
# notice what no estimate can foresee.
SAFE_SHARE, N_CHECKS_WITHOUT_RISK = 0.01, 16


def scaled_start(
    solution: Solution, signs: NDArray, old: Candidate, new: Candidate
) -> Start | None:
    """Return the last solution scaled with the costs, or None if C1 and C2 scale differently.

    The gradient scales with the coefficients. A cost that bounds no coefficient is ignored.
    """
    lower, upper = new.C1 / old.C1, new.C2 / old.C2 if old.C2 > 0.0 else 1.0
    signed = signs * solution.c
    if lower == upper or not (signed < 0.0).any():
        factor = lower
    elif not (signed > 0.0).any():
        factor = upper
    else:
        return None
    return Start(factor * solution.c, factor * solution.f, factor * solution.moved)


def at_new_bounds(
    old: BandProblem, new: BandProblem, c: NDArray, decision: NDArray
) -> NDArray[np.float64]:
    """Return the coefficients of a solution, those at a bound moved to the new bound."""
    c = c.copy()
    if new.is_squared:  # the bounds are so wide that no coefficient reaches them
        return c
    # Zero is also a bound, for samples that lie outside the band at no cost.
    at_top = (c >= old.bounds.below) & ((c > 0.0) | (decision < old.lo))
    at_bottom = (c <= -old.bounds.above) & ((c < 0.0) | (decision > old.hi))
    c[at_top], c[at_bottom] = new.bounds.below[at_top], -new.bounds.above[at_bottom]
    return c


class CheckedRows:
    """Kernel rows shared by many problems, with spot checks of every solution's gradient.

    A gradient that is off by more than ``tol`` is recomputed. If that does not suffice, rows in
    double precision replace those in single precision for this and all later problems.
    """

    def __init__(self, rows: KernelOperator, solving: SolverSettings) -> None:
        self.rows = rows
        self._solving = solving

    def solve(
        self,
        start: Start | None,
        problem: BandProblem,
        *,
        polished: bool,
        callback: Callable[[Progress], object] | None = None,
    ) -> Solution:
        """Solve a problem to ``tol``; the status is no progress if that fails."""
        earlier: Solution | None = None
        while True:
            solution = solve(
                problem,
                self.rows,
                solver=self._solving.solver,
                tol=self._solving.tol,
                max_iter=self._solving.max_iter,
                start=start,
                polished=polished,
                callback=callback,
            )
            if earlier is not None:
                solution = after(earlier, solution)
            if solution.status.is_limit or self._is_accurate(problem, solution):
                return solution
            was_fresh = start is None or start.gradient is None
            if was_fresh and not self._upgrade_precision():
                return replace(solution, status=Status.NO_PROGRESS)
            start = Start(solution.c) if np.isfinite(solution.c).all() else None
            earlier = solution

    def _is_accurate(self, problem: BandProblem, solution: Solution) -> bool:
        """Return whether the gradient of a solution is accurate enough."""
        if solution.status is Status.NOT_FINITE:
            return False
        tol = self._solving.tol
        errors = self.rows.rounding_errors(solution.c, solution.moved)
        has_risk = not float(errors.max(initial=0.0)) <= SAFE_SHARE * tol
        # Two decision values that are off by tol could add as much to the violation.
        n_checks = N_SPOT_CHECKS if has_risk else N_CHECKS_WITHOUT_RISK
        checked = checked_gradient(problem, self.rows, solution, 3.0 * tol, n_checks)
        measured = measure(problem, solution.c, checked, 0.0)
        worst = measured.worst_violation(problem.has_intercept)
        return checked.drift <= tol and worst <= 3.0 * tol

    def _upgrade_precision(self) -> bool:
        """Switch to rows of higher precision; return whether there are any."""
        more_precise = self.rows.more_precise()
        if more_precise is None:
            return False
        self.rows = more_precise
        return True
