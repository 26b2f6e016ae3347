"""Infinite costs (``C1=inf``): no sample may lie below its band, as with a hard margin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bandsvm._kernels import KernelOperator
from bandsvm._problem import Solution, Start, Status, after
from bandsvm._problem.band_problem import BandProblem

# Costs to try, in units of what a margin as wide as the data would need. A margin of 1e-5 of that
# needs the last one; with higher ones no digit of a decision value would be right.
COSTS = (1e4, 1e7, 1e10)
# Samples by which the width of the data is judged.
N_JUDGED = 100


def solve_hard(
    problem: BandProblem,
    rows: KernelOperator,
    start: Start | None,
    solve_at: Callable[[BandProblem, Start | None, Solution | None], Solution],
) -> Solution:
    """Solve a problem with infinite costs by calling ``solve_at`` with finite ones.

    If no coefficient reaches the finite cost, a higher cost changes nothing, and the solution is
    that of the infinite cost. Otherwise the next cost is tried. If the last one is reached too, or
    the dual proves that no margin is wide enough, the classes are not separable.
    """
    unit = _unit(problem, rows)
    start = None if start is None else Start(start.c)  # at other costs
    solution: Solution | None = None
    for cost in COSTS:
        at_least = 0.0 if start is None else 2.0 * float(np.abs(start.c).max(initial=0.0))
        if cost != COSTS[-1] and cost * unit < at_least:
            continue
        priced = problem.priced(cost * unit)
        later = solve_at(priced, start, solution)
        solution = later if solution is None else after(solution, later)
        if solution.status not in (Status.CONVERGED, Status.NO_PROGRESS):
            return solution
        if not _reaches(problem, priced, solution.c):
            return solution
        if _least_square(problem, solution) > COSTS[-1] * unit * _largest_edge(problem):
            break
        start = Start(solution.c)
    assert solution is not None  # the last cost is always tried
    return replace(solution, status=Status.NOT_SEPARABLE)


def _unit(problem: BandProblem, rows: KernelOperator) -> float:
    """Return the size of the coefficients for a margin as wide as the data."""
    some = np.unique(np.linspace(0, problem.n_samples - 1, N_JUDGED).astype(np.intp))
    block = rows.block(some).astype(np.float64)
    spread = float(np.abs(np.diagonal(block)).mean())
    if problem.has_intercept:
        spread = max(spread - float(block.mean()), np.finfo(np.float64).eps * spread)
    return _largest_edge(problem) / spread if spread > 0.0 else 1.0


def _largest_edge(problem: BandProblem) -> float:
    """Return the largest required distance from 0 of samples with infinite costs."""
    edges = np.concatenate(
        [problem.lo[np.isinf(problem.below)], problem.hi[np.isinf(problem.above)]]
    )
    return float(np.abs(edges).max())


def _reaches(problem: BandProblem, priced: BandProblem, c: NDArray) -> bool:
    """Return whether a coefficient reaches the finite cost that replaces an infinite one."""
    above = np.isinf(problem.below) & (c >= priced.below)
    return bool((above | (np.isinf(problem.above) & (c <= -priced.above))).any())


def _least_square(problem: BandProblem, solution: Solution) -> float:
    """Return a lower bound on ``|beta|^2`` over all decision rules that separate the classes.

    If all coefficients have infinite costs, their multiples are feasible too: the dual value of t c
    is t L - t^2 Q / 2, at most L^2 / (2 Q), and no rule has a smaller objective.
    """
    c, f = solution.c, solution.f
    if not np.where(c > 0.0, np.isinf(problem.below), np.isinf(problem.above))[c != 0.0].all():
        return 0.0
    linear = float(problem.lo @ np.maximum(c, 0.0) + problem.hi @ np.minimum(c, 0.0))
    quadratic = float(c @ f)
    if linear <= 0.0:
        return 0.0
    return linear**2 / quadratic if quadratic > 0.0 else np.inf
