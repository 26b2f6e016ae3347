"""Kernels of inner products: linear, poly, sigmoid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bandsvm._kernels.operator import Definition
from bandsvm._kernels.samples import Samples, inner_products, squared_norms
from bandsvm._system.threads import single_threaded_blas


@dataclass(frozen=True)
class Linear:
    """``<x, z>``."""

    def __call__(self, A: Samples, B: Samples) -> NDArray[np.float64]:
        """Return the kernel values of all samples of A with all of B."""
        return inner_products(A, B)

    def diagonal(self, A: Samples) -> NDArray[np.float64]:
        """Return the kernel value of every sample with itself."""
        return squared_norms(A)

    def sizes(self, A: Samples) -> NDArray[np.float64]:
        """Return the lengths of samples."""
        return np.sqrt(squared_norms(A))


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


@dataclass(frozen=True)
class Poly:
    """``(gamma <x, z> + coef0) ** degree``."""

    gamma: float
    coef0: float
    degree: float

    @property
    def definition(self) -> Definition:
        """The kernel for `exact_products`."""
        return "poly", self.gamma, self.coef0, int(self.degree)

    def __call__(self, A: Samples, B: Samples) -> NDArray[np.float64]:
        """Return the kernel values of all samples of A with all of B."""
        return _affine(inner_products(A, B), self.gamma, self.coef0) ** self.degree

    def diagonal(self, A: Samples) -> NDArray[np.float64]:
        """Return the kernel value of every sample with itself."""
        return _affine(squared_norms(A), self.gamma, self.coef0) ** self.degree

    def sizes(self, A: Samples) -> NDArray[np.float64]:
        """Return bounds of kernel values, by the inequality of Cauchy and Schwarz."""
        return _affine(squared_norms(A), abs(self.gamma), abs(self.coef0)) ** (0.5 * self.degree)


@dataclass(frozen=True)
class Sigmoid:
    """``tanh(gamma <x, z> + coef0)``: not positive definite, so solutions are stationary points."""

    gamma: float
    coef0: float

    @property
    def definition(self) -> Definition:
        """The kernel for `exact_products`."""
        return "sigmoid", self.gamma, self.coef0, 0

    def __call__(self, A: Samples, B: Samples) -> NDArray[np.float64]:
        """Return the kernel values of all samples of A with all of B."""
        return np.tanh(_affine(inner_products(A, B), self.gamma, self.coef0))

    def diagonal(self, A: Samples) -> NDArray[np.float64]:
        """Return the kernel value of every sample with itself."""
        return np.tanh(_affine(squared_norms(A), self.gamma, self.coef0))

    def sizes(self, A: Samples) -> NDArray[np.float64]:
        """Return bounds of values and of what they are computed from."""
        return np.sqrt(1.0 + _affine(squared_norms(A), abs(self.gamma), abs(self.coef0)))


def _affine(values: NDArray, gamma: float, coef0: float) -> NDArray:
    """Return ``gamma * values + coef0``, in place."""
    values *= gamma
    values += coef0
    return values
