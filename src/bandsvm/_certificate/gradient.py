"""Whether a solver's gradient ``f = K c`` is right, and what rounding errors leave open.

Every sample has an estimate of the rounding error of its ``f`` and a margin: the error from which
on the sample would violate optimality by more than ``tol``. Samples whose error could reach their
margin are recomputed; so are some that are drawn at random, more likely the larger their estimate
is in relation to their margin. They show how good the estimates are.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._certificate.values import priced_bands
from bandsvm._kernels import KernelOperator, errors_of_sums
from bandsvm._problem import Solution
from bandsvm._problem.band_problem import BandProblem

# Three in eight checks go to the samples at the highest risk, one in eight is drawn by risk. Half
# are drawn uniformly, and one more for so many samples.
N_SPOT_CHECKS = 128
SAMPLES_PER_CHECK = 1000
# All samples are recomputed if that takes no more kernel values: some tenths of a millisecond.
FEW_VALUES = 2**16
# Rounding errors of samples that are not recomputed are taken to be at most: this many times the
# root mean square of what was found, in units of the estimates; twice the largest; and no less than
# a share of the estimate, since samples without errors say nothing about others. Of errors on real
# data one in thousands was larger, none of them where it mattered (studies/certificates.py).
TIMES_MEAN, TIMES_LARGEST, MIN_FACTOR = 8.0, 2.0, 0.5
# Recomputed samples move the interval of the intercept, and with it the margins of others.
MAX_ROUNDS = 4
# Of coarse rows: with more samples at risk than this share, a more precise fit is the better way.
MAX_RISKY_SHARE = 0.25
# Nor is it worth while if the violation is so many times tol. If it is a little more than tol, a
# solver can continue from recomputed values.
FAR_FROM_TOL = 2.0
# Errors below this share of tol are left out of account.
NEGLIGIBLE = 1e-3
# Samples are drawn at random, since data may have patterns, but with a fixed seed.
SEED = 0


class CheckedGradient(NamedTuple):
    """A gradient, recomputed where it was checked.

    ``errors`` bound what rounding may have added to its values or taken away; None if that is
    negligible. ``drift`` is the largest difference that was found.
    """

    f: NDArray[np.float64]
    errors: NDArray[np.float64] | None
    drift: float
    n_checked: int


def checked_gradient(
    problem: BandProblem,
    rows: KernelOperator,
    solution: Solution,
    tol: float,
    n_checks: int | None = N_SPOT_CHECKS,
) -> CheckedGradient:
    """Check the gradient of a solution.

    ``n_checks`` is the number of samples that are recomputed in any case. With the default all are
    if they are few; None recomputes all.
    """
    c, support = solution.c, np.flatnonzero(solution.c)

    def recomputed(targets: NDArray) -> NDArray[np.float64]:
        return rows.exact_product(targets, support, c[support])

    n_samples = rows.n_samples
    is_cheap = n_samples * rows.cost_of_exact(len(support)) <= FEW_VALUES
    if n_checks is None or (is_cheap and n_checks == N_SPOT_CHECKS) or n_checks >= n_samples:
        exact = recomputed(np.arange(n_samples))
        errors = _errors_of_recomputed(rows, c, tol)
        return CheckedGradient(exact, errors, largest_difference(exact, solution.f), n_samples)
    checks = _SpotChecks(problem, rows, solution, tol, recomputed)
    checks.calibrate(n_checks)
    if n_checks == N_SPOT_CHECKS:
        checks.settle()
    return checks.result()


@lru_cache(maxsize=64)
def spot_check_rules(tol: float) -> _core.SpotCheckRules:
    """Return the rules of `checked_gradient` for compiled functions."""
    return _core.SpotCheckRules(
        tol=tol,
        n_checks=N_SPOT_CHECKS,
        samples_per_check=SAMPLES_PER_CHECK,
        times_mean=TIMES_MEAN,
        times_largest=TIMES_LARGEST,
        min_factor=MIN_FACTOR,
        far_from_tol=FAR_FROM_TOL,
        max_rounds=MAX_ROUNDS,
        draws=_uniform(N_SPOT_CHECKS),
    )


def largest_difference(a: NDArray, b: NDArray) -> float:
    """Return the largest absolute difference; infinite if it is not a number."""
    largest = float(np.max(np.abs(a - b), initial=0.0))
    return np.inf if np.isnan(largest) else largest


def _errors_of_recomputed(rows: KernelOperator, c: NDArray, tol: float) -> NDArray | None:
    """Return what rounding errors of recomputed values are at most; None if that is negligible."""
    if not np.isfinite(tol):  # the gap decides
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        errors = errors_of_sums(rows.sizes(), c)
    return None if float(errors.max(initial=0.0)) <= NEGLIGIBLE * tol else errors


class _SpotChecks:
    """Checks of some samples of a solution."""

    def __init__(
        self,
        problem: BandProblem,
        rows: KernelOperator,
        solution: Solution,
        tol: float,
        recomputed: Callable[[NDArray], NDArray],
    ) -> None:
        self._problem, self._rows, self._tol = problem, rows, tol
        self._c, self._f = solution.c, solution.f.copy()
        self._recomputed = recomputed
        self._estimates = rows.rounding_errors(solution.c, solution.moved)
        self._is_checked = np.zeros(problem.n_samples, dtype=bool)
        self._factor, self._drift = MIN_FACTOR, 0.0

    def calibrate(self, n_checks: int) -> None:
        """Recompute some samples, and compare their errors with the estimates."""
        _, risks = self._risks()
        n_samples, is_critical = len(risks), np.zeros(len(risks), dtype=bool)
        n_worst, n_by_risk = 3 * n_checks // 8, n_checks // 8
        is_critical[np.argpartition(risks, n_samples - n_worst)[-n_worst:]] = True
        is_critical[_drawn_by(risks, n_by_risk)] = True
        is_default = n_checks == N_SPOT_CHECKS
        n_uniform = n_checks // 2 + is_default * (n_samples // SAMPLES_PER_CHECK)
        is_chosen = is_critical.copy()
        is_chosen[_drawn(n_samples, n_uniform)] = True
        chosen = np.flatnonzero(is_chosen)
        ratios = self._check(chosen)[is_critical[chosen]]
        with np.errstate(over="ignore"):
            mean = float(np.sqrt(np.mean(ratios**2)))
        self._factor = max(self._factor, TIMES_MEAN * mean)

    def settle(self) -> None:
        """Recompute the samples whose errors could exceed their margins."""
        most = self._rows.n_samples
        if self._rows.is_coarse:
            most = int(MAX_RISKY_SHARE * most)
        for _ in range(MAX_ROUNDS):
            violation, risks = self._risks()
            if not violation <= FAR_FROM_TOL * self._tol:
                return  # no error can hide that
            risky = np.flatnonzero((risks > 1.0 / self._factor) & ~self._is_checked)
            if len(risky) == 0 or len(risky) > most:
                return
            self._check(risky)

    def result(self) -> CheckedGradient:
        """Return what is known now."""
        errors, exact = self._errors(), _errors_of_recomputed(self._rows, self._c, self._tol)
        errors[self._is_checked] = 0.0 if exact is None else exact[self._is_checked]
        n_checked = int(np.count_nonzero(self._is_checked))
        return CheckedGradient(self._f, errors, self._drift, n_checked)

    def _check(self, targets: NDArray) -> NDArray[np.float64]:
        """Recompute some samples; return their errors in units of the estimates."""
        exact = self._recomputed(targets)
        with np.errstate(all="ignore"):
            differences = np.abs(exact - self._f[targets])
            ratios = np.where(differences == 0.0, 0.0, differences / self._estimates[targets])
        self._drift = max(self._drift, largest_difference(exact, self._f[targets]))
        self._factor = max(self._factor, TIMES_LARGEST * float(np.max(ratios, initial=0.0)))
        self._f[targets], self._is_checked[targets] = exact, True
        return ratios

    def _errors(self) -> NDArray[np.float64]:
        """Return bounds on the errors of samples that are not recomputed."""
        if not np.isfinite(self._factor):
            return np.where(self._estimates == 0.0, 0.0, np.inf)
        with np.errstate(over="ignore"):
            return self._factor * self._estimates

    def _risks(self) -> tuple[float, NDArray[np.float64]]:
        """Return the violation, and estimates in units of margins, all of them finite."""
        problem, risks = self._problem, np.empty(self._problem.n_samples)
        violation = _core.measure_risks(
            priced_bands(problem),
            self._c,
            self._f,
            self._estimates,
            self._tol,
            problem.has_intercept,
            risks,
        )
        return violation, risks


def _drawn_by(weights: NDArray, number: int) -> NDArray[np.intp]:
    """Return at most ``number`` samples, drawn with probabilities that grow with their weights."""
    largest = float(weights.max(initial=0.0))
    if largest == 0.0:
        return np.empty(0, dtype=np.intp)
    ends = np.cumsum(weights / largest)
    places = np.searchsorted(ends, _uniform(number) * ends[-1], side="right")
    return np.minimum(places, len(weights) - 1)


@lru_cache(maxsize=64)
def _uniform(number: int) -> NDArray[np.float64]:
    """Return numbers between 0 and 1, drawn at random but always the same ones."""
    return np.random.default_rng(SEED).random(number)


@lru_cache(maxsize=64)
def _drawn(n_samples: int, number: int) -> NDArray[np.intp]:
    """Return some samples, drawn uniformly but always the same ones; drawing takes 0.1 ms."""
    generator = np.random.default_rng(SEED)
    drawn = generator.choice(n_samples, min(number, n_samples), replace=False)
    drawn.flags.writeable = False
    return drawn
