"""What a worker knows of a chunk: samples, labels and weights, checked, and its band problem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._checks import data
from bandsvm._estimators.linear import LinearBandedSVC
from bandsvm._fitting.targets import Targets
from bandsvm._linear.samples import LinearSamples
from bandsvm._problem.band_problem import BandProblem
from bandsvm._system.threads import n_threads


@dataclass(frozen=True)
class LabelledChunk:
    """Samples, labels and weights of a chunk, checked; or why they are refused."""

    samples: Any = None
    y: Any = None
    weights: Any = None
    names: NDArray | None = None
    refusal: Exception | None = None  # what is wrong with the chunk

    def __sizeof__(self) -> int:
        """Return the bytes that the scheduler should expect to move or to spill."""
        X = None if self.samples is None else self.samples.X
        return object.__sizeof__(self) + n_bytes(X, self.y, self.weights)


@dataclass(frozen=True)
class ChunkProblem:
    """Samples of a chunk and one band problem over them."""

    samples: LinearSamples
    problem: BandProblem

    def __sizeof__(self) -> int:
        """Return the bytes that the scheduler should expect to move or to spill."""
        problem = self.problem
        vectors = problem.lo, problem.hi, problem.below, problem.above
        return object.__sizeof__(self) + n_bytes(self.samples.X, *vectors)


def labelled(X: Any, y: Any, weights: Any) -> LabelledChunk:
    """Return a chunk as the local estimator would take it, or why it is refused."""
    try:
        n_samples = X.shape[0]
        if n_samples != len(y) or (weights is not None and n_samples != len(weights)):
            also = "" if weights is None else f" and {len(weights)} of sample_weight"
            raise ValueError(
                f"it has {n_samples} rows of X, {len(y)} of y{also}; chunk them alike, for example "
                "with rechunk or repartition."
            )
        if n_samples == 0:
            return LabelledChunk(
                LinearSamples(np.empty((0, X.shape[1]))), np.asarray(y), np.empty(0)
            )
        model = LinearBandedSVC()
        X, y = data.check_samples(model, X, y, reset=True)
        weights = data.finite_weights(weights, n_samples)
        names = getattr(model, "feature_names_in_", None)
        return LabelledChunk(LinearSamples(X), y, weights, names)
    except (ValueError, TypeError, AttributeError, IndexError) as error:
        return LabelledChunk(refusal=error)


def joined(chunks: list[LabelledChunk]) -> LabelledChunk:
    """Return several chunks as one."""
    X = [chunk.samples.X for chunk in chunks]
    return LabelledChunk(
        LinearSamples(sp.vstack(X, format="csr") if any(map(sp.issparse, X)) else np.vstack(X)),
        np.concatenate([chunk.y for chunk in chunks]),
        np.concatenate([chunk.weights for chunk in chunks]),
        chunks[0].names,
    )


def chunk_problem(chunk: LabelledChunk, targets: Targets, k: int, n_jobs: int) -> ChunkProblem:
    """Return the samples of a chunk and the k-th problem."""
    problem = targets.problem(chunk.y, chunk.weights, k)
    return ChunkProblem(LinearSamples(chunk.samples.X, n_threads(n_jobs)), problem)


def boxed(chunk: ChunkProblem, loss_at_zero: float) -> ChunkProblem:
    """Return a chunk whose squared losses have the box of the problem over all chunks."""
    return replace(chunk, problem=chunk.problem.boxed(loss_at_zero))


def n_bytes(*arrays: Any) -> int:
    """Return the bytes of some arrays, dense or CSR."""
    return sum(
        array.data.nbytes + array.indices.nbytes + array.indptr.nbytes
        if sp.issparse(array)
        else array.nbytes
        for array in arrays
        if array is not None
    )
