"""The edges of the bands: for each sample one, or two with those on the other side."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bandsvm._kernels.samples import as_contiguous
from bandsvm._problem.band_problem import BandProblem
from bandsvm._system.cached import cached_property


class Edges:
    """Edges by side and sample, so that one formula serves all.

    The margin ``v = sign g - value`` of an edge is how far its sample lies on the right side of it,
    with minus the sample's sign on side 1. Its multiplier ``p`` pulls the sample to that side:
    ``c`` is the sum over sides of the sign times ``p``. Edges that cost nothing to cross do not
    count.
    """

    def __init__(self, problem: BandProblem) -> None:
        has_lower = problem.below > 0.0
        self.signs = np.where(has_lower, 1.0, -1.0)
        lower, upper = (problem.lo, problem.below), (-problem.hi, problem.above)
        sides = [
            [np.where(has_lower, *pair) for pair in zip(lower, upper, strict=True)],
            [np.where(has_lower, *pair) for pair in zip(upper, lower, strict=True)],
        ]
        if not np.any(sides[1][1] > 0.0):
            del sides[1]
        self.values, self.costs = (np.array(values) for values in zip(*sides, strict=True))
        self.is_squared = problem.is_squared

    @property
    def are_there(self) -> NDArray[np.bool_]:
        """Which edges count."""
        return self.costs > 0.0

    @cached_property
    def for_core(self) -> tuple[NDArray, NDArray, NDArray, bool]:
        """The edges as the core takes them."""
        signs, values, costs = map(as_contiguous, (self.signs, self.values, self.costs))
        return signs, values, costs, self.is_squared

    def margins(self, g: NDArray) -> NDArray[np.float64]:
        """Return the margins at decision values ``g``."""
        g = self.signs * g
        return np.stack([g, -g][: len(self.values)]) - self.values

    def coefficients(self, p: NDArray) -> NDArray[np.float64]:
        """Return the coefficients ``c`` of the samples from the multipliers of the edges."""
        p = np.where(self.are_there, p, 0.0)
        return self.signs * (p[0] - p[1] if len(p) == 2 else p[0])
