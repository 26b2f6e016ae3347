"""The certificate of a fit: how far a solution is from optimal, computed independently of solvers.

- `_values`: objectives, gap, violations.
- `shortfall`: the warning if a solution is not optimal to ``tol``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm.certificate._values import (
    choose_intercept,
    dual_value,
    duality_gap,
    intercept_interval,
    kkt_violation,
    largest_multipliers,
    primal_value,
    violation_of,
)
from bandsvm.kernels import KernelOperator
from bandsvm.problem import BandProblem
from bandsvm.solvers import Solution, Status

__all__ = [
    "Certificate",
    "certify",
    "choose_intercept",
    "combine",
    "dual_value",
    "duality_gap",
    "gradient_drift",
    "intercept_interval",
    "kkt_violation",
    "primal_value",
    "recomputed_gradient",
]

# Violation of the dual's constraints, relative to sum |c|, that rounding can explain.
FEASIBLE = 1e-9
# The gradient is recomputed at this many samples of every fit, at a negligible cost. Errors at one
# sample in ten are missed once in a thousand times (docs/theory.md, Eq. (49)).
N_SPOT_CHECKS = 64
# Samples are drawn at random, since data may have patterns, but with a fixed seed.
SEED_OF_CHECKS = 0


@dataclass(frozen=True, repr=False)
class Certificate:
    """How close to optimal a solution is (docs/theory.md, section 4).

    The optimal value of the objective lies between `dual` and `primal`. (For a kernel that is not
    positive semidefinite, such as the sigmoid, a gap of zero means a stationary point; there may be
    several.) If a model has more than two classes, values are sums over its problems, violations
    are maxima, and `parts` holds the certificate of each problem: one per class or, with
    ``multi_class='ovo'``, one per pair of classes.

    Attributes
    ----------
    primal, dual : float
        Value of the objective, and a lower bound on its optimal value.
    gap : float
        primal - dual: the most by which any solver could still improve the objective.
    relative_gap : float
        The gap divided by the larger absolute value of `primal` and `dual`.
    kkt_violation : float
        Largest violation of the optimality conditions, in units of the decision value; a fit aims
        at `tol` or less.
    intercept_interval : tuple of two floats
        The intercepts that the optimality conditions allow. If they are violated, the interval is
        empty: its lower end exceeds its upper end by the violation.
    infeasibility : float
        Largest violation of the dual's constraints, relative to the sum of absolute coefficients.
        If it exceeds rounding errors, `dual` is not a bound.
    gradient_drift : float
        Largest difference between the solver's decision values and recomputed ones.
    n_checked : int
        Number of samples at which decision values were recomputed: 64, drawn at random, after a
        fit; all of them in `BandedSVC.certify`.
    status : Status
        Why the solver stopped.
    tol : float
        The largest violation that counts as optimal; infinite if `gap_tol` decides.
    n_iter, n_pair_steps, n_kernel_rows : int
        Outer steps, pair steps and kernel rows that the fit took.
    seconds : float
        Time that the solver took.
    parts : tuple of Certificate
        Certificates of the problems; empty for two classes.
    gap_tol : float
        The largest relative gap that counts as optimal; infinite if `tol` decides.
    """

    primal: float
    dual: float
    gap: float
    relative_gap: float
    kkt_violation: float
    intercept_interval: tuple[float, float]
    infeasibility: float
    gradient_drift: float
    n_checked: int
    status: Status
    tol: float
    n_iter: int
    n_pair_steps: int
    n_kernel_rows: int
    seconds: float
    parts: tuple[Certificate, ...] = ()
    gap_tol: float = math.inf

    @property
    def is_optimal(self) -> bool:
        """Whether the optimality conditions hold to ``tol``, including the drift of the gradient.

        If `gap_tol` is finite, the relative gap must not exceed it either.
        The drift is measured at `n_checked` samples; only `BandedSVC.certify` checks all of them.
        """
        if self.parts:
            return all(part.is_optimal for part in self.parts)
        # Each of the two decision values that make up a violation may have drifted.
        worst = self.kkt_violation + 2.0 * self.gradient_drift
        is_close = worst <= self.tol and self.relative_gap <= self.gap_tol
        return bool(is_close and self.infeasibility <= FEASIBLE and np.isfinite(self.gap))

    def __getstate__(self) -> dict[str, Any]:
        """Return plain values only, since skops cannot restore an enumeration."""
        return {**self.__dict__, "status": self.status.value}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore what `__getstate__` returned."""
        self.__dict__.update(state, status=Status(state["status"]))

    def __repr__(self) -> str:
        """Return the certificate as a table."""
        problems = f" over {len(self.parts)} problems" if self.parts else ""
        verdict = "optimal to tol" if self.is_optimal else "NOT optimal to tol"
        gap_tol = "" if math.isinf(self.gap_tol) else f", tol {self.gap_tol:.1e}"
        tol = "" if math.isinf(self.tol) else f" (tol {self.tol:.1e})"
        lines = [
            f"Certificate{problems}: {verdict} (solver: {self.status.value})",
            f"  objective       {self.primal:.10g} (primal), {self.dual:.10g} (dual)",
            f"  duality gap     {self.gap:.2e} ({self.relative_gap:.1e} of the objective{gap_tol})",
            f"  KKT violation   {self.kkt_violation:.2e}{tol}",
            f"  infeasibility   {self.infeasibility:.1e} of the coefficients",
            f"  gradient drift  {self.gradient_drift:.1e} at {self.n_checked} samples",
            f"  work            {self.n_iter} outer steps, {self.n_pair_steps} pair steps, "
            f"{self.n_kernel_rows} kernel rows, {self.seconds:.3g} s",
        ]
        return "\n".join(lines)


