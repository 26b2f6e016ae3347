"""Kernels of small problems, as the compiled functions that solve and certify them take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._kernels.exact import as_passed, finite_values
from bandsvm._kernels.operator import CoreKernel, errors_of_sums
from bandsvm._kernels.packing import PackedKernel, pack
from bandsvm._kernels.precision import errors_of_updates
from bandsvm._kernels.samples import Samples, as_contiguous
from bandsvm._kernels.settings import KernelSettings
from bandsvm._kernels.sizes import SMALL_PROBLEM
from bandsvm._system.stopping import Stop
from bandsvm._system.threads import single_threaded_blas


@dataclass(frozen=True)
class SmallKernel:
    """A kernel over all samples, of which problems have some.

    Solvers get kernel values from ``values``: packed samples and the kernel, or a matrix.
    Certificates get them from ``defined``: the samples themselves, their number of features and the
    kernel, or the same matrix.
    """

    values: tuple[Any, ...]
    defined: tuple[Any, ...]
    sizes: NDArray[np.float64]  # kernel values are at most products of them
    is_linear: bool
    packed_by: PackedKernel | None = None  # None: ``values`` are a matrix

    def solve(self, *arguments: Any) -> None:
        """Solve problems; see `bandsvm._solvers.small`."""
        is_packed = len(self.values) == 2
        (_core.solve_small if is_packed else _core.solve_small_given)(*self.values, *arguments)

    def errors(self) -> NDArray[np.float64]:
        """Return estimates of rounding errors of sums of ``values``, whose terms have size 1."""
        no_terms = np.zeros(len(self.sizes))
        if self.packed_by is None:
            return errors_of_sums(self.sizes, no_terms, 1.0)
        return errors_of_updates(self.packed_by, self.values[0], self.sizes, no_terms, 1.0)

    def certify(self, *arguments: Any) -> None:
        """Certify solutions; see `bandsvm._certificate.small`."""
        is_defined = len(self.defined) == 3
        (_core.certify_small if is_defined else _core.certify_small_given)(
            *self.defined, *arguments
        )


def small_kernel(settings: KernelSettings, X: Any) -> SmallKernel | None:
    """Return the kernel of small problems over some of the samples X.

    None if compiled functions cannot have it, or if it is no time to compute it.
    """
    n_samples = X.shape[0]
    if settings.is_precomputed:
        return _given(X) if n_samples <= SMALL_PROBLEM or X.dtype == np.float64 else None
    kernel, samples = settings.function(), Samples(X)
    is_linear = settings.kernel == "linear"
    if is_linear and sp.issparse(X) and X.shape[1] > X.nnz:
        return None  # weights of all features would take more memory than the samples
    packed_by = kernel if isinstance(kernel, PackedKernel) else None
    if packed_by is not None:
        packed = pack(packed_by, X, packed_by.origin(X), np.float64, 1)
        values: tuple[Any, ...] = (packed, packed_by.in_core())
    elif n_samples <= SMALL_PROBLEM:
        try:
            # Results must not depend on the number of threads.
            with single_threaded_blas():
                values = (finite_values(kernel, samples, samples),)
        except Stop:
            return None
    else:
        return None
    if not isinstance(kernel, CoreKernel):
        return _given(values[0])
    with np.errstate(over="ignore", invalid="ignore"):
        sizes = kernel.sizes(samples)
    defined = (as_passed(X), samples.n_features, kernel.in_core())
    return SmallKernel(values, defined, sizes, is_linear, packed_by)


def _given(matrix: NDArray) -> SmallKernel:
    """Return a kernel whose values are known."""
    values = (as_contiguous(matrix, np.float64),)
    return SmallKernel(values, values, np.sqrt(np.abs(np.diagonal(values[0]))), False)
