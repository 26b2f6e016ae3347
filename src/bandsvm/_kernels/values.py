"""Kernel values computed by NumPy, checked to be finite, and products with them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bandsvm._kernels.operator import Kernel
from bandsvm._kernels.samples import Samples
from bandsvm._system.stopping import check_stop


def finite_values(kernel: Kernel, A: Samples, B: Samples) -> NDArray[np.float64]:
    """Return K(A, B), or raise if a value is NaN or infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return finite(kernel(A, B))


def finite(values: NDArray) -> NDArray:
    """Return kernel values unchanged, or raise if one is NaN or infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()) or np.isfinite(values).all():
            return values
    raise ValueError(
        "The kernel is not finite for this X; scale X, for example with "
        "sklearn.preprocessing.StandardScaler, or lower gamma or degree."
    )


def kernel_product(kernel: Kernel, A: Samples, B: Samples, values: NDArray) -> NDArray[np.float64]:
    """Return K(A, B) @ values with only pieces of K(A, B) in memory at a time."""
    products = np.zeros((len(A), *values.shape[1:]))
    # Pieces of B are small enough to stay in cache while they are scaled, multiplied and summed.
    for some in B.chunks(8 * B.n_values_per_sample):
        right, factors = B.take(some), values[some]
        for part in A.chunks(max(len(right), A.n_values_per_sample)):
            check_stop()
            products[part] += finite_values(kernel, A.take(part), right) @ factors
    return products
