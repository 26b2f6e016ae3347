"""The parameters that paths can vary, and the values that they take by default."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandsvm._fitting.classification import CLASSIFICATION
from bandsvm._fitting.regression import QUANTILE_REGRESSION, REGRESSION
from bandsvm._problem.units import DecisionUnits

N_POINTS = 50
# Quantiles of a path lie so far apart, the first of them half as far from 0.
QUANTILE_STEP = 1.0 / N_POINTS


@dataclass(frozen=True)
class Varied:
    """What a path of one kind of model can vary."""

    # The parameters that each path changes; "cost" multiplies those of the model.
    names: Mapping[str, tuple[str, ...]]
    # Returns the default values of a path, given a model and the units of its decision values.
    defaults: Callable[[Any, str, DecisionUnits], NDArray[np.float64]]

    def points(
        self, model: Any, vary: str, values: ArrayLike | None, units: DecisionUnits
    ) -> list[tuple[float, dict[str, Any]]]:
        """Return the values of a path, and the parameters that they change in a model."""
        base = {name: getattr(model, name) for name in self.names[vary]}
        if vary != "cost" and not isinstance(base[vary], Real):
            got = "a mapping" if isinstance(base[vary], Mapping) else f"{base[vary]!r}"
            raise TypeError(f"vary={vary!r} needs {vary} to be a number in the model, got {got}.")
        wanted = np.asarray(
            self.defaults(model, vary, units) if values is None else values, dtype=float
        )
        if wanted.ndim != 1 or len(wanted) == 0 or not np.isfinite(wanted).all():
            raise ValueError(f"values must be a vector of finite numbers, got {values!r}.")
        if vary == "cost":
            return [
                (value, {name: _times(value, old) for name, old in base.items()})
                for value in wanted.tolist()
            ]
        return [(value, {vary: value}) for value in wanted.tolist()]


def varied_of(model: Any) -> Varied:
    """Return what a path can vary in a model."""
    varied = VARIED.get(getattr(model, "_task", None))
    if varied is None:
        raise TypeError(
            "model must be a BandedSVC, BandedSVR or BandedQuantileSVR, got "
            f"{type(model).__name__}."
        )
    return varied


def _times(factor: float, cost: Any) -> Any:
    if isinstance(cost, Mapping):
        return {label: factor * value for label, value in cost.items()}
    return factor * cost


def _around(value: float) -> NDArray[np.float64]:
    """Return values around a model's own, on a log scale."""
    return np.geomspace(0.01 * value, 100.0 * value, N_POINTS)


def _up_to(cost: float) -> NDArray[np.float64]:
    """Return 0, and values up to a cost on a log scale."""
    return np.concatenate([[0.0], np.geomspace(1e-3 * cost, cost, N_POINTS - 1)])


def _of_bands(model: Any, vary: str, units: DecisionUnits) -> NDArray[np.float64]:
    """Return values of a path of classifiers."""
    if vary == "cost":
        return _around(1.0)
    numbers = [model.C1, model.C2, model.rho1, model.rho2]
    if any(isinstance(number, Mapping) for number in numbers):
        raise ValueError("values must be given if C1, C2, rho1 or rho2 differ by class.")
    C1, _, rho1, rho2 = numbers
    if vary == "C2":
        return _up_to(C1)
    if vary == "C1":
        return _around(C1)
    # From a wide band (almost a C-SVM) to a narrow one, which has the most support vectors.
    ends = (0.1 * rho2, rho2) if vary == "rho1" else (3.0 * rho1, rho1)
    return np.linspace(*ends, N_POINTS)


def _of_tubes(model: Any, vary: str, units: DecisionUnits) -> NDArray[np.float64]:
    """Return values of a path of regressions."""
    if vary == "cost":
        return _around(1.0)
    if vary == "epsilon":
        # From a wide tube, which hardly depends on X, to none, with the most support vectors.
        return np.linspace(units.size, 0.0, N_POINTS)
    if model.C1 == 0.0:
        raise ValueError(f"values must be given for vary={vary!r} if C1 is 0 in the model.")
    return _up_to(model.C1) if vary == "C2" else _around(model.C1)


def _of_quantiles(model: Any, vary: str, units: DecisionUnits) -> NDArray[np.float64]:
    """Return values of a path of quantile regressions."""
    if vary == "C":
        return _around(model.C)
    return np.linspace(0.5 * QUANTILE_STEP, 1.0 - 0.5 * QUANTILE_STEP, N_POINTS)


def _by_name(*names: str) -> dict[str, tuple[str, ...]]:
    return {name: (name,) for name in names}


_COST = {"cost": ("C1", "C2")}
VARIED: Mapping[Any, Varied] = {
    CLASSIFICATION: Varied(_by_name("C1", "C2", "rho1", "rho2") | _COST, _of_bands),
    REGRESSION: Varied(_by_name("C1", "C2", "epsilon") | _COST, _of_tubes),
    QUANTILE_REGRESSION: Varied(_by_name("C", "quantile"), _of_quantiles),
}
