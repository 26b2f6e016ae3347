"""Samples for kernels: dense or CSR, float32 or float64, never copied as a whole."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._system.cached import cached_property

# Float64 copies are made of this many bytes of samples at a time.
CHUNK_BYTES = 8 * 2**20


def as_contiguous(values: NDArray, dtype: type | None = None) -> NDArray:
    """Return an array, or a copy if it is not contiguous or not aligned.

    Compiled functions require this. Views of bytes and fields of records may lie anywhere.
    """
    flags = values.flags
    if flags.c_contiguous and flags.aligned and (dtype is None or values.dtype == dtype):
        return values
    return np.require(values, dtype, ["C", "A"])


class Samples:
    """A matrix of samples, one per row, that provides float64 copies of pieces."""

    def __init__(self, X: Any) -> None:
        self.X = X

    def __len__(self) -> int:
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        """Number of features; 1 for objects, which only callable kernels take."""
        return math.prod(self.X.shape[1:])

    @property
    def is_sparse(self) -> bool:
        """Whether the samples are CSR."""
        return sp.issparse(self.X)

    @property
    def n_values_per_sample(self) -> int:
        """Average number of stored values per sample."""
        return -(-self.X.nnz // max(1, len(self))) if self.is_sparse else self.n_features

    def take(self, indices: NDArray | slice | list[int]) -> Samples:
        """Return some of the samples; a slice of a dense matrix is a view."""
        return Samples(self.X[indices])

    def dense(self) -> NDArray[np.float64]:
        """Return the samples as a dense float64 matrix; use it for pieces only."""
        dense = self.X.toarray() if self.is_sparse else self.X
        return np.asarray(dense, dtype=np.float64)

    def chunks(self, n_values_per_sample: int) -> Iterator[slice]:
        """Yield slices over the samples, each of about `CHUNK_BYTES` of float64 values."""
        size = max(1, CHUNK_BYTES // (8 * max(1, n_values_per_sample)))
        for start in range(0, len(self), size):
            yield slice(start, min(start + size, len(self)))

    @cached_property
    def columns(self) -> NDArray | None:
        """Columns of sparse samples that hold values, in order; None (all) if most of them do."""
        return None if self.n_features <= self.X.nnz else np.unique(self.X.indices)

    def on_columns(self, columns: NDArray | None) -> Any:
        """Return sparse samples as a float64 matrix of some columns; None is all."""
        X = self.X.astype(np.float64, copy=False)
        if columns is None:
            return X
        places = np.searchsorted(columns, X.indices)
        is_kept = places < len(columns)
        is_kept[is_kept] = columns[places[is_kept]] == X.indices[is_kept]
        starts = np.concatenate([[0], np.cumsum(is_kept)])[X.indptr]
        shape = (len(self), len(columns))
        return sp.csr_array((X.data[is_kept], places[is_kept], starts), shape=shape)

    @cached_property
    def transposed(self) -> Any:
        """Transpose of sparse samples, without the columns that hold no values."""
        return self.on_columns(self.columns).T.tocsr()

    @cached_property
    def centre(self) -> NDArray[np.float64]:
        """Mean of the samples; distances are more accurate after centring."""
        return np.asarray(self.X.mean(axis=0, dtype=np.float64)).ravel()


def inner_products(A: Samples, B: Samples, shift: NDArray | None = None) -> NDArray[np.float64]:
    """Return the inner products of all samples of A with all of B, both minus ``shift``.

    Only dense samples can be shifted. Dense float64 copies are made of pieces only.
    """
    products = np.empty((len(A), len(B)))
    if A.is_sparse and B.is_sparse:
        for part in A.chunks(len(B)):
            products[part] = (A.take(part).on_columns(B.columns) @ B.transposed).toarray()
    elif B.is_sparse:
        right = B.X.astype(np.float64, copy=False)
        for part in A.chunks(A.n_features):
            products[part] = (right @ A.take(part).dense().T).T
    elif A.is_sparse:
        left = A.X.astype(np.float64, copy=False)
        for part in B.chunks(B.n_features):
            products[:, part] = left @ B.take(part).dense().T
    else:
        for rows in A.chunks(A.n_features):
            left = _moved(A.take(rows), shift)
            for part in B.chunks(B.n_features):
                right = _moved(B.take(part), shift)
                np.matmul(left, right.T, out=products[rows, part])
    return products


def _moved(A: Samples, shift: NDArray | None) -> NDArray[np.float64]:
    """Return a piece of dense samples in float64, minus ``shift``."""
    return A.dense() if shift is None else A.dense() - shift


def squared_norms(A: Samples, shift: NDArray | None = None) -> NDArray[np.float64]:
    """Return the squared length of every sample minus ``shift``."""
    if A.is_sparse:
        return sums_of_rows(A.X, np.square(A.X.data, dtype=np.float64))
    norms = np.empty(len(A))
    for part in A.chunks(A.n_features):
        values = _moved(A.take(part), shift)
        norms[part] = np.einsum("ij,ij->i", values, values)
    return norms


def sums_of_rows(X: Any, values: NDArray) -> NDArray[np.float64]:
    """Return the sum of each row of values that are stored like those of a CSR matrix."""
    # X.sum(axis=1) would multiply by a vector as long as X is wide.
    row_of_value = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    sums = np.bincount(row_of_value, weights=values, minlength=X.shape[0])
    return sums.astype(np.float64, copy=False)
