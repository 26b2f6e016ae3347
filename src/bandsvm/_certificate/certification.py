"""Certify a solution: check its gradient, measure how optimal it is, and sum that up."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._certificate.certificate import Certificate, share_of
from bandsvm._certificate.gradient import N_SPOT_CHECKS, CheckedGradient, checked_gradient
from bandsvm._certificate.values import (
    Larger,
    priced_bands,
    violation_of,
    with_finite_costs,
)
from bandsvm._kernels import KernelOperator
from bandsvm._problem import Solution
from bandsvm._problem.band_problem import BandProblem

# Rounding errors of many samples are not all at their bounds; the gap counts so much of them, which
# is twice their root mean square.
SHARE_IN_SUMS = 0.25

# Values of `Measured` that add up over parts of a problem.
N_SUMS = 5


def certify(
    problem: BandProblem,
    rows: KernelOperator,
    solution: Solution,
    intercept: float,
    tol: float,
    n_checks: int | None = N_SPOT_CHECKS,
    gap_tol: float = math.inf,
) -> Certificate:
    """Certify a solution.

    Parameters
    ----------
    problem : BandProblem
        The problem that was solved.
    rows : KernelOperator
        Kernel rows from which to recompute the gradient.
    solution : Solution
        The solution that a solver returned.
    intercept : float
        The intercept of the model.
    tol : float
        The largest violation that counts as optimal.
    n_checks : int or None, default=128
        Number of samples at which the gradient is recomputed in any case; see `checked_gradient`.
        None: all.
    gap_tol : float, default=inf
        The largest relative gap that counts as optimal.

    Returns
    -------
    Certificate
        Primal and dual value, gap, violation and so on.
    """
    checked = checked_gradient(problem, rows, solution, tol, n_checks)
    return certificate_of(problem, solution, checked, intercept, tol, gap_tol)


def certificate_of(
    problem: BandProblem,
    solution: Solution,
    checked: CheckedGradient,
    intercept: float,
    tol: float,
    gap_tol: float = math.inf,
) -> Certificate:
    """Certify a solution whose gradient was checked; see `certify`."""
    return assemble(
        measure(problem, solution.c, checked, intercept),
        solution,
        intercept,
        problem.has_intercept,
        gradient_drift=checked.drift,
        n_checked=checked.n_checked,
        tol=tol,
        gap_tol=gap_tol,
    )


class Measured(NamedTuple):
    """What a certificate is made of.

    Of parts of a problem, the first `N_SUMS` add up; of the others, the largest counts.
    """

    primal: float
    dual: float
    gap: float
    excess: float
    total_size: float
    outside: float
    lower: float
    minus_upper: float
    lower_with_errors: float
    minus_upper_with_errors: float
    minus_least_value: float
    largest_value: float

    def worst_violation(self, has_intercept: bool) -> float:
        """Return the largest violation that errors leave open, with the best intercept."""
        rise, fall = self.lower_with_errors, self.minus_upper_with_errors
        return rise + fall if has_intercept else max(rise, fall, 0.0)


def measure(
    problem: BandProblem, c: NDArray, checked: CheckedGradient, intercept: float
) -> Measured:
    """Return objectives, gap, how far the sum of ``c`` is off, and the limits of the intercept.

    What rounding errors of decision values may add to the gap is part of it and of the primal
    value. Limits are those of the decision values, and the narrowest that errors leave open.
    """
    bands = priced_bands(problem, with_finite_costs(problem, c))
    return measured_of(
        *_core.measure_optimality(bands, c, checked.f, intercept, checked.errors, SHARE_IN_SUMS)
    )


def measured_of(
    primal: float,
    dual: float,
    gap: float,
    gap_with_errors: float,
    product_error: float,
    excess: float,
    size: float,
    outside: float,
    lower: float,
    upper: float,
    lower_with_errors: float,
    upper_with_errors: float,
    least: float,
    largest: float,
) -> Measured:
    """Return what compiled functions have measured."""
    # Both values hold c'Kc / 2.
    return Measured(
        primal + (gap_with_errors - gap) + 0.5 * product_error,
        dual - 0.5 * product_error,
        gap_with_errors + product_error,
        excess,
        size,
        outside,
        lower,
        -upper,
        lower_with_errors,
        -upper_with_errors,
        -least,
        largest,
    )


def assemble(
    measured: Measured, solution: Solution, b: float, is_free: bool, **others: Any
) -> Certificate:
    """Return the certificate of what was measured, for an intercept ``b`` that is free or else 0.

    ``others`` are the remaining attributes: tolerances, and how the gradient was checked.
    """
    return Certificate(
        **figures_of(measured, b, is_free),
        status=solution.status,
        n_iter=solution.n_iter,
        n_pair_steps=solution.n_pair_steps,
        n_kernel_rows=solution.n_kernel_rows,
        seconds=solution.seconds,
        **others,
    )


def figures_of(
    measured: Measured,
    b: Any,
    is_free: bool,
    larger: Larger = max,
    share: Callable[[Any, Any], Any] = share_of,
) -> dict[str, Any]:
    """Return the attributes of a certificate that measures tell.

    Measures and intercepts may be those of many problems, in arrays, with functions that return the
    larger entries of two arrays, and shares; see `share_of`.
    """
    imbalance = abs(measured.excess) if is_free else 0.0
    interval = measured.lower, -measured.minus_upper
    narrowest = measured.lower_with_errors, -measured.minus_upper_with_errors
    violation = violation_of(interval, b, is_free, larger)
    worst = violation_of(narrowest, b, is_free, larger)
    return {
        "primal": measured.primal,
        "dual": measured.dual,
        "gap": measured.gap,
        "relative_gap": share(measured.gap, larger(abs(measured.primal), abs(measured.dual))),
        "kkt_violation": violation,
        "intercept_interval": interval,
        "infeasibility": share(larger(imbalance, measured.outside), measured.total_size),
        "uncertainty": larger(0.0, worst - violation),
        "decision_range": measured.largest_value + measured.minus_least_value,
    }


def relative_gap_of(gap: float, primal: float, dual: float) -> float:
    """Return the gap relative to the larger value."""
    return share_of(gap, max(abs(primal), abs(dual)))
