"""What the problems of a fit end with: solutions, intercepts and certificates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm._certificate import (
    Certificate,
    all_in_units,
    certificate_of,
    checked_gradient,
    choose_intercept,
)
from bandsvm._kernels import KernelOperator
from bandsvm._problem import Solution
from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.band_problems import stacked
from bandsvm._problem.units import PLAIN, DecisionUnits
from bandsvm._system.stopping import Stop, stop_when

# Spot checks of a certificate if work must end at once.
MIN_SPOT_CHECKS = 4
# Where the largest coefficient is smaller, others lose digits that count: those of samples whose
# kernel values are as much larger than others as their coefficients are smaller.
MIN_WITH_DIGITS = 1e-290


class Outcome(NamedTuple):
    """Solution, intercept and certificate of one problem.

    Decision values that the certificate recomputed have replaced those of the solver.
    """

    solution: Solution
    intercept: float
    certificate: Certificate

    @property
    def decision(self) -> NDArray[np.float64]:
        """Decision values of the training samples."""
        return self.solution.f + self.intercept

    @property
    def falls_short(self) -> bool:
        """Whether the problem was solved, but not to ``tol``."""
        return not (self.solution.status.is_limit or self.certificate.is_optimal)


@dataclass(frozen=True)
class Outcomes:
    """The outcomes of all problems, in solvers' units; arrays hold one after the other."""

    c: NDArray[np.float64]
    decision: NDArray[np.float64]  # decision values of each problem's own samples
    intercepts: NDArray[np.float64]  # (n_problems,)
    certificates: Sequence[Certificate]
    n_iter: int  # outer steps of all problems

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Outcomes:
        """Return the outcomes of single problems together."""
        return cls(
            stacked([outcome.solution.c for outcome in outcomes]),
            stacked([outcome.decision for outcome in outcomes]),
            np.array([outcome.intercept for outcome in outcomes]),
            [outcome.certificate for outcome in outcomes],
            sum(outcome.solution.n_iter for outcome in outcomes),
        )

    def in_units(
        self, units: DecisionUnits
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], Sequence[Certificate]]:
        """Return coefficients, intercepts and certificates in the user's units."""
        if units is PLAIN:
            return self.c, self.intercepts, self.certificates
        self._check_range(units)
        certificates = all_in_units(self.certificates, units)
        return units.differences(self.c), units.values(self.intercepts), certificates

    def _check_range(self, units: DecisionUnits) -> None:
        """Refuse units in which float64 has no digits left for a model's numbers."""
        largest, *others = (
            float(np.abs(values).max(initial=0.0))
            for values in (self.c, self.intercepts, self.decision)
        )
        may_lose_digits = units.size < 1.0 and largest > 0.0
        has_digits = not may_lose_digits or units.size * largest >= MIN_WITH_DIGITS
        if not (has_digits and np.isfinite(units.size * max(largest, *others) + abs(units.origin))):
            raise ValueError(
                "Fitted coefficients or decision values are too small or too large for float64, in "
                f"units of {units.size:.1g}; scale y or, where there are no targets, X."
            )


def certified(
    problem: BandProblem, rows: KernelOperator, solution: Solution, tol: float
) -> Outcome:
    """Choose the intercept of a solution and certify it; with fewer spot checks if time is up."""
    try:
        checked = checked_gradient(problem, rows, solution, tol)
    except Stop:
        with stop_when(None):
            checked = checked_gradient(problem, rows, solution, tol, MIN_SPOT_CHECKS)
    solution = replace(solution, f=checked.f)
    intercept = choose_intercept(problem, solution.c, solution.f)
    certificate = certificate_of(problem, solution, checked, intercept, tol)
    return Outcome(solution, intercept, certificate)
