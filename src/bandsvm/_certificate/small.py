"""Certificates of small problems in one compiled call, many at a time: the same as `certify`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._certificate.certificate import Certificate
from bandsvm._certificate.certification import SHARE_IN_SUMS, figures_of, measured_of
from bandsvm._certificate.combined import CertificateColumns
from bandsvm._certificate.gradient import FEW_VALUES, NEGLIGIBLE, spot_check_rules
from bandsvm._kernels.operator import OF_TERMS, UNIT_IN_DOUBLE
from bandsvm._kernels.small import SmallKernel
from bandsvm._problem import Status
from bandsvm._problem.band_problems import BandProblems

# For so few problems it takes less time to make certificates than to work on arrays.
MAX_ONE_BY_ONE = 5


class SmallCertificates(NamedTuple):
    """What was measured of some solutions; arrays have one row for each."""

    is_measured: NDArray[np.bool_]
    intercepts: NDArray[np.float64]
    drifts: NDArray[np.float64]
    n_checked: NDArray[np.float64]
    measures: NDArray[np.float64]  # as `measured_of` takes them


def certify_small(
    problems: BandProblems,
    kernel: SmallKernel,
    c: NDArray[np.float64],
    f: NDArray[np.float64],
    is_solved: NDArray[np.bool_],
    tol: float,
    n_threads: int,
) -> SmallCertificates:
    """Certify the solved problems; recomputed decision values replace those in ``f``."""
    n_terms = np.add.reduceat(c != 0.0, problems.starts[:-1], dtype=np.int64)
    n_values = problems.sizes * (1 if kernel.is_linear else n_terms)
    checks_all = n_values <= FEW_VALUES
    errors = _core.ErrorEstimates(
        kernel.sizes,
        kernel.sizes if checks_all.all() else kernel.errors(),
        OF_TERMS * UNIT_IN_DOUBLE,
        NEGLIGIBLE * tol,
        SHARE_IN_SUMS,
    )
    rows = np.zeros((len(problems), _core.N_MEASURES))
    values = problems.values
    costs = values.below, values.above
    kernel.certify(
        problems.starts,
        problems.stacked_members,
        _core.PricedBands(values.lo, values.hi, *costs, *costs, values.is_squared, values.total),
        values.has_intercept,
        c,
        f,
        errors,
        spot_check_rules(tol),
        is_solved,
        checks_all,
        rows,
        n_threads,
    )
    return SmallCertificates(is_solved, rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3:])


class Spent(NamedTuple):
    """What the solutions of some problems took; arrays with one entry for each."""

    n_iter: NDArray[np.int64]
    n_pair_steps: NDArray[np.int64]
    n_kernel_rows: NDArray[np.int64]
    seconds: NDArray[np.float64]


def certificates_of(
    found: SmallCertificates, spent: Spent, is_free: bool, tol: float
) -> Sequence[Certificate]:
    """Return the certificates of solved problems that are certified.

    ``is_free`` tells whether problems have intercepts.
    """
    own = found.is_measured
    if len(own) <= MAX_ONE_BY_ONE:
        return [_certificate(found, spent, is_free, tol, k) for k in own.nonzero()[0].tolist()]
    measured = measured_of(*found.measures[own].T)
    return CertificateColumns(
        **figures_of(measured, found.intercepts[own], is_free, _larger, _shares),
        gradient_drift=found.drifts[own],
        n_checked=found.n_checked[own].astype(np.int64),
        **{name: values[own] for name, values in spent._asdict().items()},
        status=Status.CONVERGED,
        tol=tol,
    )


def _certificate(
    found: SmallCertificates, spent: Spent, is_free: bool, tol: float, k: int
) -> Certificate:
    """Return the certificate of problem k."""
    measured = measured_of(*found.measures[k].tolist())
    n_iter, n_pair_steps, n_kernel_rows, seconds = spent
    return Certificate(
        **figures_of(measured, float(found.intercepts[k]), is_free),
        gradient_drift=float(found.drifts[k]),
        n_checked=int(found.n_checked[k]),
        status=Status.CONVERGED,
        tol=tol,
        n_iter=int(n_iter[k]),
        n_pair_steps=int(n_pair_steps[k]),
        n_kernel_rows=int(n_kernel_rows[k]),
        seconds=float(seconds[k]),
    )


def _larger(left: Any, right: Any) -> NDArray[np.float64]:
    """Return the larger entries, as `max` does: the left ones where right ones are NaN."""
    return np.where(right > left, right, left)


def _shares(parts: NDArray, wholes: NDArray) -> NDArray[np.float64]:
    """Return parts of what is not negative; 0 of nothing."""
    return np.divide(parts, wholes, out=np.zeros(len(parts)), where=wholes != 0.0)
