"""Kernels of distances: rbf, laplacian, chi2."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import additive_chi2_kernel

from bandsvm.kernels._samples import Samples, inner_products, squared_norms


@dataclass(frozen=True)
class Rbf:
    """``exp(-gamma |x - z|^2)``."""

    gamma: float

    def __call__(self, A: Samples, B: Samples) -> NDArray[np.float64]:
        """Return the kernel values of all samples of A with all of B."""
        # |x|^2 + |z|^2 - 2<x, z> loses digits far from the origin: measure from the samples' mean.
        shift = None if A.is_sparse or B.is_sparse else B.centre
        values = inner_products(A, B, shift)
        values *= -2.0
        values += squared_norms(A, shift)[:, None]
        values += squared_norms(B, shift)
        np.maximum(values, 0.0, out=values)
        values *= -self.gamma
        return np.exp(values, out=values)

    def diagonal(self, A: Samples) -> NDArray[np.float64]:
        """Return the kernel value of every sample with itself."""
        return np.ones(len(A))


def _by_dense_pieces(values: Callable, A: Samples, B: Samples) -> NDArray[np.float64]:
    """Return ``values(a, b)`` for all pairs, from dense float64 pieces of A and B."""
    filled = np.empty((len(A), len(B)))
    for rows in A.chunks(A.n_features):
        left = A.take(rows).dense()
        for columns in B.chunks(B.n_features):
            filled[rows, columns] = values(left, B.take(columns).dense())
    return filled


@dataclass(frozen=True)
class Laplacian:
    """``exp(-gamma |x - z|_1)``."""

    gamma: float

    def __call__(self, A: Samples, B: Samples) -> NDArray[np.float64]:
        """Return the kernel values of all samples of A with all of B."""
        values = _by_dense_pieces(lambda a, b: cdist(a, b, "cityblock"), A, B)
        values *= -self.gamma
        return np.exp(values, out=values)

    def diagonal(self, A: Samples) -> NDArray[np.float64]:
        """Return the kernel value of every sample with itself."""
        return np.ones(len(A))


def _minus_chi2(a: NDArray, b: NDArray) -> NDArray[np.float64]:
    # scikit-learn's loop asks for writeable memory, though it only reads.
    return additive_chi2_kernel(np.require(a, requirements="W"), np.require(b, requirements="W"))


@dataclass(frozen=True)
class Chi2:
    """``exp(-gamma sum_k (x_k - z_k)^2 / (x_k + z_k))``, for features that are not negative."""

    gamma: float

    def __call__(self, A: Samples, B: Samples) -> NDArray[np.float64]:
        """Return the kernel values of all samples of A with all of B."""
        values = _by_dense_pieces(_minus_chi2, A, B)
        values *= self.gamma
        return np.exp(values, out=values)

    def diagonal(self, A: Samples) -> NDArray[np.float64]:
        """Return the kernel value of every sample with itself."""
        return np.ones(len(A))
