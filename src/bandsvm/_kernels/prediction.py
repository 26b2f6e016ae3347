"""Products of kernel values with coefficients, for predictions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._kernels.exact import exact_products, finite, kernel_product
from bandsvm._kernels.operator import CoreKernel, Kernel
from bandsvm._kernels.packing import PackedKernel, pack, rows_at_once
from bandsvm._kernels.precision import errors_of_distances, errors_of_products
from bandsvm._kernels.samples import Samples
from bandsvm._system.stopping import stoppable_slices
from bandsvm._system.threads import n_threads, single_threaded_blas

# Memory for samples that are packed at a time: more would take memory without saving time.
PACKED_BYTES_AT_ONCE = 32 * 2**20
# Products of float64 with larger rounding errors are computed by definition.
MAX_ERROR_IN_DOUBLE = 1e-9
# One in so many products in float32 is computed in float64 too; if it is off, all of them are.
ROWS_PER_CHECK = 10_000


class PackedProduct:
    """K(A, B) @ coefficients for some B, without keeping any kernel values.

    ``coefficients`` have the shape (n_terms, n_sums); the samples B are the terms.
    """

    def __init__(
        self, kernel: PackedKernel, B: Any, coefficients: NDArray, n_jobs: int | None = None
    ) -> None:
        self._kernel, self._B, self._coefficients = kernel, B, coefficients
        self._threads = n_threads(n_jobs)
        self._origin = kernel.origin(B)
        self._prepared: dict[type, tuple[Any, NDArray]] = {}

    def exact(self, A: Any) -> NDArray[np.float64]:
        """Return the products, computed in float64.

        Where samples are so far from the origin that their distances lose digits, products are
        computed by definition.
        """
        products = np.empty((A.shape[0], self._coefficients.shape[1]))
        errors = np.empty(A.shape[0])
        for part in self._parts(A, np.float64):
            left = self._pack(A[part], np.float64)
            products[part] = self._multiply(left, np.float64)
            errors[part] = errors_of_distances(left.norms, self._coefficients)
        if self._kernel.name == "rbf" and not (errors <= MAX_ERROR_IN_DOUBLE).all():
            lost, B = np.flatnonzero(~(errors <= MAX_ERROR_IN_DOUBLE)), Samples(self._B)
            products[lost] = exact_products(
                self._kernel,
                Samples(A),
                lost,
                B,
                np.arange(len(B)),
                self._coefficients,
                self._threads,
            )
        return finite(products)

    def within(self, A: Any, largest_error: float) -> NDArray[np.float64]:
        """Return the products with rounding errors of at most about ``largest_error``.

        Products are computed in float32 for samples where that suffices, and in float64 for the
        others. Some are computed in both: if they do not agree, all are computed in float64.
        """
        if not self._kernel.fits_single(A, self._B):
            return self.exact(A)
        products = np.empty((A.shape[0], self._coefficients.shape[1]))
        errors = np.empty(A.shape[0])
        largest_norm = float(self._packed_terms(np.float32).norms.max(initial=0.0))
        for part in self._parts(A, np.float32):
            left = self._pack(A[part], np.float32)
            errors[part] = errors_of_products(
                self._kernel, left.norms, largest_norm, self._coefficients
            )
            if (errors[part] <= largest_error).any():
                products[part] = self._multiply(left, np.float32)
        is_coarse = ~(errors <= largest_error)
        if is_coarse.any():
            products[is_coarse] = self.exact(A[is_coarse])
        checked = _riskiest(errors, ~is_coarse)
        if (
            len(checked)
            and np.abs(self.exact(A[checked]) - products[checked]).max() > largest_error
        ):
            return self.exact(A)
        return finite(products)

    def _parts(self, A: Any, dtype: type) -> Iterator[slice]:
        """Return slices over A, each small enough that Ctrl-C takes effect soon."""
        right = self._packed_terms(dtype)
        per_sample = dtype().itemsize * max(1, Samples(A).n_values_per_sample)
        rows = min(rows_at_once(right), max(1, PACKED_BYTES_AT_ONCE // per_sample))
        return stoppable_slices(A.shape[0], rows)

    def _pack(self, X: Any, dtype: type) -> Any:
        return pack(self._kernel, X, self._origin, dtype, self._threads)

    def _packed_terms(self, dtype: type) -> Any:
        return self._right(dtype)[0]

    def _right(self, dtype: type) -> tuple[Any, NDArray]:
        """Return B and the coefficients in the form that the engine takes."""
        if dtype not in self._prepared:
            right = self._pack(self._B, dtype)
            padded = np.zeros((self._coefficients.shape[1], right.stride), dtype=dtype)
            padded[:, : right.count] = self._coefficients.T
            self._prepared[dtype] = right, padded
        return self._prepared[dtype]

    def _multiply(self, left: Any, dtype: type) -> NDArray[np.float64]:
        right, padded = self._right(dtype)
        products = np.zeros((left.count, len(padded)))
        _core.multiply_rows(left, right, self._kernel.in_core(), padded, products, self._threads)
        return products


def _riskiest(errors: NDArray, is_single: NDArray) -> NDArray[np.intp]:
    """Return the float32 samples of the largest estimated errors."""
    number = int(np.count_nonzero(is_single)) // ROWS_PER_CHECK
    if number == 0:
        return np.empty(0, dtype=np.intp)
    return np.argsort(np.where(is_single, errors, -np.inf))[-number:]


def product_by_definition(
    kernel: Kernel, A: Samples, B: Samples, coefficients: NDArray, n_jobs: int | None
) -> NDArray[np.float64]:
    """Return K(A, B) @ coefficients of little work, or for kernels without packed rows."""
    if not isinstance(kernel, CoreKernel):
        # Results must not depend on the number of threads.
        with single_threaded_blas():
            return kernel_product(kernel, A, B, coefficients)
    products, terms = np.empty((len(A), coefficients.shape[1])), np.arange(len(B))
    for part in A.chunks(A.n_values_per_sample):
        targets = np.arange(part.start, part.stop)
        products[part] = exact_products(
            kernel, A, targets, B, terms, coefficients, n_threads(n_jobs)
        )
    return products
