"""Numbers with weights, of which quantiles and sums are asked.

They may lie in chunks on several machines: `bandsvm.dask` has other ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

# A share of the weight that rounding errors of its sum explain: they must not decide a quantile.
ROUNDING = 1e-12


class WeightedNumbers(Protocol):
    """Numbers with weights greater than 0, wherever they are."""

    @property
    def total(self) -> float:
        """The sum of all weights; 0 if there are no numbers."""

    @property
    def largest(self) -> float:
        """The largest number."""

    def quantile(self, share: float) -> float:
        """Return the least number such that those up to it have at least a share of the weight."""

    def distances(self, origin: float) -> WeightedNumbers:
        """Return the distances of all numbers from an origin."""

    def capped_sum(self, cap: float, size: float) -> float:
        """Return the weighted sum of all numbers, none counted above a cap, in units of a size."""


@dataclass(frozen=True)
class LocalNumbers(WeightedNumbers):
    """Numbers with weights greater than 0 in the memory of this process."""

    values: NDArray[np.float64]
    weights: NDArray[np.float64]

    @property
    def total(self) -> float:
        return float(self.weights.sum())

    @property
    def largest(self) -> float:
        return float(self.values.max(initial=-np.inf))

    def quantile(self, share: float) -> float:
        return weighted_quantile(self.values, self.weights, share)

    def distances(self, origin: float) -> LocalNumbers:
        return LocalNumbers(np.abs(self.values - origin), self.weights)

    def capped_sum(self, cap: float, size: float) -> float:
        return float(self.weights @ (np.minimum(self.values, cap) / size))


def weighted_quantile(values: NDArray, weights: NDArray, share: float) -> float:
    """Return the least value such that values up to it have at least a share of the weight."""
    order = values.argsort(kind="stable")
    ends = weights[order].cumsum()
    return float(values[order[ends.searchsorted(level_of(share, ends[-1]))]])


def level_of(share: float, total: float) -> float:
    """Return a share of the weight, less what rounding errors of its sum explain."""
    return share * total * (1.0 - ROUNDING)
