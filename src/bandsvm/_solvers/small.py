"""Small problems in one compiled call, many at a time.

It takes the steps of the solver "smo" and of `polish`, and solves problems to rounding error or not
at all. What it leaves unsolved is for `solve`: anything unusual ends there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._kernels.small import SmallKernel
from bandsvm._problem.band_problems import BandProblems
from bandsvm._system.stopping import current_reason

# Whatever bound on outer steps a user gives, compiled functions take no larger one.
MAX_ITER = 2**31


class SmallSolutions(NamedTuple):
    """Solutions of some problems; arrays hold one problem after the other, or one value for each.

    Of problems that are not solved, ``c`` is a feasible point and ``f`` belongs to it.
    """

    c: NDArray[np.float64]
    f: NDArray[np.float64]
    is_solved: NDArray[np.bool_]
    n_iter: NDArray[np.int64]
    n_pair_steps: NDArray[np.int64]
    seconds: NDArray[np.float64]


def solve_small(
    problems: BandProblems,
    kernel: SmallKernel,
    start: NDArray[np.float64] | None,
    tol: float,
    max_iter: int,
    n_threads: int,
) -> SmallSolutions:
    """Solve problems from a feasible point, or from zero, until there is a reason to stop.

    Problems are shared out to threads, which changes no result.
    """
    number, size = len(problems), len(problems.stacked_members)
    c = np.zeros(size) if start is None else start
    f, counts, measures = np.zeros(size), np.zeros((number, 3), np.int64), np.zeros((number, 2))
    values = problems.values
    kernel.solve(
        problems.starts,
        problems.stacked_members,
        _core.Bands(values.lo, values.hi, *problems.bounds, *problems.ridge),
        values.has_intercept,
        values.total,
        problems.share_samples,
        tol,
        min(max_iter, MAX_ITER),
        c,
        f,
        counts,
        measures,
        n_threads,
        current_reason(),
    )
    is_solved, n_iter, n_pair_steps = counts.T
    return SmallSolutions(c, f, is_solved > 0, n_iter, n_pair_steps, measures[:, 1])
