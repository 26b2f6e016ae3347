"""Dask collections and lists of futures as chunks: row by row, X with y and sample weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
from dask.delayed import Delayed
from distributed import Client, Future

import dask
from bandsvm.dask._tasks import PerChunk


def is_collection(X: Any) -> bool:
    """Return whether X is a Dask array or DataFrame, so that results should be lazy, too."""
    return isinstance(X, (da.Array, dd.DataFrame, dd.Series))


def map_chunks(client: Client, function: Callable, X: Any, y: Any, sample_weight: Any) -> PerChunk:
    """Call a function with X, y and weights (or None) of every chunk, on the workers."""
    X, y, sample_weight = aligned(X, y, sample_weight)
    parts = [_parts("X", X), _parts("y", y)]
    parts += [_parts("sample_weight", sample_weight)] if sample_weight is not None else []
    for name, other in zip(("y", "sample_weight"), parts[1:], strict=False):
        if len(other) != len(parts[0]):
            raise ValueError(
                f"{name} must have as many chunks as X, got {len(other)} and {len(parts[0])}; "
                "chunk both alike, after X.compute_chunk_sizes() if sizes are unknown."
            )
    if not parts[0]:
        raise ValueError("X must have at least one chunk, got an empty list.")
    lazily = dask.delayed(function, pure=False)
    calls = [lazily(*some, *[None] * (3 - len(some))) for some in zip(*parts, strict=True)]
    return PerChunk(client.compute(calls))


def aligned(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """Return collections of which y and the weights have the chunks of X, where sizes are known."""
    check_rows_only(X)
    others = {"y": y, "sample_weight": sample_weight}
    for name, other in others.items():
        if not (isinstance(X, da.Array) and isinstance(other, da.Array)):
            continue
        if other.ndim == 2 and other.shape[1] == 1:
            other = other[:, 0]
        # Intervals have two columns; tasks that take none refuse them.
        if other.ndim != 1 and not (name == "y" and other.ndim == 2 and other.shape[1] == 2):
            raise ValueError(f"{name} must have one dimension, got shape {other.shape}.")
        rows = X.chunks[0]
        if not np.isnan(rows).any() and not np.isnan(other.chunks[0]).any():
            if other.shape[0] != X.shape[0]:
                raise ValueError(
                    f"{name} must have one entry for each of the {X.shape[0]} samples, got shape "
                    f"{other.shape}."
                )
            other = other.rechunk((rows, *((n,) for n in other.shape[1:])))
        others[name] = other
    return X, others["y"], others["sample_weight"]


def check_rows_only(X: Any) -> None:
    """Refuse arrays that are not matrices chunked by rows alone."""
    if not isinstance(X, da.Array):
        return
    if X.ndim != 2:
        raise ValueError(
            f"X must have two dimensions, samples and features, got {X.ndim}; use "
            "X.reshape(-1, 1) for a single feature."
        )
    if X.numblocks[1] > 1:
        raise ValueError(
            f"X must be chunked by rows alone, got {X.numblocks[1]} chunks of columns; call "
            "X.rechunk({1: -1})."
        )


def _parts(name: str, value: Any) -> list[Any]:
    """Return the chunks of a collection, lazily, or of a list as they are."""
    if is_collection(value):
        return list(np.ravel(value.to_delayed()))
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    if is_list and all(isinstance(part, (Delayed, Future)) for part in value):
        return list(value)
    of_numpy = "; for data in memory use the same estimator of bandsvm, or dask.array.from_array"
    raise TypeError(
        f"{name} must be a Dask array, a Dask DataFrame or a list of delayed objects or futures, "
        f"got {type(value).__name__}{of_numpy if name == 'X' else ''}."
    )
