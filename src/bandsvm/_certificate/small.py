"""Certificates of small problems in one compiled call, many at a time: the same as `certify`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._certificate.certification import SHARE_IN_SUMS
from bandsvm._certificate.gradient import FEW_VALUES, NEGLIGIBLE, spot_check_rules
from bandsvm._kernels.operator import OF_TERMS, UNIT_IN_DOUBLE
from bandsvm._kernels.small import SmallKernel
from bandsvm._problem.band_problems import BandProblems


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
        kernel.errors() if False in checks_all else kernel.sizes,
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
