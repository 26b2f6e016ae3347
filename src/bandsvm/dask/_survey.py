"""What one pass over the chunks finds: sizes, targets, weights, and what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._linear.tasks import LinearTask
from bandsvm.dask._chunks import CheckedChunk

# A round of tasks takes some 20 ms, whatever they do: chunks of fewer values are joined.
MIN_VALUES_OF_GROUP = 8_000_000


@dataclass(frozen=True)
class ChunkStats:
    """What is known of a chunk."""

    n_samples: int = 0  # n_samples, n_features, n_values: rows, columns and stored values
    n_features: int = 0
    n_values: int = 0
    n_pairs: float = 0.0  # pairs of values of a sample, over all samples
    is_sparse: bool = False  # whether it is a CSR matrix
    targets: Any = None  # what `LinearTask.summary` says of them
    are_intervals: bool = False  # whether they have two ends
    names: NDArray | None = None
    refusal: Exception | None = None  # what is wrong with it


def stats_of(chunk: CheckedChunk, task: LinearTask) -> ChunkStats:
    """Return what there is in a chunk."""
    if chunk.refusal is not None:
        return ChunkStats(refusal=chunk.refusal)
    samples = chunk.samples
    if samples.n_samples == 0:
        return ChunkStats(n_features=samples.n_features)
    try:
        targets = task.summary(chunk.y, chunk.weights)
    except ValueError as error:
        return ChunkStats(refusal=error)
    return ChunkStats(
        samples.n_samples,
        samples.n_features,
        samples.n_values,
        samples.n_pairs,
        samples.is_sparse,
        targets,
        chunk.y.ndim == 2,
        chunk.names,
    )


class Survey:
    """What is known of all chunks that are not empty."""

    def __init__(self, stats: list[ChunkStats]) -> None:
        for k, of_chunk in enumerate(stats):
            if of_chunk.refusal is not None:
                kind = type(of_chunk.refusal)
                kind = kind if kind in (ValueError, TypeError) else ValueError
                raise kind(f"Chunk {k} is refused: {of_chunk.refusal}")
        self.kept = [k for k, of_chunk in enumerate(stats) if of_chunk.n_samples]
        if not self.kept:
            raise ValueError("X must have at least one sample, but all of its chunks are empty.")
        first = stats[self.kept[0]]
        for k, of_chunk in enumerate(stats):
            _check_same_columns(k, of_chunk, self.kept[0], first)
        some = self._some = [stats[k] for k in self.kept]
        self.rows = [of_chunk.n_samples for of_chunk in some]
        self.n_samples, self.n_features, self.names = sum(self.rows), first.n_features, first.names
        self.n_values = sum(of_chunk.n_values for of_chunk in some)
        self.n_pairs = sum(of_chunk.n_pairs for of_chunk in some)
        self.is_sparse = any(of_chunk.is_sparse for of_chunk in some)

    def groups(self) -> list[list[int]]:
        """Return chunks that are worked on as one: neighbours, as long as they are small.

        The groups depend on the chunks alone, not on the workers, and so does every bit of sums.
        """
        groups: list[list[int]] = []
        size = least = MIN_VALUES_OF_GROUP
        for k, of_chunk in enumerate(self._some):
            if size >= least or of_chunk.n_values >= least:
                groups.append([])
                size = 0
            groups[-1].append(k)
            size += of_chunk.n_values
        return groups

    @property
    def targets(self) -> list[Any]:
        """What is known of the targets of each chunk."""
        return [of_chunk.targets for of_chunk in self._some]


def _check_same_columns(k: int, of_chunk: ChunkStats, first: int, expected: ChunkStats) -> None:
    """Refuse chunks of other columns than the first one."""
    if of_chunk.n_features != expected.n_features:
        raise ValueError(
            f"All chunks of X must have the same columns, but chunk {k} has "
            f"{of_chunk.n_features} and chunk {first} has {expected.n_features}."
        )
    if of_chunk.n_samples and of_chunk.are_intervals != expected.are_intervals:
        raise ValueError(
            f"All chunks of y must hold numbers, or all of them intervals, but chunk {k} and chunk "
            f"{first} differ; a number is an interval of two equal ends."
        )
    if of_chunk.n_samples and not np.array_equal(_names(of_chunk), _names(expected)):
        raise ValueError(
            f"All chunks of X must have the same columns in the same order, but those of chunk {k} "
            f"are {_names(of_chunk)[:5]} and those of chunk {first} {_names(expected)[:5]}."
        )


def _names(of_chunk: ChunkStats) -> list[str]:
    return [] if of_chunk.names is None else of_chunk.names.tolist()
