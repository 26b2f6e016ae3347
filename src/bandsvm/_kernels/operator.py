"""The interfaces of kernels and of kernel matrices."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._kernels.samples import Samples

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


class Kernel(ABC):
    """A kernel function."""

    @abstractmethod
    def __call__(self, A: Samples, B: Samples) -> NDArray[np.float64]:
        """Return the kernel values of all samples of A with all of B."""

    @abstractmethod
    def diagonal(self, A: Samples) -> NDArray[np.float64]:
        """Return the kernel value of every sample with itself."""

    @abstractmethod
    def sizes(self, A: Samples) -> NDArray[np.float64]:
        """Return bounds of kernel values: ``|K_ij| <= sizes_i sizes_j``."""


@dataclass(frozen=True)
class CoreKernel(Kernel):
    """A kernel that compiled functions know, by its name and parameters."""

    name: ClassVar[str]
    gamma: float = 0.0
    coef0: float = 0.0
    degree: float = 0

    def in_core(self) -> _core.Kernel:
        """Return the kernel for compiled functions."""
        return _core.Kernel(self.name, float(self.gamma), float(self.coef0), int(self.degree))


class KernelOperator(ABC):
    """The interface of K for solvers, certificates and engines: products and blocks.

    By default all of K is at hand in double precision, for one problem at a time.
    """

    @property
    def n_computed(self) -> int:
        """Number of kernel rows computed so far."""
        return 0

    @property
    def n_threads(self) -> int:
        """Number of threads that compiled functions may use."""
        return 1

    @property
    @abstractmethod
    def n_samples(self) -> int:
        """Number of samples."""

    @abstractmethod
    def diagonal(self) -> NDArray[np.float64]:
        """Return the diagonal of K."""

    @abstractmethod
    def block(self, indices: NDArray) -> NDArray[np.float64]:
        """Return K[indices, indices]; it belongs to the operator."""

    @abstractmethod
    def update(self, f: NDArray, indices: NDArray, values: NDArray) -> None:
        """Add K[:, indices] @ values to f."""

    @abstractmethod
    def exact_product(self, targets: NDArray, indices: NDArray, values: NDArray) -> NDArray:
        """Return K[targets][:, indices] @ values from recomputed kernel values."""

    def product(self, indices: NDArray, values: NDArray) -> NDArray[np.float64]:
        """Return K[:, indices] @ values."""
        f = np.zeros(self.n_samples)
        self.update(f, indices, values)
        return f

    @property
    def capacity(self) -> int:
        """Number of variables whose block of K can be computed at a time."""
        return self.n_samples

    @property
    def is_coarse(self) -> bool:
        """Whether products have less than double precision."""
        return False

    def more_precise(self) -> KernelOperator | None:
        """Return an operator of higher precision, or None if there is none."""
        return None

    def part(self, indices: NDArray) -> KernelOperator | None:
        """Return the rows and columns of some samples; None if that saves no time."""
        return None

    def sizes(self) -> NDArray[np.float64]:
        """Return bounds of kernel values: ``|K_ij| <= sizes_i sizes_j``.

        Values of an indefinite kernel may be larger.
        """
        return np.sqrt(np.abs(self.diagonal()))

    def rounding_errors(self, c: NDArray, moved: float) -> NDArray[np.float64]:
        """Return estimates of the largest rounding error of each ``(K c)_i`` that `update` made.

        ``moved`` is that of a `Solution`.
        """
        return errors_of_sums(self.sizes(), c, moved)

    def cost_of_exact(self, n_terms: int) -> float:
        """Return the cost of `exact_product` per target, in units of a kernel value."""
        return float(n_terms)

    def views(self, n_problems: int, max_views: int) -> Sequence[KernelOperator]:
        """Return the same K for at most ``max_views`` of some problems at a time, one view each."""
        return [self]

    def separate_view(self) -> KernelOperator:
        """Return the same K for a product beside the problems that are being solved."""
        return self

    def begin_problem(self) -> None:  # noqa: B027
        """Forget what would make the next result depend on problems that were solved before."""
