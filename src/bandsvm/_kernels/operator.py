"""The interfaces of kernels and of kernel matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bandsvm._kernels.samples import Samples

# Name, gamma, coef0 and degree of a kernel that compiled functions know.
Definition = tuple[str, float, float, int]


# Rounding errors of sums are at most so many units of the root of the sum of their squared terms,
# on real and generated data.
OF_TERMS = 4.0
UNIT_IN_DOUBLE = float(np.finfo(np.float64).eps) / 2


def errors_of_sums(
    sizes: NDArray, c: NDArray, moved: float = 0.0, unit: float = UNIT_IN_DOUBLE
) -> NDArray[np.float64]:
    """Return estimates of the largest rounding errors of sums of kernel values times ``c``.

    Kernel values are as large as ``sizes_i sizes_j``, and as precise as ``unit``.
    """
    terms = sizes * c
    return (unit * OF_TERMS * max(math.sqrt(float(terms @ terms)), moved)) * sizes


class Kernel(Protocol):
    """A kernel function."""

    def __call__(self, A: Samples, B: Samples) -> NDArray[np.float64]:
        """Return the kernel values of all samples of A with all of B."""

    def diagonal(self, A: Samples) -> NDArray[np.float64]:
        """Return the kernel value of every sample with itself."""

    def sizes(self, A: Samples) -> NDArray[np.float64]:
        """Return bounds of kernel values: ``|K_ij| <= sizes_i sizes_j``."""


class KernelOperator(Protocol):
    """The interface of K for solvers and certificates: products and blocks."""

    @property
    def n_samples(self) -> int:
        """Number of samples."""

    @property
    def n_computed(self) -> int:
        """Number of kernel rows computed so far."""

    @property
    def capacity(self) -> int:
        """Number of variables whose block of K can be computed at a time."""

    @property
    def is_coarse(self) -> bool:
        """Whether products have less than double precision."""

    def more_precise(self) -> KernelOperator | None:
        """Return an operator of higher precision, or None if there is none."""

    def diagonal(self) -> NDArray[np.float64]:
        """Return the diagonal of K."""

    def sizes(self) -> NDArray[np.float64]:
        """Return bounds of kernel values: ``|K_ij| <= sizes_i sizes_j``."""

    def rounding_errors(self, c: NDArray, moved: float) -> NDArray[np.float64]:
        """Return estimates of the largest rounding error of each ``(K c)_i`` that `update` made.

        ``moved`` is that of a `Solution`.
        """

    def block(self, indices: NDArray) -> NDArray[np.float64]:
        """Return K[indices, indices]."""

    def product(self, indices: NDArray, values: NDArray) -> NDArray[np.float64]:
        """Return K[:, indices] @ values."""

    def update(self, f: NDArray, indices: NDArray, values: NDArray) -> None:
        """Add K[:, indices] @ values to f."""

    def exact_product(self, targets: NDArray, indices: NDArray, values: NDArray) -> NDArray:
        """Return K[targets][:, indices] @ values from recomputed kernel values."""

    def cost_of_exact(self, n_terms: int) -> float:
        """Return the cost of `exact_product` per target, in units of a kernel value."""

    def views(self, n_problems: int, max_views: int) -> Sequence[KernelOperator]:
        """Return the same K for at most ``max_views`` of some problems at a time, one view each."""

    def separate_view(self) -> KernelOperator:
        """Return the same K for a product beside the problems that are being solved."""

    def begin_problem(self) -> None:
        """Forget what would make the next result depend on problems that were solved before."""


class Rows(KernelOperator, Protocol):
    """What the CPU engine also requires of a store of kernel rows."""

    @property
    def n_threads(self) -> int:
        """Number of threads that compiled functions may use."""

    def more_precise(self) -> Rows | None:
        """Return the same rows in a higher precision, or None if there is none."""

    def part(self, indices: NDArray) -> Rows | None:
        """Return the rows and columns of some samples; None if that saves no time."""


class RowsMixin:
    """What stores of kernel rows have in common that serve one problem at a time.

    By default all of K is at hand in double precision.
    """

    @property
    def capacity(self: Rows) -> int:
        """Number of variables whose block of K can be computed at a time: all."""
        return self.n_samples

    @property
    def is_coarse(self) -> bool:
        """Whether products have less than double precision."""
        return False

    def more_precise(self) -> Rows | None:
        """Return None: there is no higher precision."""
        return None

    def part(self, indices: NDArray) -> Rows | None:
        """Return None: parts save no time."""
        return None

    def product(self: Rows, indices: NDArray, values: NDArray) -> NDArray[np.float64]:
        """Return K[:, indices] @ values."""
        f = np.zeros(self.n_samples)
        self.update(f, indices, values)
        return f

    def sizes(self: Rows) -> NDArray[np.float64]:
        """Return bounds of kernel values; those of an indefinite kernel may be larger."""
        return np.sqrt(np.abs(self.diagonal()))

    def rounding_errors(self: Rows, c: NDArray, moved: float) -> NDArray[np.float64]:
        """Return estimates of rounding errors, for products in double precision."""
        return errors_of_sums(self.sizes(), c, moved)

    def cost_of_exact(self, n_terms: int) -> float:
        """Return the number of kernel values per target."""
        return float(n_terms)

    def views(self: Rows, n_problems: int, max_views: int) -> Sequence[Rows]:
        """Return these rows: only one problem at a time can use them."""
        return [self]

    def separate_view(self: Rows) -> Rows:
        """Return these rows."""
        return self

    def begin_problem(self) -> None:
        """Do nothing: products do not depend on what was computed before."""
