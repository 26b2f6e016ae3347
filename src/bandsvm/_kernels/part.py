"""Rows and columns of the samples that are still in play."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bandsvm._kernels.operator import KernelOperator

if TYPE_CHECKING:
    from bandsvm._kernels.cuda import CudaRows
    from bandsvm._kernels.packed import PackedRows


class PartOfRows(KernelOperator):
    """Rows and columns of some of the samples, never kept."""

    def __init__(self, whole: PackedRows | CudaRows, indices: NDArray) -> None:
        self._whole = whole
        self._indices = indices
        self._columns = whole.columns(indices)

    @property
    def n_samples(self) -> int:
        return len(self._indices)

    @property
    def n_computed(self) -> int:
        return self._whole.n_computed

    @property
    def n_threads(self) -> int:
        return self._whole.n_threads

    @property
    def capacity(self) -> int:
        return self._whole.capacity

    @property
    def is_coarse(self) -> bool:
        return self._whole.is_coarse

    def exact_product(self, targets: NDArray, indices: NDArray, values: NDArray) -> NDArray:
        return self._whole.exact_product(self._indices[targets], self._indices[indices], values)

    def diagonal(self) -> NDArray[np.float64]:
        return self._whole.diagonal()[self._indices]

    def block(self, indices: NDArray) -> NDArray:
        return self._whole.block(self._indices[indices])

    def update(self, f: NDArray, indices: NDArray, values: NDArray) -> None:
        self._whole.accumulate(f, self._indices[indices], values, self._columns, indices)
