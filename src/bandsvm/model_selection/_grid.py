"""What a search tries: grids of numbers, in an order that suits warm starts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Costs around 1, and gammas around that of gamma="scale".
DEFAULT_C1 = (0.1, 1.0, 10.0, 100.0)
DEFAULT_GAMMA_FACTORS = (0.03, 0.1, 0.3, 1.0, 3.0)
# Shares of C1, and upper edges in units of rho1.
DEFAULT_C2_SHARES = (0.03, 0.1, 0.3, 1.0)
DEFAULT_RHO2_FACTORS = (1.2, 1.5, 2.0, 3.0)


class Candidate(NamedTuple):
    """One choice of parameters."""

    kernel: Any
    gamma: Any
    C1: float
    C2: float
    rho2: float

    def parameters(self) -> dict[str, Any]:
        """Return the parameters of BandedSVC that it stands for."""
        return self._asdict()


def as_grid(name: str, values: Any, default: Sequence[float]) -> list[float]:
    """Return the numbers to try in ascending order: those given, or one, or the default."""
    if values is None:
        return list(default)
    if isinstance(values, Real):
        values = [values]
    if isinstance(values, str) or not isinstance(values, (Iterable, np.ndarray)):
        raise TypeError(f"{name} must be a number, numbers to try or None, got {values!r}.")
    grid = sorted({float(value) for value in values})
    if not grid:
        raise ValueError(f"{name} must hold at least one number to try, got none.")
    return grid


def as_gammas(values: Any, scale: float) -> list[float]:
    """Return the gammas to try; 'scale' stands for that of all samples."""
    if values is None:
        return [scale * factor for factor in DEFAULT_GAMMA_FACTORS]
    if isinstance(values, (str, Real)):
        values = [values]
    gammas = as_grid("gamma", [scale if value == "scale" else value for value in values], ())
    if gammas[0] < 0.0:
        raise ValueError(f"gamma must be at least 0, got {gammas[0]!r}.")
    return gammas


def snake(rows: Sequence[float], columns: Sequence[float]) -> list[tuple[float, float]]:
    """Return all pairs, neighbours next to each other: every other row is walked backwards."""
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
    """Return the best candidate; of equally good ones the simplest: no band, small costs."""
    top = np.nanmax(scores)
    # Scores that differ by rounding only are equal.
    tied = np.flatnonzero(scores >= top - 1e-9 * max(1.0, abs(top))).tolist()
    return int(min(tied, key=lambda k: (candidates[k].C2, candidates[k].C1, _size(candidates[k]))))


def _size(candidate: Candidate) -> float:
    return float(candidate.gamma) if isinstance(candidate.gamma, Real) else 0.0
