"""What searches try: candidates, values of parameters, and their order, which suits warm starts.

`_bands` has the candidates of classifiers, `_tubes` those of regressions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from numbers import Real
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bandsvm._defaults import DEFAULT_GAMMA_FACTORS
from bandsvm._kernels import resolve_gamma, uses_gamma

# Relative differences of scores that are rounding errors.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Candidate:
    """One choice of parameters; gamma is None for kernels that have none.

    Subclasses add how wide the band or the tube is.
    """

    kernel: Any
    gamma: Any
    C1: float
    C2: float

    @classmethod
    def names(cls) -> list[str]:
        """Return the names of all parameters."""
        return [each.name for each in fields(cls)]

    def parameters(self) -> dict[str, Any]:
        """Return its parameters of the model."""
        parameters = {name: getattr(self, name) for name in self.names()}
        if not uses_gamma(self.kernel):
            del parameters["gamma"]
        return parameters

    def text(self) -> str:
        """Return its parameters besides kernel and gamma as text."""
        return ", ".join(f"{name}={getattr(self, name):.4g}" for name in self.names()[2:])

    def changed(self, **parameters: Any) -> Self:
        """Return a candidate with other values of some parameters."""
        return replace(self, **parameters)

    def simplicity(self) -> tuple[float, ...]:
        """Return a sort key that is least for the simplest model."""
        raise NotImplementedError

    def _size_of_gamma(self) -> float:
        return float(self.gamma) if isinstance(self.gamma, Real) else 0.0


class Grid(Protocol):
    """The candidates of a search, checked before any work begins."""

    # What lines on the plan say of the candidates of the first and of the second stage.
    first_words: str
    other_words: str

    def first(self) -> list[Any]:
        """Return the candidates of the first stage, kernel by kernel."""

    def others(self, leader: Any) -> list[Any]:
        """Return the candidates of the second stage at one of the first."""

    def without_effect(self, candidate: Any) -> Any:
        """Return a candidate with the same value of all parameters that have no effect in it."""

    def simpler(self, best: Any) -> list[Any]:
        """Return what must score lower than the best candidate for that to be chosen."""


def places_of(kernels: Sequence[Any], gammas: Sequence[float]) -> list[tuple[Any, Any]]:
    """Return kernels with each gamma, or with None if they have none."""
    places = [
        (kernel, gamma)
        for kernel in kernels
        for gamma in (gammas if uses_gamma(kernel) else [None])
    ]
    return list(dict.fromkeys(places))


def largest_of(candidates: Sequence[Candidate]) -> Candidate:
    """Return the largest value of every parameter but kernel and gamma."""
    names = candidates[0].names()[2:]
    largest = {name: max(getattr(each, name) for each in candidates) for name in names}
    return candidates[0].changed(**largest)


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
        raise TypeError(f"{name} must be a number, numbers to try or None, got a mapping.")
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
    """Return the best candidate; ties go to the simplest."""
    top = np.nanmax(scores)
    # Scores that differ only by rounding are tied.
    tied = np.flatnonzero(scores >= top - ROUNDING * largest_score(scores)).tolist()
    return int(min(tied, key=lambda k: candidates[k].simplicity()))


def largest_score(scores: NDArray) -> float:
    """Return the largest absolute score; infinite ones and NaN do not count."""
    finite = scores[np.isfinite(scores)]
    return float(np.abs(finite).max(initial=0.0))
