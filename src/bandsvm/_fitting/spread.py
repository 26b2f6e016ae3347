"""Centre and spread of targets, by which the units of a regression are chosen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bandsvm._problem.units import DecisionUnits

# Targets farther out than this share of all count as if they lay there: few outliers must not
# decide how precise the answers for all others are.
USUAL = 0.99
# Of a normal distribution, the standard deviation in units of the mean absolute deviation.
STD_OF_NORMAL = 1.2533
# Powers of two within which sizes and their inverses are far from overflow.
MAX_EXPONENT = 1000


def units_of(
    lower: NDArray, upper: NDArray, weights: NDArray, widths: float, has_intercept: bool
) -> DecisionUnits:
    """Return units in which targets lie around 0 and are spread by about 1: a power of two."""
    size, origin = spread_of(lower, upper, weights, widths, has_intercept)
    return DecisionUnits(_power_of_two(size), origin)


def spread_of(
    lower: NDArray, upper: NDArray, weights: NDArray, widths: float, has_intercept: bool
) -> tuple[float, float]:
    """Return a robust standard deviation of targets, and the origin that it is measured from.

    Targets lie between ``lower`` and ``upper``, which may be infinite; ``widths`` is what a tube
    adds to intervals. Repeating a sample is the same as doubling its weight. Without an intercept,
    which absorbs the origin, the origin stays at 0. If targets do not differ from the origin, the
    size follows the widths of their intervals, or else the origin; it is 0 if there is none.
    """
    is_known = (weights > 0.0) & (np.isfinite(lower) | np.isfinite(upper))
    lower, upper, weights = lower[is_known], upper[is_known], weights[is_known]
    if not len(lower):
        return 0.0, 0.0
    weights = weights / weights.max()
    is_closed = np.isfinite(lower) & np.isfinite(upper)
    targets = np.where(np.isfinite(lower), lower, upper)
    is_wide = is_closed & (lower != upper)
    targets[is_wide] = 0.5 * lower[is_wide] + 0.5 * upper[is_wide]
    origin = weighted_quantile(targets, weights, 0.5) if has_intercept else 0.0
    size = _spread(np.abs(targets - origin), weights)
    if size == 0.0:
        size = widths + float(np.mean((upper - lower)[is_closed])) if is_closed.any() else widths
    return size or abs(origin), origin


def weighted_quantile(values: NDArray, weights: NDArray, share: float) -> float:
    """Return the least value such that values up to it have at least a share of the weight."""
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(weights[order])
    return float(values[order[np.searchsorted(ends, share * ends[-1])]])


def _spread(distances: NDArray, weights: NDArray) -> float:
    """Return a standard deviation from distances to the origin, robust against outliers."""
    largest = float(distances.max())
    if largest == 0.0 or not np.isfinite(largest):
        return 0.0
    distances, total = distances / largest, float(weights.sum())
    usual = np.minimum(distances, weighted_quantile(distances, weights, USUAL))
    mean = float(weights @ usual) or float(weights @ distances)
    return STD_OF_NORMAL * largest * (mean / total)


def _power_of_two(size: float) -> float:
    """Return the closest power of two; 1 if there is no size."""
    if size == 0.0 or not np.isfinite(size):
        return 1.0
    exponent = round(float(np.log2(size)))
    return float(2.0 ** min(max(exponent, -MAX_EXPONENT), MAX_EXPONENT))
