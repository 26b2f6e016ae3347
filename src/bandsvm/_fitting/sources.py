"""Targets of a regression as a source of numbers, wherever they are, and what is known of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bandsvm._checks.numbers import ends_of
from bandsvm._fitting.weighted_numbers import LocalNumbers, WeightedNumbers


@dataclass(frozen=True)
class TargetSummary:
    """What is known of the targets of some samples: a training set, or one of its chunks."""

    # Of the samples of positive weight whose targets have an end: the largest weight, and whether
    # any of them has a lower end, and an upper end.
    largest_weight: float
    has_lower: bool
    has_upper: bool
    # The least and the largest finite end of all samples; infinite if there is none.
    lowest: float
    highest: float


# Returns numbers of some targets with weights: its arguments are targets and weights of samples,
# and the largest of all weights.
Extract = Callable[[NDArray, NDArray, float], LocalNumbers]


class TargetSource(Protocol):
    """The targets and weights of a training set, wherever they are."""

    @property
    def summaries(self) -> Sequence[Any]:
        """What the task knows of the targets of each chunk that is not empty."""

    def numbers(self, extract: Extract, largest_weight: float) -> WeightedNumbers:
        """Return numbers that a function extracts from targets and weights."""


@dataclass(frozen=True)
class LocalSource(TargetSource):
    """Targets and weights in the memory of this process."""

    y: NDArray
    weights: NDArray[np.float64]

    @property
    def summaries(self) -> list[TargetSummary]:
        return [summary_of(self.y, self.weights)]

    def numbers(self, extract: Extract, largest_weight: float) -> LocalNumbers:
        return extract(self.y, self.weights, largest_weight)


def summary_of(y: NDArray, weights: NDArray) -> TargetSummary:
    """Return what is known of targets."""
    if y.ndim == 1 and len(y):  # numbers are finite
        largest = float(weights.max())
        return TargetSummary(largest, largest > 0.0, largest > 0.0, float(y.min()), float(y.max()))
    lower, upper = ends_of(y)
    has_lower, has_upper = np.isfinite(lower), np.isfinite(upper)
    ends = np.concatenate([lower[has_lower], upper[has_upper]])
    counts = weights > 0.0
    return TargetSummary(
        float(weights[has_lower | has_upper].max(initial=0.0)),
        bool((counts & has_lower).any()),
        bool((counts & has_upper).any()),
        float(ends.min(initial=np.inf)),
        float(ends.max(initial=-np.inf)),
    )


def joint_summary(parts: Sequence[TargetSummary]) -> TargetSummary:
    """Return the summary of the targets of several chunks together."""
    if len(parts) == 1:
        return parts[0]
    return TargetSummary(
        max(part.largest_weight for part in parts),
        any(part.has_lower for part in parts),
        any(part.has_upper for part in parts),
        min(part.lowest for part in parts),
        max(part.highest for part in parts),
    )
