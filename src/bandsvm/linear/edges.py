"""The edges of the bands, one entry for each edge that costs something to cross."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bandsvm.problem import BandProblem


class Edges:
    """Lower edges, then upper edges, so that one formula serves both.

    The margin ``v`` of an edge is how far its sample lies on the right side of it: ``g - lo`` of a
    lower edge, ``hi - g`` of an upper one. Its multiplier ``p`` pulls the sample to that side:
    ``c`` is the sum of the multipliers of lower edges minus that of upper ones.

    Parameters
    ----------
    problem : BandProblem
        The problem whose edges these are.
    """

    def __init__(self, problem: BandProblem) -> None:
        self._n_samples = problem.n_samples
        self._lower = np.flatnonzero(problem.below > 0.0)
        self._upper = np.flatnonzero(problem.above > 0.0)
        self._values = np.concatenate([problem.lo[self._lower], -problem.hi[self._upper]])
        self.units = np.abs(self._values)
        self.costs = np.concatenate([problem.below[self._lower], problem.above[self._upper]])

    def __len__(self) -> int:
        return len(self.costs)

    def margins(self, g: NDArray) -> NDArray[np.float64]:
        """Return the margins at decision values ``g``."""
        return self.changes(g) - self._values

    def changes(self, dg: NDArray) -> NDArray[np.float64]:
        """Return by how much margins change where decision values change by ``dg``."""
        return np.concatenate([dg[self._lower], -dg[self._upper]])

    def coefficients(self, p: NDArray) -> NDArray[np.float64]:
        """Return the coefficients ``c`` of the samples from the multipliers of the edges."""
        c = np.zeros(self._n_samples)
        c[self._lower] = p[: len(self._lower)]
        c[self._upper] -= p[len(self._lower) :]
        return c

    def totals(self, values: NDArray) -> NDArray[np.float64]:
        """Return the sum of a value over the edges of each sample."""
        sums = np.zeros(self._n_samples)
        sums[self._lower] = values[: len(self._lower)]
        sums[self._upper] += values[len(self._lower) :]
        return sums
