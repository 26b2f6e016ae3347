"""What a worker knows of a chunk: samples, targets and weights, checked, and its band problem."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._checks import data
from bandsvm._fitting.task import Targets
from bandsvm._linear.executor import LocalExecutor
from bandsvm._linear.samples import LinearSamples
from bandsvm._system.threads import n_threads


class Sized:
    """What has the size of the arrays that it holds, which the scheduler may move or spill."""

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + n_bytes(vars(self))


@dataclass(frozen=True)
class CheckedChunk(Sized):
    """Samples, targets and weights of a chunk, checked; or why they are refused."""

    samples: Any = None
    y: Any = None
    weights: Any = None
    names: NDArray | None = None
    refusal: Exception | None = None  # what is wrong with the chunk


class ChunkProblem(Sized, LocalExecutor):
    """One band problem over the samples of a chunk, and operations on them on their worker."""


def checked(model: Any, X: Any, y: Any, weights: Any) -> CheckedChunk:
    """Return a chunk as a local estimator, not fitted, would take it, or why it is refused."""
    try:
        n_samples = X.shape[0]
        if n_samples != len(y) or (weights is not None and n_samples != len(weights)):
            also = "" if weights is None else f" and {len(weights)} of sample_weight"
            raise ValueError(
                f"it has {n_samples} rows of X, {len(y)} of y{also}; chunk them alike, for example "
                "with rechunk or repartition."
            )
        if n_samples == 0:
            return CheckedChunk(
                LinearSamples(np.empty((0, X.shape[1]))), np.asarray(y), np.empty(0)
            )
        X, y = model._task.check_samples(model, X, y, reset=True)
        weights = data.finite_weights(weights, n_samples)
        names = getattr(model, "feature_names_in_", None)
        return CheckedChunk(LinearSamples(X), y, weights, names)
    except (ValueError, TypeError, AttributeError, IndexError) as error:
        return CheckedChunk(refusal=error)


def joined(chunks: list[CheckedChunk]) -> CheckedChunk:
    """Return several chunks as one."""
    X = [chunk.samples.X for chunk in chunks]
    return CheckedChunk(
        LinearSamples(sp.vstack(X, format="csr") if any(map(sp.issparse, X)) else np.vstack(X)),
        np.concatenate([chunk.y for chunk in chunks]),
        np.concatenate([chunk.weights for chunk in chunks]),
        chunks[0].names,
    )


def chunk_problem(chunk: CheckedChunk, targets: Targets, k: int, n_jobs: int) -> ChunkProblem:
    """Return the k-th problem over the samples of a chunk."""
    problem = targets.problem(chunk.y, chunk.weights, k)
    return ChunkProblem(problem, LinearSamples(chunk.samples.X, n_threads(n_jobs)))


def boxed(chunk: ChunkProblem, loss_at_zero: float) -> ChunkProblem:
    """Return a chunk whose squared losses have the box of the problem over all chunks."""
    return ChunkProblem(chunk.problem.boxed(loss_at_zero), chunk.samples)


def n_bytes(value: Any) -> int:
    """Return the bytes of all arrays in a value."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, dict):
        return sum(n_bytes(item) for item in value.values())
    if isinstance(value, (list, tuple)):
        return sum(n_bytes(item) for item in value)
    return n_bytes(vars(value)) if hasattr(value, "__dict__") else sys.getsizeof(value)
