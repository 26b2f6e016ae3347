"""Kernels of inner products: linear, poly, sigmoid."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bandsvm._kernels.packing import PackedKernel
from bandsvm._kernels.samples import Samples, inner_products, squared_norms
from bandsvm._system.threads import single_threaded_blas


class OfProducts(PackedKernel):
    """A function of inner products, which subclasses compute in place."""

    def of(self, products: NDArray) -> NDArray[np.float64]:
        """Return kernel values."""
        raise NotImplementedError

    def __call__(self, A: Samples, B: Samples) -> NDArray[np.float64]:
        return self.of(inner_products(A, B))

    def diagonal(self, A: Samples) -> NDArray[np.float64]:
        return self.of(squared_norms(A))


class Linear(OfProducts):
    """``<x, z>``."""

    name = "linear"

    def of(self, products: NDArray) -> NDArray[np.float64]:
        return products

    def sizes(self, A: Samples) -> NDArray[np.float64]:
        """Return the lengths of samples."""
        return np.sqrt(squared_norms(A))


class Poly(OfProducts):
    """``(gamma <x, z> + coef0) ** degree``."""

    name = "poly"

    def of(self, products: NDArray) -> NDArray[np.float64]:
        return _affine(products, self.gamma, self.coef0) ** self.degree

    def sizes(self, A: Samples) -> NDArray[np.float64]:
        """Return bounds of kernel values, by the inequality of Cauchy and Schwarz."""
        return _affine(squared_norms(A), abs(self.gamma), abs(self.coef0)) ** (0.5 * self.degree)


class Sigmoid(OfProducts):
    """``tanh(gamma <x, z> + coef0)``: not positive definite, so solutions are stationary points."""

    name = "sigmoid"

    def of(self, products: NDArray) -> NDArray[np.float64]:
        return np.tanh(_affine(products, self.gamma, self.coef0))

    def sizes(self, A: Samples) -> NDArray[np.float64]:
        """Return bounds of values and of what they are computed from."""
        return np.sqrt(1.0 + _affine(squared_norms(A), abs(self.gamma), abs(self.coef0)))


def _affine(values: NDArray, gamma: float, coef0: float) -> NDArray:
    """Return ``gamma * values + coef0``, in place."""
    values *= gamma
    values += coef0
    return values


def linear_product(A: Samples, B: Samples, coefficients: NDArray) -> NDArray[np.float64]:
    """Return A B' coefficients in float64, via the weights B' coefficients."""
    products = np.empty((len(A), coefficients.shape[1]))
    # Results must not depend on the number of threads.
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
        if B.is_sparse:
            columns, weights = B.columns, B.transposed @ coefficients
        else:
            columns, weights = None, np.zeros((B.n_features, coefficients.shape[1]))
            for part in B.chunks(B.n_features):
                weights += B.take(part).dense().T @ coefficients[part]
        for part in A.chunks(A.n_values_per_sample):
            piece = A.take(part)
            if piece.is_sparse:
                products[part] = piece.on_columns(columns) @ weights
            else:
                values = piece.dense()
                products[part] = (values if columns is None else values[:, columns]) @ weights
    return products
