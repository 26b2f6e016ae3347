"""Objectives and violations of a solution by their formulas, to compare certificates with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bandsvm._certificate.values import bought_distance, violation_of, with_finite_costs
from bandsvm._problem.band_problem import BandProblem


def primal_value(problem: BandProblem, c: NDArray, f: NDArray, intercept: float) -> float:
    """Return the objective of the decision rule given by ``c`` and ``intercept``."""
    problem = with_finite_costs(problem, c)
    g = f + intercept
    short, beyond = np.maximum(problem.lo - g, 0.0), np.maximum(g - problem.hi, 0.0)
    if problem.is_squared:
        short, beyond = short**2, beyond**2
    loss = problem.below * short
    loss += problem.above * beyond
    return 0.5 * float(c @ f) + float(loss.sum()) + problem.total * intercept


def dual_value(problem: BandProblem, c: NDArray, f: NDArray) -> float:
    """Return the dual objective of ``c``."""
    edges = problem.lo * np.maximum(c, 0.0) + problem.hi * np.minimum(c, 0.0)
    value = float(edges.sum()) - 0.5 * float(c @ f)
    return value - 0.5 * float(c @ bought_distance(problem, c)) if problem.is_squared else value


def kkt_violation(problem: BandProblem, interval: tuple[float, float], intercept: float) -> float:
    """Return by how much the samples' limits contradict each other, or the intercept violates them.

    An intercept between the limits adds nothing to their own contradiction, ``m - M``.
    """
    return violation_of(interval, intercept, problem.has_intercept)
