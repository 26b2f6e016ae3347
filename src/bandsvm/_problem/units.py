"""The units in which solvers see decision values."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class DecisionUnits(NamedTuple):
    """Solvers see a decision value g as ``(g - origin) / size``.

    Edges are measured likewise. Coefficients, intercepts and violations are in units of ``size``,
    objectives in units of its square; kernel values stay as they are. The size is a power of two,
    so that no digit is lost. Edges and decision values of classifiers need no units: they are near
    1 by the choice of the band.
    """

    size: float = 1.0
    origin: float = 0.0

    def values(self, seen: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return decision values, or intercepts, from those that solvers see."""
        return seen if self == PLAIN else self.size * seen + self.origin

    def seen(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return decision values, or intercepts, as solvers see them."""
        return values if self == PLAIN else (values - self.origin) / self.size

    def differences(self, seen: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return coefficients or distances from those that solvers see."""
        return seen if self.size == 1.0 else self.size * seen

    def seen_differences(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return coefficients or distances as solvers see them."""
        return values if self.size == 1.0 else values / self.size


PLAIN = DecisionUnits()
