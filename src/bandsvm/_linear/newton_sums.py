"""The sums over samples that the interior point method asks for, and who computes them.

Samples lie in chunks (`chunk`). An operation is computed for every chunk, from the chunk's state
after the last operation to its state after this one, and the results are added up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, Protocol

import numpy as np
from numpy.typing import NDArray

from bandsvm._linear.chunk import Chunk, ChunkState
from bandsvm._linear.samples import LinearSamples
from bandsvm._problem.band_problem import BandProblem
from bandsvm._system.stopping import check_stop

P = ParamSpec("P")
Outcome = tuple[ChunkState, Any]
Operation = Callable[Concatenate[Chunk, ChunkState, P], Outcome]


class NewtonSums(Protocol):
    """Executes operations of `Chunk` on all samples, wherever these are."""

    def total(self, operation: Operation[P], *args: P.args, **kwargs: P.kwargs) -> Any:
        """Return the sum over all chunks of what an operation returns, tuples item by item."""

    def joined(self, values: Callable[[Chunk, ChunkState], NDArray]) -> Any:
        """Return values of all samples, as arrays or whatever stands for them."""


class LocalNewtonSums(NewtonSums):
    """Sums over chunks in the memory of this process."""

    def __init__(self, chunks: Sequence[Chunk], states: list[ChunkState] | None = None) -> None:
        self._chunks = chunks
        self.states = [ChunkState()] * len(chunks) if states is None else list(states)

    def total(self, operation: Operation[P], *args: P.args, **kwargs: P.kwargs) -> Any:
        # One chunk follows the other: within a chunk the core uses all threads.
        total: Any = None
        for k, chunk in enumerate(self._chunks):
            check_stop()
            self.states[k], result = operation(chunk, self.states[k], *args, **kwargs)
            total = added(total, result) if k else result
        return total

    def joined(self, values: Callable[[Chunk, ChunkState], NDArray]) -> NDArray[np.float64]:
        """Return values of all samples."""
        parts = []
        for chunk, state in zip(self._chunks, self.states, strict=True):
            check_stop()
            parts.append(values(chunk, state))
        return np.concatenate(parts)


def newton_chunks(problem: BandProblem, samples: LinearSamples) -> list[Chunk]:
    """Return samples in chunks.

    Which samples make a chunk, and the order in which results are added up, do not depend on the
    number of threads, so neither does any bit of the sums.
    """
    return [
        Chunk(samples.part(rows).for_newton_steps(), problem.part(rows))
        for rows in samples.newton_chunks()
    ]


def added(left: Any, right: Any) -> Any:
    """Return the sum of two results; tuples are added item by item."""
    if isinstance(left, tuple):
        return tuple(a + b for a, b in zip(left, right, strict=True))
    return left + right
