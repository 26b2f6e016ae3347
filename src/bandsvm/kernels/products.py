"""Kernels of inner products: linear, poly, sigmoid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bandsvm.kernels._samples import Samples, inner_products, squared_norms


@dataclass(frozen=True)
class Linear:
    """``<x, z>``."""

    def __call__(self, A: Samples, B: Samples) -> NDArray[np.float64]:
        """Return the kernel values of all samples of A with all of B."""
        return inner_products(A, B)

    def diagonal(self, A: Samples) -> NDArray[np.float64]:
        """Return the kernel value of every sample with itself."""
        return squared_norms(A)


@dataclass(frozen=True)
class Poly:
    """``(gamma <x, z> + coef0) ** degree``."""

    gamma: float
    coef0: float
    degree: float

    def __call__(self, A: Samples, B: Samples) -> NDArray[np.float64]:
        """Return the kernel values of all samples of A with all of B."""
        return _affine(inner_products(A, B), self.gamma, self.coef0) ** self.degree

    def diagonal(self, A: Samples) -> NDArray[np.float64]:
        """Return the kernel value of every sample with itself."""
        return _affine(squared_norms(A), self.gamma, self.coef0) ** self.degree


@dataclass(frozen=True)
class Sigmoid:
    """``tanh(gamma <x, z> + coef0)``: not positive definite, so solutions are stationary points."""

    gamma: float
    coef0: float

    def __call__(self, A: Samples, B: Samples) -> NDArray[np.float64]:
        """Return the kernel values of all samples of A with all of B."""
        return np.tanh(_affine(inner_products(A, B), self.gamma, self.coef0))

    def diagonal(self, A: Samples) -> NDArray[np.float64]:
        """Return the kernel value of every sample with itself."""
        return np.tanh(_affine(squared_norms(A), self.gamma, self.coef0))


def _affine(values: NDArray, gamma: float, coef0: float) -> NDArray:
    """Return ``gamma * values + coef0``, in place."""
    values *= gamma
    values += coef0
    return values
