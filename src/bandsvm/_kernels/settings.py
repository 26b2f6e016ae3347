"""A kernel as set by the user, and the choice of how to compute with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._kernels.cuda import CudaProduct, CudaRows, cuda_device, has_cuda
from bandsvm._kernels.distances import Chi2, Laplacian, Rbf
from bandsvm._kernels.exact import finite
from bandsvm._kernels.operator import Kernel, KernelOperator
from bandsvm._kernels.packed import PackedRows
from bandsvm._kernels.packing import PackedKernel
from bandsvm._kernels.precision import error_of_rows
from bandsvm._kernels.precomputed import FromFunction, PrecomputedRows
from bandsvm._kernels.prediction import PackedProduct, product_by_definition
from bandsvm._kernels.products import Linear, Poly, Sigmoid, linear_product
from bandsvm._kernels.rows import KernelRows, PackedWriter
from bandsvm._kernels.samples import Samples
from bandsvm._kernels.sizes import SMALL_PROBLEM
from bandsvm._system.threads import single_threaded_blas

# name -> kernel function of (gamma, coef0, degree)
KERNELS: dict[str, Callable[[float, float, float], Kernel]] = {
    "linear": lambda gamma, coef0, degree: Linear(),
    "rbf": lambda gamma, coef0, degree: Rbf(gamma),
    "poly": lambda gamma, coef0, degree: Poly(gamma, coef0, degree),
    "sigmoid": lambda gamma, coef0, degree: Sigmoid(gamma, coef0),
    "laplacian": lambda gamma, coef0, degree: Laplacian(gamma),
    "chi2": lambda gamma, coef0, degree: Chi2(gamma),
}
# Multiplications (at least 16 per kernel value) of kernel values by definition that take less time
# than it takes to pack samples.
LITTLE_PREDICTION = 2**18
KERNELS_ON_DEVICES = ("linear", "rbf", "poly", "sigmoid")
WITHOUT_GAMMA = ("linear", "precomputed")


@dataclass(frozen=True)
class KernelSettings:
    """Name (or callable) and parameters of a kernel."""

    kernel: str | Callable
    gamma: float
    coef0: float
    degree: float

    @classmethod
    def of(cls, estimator: Any, gamma: float) -> KernelSettings:
        """Return those of an estimator whose gamma is known."""
        return cls(estimator.kernel, gamma, estimator.coef0, estimator.degree)

    @property
    def is_precomputed(self) -> bool:
        """Whether the user passes the kernel matrix itself."""
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def function(self) -> Kernel:
        """Return the kernel function in NumPy."""
        if not isinstance(self.kernel, str):
            return FromFunction(self.kernel)
        return KERNELS[self.kernel](self.gamma, self.coef0, self.degree)

    @property
    def is_packed(self) -> bool:
        """Whether compiled functions compute its rows."""
        return not self.is_precomputed and isinstance(self.function(), PackedKernel)

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """Return the kernel value of every sample with itself; X may be the kernel matrix."""
        return np.diagonal(X) if self.is_precomputed else self.function().diagonal(Samples(X))

    def rows(
        self,
        X: Any,
        *,
        cache_bytes: float | None = None,
        n_jobs: int | None = None,
        largest_rounding: float = 0.0,
        largest_cost: float = 1.0,
        n_uses: float = 0.0,
        device: str | None = None,
    ) -> KernelOperator:
        """Return a store of kernel rows, on a device if they are many.

        They are in single precision if that keeps rounding errors of most decision values below
        ``largest_rounding``. This is an estimate from some samples and from the largest possible
        coefficient: check the result. ``n_uses`` is how often a row is likely to be used, if many
        problems share the store.
        """
        if self.is_precomputed:
            return PrecomputedRows(X)
        kernel = self.function()
        if not isinstance(kernel, PackedKernel):
            return KernelRows(kernel, Samples(X), cache_bytes)
        if X.shape[0] <= SMALL_PROBLEM:
            return KernelRows(kernel, Samples(X), cache_bytes, PackedWriter(kernel, X))
        origin = kernel.origin(X)
        is_sharp = error_of_rows(kernel, X, origin, largest_cost) <= largest_rounding
        dtype = np.float32 if is_sharp and kernel.fits_single(X) else np.float64
        if device == "cuda":
            return CudaRows(kernel, X, cache_bytes, n_jobs, dtype, origin)
        return PackedRows(kernel, X, cache_bytes, n_jobs, dtype, n_uses, origin)

    def product(
        self,
        A: Any,
        B: Any,
        coefficients: NDArray,
        n_jobs: int | None,
        device: str | None = None,
        largest_rounding: float = 0.0,
    ) -> NDArray:
        """Return K(A, B) @ coefficients; with a precomputed kernel, A is K(A, B) itself.

        For A in float32, rounding errors may be as large as ``largest_rounding``.
        """
        if self.is_precomputed:
            # Results must not depend on the number of threads.
            with single_threaded_blas():
                products = A @ coefficients
            if not np.isfinite(products).all():
                raise ValueError(
                    "The decision values are not finite for these kernel values; divide all kernel "
                    "matrices by a constant, and fit again."
                )
            return products
        if sp.issparse(B) and not sp.issparse(A) and B.shape[1] > B.nnz:
            # Most columns are empty: dense pieces of all of them would cost as much as B declares.
            A = sp.csr_array(A)
        kernel = self.function()
        if isinstance(kernel, Linear):
            return finite(linear_product(Samples(A), Samples(B), coefficients))
        n_products = A.shape[0] * B.shape[0] * max(16, Samples(B).n_values_per_sample)
        is_little = n_products <= LITTLE_PREDICTION
        if is_little or not isinstance(kernel, PackedKernel):
            jobs = 1 if is_little else n_jobs
            return product_by_definition(kernel, Samples(A), Samples(B), coefficients, jobs)
        if device == "cuda" and has_cuda():
            product: PackedProduct = CudaProduct(kernel, B, coefficients, n_jobs, cuda_device())
        else:
            product = PackedProduct(kernel, B, coefficients, n_jobs)
        if A.dtype == np.float32 and largest_rounding > 0.0:
            return product.within(A, largest_rounding)
        return product.exact(A)


def uses_gamma(kernel: str | Callable) -> bool:
    """Return whether a kernel has the coefficient gamma."""
    return isinstance(kernel, str) and kernel not in WITHOUT_GAMMA


def available_kernels() -> tuple[str, ...]:
    """Return the names that ``kernel=`` accepts besides "precomputed"."""
    return tuple(KERNELS)
