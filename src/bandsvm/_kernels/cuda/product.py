"""Products of kernel values with coefficients on a CUDA device, for predictions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._kernels.cuda.device import CudaDevice, DeviceSamples
from bandsvm._kernels.packing import PackedKernel
from bandsvm._kernels.prediction import PackedProduct
from bandsvm._system.stopping import stoppable_slices

# Most kernel values, and bytes of samples, that a call takes to the device.
MAX_VALUES, MAX_BYTES = 2**33, 2**29


class CudaProduct(PackedProduct):
    """K(A, B) @ coefficients for some B on a device, without keeping any kernel values."""

    def __init__(
        self,
        kernel: PackedKernel,
        B: Any,
        coefficients: NDArray,
        n_jobs: int | None,
        device: CudaDevice,
    ) -> None:
        super().__init__(kernel, B, coefficients, n_jobs)
        self._device = device
        self._there: dict[type, DeviceSamples] = {}

    def _parts(self, A: Any, dtype: type) -> Iterator[slice]:
        per_sample = np.dtype(dtype).itemsize * max(1, A.shape[1])
        number = min(MAX_VALUES // max(1, len(self._coefficients)), MAX_BYTES // per_sample)
        return stoppable_slices(A.shape[0], max(1, number))

    def _pack(self, X: Any, dtype: type) -> DeviceSamples:
        return self._device.pack(self._kernel, X, self._origin, dtype)

    def _packed_terms(self, dtype: type) -> DeviceSamples:
        if dtype not in self._there:
            self._there[dtype] = self._pack(self._B, dtype)
        return self._there[dtype]

    def _multiply(self, left: DeviceSamples, dtype: type) -> NDArray[np.float64]:
        right = self._packed_terms(dtype)
        return self._device.products(self._kernel, left, right, self._coefficients)
