"""The candidates of a search: grids of parameters, in an order that suits warm starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm._defaults import (
    DEFAULT_C1,
    DEFAULT_C2_SHARES,
    DEFAULT_GAMMA_FACTORS,
    DEFAULT_RHO2_FACTORS,
)
from bandsvm._kernels import resolve_gamma, uses_gamma


class Candidate(NamedTuple):
    """One choice of parameters; gamma is None for kernels that have none."""

    kernel: Any
    gamma: Any
    C1: float
    C2: float
    rho2: float

    def parameters(self) -> dict[str, Any]:
        """Return its parameters of BandedSVC."""
        parameters = self._asdict()
        if not uses_gamma(self.kernel):
            del parameters["gamma"]
        return parameters


class Grid:
    """The values that a BandedSVCCV will try, checked before any work begins.

    ``lowest_rho2`` is the largest lower edge of the band over all classes.
    """

    def __init__(self, estimator: Any, lowest_rho2: float, X: Any, weights: NDArray) -> None:
        self.kernels = kernels_of(estimator)
        self.C1s = as_grid("C1", estimator.C1, DEFAULT_C1)
        self._C2s = None if estimator.C2 is None else as_grid("C2", estimator.C2)
        self.rho2s = as_grid(
            "rho2", estimator.rho2, [lowest_rho2 * factor for factor in DEFAULT_RHO2_FACTORS]
        )
        self._gammas = []
        if any(uses_gamma(kernel) for kernel in self.kernels):
            self._gammas = as_gammas(estimator.gamma, X, weights)
        if not self.C1s[0] > 0.0:
            raise ValueError(f"C1 must be greater than 0, got {self.C1s[0]!r}.")
        if self._C2s is not None and self._C2s[0] < 0.0:
            raise ValueError(f"C2 must be at least 0, got {self._C2s[0]!r}.")
        if self.rho2s[0] < lowest_rho2:
            raise ValueError(
                f"rho2 must not be less than rho1, got rho1={estimator.rho1} and "
                f"rho2={self.rho2s[0]}; the band is [rho1, rho2]."
            )

    @property
    def widest_rho2(self) -> float:
        """The upper edge of C-SVMs, without effect on the fit; `band_position` needs some width."""
        return self.rho2s[-1]

    def without_band(self) -> list[Candidate]:
        """Return the C-SVMs to try, kernel by kernel."""
        places: list[tuple[Any, Any]] = []
        for kernel in self.kernels:
            gammas = self._gammas if uses_gamma(kernel) else [None]
            places += [(kernel, gamma) for gamma in gammas]
        return [
            Candidate(*place, C1, 0.0, self.widest_rho2)
            for place in dict.fromkeys(places)
            for C1 in self.C1s
        ]

    def bands(self, csvm: Candidate) -> list[Candidate]:
        """Return the bands to try for a C-SVM."""
        C2s = self._C2s
        if C2s is None:
            C2s = [csvm.C1 * share for share in DEFAULT_C2_SHARES]
        # Solutions change less from one rho2 to the next than from one C2 to the next.
        pairs = snake([C2 for C2 in C2s if C2 > 0.0], self.rho2s[::-1])
        return [csvm._replace(C2=C2, rho2=rho2) for C2, rho2 in pairs]


def kernels_of(estimator: Any) -> list[Any]:
    """Return the kernels that an estimator will try."""
    kernel = estimator.kernel
    return list(kernel) if isinstance(kernel, (list, tuple, np.ndarray)) else [kernel]


def as_grid(name: str, values: Any, default: Sequence[float] = ()) -> list[float]:
    """Return the given number or numbers, or the default, in ascending order."""
    if values is None:
        return list(default)
    return sorted({_number(name, value) for value in _listed(name, values)})


def as_gammas(values: Any, X: Any, weights: NDArray) -> list[float]:
    """Return the gammas to try; 'scale' and 'auto' are computed from all samples."""
    if values is None:
        scale = resolve_gamma("scale", X, weights)
        return [scale * factor for factor in DEFAULT_GAMMA_FACTORS]
    named = ("scale", "auto")
    gammas = [
        resolve_gamma(value, X, weights) if isinstance(value, str) and value in named else value
        for value in ([values] if isinstance(values, str) else _listed("gamma", values))
    ]
    numbers = as_grid("gamma", gammas)
    if numbers[0] < 0.0:
        raise ValueError(f"gamma must be at least 0, got {numbers[0]!r}.")
    return numbers


def _listed(name: str, values: Any) -> list[Any]:
    """Return one or several values as a non-empty list."""
    if isinstance(values, Mapping):
        weigh = "to weight classes, use class_weight; " if name in ("C1", "C2") else ""
        raise TypeError(
            f"{name} must be a number, numbers to try or None, got a mapping; {weigh}to try values "
            "that differ by class, use sklearn.model_selection.GridSearchCV with BandedSVC."
        )
    if isinstance(values, np.ndarray) and values.ndim == 0:
        values = values[()]
    if isinstance(values, Real):
        values = [values]
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a number, numbers to try or None, got {values!r}.")
    listed = list(values)
    if not listed:
        raise ValueError(f"{name} must hold at least one number to try, got none.")
    return listed


def _number(name: str, value: Any) -> float:
    """Return a finite number as a float."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        choices = " (or 'scale' or 'auto')" if name == "gamma" else ""
        raise TypeError(f"{name} must hold numbers to try{choices}, got {value!r} among them.")
    try:
        number = float(value)
    except OverflowError:
        number = np.inf
    if not np.isfinite(number):
        raise ValueError(f"{name} must be finite, got {value!r}.")
    return number


def snake(rows: Sequence[float], columns: Sequence[float]) -> list[tuple[float, float]]:
    """Return all pairs with neighbours adjacent: every other row is reversed."""
    order = []
    for k, row in enumerate(rows):
        order += [(row, column) for column in (columns if k % 2 == 0 else reversed(columns))]
    return order


def around(value: float, grid: Sequence[float]) -> list[float]:
    """Return the numbers half-way, on a log scale, between a value and its neighbours in a grid."""
    others = np.array([other for other in grid if other > 0.0 and other != value])
    halves = []
    for side in (others[others < value], others[others > value]):
        if len(side):
            nearest = side[np.argmin(np.abs(np.log(side / value)))]
            halves.append(float(np.sqrt(value * nearest)))
    return halves


def is_on_edge(value: float, grid: Sequence[float]) -> bool:
    """Return whether a value is the first or the last of several."""
    return len(grid) > 1 and value in (min(grid), max(grid))


def best_of(scores: NDArray, candidates: Sequence[Candidate]) -> int:
    """Return the best candidate; ties go to the simplest: no band, small costs."""
    top = np.nanmax(scores)
    # Scores that differ only by rounding are tied.
    tied = np.flatnonzero(scores >= top - 1e-9 * max(1.0, abs(top))).tolist()
    return int(min(tied, key=lambda k: (candidates[k].C2, candidates[k].C1, _size(candidates[k]))))


def _size(candidate: Candidate) -> float:
    return float(candidate.gamma) if isinstance(candidate.gamma, Real) else 0.0
