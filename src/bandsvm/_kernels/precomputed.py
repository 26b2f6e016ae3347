"""Kernels that the user provides: a function, or the matrix itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._kernels.operator import Kernel, KernelOperator
from bandsvm._kernels.samples import CHUNK_BYTES, Samples, as_contiguous
from bandsvm._system.stopping import stoppable_slices

# The diagonal of a callable kernel is that of blocks: fewer calls, but more values.
DIAGONAL_BLOCK = 32


@dataclass(frozen=True)
class FromFunction(Kernel):
    """A kernel computed by a function of two matrices, checked at every call."""

    function: Callable

    def __call__(self, A: Samples, B: Samples) -> NDArray[np.float64]:
        """Return the kernel values of all samples of A with all of B."""
        values = self.function(A.X, B.X)
        if sp.issparse(values):
            values = values.toarray()
        try:
            if np.iscomplexobj(values):
                raise TypeError("complex numbers")
            values = as_contiguous(np.asarray(values), np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"kernel must return numbers, but the callable {self._name} returned "
                f"{type(values).__name__}: {error}."
            ) from error
        if values.shape != (len(A), len(B)):
            raise ValueError(
                f"kernel must return a matrix of shape (n_samples_A, n_samples_B) = "
                f"{(len(A), len(B))}, but the callable {self._name} returned shape {values.shape}."
            )
        if not np.isfinite(values).all():
            raise ValueError(
                f"kernel must return finite values, but the callable {self._name} returned NaN or "
                "infinity; scale X or fix the function."
            )
        return values

    def diagonal(self, A: Samples) -> NDArray[np.float64]:
        """Return the kernel value of every sample with itself."""
        values = np.empty(len(A))
        for start in range(0, len(A), DIAGONAL_BLOCK):
            some = A.take(slice(start, start + DIAGONAL_BLOCK))
            values[start : start + len(some)] = np.diagonal(self(some, some))
        return values

    def sizes(self, A: Samples) -> NDArray[np.float64]:
        """Return roots of the diagonal; values of an indefinite kernel may be larger."""
        return np.sqrt(np.abs(self.diagonal(A)))

    @property
    def _name(self) -> str:
        return getattr(self.function, "__name__", repr(self.function))


class PrecomputedRows(KernelOperator):
    """Rows of a kernel matrix that the user computed, without a copy."""

    def __init__(self, matrix: NDArray) -> None:
        self.matrix = matrix
        self._everything = np.arange(len(matrix))

    @property
    def n_samples(self) -> int:
        return len(self.matrix)

    def diagonal(self) -> NDArray[np.float64]:
        return np.diagonal(self.matrix).astype(np.float64)

    def block(self, indices: NDArray) -> NDArray[np.float64]:
        is_whole = len(indices) == self.n_samples and np.array_equal(indices, self._everything)
        values = self.matrix if is_whole else self.matrix[np.ix_(indices, indices)]
        return values.astype(np.float64, order="C", copy=False)

    def product(self, indices: NDArray, values: NDArray) -> NDArray[np.float64]:
        return self._sum(self.n_samples, indices, values, lambda some: self.matrix[some])

    def update(self, f: NDArray, indices: NDArray, values: NDArray) -> None:
        f += self.product(indices, values)

    def exact_product(self, targets: NDArray, indices: NDArray, values: NDArray) -> NDArray:
        def columns(some: NDArray) -> NDArray:
            return self.matrix[np.ix_(some, targets)]

        return self._sum(len(targets), indices, values, columns)

    def _sum(
        self, size: int, indices: NDArray, values: NDArray, rows_of: Callable[[NDArray], NDArray]
    ) -> NDArray[np.float64]:
        """Return the sum of some rows, or parts of rows, times ``values``."""
        total = np.zeros(size)
        for part in stoppable_slices(len(indices), max(1, CHUNK_BYTES // (8 * max(1, size)))):
            total += values[part] @ rows_of(indices[part]).astype(np.float64, copy=False)
        return total
