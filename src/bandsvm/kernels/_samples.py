"""Samples as the kernels see them: dense or CSR, float32 or float64, never copied as a whole."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

# Float64 copies are made of this many bytes of samples at a time.
CHUNK_BYTES = 8 * 2**20


class Samples:
    """A matrix of samples, one a row, that hands out float64 pieces of itself."""

    def __init__(self, X: Any) -> None:
        self.X = X

    def __len__(self) -> int:
        return self.X.shape[0]

    @property
    def n_features(self) -> int:
        """Number of values of a sample; 1 for objects that only a callable kernel knows."""
        return math.prod(self.X.shape[1:])

    @property
    def is_sparse(self) -> bool:
        """Whether the samples are CSR."""
        return sp.issparse(self.X)

    def take(self, indices: NDArray | slice | list[int]) -> Samples:
        """Return some of the samples; a slice of a dense matrix is a view."""
        return Samples(self.X[indices])

    def dense(self) -> NDArray[np.float64]:
        """Return the samples as a dense float64 matrix: for pieces, not for the whole."""
        dense = self.X.toarray() if self.is_sparse else self.X
        return np.asarray(dense, dtype=np.float64)

    def chunks(self, n_values_per_sample: int) -> Iterator[slice]:
        """Yield slices over the samples, each of about `CHUNK_BYTES` of float64 values."""
        size = max(1, CHUNK_BYTES // (8 * max(1, n_values_per_sample)))
        for start in range(0, len(self), size):
            yield slice(start, min(start + size, len(self)))

    @cached_property
    def centre(self) -> NDArray[np.float64]:
        """Mean of the samples; distances are sharper when measured from there."""
        return np.asarray(self.X.mean(axis=0, dtype=np.float64)).ravel()


def inner_products(A: Samples, B: Samples, shift: NDArray | None = None) -> NDArray[np.float64]:
    """Return the inner products of all samples of A with all of B, both moved by -shift.

    Only dense samples can be moved. Dense float64 copies are made of pieces alone.
    """
    products = np.empty((len(A), len(B)))
    if A.is_sparse and B.is_sparse:
        B_transposed = B.X.astype(np.float64, copy=False).T.tocsr()
        for part in A.chunks(len(B)):
            left = A.X[part].astype(np.float64, copy=False)
            products[part] = (left @ B_transposed).toarray()
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
    """Return a piece of dense samples in float64, moved by -shift."""
    return A.dense() if shift is None else A.dense() - shift


def squared_norms(A: Samples, shift: NDArray | None = None) -> NDArray[np.float64]:
    """Return the squared length of every sample moved by -shift."""
    if A.is_sparse:
        values = A.X.astype(np.float64, copy=False)
        return np.asarray(values.multiply(values).sum(axis=1)).ravel()
    norms = np.empty(len(A))
    for part in A.chunks(A.n_features):
        values = _moved(A.take(part), shift)
        norms[part] = np.einsum("ij,ij->i", values, values)
    return norms
