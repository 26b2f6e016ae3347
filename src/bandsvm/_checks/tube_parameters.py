"""Checks of the parameters of regression: costs, tube and quantiles."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from bandsvm._checks.parameters import check_kernel_parameters, finite_number
from bandsvm._defaults import REGRESSION_LOSSES
from bandsvm._system.advice import ParameterError, ParameterTypeError


class Sides(NamedTuple):
    """A number for what lies below the tube, and one for what lies above."""

    below: float
    above: float


def check_tube_parameters(estimator: Any) -> None:
    """Check all parameters of a `BandedSVR`."""
    check_kernel_parameters(estimator, tuple(REGRESSION_LOSSES))
    costs_of(estimator)
    epsilon_of(estimator)


def check_quantile_parameters(estimator: Any) -> None:
    """Check all parameters of a `BandedQuantileSVR`."""
    check_kernel_parameters(estimator, ())
    if not finite_number("C", estimator.C) > 0.0:
        raise ParameterError("C", "must be greater than 0", estimator.C)
    quantiles_of(estimator)


def costs_of(estimator: Any) -> Sides:
    """Return C1 and C2, checked."""
    costs = Sides(finite_number("C1", estimator.C1), finite_number("C2", estimator.C2))
    for name, cost in zip(("C1", "C2"), costs, strict=True):
        if cost < 0.0:
            raise ParameterError(name, "must be at least 0", cost)
    if not any(costs):
        raise ParameterError(
            "C1", "must be greater than 0 if {C2} is 0", 0.0, "without costs nothing is fitted"
        )
    return costs


def epsilon_of(estimator: Any) -> Sides:
    """Return how far the tube extends below and above a target, checked."""
    epsilon = estimator.epsilon
    is_pair = type(epsilon) is not float and isinstance(epsilon, (Sequence, np.ndarray))
    if not is_pair or isinstance(epsilon, str):
        epsilon = (epsilon, epsilon)
    if len(epsilon) != 2:
        raise ParameterError(
            "epsilon", "must be a number, or a pair of numbers (below, above)", estimator.epsilon
        )
    sides = Sides(*(finite_number("epsilon", value) for value in epsilon))
    if min(sides) < 0.0:
        raise ParameterError("epsilon", "must be at least 0", estimator.epsilon)
    return sides


def quantiles_of(estimator: Any) -> tuple[float, ...]:
    """Return the quantiles, checked."""
    given = estimator.quantile
    is_one = isinstance(given, Real)
    if not is_one and (isinstance(given, str) or not isinstance(given, (Sequence, np.ndarray))):
        raise ParameterTypeError("quantile", "must be a number, or a sequence of numbers", given)
    quantiles = tuple(finite_number("quantile", value) for value in ([given] if is_one else given))
    if not quantiles:
        raise ParameterError("quantile", "must hold at least one number", given)
    if not all(0.0 < value < 1.0 for value in quantiles):
        raise ParameterError("quantile", "must lie between 0 and 1, both excluded", given)
    return quantiles
