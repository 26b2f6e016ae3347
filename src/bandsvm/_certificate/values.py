"""Gap, intercepts and violations of a solution, computed independently of solvers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._problem.band_problem import BandProblem

# Limits of the intercept that differ by less, relative to its size, are equal.
ROUNDING_OF_LIMITS = _core.ROUNDING_OF_LIMITS

# Returns the larger of two numbers, or entries of arrays.
Larger = Callable[[Any, Any], Any]


def with_finite_costs(problem: BandProblem, c: NDArray) -> BandProblem:
    """Return the problem with infinite costs replaced by finite ones that no coefficient reaches.

    Solutions are the same, and a rounding error below an edge does not make the objective infinite.
    """
    return problem.priced(2.0 * float(np.abs(c).max(initial=0.0)) or 1.0)


def priced_bands(problem: BandProblem, priced: BandProblem | None = None) -> _core.PricedBands:
    """Return a problem for compiled functions; ``priced`` has its finite costs, if others do."""
    costs, bounds = priced or problem, (problem.below, problem.above)
    sides = costs.below, costs.above, *bounds
    return _core.PricedBands(problem.lo, problem.hi, *sides, problem.is_squared, problem.total)


def duality_gap(problem: BandProblem, c: NDArray, f: NDArray, intercept: float) -> float:
    """Return the gap as a sum over samples of non-negative terms.

    It equals primal - dual if the sum of ``c`` is its total, without the cancellation of two large
    numbers.
    """
    problem = with_finite_costs(problem, c)
    g = f + intercept
    # A coefficient c > 0 accounts for lying below lo, c < 0 for lying above hi. The gap is the sum
    # of the losses that they do not account for.
    to_lo, to_hi = problem.lo - g, g - problem.hi
    if problem.is_squared:
        # cost t^2 - c t + c^2 / (4 cost) is a square where t > 0,
        # and a sum of two non-negative terms elsewhere.
        bought = bought_distance(problem, c)
        terms = problem.below * (np.maximum(to_lo, 0.0) - np.maximum(bought, 0.0)) ** 2
        terms += problem.above * (np.maximum(to_hi, 0.0) - np.maximum(-bought, 0.0)) ** 2
        terms += np.maximum(c, 0.0) * np.maximum(-to_lo, 0.0)
        terms += np.maximum(-c, 0.0) * np.maximum(-to_hi, 0.0)
        return float(terms.sum())
    terms = problem.below * np.maximum(to_lo, 0.0) - np.maximum(c, 0.0) * to_lo
    terms += problem.above * np.maximum(to_hi, 0.0) - np.maximum(-c, 0.0) * to_hi
    return float(terms.sum())


def bought_distance(problem: BandProblem, c: NDArray) -> NDArray[np.float64]:
    """Return how far outside its band ``c`` puts a sample: c / (2 cost), or 0 with the hinge.

    It is positive below the band and negative above.
    """
    if not problem.is_squared:
        return np.zeros(problem.n_samples)
    costs = np.where(c > 0.0, problem.below, problem.above)
    return np.divide(0.5 * c, costs, out=np.zeros(problem.n_samples), where=costs > 0.0)


def largest_multipliers(problem: BandProblem) -> tuple[NDArray, NDArray]:
    """Return the bounds of c and -c: the costs; with squared losses inf, or 0 without cost."""
    if not problem.is_squared:
        return problem.below, problem.above
    below, above = (np.where(cost > 0.0, np.inf, 0.0) for cost in (problem.below, problem.above))
    return below, above


def intercept_interval(problem: BandProblem, c: NDArray, f: NDArray) -> tuple[float, float]:
    """Return the largest lower and the smallest upper limit that samples impose on the intercept.

    A sample with 0 < c < below must lie at ``lo``; one with c = below at or under ``lo``; one with
    c = 0 within the band; and likewise at the upper edge. With squared losses a sample with c > 0
    must lie below ``lo`` by c / (2 cost).
    """
    at_lo, at_hi = _intercepts(problem, c, f)
    below, above = largest_multipliers(problem)
    lower = np.where(c < 0.0, at_hi, np.where(c < below, at_lo, -np.inf))
    upper = np.where(c > 0.0, at_lo, np.where(c > -above, at_hi, np.inf))
    return float(np.max(lower, initial=-np.inf)), float(np.min(upper, initial=np.inf))


def violation_of(
    interval: tuple[Any, Any], intercept: Any, is_free: bool, larger: Larger = max
) -> Any:
    """Return the violation of limits by an intercept that is free, or else is 0.

    All may be arrays, with a function that returns the larger entries of two of them.
    """
    lower, upper = interval
    missed = larger(larger(lower - intercept, intercept - upper), 0.0)
    return larger(lower - upper, missed) if is_free else missed


def choose_intercept(problem: BandProblem, c: NDArray, f: NDArray) -> float:
    """Return the intercept: the mean over free variables, or else the middle of its interval.

    If losses leave an interval open, its middle counts in any case: a coefficient that misses its
    bound by less than the tolerance would otherwise decide on one of its ends.
    """
    if not problem.has_intercept:
        return 0.0
    below, above = largest_multipliers(problem)
    at_lower_edge = (c > 0.0) & (c < below)
    at_upper_edge = (c < 0.0) & (c > -above)
    at_lo, at_hi = _intercepts(problem, c, f)
    limits = np.concatenate([at_lo[at_lower_edge], at_hi[at_upper_edge]])
    lower, upper = intercept_interval(problem, c, f)
    if len(limits):
        intercept = float(limits.mean())
    else:
        ends = [end for end in (lower, upper) if np.isfinite(end)]
        intercept = float(np.mean(ends)) if ends else 0.0
    if problem.is_squared or problem.has_hard_edges or not np.isfinite(intercept):
        return intercept
    room = max(lower - upper, 0.0) + ROUNDING_OF_LIMITS * (1.0 + abs(intercept))
    flat = _core.flat_interval(priced_bands(problem), c, f, intercept, room)
    ends = [end for end in flat if np.isfinite(end)]
    return float(np.mean(ends)) if ends else intercept


def _intercepts(problem: BandProblem, c: NDArray, f: NDArray) -> tuple[NDArray, NDArray]:
    """Return the intercepts that put each sample where c requires, relative to either edge."""
    g = f + bought_distance(problem, c) if problem.is_squared else f
    return problem.lo - g, problem.hi - g
