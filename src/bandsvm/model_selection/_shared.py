"""Many band problems over one store of kernel rows, each started from its neighbour."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm._fitting import MEGABYTE
from bandsvm._training import Training
from bandsvm.kernels import KernelSettings, Rows
from bandsvm.problem import BandProblem
from bandsvm.solvers import Progress, Solution, solve


class Point(NamedTuple):
    """The four numbers of a Banded SVM."""

    C1: float
    C2: float
    rho1: float
    rho2: float


class Start(NamedTuple):
    """Coefficients to start from and their gradient, where it comes for free."""

    c: NDArray[np.float64]
    gradient: NDArray[np.float64] | None


def shared_rows(model: Any, kernel: KernelSettings, X: Any, largest_cost: float) -> Rows:
    """Return a store of kernel rows for many problems with the parameters of a model."""
    return kernel.rows(
        X,
        cache_bytes=None if model.cache_size is None else model.cache_size * MEGABYTE,
        n_jobs=model.n_jobs,
        tol=model.tol,
        largest_cost=largest_cost,
        keep=True,
    )


def neighbour_start(solution: Solution, signs: NDArray, old: Point, new: Point) -> Start:
    """Return where to start at a new point: coefficients grow with the costs that bound them.

    If both costs change by the same factor, or only one of them has coefficients, the gradient
    grows with them.
    """
    lower, upper = new.C1 / old.C1, new.C2 / old.C2 if old.C2 > 0.0 else 1.0
    signed = signs * solution.c
    if lower == upper or not (signed < 0.0).any():
        return Start(lower * solution.c, lower * solution.f)
    if not (signed > 0.0).any():
        return Start(upper * solution.c, upper * solution.f)
    return Start(np.where(signed > 0.0, lower, upper) * solution.c, None)


def secant_start(before: Solution, last: Solution, step: float) -> Start:
    """Return the start that goes on as the last two solutions went; both lie on straight lines."""
    return Start(last.c + step * (last.c - before.c), last.f + step * (last.f - before.f))


def solve_from(
    start: Start | None,
    problem: BandProblem,
    rows: Rows,
    model: Any,
    *,
    tol: float,
    polished: bool,
    callback: Callable[[Progress], object] | None = None,
) -> Solution:
    """Solve a problem by a model's solver and limits."""
    return solve(
        problem,
        rows,
        solver=model.solver,
        tol=tol,
        max_iter=model.max_iter,
        start=None if start is None else start.c,
        start_gradient=None if start is None else start.gradient,
        polished=polished,
        callback=callback,
    )


def signs_of_kept(training: Training, index: int) -> NDArray[np.float64]:
    """Return the labels of a problem as signs."""
    return training.signs[index, training.kept]
