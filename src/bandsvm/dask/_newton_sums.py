"""The sums of the interior point method over chunks on the workers of a cluster.

An operation is one task per chunk, from the chunk and its state after the last operation to its
state after this one. States are values and stay on their workers; the results alone are added up. A
state that is lost with a worker is computed again by repeating the operations, whose arguments the
scheduler keeps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._linear.chunk import Chunk, ChunkState
from bandsvm._linear.newton_sums import LocalNewtonSums, NewtonSums, newton_chunks
from bandsvm.dask._chunks import ChunkProblem, Sized
from bandsvm.dask._tasks import ChunkTasks, PerChunk


class ClusterNewtonSums(NewtonSums):
    """Sums over all chunks of a cluster."""

    def __init__(self, tasks: ChunkTasks, problems: PerChunk) -> None:
        self._tasks = tasks
        self._parts = tasks.each(_parts, problems)
        self._last: PerChunk | None = None

    def total(self, operation: Callable, *args: Any) -> Any:  # type: ignore[override]
        outcomes = self._tasks.each(_outcome, self._parts, self._last, operation, *args)
        sums = self._tasks.total(attrgetter("result"), outcomes)
        self._last = outcomes  # an operation that was cut short changes nothing
        return sums

    def joined(self, values: Callable[[Chunk, ChunkState], NDArray]) -> PerChunk:
        """Return values of all samples, which stay on the workers."""
        return self._tasks.each(_values, self._parts, self._last, values)


@dataclass(frozen=True)
class OperationOutcome(Sized):
    """The states of the parts of a chunk after an operation, and its result."""

    states: list[ChunkState]
    result: Any


def _parts(chunk: ChunkProblem) -> list[Chunk]:
    """Return a chunk in parts of the size that suits one machine."""
    return newton_chunks(chunk.problem, chunk.samples)


def _outcome(
    parts: list[Chunk], last: OperationOutcome | None, operation: Callable, *args: Any
) -> OperationOutcome:
    """Execute an operation on the parts of a chunk that are in the states of the last one."""
    sums = LocalNewtonSums(parts, None if last is None else last.states)
    result = sums.total(operation, *args)
    return OperationOutcome(sums.states, result)


def _values(
    parts: list[Chunk], last: OperationOutcome, values: Callable[[Chunk, ChunkState], NDArray]
) -> NDArray[np.float64]:
    return LocalNewtonSums(parts, last.states).joined(values)
