"""The candidates of BandedSVRCV: first costs and gamma, then widths and unequal costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._defaults import DEFAULT_C1, DEFAULT_EPSILONS
from bandsvm._fitting.spread import spread_of
from bandsvm._fitting.tubes import ends_of
from bandsvm._kernels import uses_gamma
from bandsvm.model_selection._grid import (
    Candidate,
    as_gammas,
    as_grid,
    kernels_of,
    places_of,
    snake,
)


@dataclass(frozen=True)
class TubeCandidate(Candidate):
    """One choice of parameters of `BandedSVR`."""

    epsilon: float

    def simplicity(self) -> tuple[float, ...]:
        """Return a sort key: small costs, then a wide tube."""
        return self.C1 + self.C2, -self.epsilon, self._size_of_gamma()


class TubeGrid:
    """The values that a BandedSVRCV will try, checked before any work begins."""

    other_words = "other tubes and ratios of costs"

    def __init__(self, estimator: Any, X: Any, y: NDArray, weights: NDArray) -> None:
        # Default costs and widths follow the spread of the targets, as the units of solvers do.
        spread = spread_of(*ends_of(y), weights, 0.0, bool(estimator.fit_intercept))[0] or 1.0
        of_costs = spread if estimator.loss == "epsilon_insensitive" else 1.0
        self._kernels = kernels_of(estimator)
        self._C1s = as_grid("C1", estimator.C1, [of_costs * cost for cost in DEFAULT_C1])
        self._ratios = as_grid("cost_ratio", estimator.cost_ratio, [1.0])
        self._epsilons = as_grid(
            "epsilon", estimator.epsilon, [spread * width for width in DEFAULT_EPSILONS]
        )
        self._gammas = []
        if any(uses_gamma(kernel) for kernel in self._kernels):
            self._gammas = as_gammas(estimator.gamma, X, weights)
        for name, least in (("C1", self._C1s[0]), ("cost_ratio", self._ratios[0])):
            if not least > 0.0:
                raise ValueError(f"{name} must be greater than 0, got {least!r}.")
        if self._epsilons[0] < 0.0:
            raise ValueError(f"epsilon must be at least 0, got {self._epsilons[0]!r}.")
        self._epsilon = self._epsilons[len(self._epsilons) // 2]
        self._ratio = min(self._ratios, key=lambda ratio: abs(np.log(ratio)))
        self.first_words = f"with epsilon={self._epsilon:.4g}"

    def first(self) -> list[TubeCandidate]:
        """Return candidates with one width and costs as equal as possible, kernel by kernel."""
        return [
            TubeCandidate(*place, C1, C1 * self._ratio, self._epsilon)
            for place in places_of(self._kernels, self._gammas)
            for C1 in self._C1s
        ]

    def others(self, leader: TubeCandidate) -> list[TubeCandidate]:
        """Return all widths and ratios at one of these."""
        pairs = snake(self._ratios, self._epsilons[::-1])
        return [leader.changed(C2=leader.C1 * ratio, epsilon=width) for ratio, width in pairs]

    def without_effect(self, candidate: TubeCandidate) -> TubeCandidate:
        """Return the candidate: all of its parameters have an effect."""
        return candidate

    def simpler(self, best: TubeCandidate) -> list[TubeCandidate]:
        """Return the same with costs as equal as possible."""
        return [best.changed(C2=best.C1 * self._ratio)]
