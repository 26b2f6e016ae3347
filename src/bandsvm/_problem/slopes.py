"""Slopes of the dual along single variables, by which solvers select variables and stop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bandsvm._problem.band_problem import BandProblem


def ascent_slopes(problem: BandProblem, c: NDArray, f: NDArray) -> tuple[NDArray, NDArray]:
    """Return the dual's slope for raising and for lowering each variable.

    A variable at its upper bound cannot rise (slope -inf), one at its lower bound cannot fall
    (+inf); m and M of docs/theory.md section 4 are the maximum of the first and the minimum of
    the second.
    """
    gradient, bounds = problem.gradient(c, f), problem.bounds
    rise = np.where(c >= 0.0, problem.lo, problem.hi) - gradient
    fall = np.where(c > 0.0, problem.lo, problem.hi) - gradient
    rise[c >= bounds.below] = -np.inf
    fall[c <= -bounds.above] = np.inf
    return rise, fall


def violation(problem: BandProblem, rise: NDArray, fall: NDArray) -> float:
    """Return how far the slopes are from optimality: ``m - M``, or ``max(m, -M)`` without b."""
    m, M = float(rise.max()), float(fall.min())
    return m - M if problem.has_intercept else max(m, -M, 0.0)


def piece(problem: BandProblem, indices: NDArray, c: NDArray) -> tuple[NDArray, NDArray, NDArray]:
    """Return slope, lower and upper end of the piece of ``h_i`` in which each ``c_i`` lies."""
    positive, bounds = c > 0.0, problem.bounds
    slope = np.where(positive, problem.lo[indices], problem.hi[indices])
    lower = np.where(positive, 0.0, -bounds.above[indices])
    upper = np.where(positive, bounds.below[indices], 0.0)
    return slope, lower, upper


def free_variables(problem: BandProblem, c: NDArray) -> NDArray[np.intp]:
    """Return the variables strictly inside a piece: at no bound and not at the kink."""
    bounds = problem.bounds
    return np.flatnonzero((c != 0.0) & (c > -bounds.above) & (c < bounds.below))
