"""Centre and spread of targets, by which the units of a regression are chosen."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bandsvm._checks.numbers import ends_of
from bandsvm._fitting.sources import LocalSource, TargetSource, TargetSummary, joint_summary
from bandsvm._fitting.weighted_numbers import LocalNumbers, WeightedNumbers
from bandsvm._problem.units import DecisionUnits

# Targets farther out than this share of all count as if they lay there: few outliers must not
# decide how precise the answers for all others are.
USUAL = 0.99
# Of a normal distribution, the standard deviation in units of the mean absolute deviation.
STD_OF_NORMAL = 1.2533
# Powers of two within which sizes and their inverses are far from overflow.
MAX_EXPONENT = 1000


def units_of(
    source: TargetSource, summary: TargetSummary, widths: float, has_intercept: bool
) -> DecisionUnits:
    """Return units in which targets lie around 0 and are spread by about 1: a power of two."""
    size, origin = spread_of(source, summary, widths, has_intercept)
    return DecisionUnits(power_of_two(size), origin)


def spread_of(
    source: TargetSource, summary: TargetSummary, widths: float, has_intercept: bool
) -> tuple[float, float]:
    """Return a robust standard deviation of targets, and the origin that it is measured from.

    Targets may be intervals with infinite ends; ``widths`` is what a tube adds to intervals.
    Repeating a sample is the same as doubling its weight. Without an intercept, which absorbs the
    origin, the origin stays at 0. If targets do not differ from the origin, the size follows the
    widths of their intervals, or else the origin; it is 0 if there is none.
    """
    if not summary.largest_weight:
        return 0.0, 0.0
    middles = source.numbers(_middles, summary.largest_weight)
    origin = middles.quantile(0.5) if has_intercept else 0.0
    size = _spread(middles.distances(origin))
    if size == 0.0:
        size = widths
        closed = source.numbers(_widths, summary.largest_weight)
        if closed.total and (widest := closed.largest):
            size += widest * (closed.capped_sum(np.inf, widest) / closed.total)
    return size or abs(origin), origin


def local_spread(y: NDArray, weights: NDArray, has_intercept: bool) -> float:
    """Return the spread of targets in the memory of this process; 1 if there is none."""
    source = LocalSource(y, weights)
    return spread_of(source, joint_summary(source.summaries), 0.0, has_intercept)[0] or 1.0


def _middles(y: NDArray, weights: NDArray, largest_weight: float) -> LocalNumbers:
    """Return the middles of intervals, or the end of those that have one."""
    if y.ndim == 1:
        counts = weights > 0.0
        if not counts.all():
            y, weights = y[counts], weights[counts]
        return LocalNumbers(y, weights / largest_weight)
    lower, upper, weights = _known(y, weights, largest_weight)
    middles = np.where(np.isfinite(lower), lower, upper)
    is_wide = np.isfinite(lower) & np.isfinite(upper) & (lower != upper)
    middles[is_wide] = 0.5 * lower[is_wide] + 0.5 * upper[is_wide]
    return LocalNumbers(middles, weights)


def _widths(y: NDArray, weights: NDArray, largest_weight: float) -> LocalNumbers:
    """Return the widths of intervals with two ends."""
    lower, upper, weights = _known(y, weights, largest_weight)
    is_closed = np.isfinite(lower) & np.isfinite(upper)
    return LocalNumbers((upper - lower)[is_closed], weights[is_closed])


def _known(y: NDArray, weights: NDArray, largest_weight: float) -> tuple[NDArray[np.float64], ...]:
    """Return both ends of targets of positive weight that have one, and weights up to 1."""
    lower, upper = ends_of(y)
    is_known = (weights > 0.0) & (np.isfinite(lower) | np.isfinite(upper))
    return lower[is_known], upper[is_known], weights[is_known] / largest_weight


def _spread(distances: WeightedNumbers) -> float:
    """Return a standard deviation from distances to the origin, robust against outliers."""
    largest = distances.largest
    if largest == 0.0 or not math.isfinite(largest):
        return 0.0
    usual = distances.quantile(USUAL)
    total = distances.capped_sum(usual, largest) or distances.capped_sum(np.inf, largest)
    return STD_OF_NORMAL * largest * (total / distances.total)


def power_of_two(size: float) -> float:
    """Return the closest power of two; 1 if there is no size."""
    if size == 0.0 or not math.isfinite(size):
        return 1.0
    exponent = round(math.log2(size))
    return float(2.0 ** min(max(exponent, -MAX_EXPONENT), MAX_EXPONENT))
