"""The targets of a training set on workers, as a task asks for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bandsvm._fitting.sources import Extract
from bandsvm._fitting.weighted_numbers import LocalNumbers, WeightedNumbers, level_of
from bandsvm._linear.chunk import Largest
from bandsvm._system.cached import cached_property
from bandsvm.dask._chunks import CheckedChunk
from bandsvm.dask._quantiles import Ranked, extremes, quantile, ranked_numbers
from bandsvm.dask._tasks import ChunkTasks, PerChunk


@dataclass(frozen=True)
class ClusterSource:
    """Targets and weights of the chunks on the workers of a cluster."""

    summaries: Sequence[Any]
    tasks: ChunkTasks
    chunks: PerChunk

    def numbers(self, extract: Extract, largest_weight: float) -> ClusterNumbers:
        return ClusterNumbers(
            self.tasks, self.tasks.each(_extracted, self.chunks, extract, largest_weight)
        )


class ClusterNumbers(WeightedNumbers):
    """Numbers with weights on the workers of a cluster."""

    def __init__(self, tasks: ChunkTasks, numbers: PerChunk) -> None:
        self._tasks, self._numbers = tasks, numbers

    @cached_property
    def total(self) -> float:
        return self._tasks.total(_total, self._numbers)

    @cached_property
    def largest(self) -> float:
        return float(self._tasks.total(_largest, self._numbers))

    def quantile(self, share: float) -> float:
        ranked = self._tasks.each(_ranked, self._numbers)
        level = level_of(share, self.total)
        return quantile(self._tasks, ranked, extremes(self._tasks, ranked), level)[0]

    def distances(self, origin: float) -> ClusterNumbers:
        numbers = self._tasks.each(LocalNumbers.distances, self._numbers, origin)
        return ClusterNumbers(self._tasks, numbers)

    def capped_sum(self, cap: float, size: float) -> float:
        return self._tasks.total(LocalNumbers.capped_sum, self._numbers, cap, size)


def _extracted(chunk: CheckedChunk, extract: Callable, largest_weight: float) -> LocalNumbers:
    return extract(chunk.y, chunk.weights, largest_weight)


def _total(numbers: LocalNumbers) -> float:
    return numbers.total


def _largest(numbers: LocalNumbers) -> Largest:
    return Largest(numbers.largest)


def _ranked(numbers: LocalNumbers) -> Ranked:
    return ranked_numbers(numbers.values, numbers.weights)
