"""Kernels of distances: rbf, laplacian, chi2."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import additive_chi2_kernel

from bandsvm._kernels.operator import CoreKernel
from bandsvm._kernels.packing import PackedKernel
from bandsvm._kernels.samples import (
    CHUNK_BYTES,
    Samples,
    inner_products,
    squared_norms,
    sums_of_rows,
)

EPSILON = float(np.finfo(np.float64).eps)
# Largest error of an exponent with which distances are still computed from inner products.
MAX_LOSS = 1e-10
_absolute, _squared = partial(cdist, metric="cityblock"), partial(cdist, metric="sqeuclidean")


class OfDistances(CoreKernel):
    """``exp(-gamma d(x, z))``; subclasses compute the distance d."""

    def distances(self, A: Samples, B: Samples) -> NDArray[np.float64]:
        """Return the distances of all samples of A from all of B."""
        raise NotImplementedError

    def __call__(self, A: Samples, B: Samples) -> NDArray[np.float64]:
        values = self.distances(A, B)
        values *= -self.gamma
        return np.exp(values, out=values)

    def diagonal(self, A: Samples) -> NDArray[np.float64]:
        return np.ones(len(A))

    sizes = diagonal


class Rbf(OfDistances, PackedKernel):
    """``exp(-gamma |x - z|^2)``."""

    name = "rbf"

    def distances(self, A: Samples, B: Samples) -> NDArray[np.float64]:
        # |x|^2 + |z|^2 - 2<x, z> loses digits far from the origin, so samples are centred first.
        shift = None if A.is_sparse or B.is_sparse else B.centre
        left, right = squared_norms(A, shift), squared_norms(B, shift)
        if self.gamma * EPSILON * float(left.max(initial=0.0)) <= MAX_LOSS:
            values = inner_products(A, B, shift)
            values *= -2.0
            values += left[:, None]
            values += right
            return np.maximum(values, 0.0, out=values)
        return _by_dense_pieces(_squared, np.square, A, B)


def _by_dense_pieces(
    distances: Callable, size: Callable, A: Samples, B: Samples
) -> NDArray[np.float64]:
    """Return ``distances(a, b)`` for all pairs, from dense float64 pieces of A and B.

    A feature that is zero in one of two samples adds the ``size`` of its value in the other.
    """
    filled = np.empty((len(A), len(B)))
    pieces_of_B = [(part, B.take(part)) for part in B.chunks(_n_dense_values(B))]
    for rows in A.chunks(_n_dense_values(A)):
        left = A.take(rows)
        for columns, right in pieces_of_B:
            if A.is_sparse and B.is_sparse:
                filled[rows, columns] = _on_common_columns(distances, size, left, right)
            else:
                filled[rows, columns] = distances(left.dense(), right.dense())
    return filled


def _n_dense_values(A: Samples) -> int:
    """Return how many values a sample has in a dense piece.

    Pieces of k samples with v values each have at most k v columns in common.
    """
    if not A.is_sparse:
        return A.n_features
    at_once = (CHUNK_BYTES / 8 / max(1, A.n_values_per_sample)) ** 0.5
    return min(A.n_features, int(CHUNK_BYTES / 8 / at_once))


def _on_common_columns(
    distances: Callable, size: Callable, A: Samples, B: Samples
) -> NDArray[np.float64]:
    """Return distances of sparse samples from dense copies of the columns that both use."""
    common = np.intersect1d(A.X.indices, B.X.indices)
    left, right = (samples.on_columns(common).toarray() for samples in (A, B))
    values = distances(left, right) if len(common) else np.zeros((len(A), len(B)))
    values += _sizes_elsewhere(size, A, common)[:, None]
    values += _sizes_elsewhere(size, B, common)
    return values


def _sizes_elsewhere(size: Callable, A: Samples, columns: NDArray) -> NDArray[np.float64]:
    """Return the sum of sizes of each sparse sample's values in all other columns."""
    sizes = size(A.X.data, dtype=np.float64)
    sizes[np.isin(A.X.indices, columns)] = 0.0
    return sums_of_rows(A.X, sizes)


class Laplacian(OfDistances):
    """``exp(-gamma |x - z|_1)``."""

    name = "laplacian"

    def distances(self, A: Samples, B: Samples) -> NDArray[np.float64]:
        return _by_dense_pieces(_absolute, np.abs, A, B)


def _chi2(a: NDArray, b: NDArray) -> NDArray[np.float64]:
    # Squares of small differences would be 0, so both are scaled, by a power of two: no digit is
    # lost. Sums of large values overflow.
    largest = max(float(a.max(initial=0.0)), float(b.max(initial=0.0)))
    scale = 2.0 ** -np.clip(np.frexp(largest)[1], -1000, 1000)
    values = additive_chi2_kernel(scale * a, scale * b)
    values /= -scale
    return values


class Chi2(OfDistances):
    """``exp(-gamma sum_k (x_k - z_k)^2 / (x_k + z_k))``, for features that are not negative."""

    name = "chi2"

    def distances(self, A: Samples, B: Samples) -> NDArray[np.float64]:
        return _by_dense_pieces(_chi2, np.abs, A, B)