@lru_cache(maxsize=64)
def _drawn(n_samples: int, n_checks: int) -> NDArray[np.intp]:
    """Return some samples, drawn at random but always the same ones; drawing takes 0.1 ms."""
    generator = np.random.default_rng(SEED_OF_CHECKS)
    drawn = np.sort(generator.choice(n_samples, n_checks, replace=False))
    drawn.flags.writeable = False
    return drawn


def recomputed_gradient(
    rows: KernelOperator, c: NDArray, n_checks: int | None
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return some or all samples, and ``K c`` there from recomputed kernel values."""
    n_samples = rows.n_samples
    if n_checks is None or n_checks >= n_samples:
        checked = np.arange(n_samples)
    else:
        checked = _drawn(n_samples, n_checks)
    support = np.flatnonzero(c)
    return checked, rows.exact_product(checked, support, c[support])


def gradient_drift(
    rows: KernelOperator, c: NDArray, f: NDArray, n_checks: int = N_SPOT_CHECKS
) -> float:
    """Return the largest difference between ``f`` and ``K c`` recomputed at some samples."""
    checked, recomputed = recomputed_gradient(rows, c, n_checks)
    return _largest_difference(recomputed, f[checked])


def _largest_difference(a: NDArray, b: NDArray) -> float:
    return float(np.max(np.abs(a - b), initial=0.0))


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
    n_checks : int or None, default=64
        Number of samples, drawn at random, at which the gradient is recomputed. None: recompute it
        at all samples, and certify the recomputed gradient.
    gap_tol : float, default=inf
        The largest relative gap that counts as optimal.

    Returns
    -------
    Certificate
        Primal and dual value, gap, violation and so on.
    """
    c, f = solution.c, solution.f
    checked, recomputed = recomputed_gradient(rows, c, n_checks)
    drift = _largest_difference(recomputed, f[checked])
    if n_checks is None:
        f = recomputed
    sums, extremes = sums_over_samples(problem, c, f, intercept), extremes_of(problem, c, f)
    measured = Measured(problem.has_intercept, intercept, *sums, *extremes)
    return certificate_of(measured, solution, drift, len(checked), tol, gap_tol)


def sums_over_samples(
    problem: BandProblem, c: NDArray, f: NDArray, intercept: float
) -> tuple[float, float, float, float, float]:
    """Return primal, dual, gap, ``sum c`` and ``sum |c|``, which add up over parts of a problem."""
    return (
        primal_value(problem, c, f, intercept),
        dual_value(problem, c, f),
        duality_gap(problem, c, f, intercept),
        float(c.sum()),
        float(np.abs(c).sum()),
    )


def extremes_of(problem: BandProblem, c: NDArray, f: NDArray) -> tuple[float, float, float]:
    """Return how far ``c`` is out of bounds, and the limits of the intercept.

    The upper limit is negated, so that those of a whole problem are the largest of its parts.
    """
    below, above = largest_multipliers(problem)
    outside = float(np.max(np.maximum(c - below, -above - c), initial=0.0))
    lower, upper = intercept_interval(problem, c, f)
    return outside, lower, -upper


class Measured(NamedTuple):
    """What a certificate is made of: the intercept, `sums_over_samples` and `extremes_of`."""

    has_intercept: bool
    intercept: float
    primal: float
    dual: float
    gap: float
    total: float
    total_size: float
    outside: float
    lower: float
    minus_upper: float


def certificate_of(
    measured: Measured,
    solution: Solution,
    drift: float,
    n_checked: int,
    tol: float,
    gap_tol: float,
) -> Certificate:
    """Return the certificate of what was measured; see `certify`."""
    imbalance = abs(measured.total) if measured.has_intercept else 0.0
    interval = measured.lower, -measured.minus_upper
    violation = violation_of(interval, measured.intercept, measured.has_intercept)
    return Certificate(
        primal=measured.primal,
        dual=measured.dual,
        gap=measured.gap,
        relative_gap=_relative(measured.gap, measured.primal, measured.dual),
        kkt_violation=violation,
        intercept_interval=interval,
        infeasibility=max(imbalance, measured.outside) / max(measured.total_size, 1e-300),
        gradient_drift=drift,
        n_checked=n_checked,
        status=solution.status,
        tol=tol,
        n_iter=solution.n_iter,
        n_pair_steps=solution.n_pair_steps,
        n_kernel_rows=solution.n_kernel_rows,
        seconds=solution.seconds,
        gap_tol=gap_tol,
    )


def combine(parts: Sequence[Certificate]) -> Certificate:
    """Return the joint certificate of independent problems."""
    if len(parts) == 1:
        return parts[0]
    primal, dual, gap = (sum(getattr(p, k) for p in parts) for k in ("primal", "dual", "gap"))
    worst = max(parts, key=lambda part: part.kkt_violation)
    unfinished = [part.status for part in parts if part.status is not Status.CONVERGED]
    return Certificate(
        primal=primal,
        dual=dual,
        gap=gap,
        relative_gap=_relative(gap, primal, dual),
        kkt_violation=worst.kkt_violation,
        intercept_interval=worst.intercept_interval,
        infeasibility=max(part.infeasibility for part in parts),
        gradient_drift=max(part.gradient_drift for part in parts),
        n_checked=worst.n_checked,
        status=unfinished[0] if unfinished else Status.CONVERGED,
        tol=worst.tol,
        n_iter=sum(part.n_iter for part in parts),
        n_pair_steps=sum(part.n_pair_steps for part in parts),
        n_kernel_rows=sum(part.n_kernel_rows for part in parts),
        seconds=sum(part.seconds for part in parts),
        parts=tuple(parts),
        gap_tol=worst.gap_tol,
    )


def _relative(gap: float, primal: float, dual: float) -> float:
    """Return the gap relative to the larger value."""
    largest = float(np.maximum(abs(primal), abs(dual)))
    return 0.0 if largest == 0.0 else gap / largest
