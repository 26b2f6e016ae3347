"""Sums of kernel values by their definitions, in float64; certificates rest on them.

They share no arithmetic with kernel rows: distances are sums of squared differences, which keep
their digits where samples are far from the origin and close to each other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._kernels.operator import CoreKernel, Kernel
from bandsvm._kernels.packing import MAX_CALL_COST
from bandsvm._kernels.products import Linear, linear_product
from bandsvm._kernels.samples import Samples, as_contiguous
from bandsvm._system.stopping import check_stop, stoppable_slices

# Nanoseconds per kernel value, and per feature of it, on one core; they decide how many values one
# call computes.
COST_OF_VALUE, COST_OF_FEATURE = 4.0, 0.1
# Dense samples with at most this share of nonzeros are converted to CSR, if targets x terms x
# features are so many that the conversion pays.
MAX_DENSITY, MIN_WORK_TO_CONVERT = 0.15, 1e8


def exact_products(
    kernel: Kernel,
    A: Samples,
    targets: NDArray,
    B: Samples,
    terms: NDArray,
    coefficients: NDArray,
    n_threads: int = 1,
) -> NDArray[np.float64]:
    """Return ``K(A[targets], B[terms]) @ coefficients``, or raise if it is not finite."""
    shape = len(targets), *coefficients.shape[1:]
    if len(terms) == 0:
        return np.zeros(shape)
    if isinstance(kernel, Linear):
        columns = coefficients.reshape(len(terms), -1)
        return finite(linear_product(A.take(targets), B.take(terms), columns).reshape(shape))
    if not isinstance(kernel, CoreKernel):
        return kernel_product(kernel, A.take(targets), B.take(terms), coefficients)
    if not _are_alike(A, B) or _are_mostly_zero(B, terms, len(targets)):
        A, B = _as_csr(A.take(targets)), _as_csr(B.take(terms))
        targets, terms = np.arange(len(targets)), np.arange(len(terms))
    rows = np.ascontiguousarray(coefficients.reshape(len(terms), -1).T, dtype=np.float64)
    products = np.empty((len(targets), len(rows)))
    cost = COST_OF_VALUE + COST_OF_FEATURE * B.n_values_per_sample
    per_call = max(1, int(n_threads * MAX_CALL_COST / (cost * max(1, len(terms)))))
    left, right, kernel_of_core = as_passed(A.X), as_passed(B.X), kernel.in_core()
    for part in stoppable_slices(len(targets), per_call):
        _core.exact_products(
            left,
            targets[part],
            right,
            terms,
            A.n_features,
            kernel_of_core,
            rows,
            products[part],
            n_threads,
        )
    return finite(products.reshape(shape))


def _are_mostly_zero(B: Samples, terms: NDArray, n_targets: int) -> bool:
    """Return whether the conversion of dense samples to CSR saves time."""
    if B.is_sparse or n_targets * len(terms) * B.n_features < MIN_WORK_TO_CONVERT:
        return False
    density = np.count_nonzero(B.take(terms).X) / (len(terms) * B.n_features)
    return bool(density <= MAX_DENSITY)


def _are_alike(A: Samples, B: Samples) -> bool:
    """Return whether samples are dense, or CSR matrices of the same types."""
    if not (A.is_sparse and B.is_sparse):
        return not (A.is_sparse or B.is_sparse)
    return A.X.dtype == B.X.dtype and A.X.indices.dtype == B.X.indices.dtype


def _as_csr(A: Samples) -> Samples:
    """Return samples as a CSR matrix in float64 with 64-bit columns."""
    matrix = sp.csr_array(A.X, dtype=np.float64)
    matrix.indices = matrix.indices.astype(np.int64, copy=False)
    return Samples(matrix)


def as_passed(X: Any) -> Any:
    """Return samples as the compiled function takes them."""
    if not sp.issparse(X):
        return as_contiguous(X)
    return (
        as_contiguous(X.indptr, np.int64),
        as_contiguous(X.indices),
        as_contiguous(X.data),
    )


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
