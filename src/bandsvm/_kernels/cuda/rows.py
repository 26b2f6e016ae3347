"""Kernel rows that a CUDA device computes, and keeps if all of them fit in its memory."""

from __future__ import annotations

import copy
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._kernels.cuda.device import CudaDevice, address_of, cuda_device
from bandsvm._kernels.packing import PackedKernel
from bandsvm._kernels.part import PartOfRows
from bandsvm._kernels.precision import errors_of_updates
from bandsvm._kernels.rows import RowsOfSamples
from bandsvm._kernels.samples import Samples
from bandsvm._kernels.sizes import MAX_BLOCK
from bandsvm._system.stopping import stoppable_slices
from bandsvm._system.threads import n_threads

# From so many features on, a device reads a stored kernel value faster than it computes it again.
MIN_FEATURES_TO_KEEP = 32
# Rows for which memory is taken at a time.
ROWS_AT_ONCE = 512


class StoredRows:
    """Memory on a device for all rows of K, taken as rows are stored. Threads may share it."""

    def __init__(self, device: CudaDevice, n_samples: int, dtype: type) -> None:
        self.lock = Lock()
        self._device, self._dtype = device, dtype
        self._addresses = np.zeros(n_samples, dtype=np.uint64)  # 0: not stored
        self._memory: list[Any] = []
        self._n_free = 0

    def missing(self, indices: NDArray) -> NDArray:
        """Return which rows are not stored."""
        return indices[self._addresses[indices] == 0]

    def places(self, number: int) -> NDArray[np.uint64]:
        """Return addresses for new rows."""
        n_samples, itemsize = len(self._addresses), np.dtype(self._dtype).itemsize
        found = np.empty(number, dtype=np.uint64)
        n_found = 0
        while n_found < number:
            if self._n_free == 0:
                self._memory.append(self._device.empty((ROWS_AT_ONCE, n_samples), self._dtype))
                self._n_free = ROWS_AT_ONCE
            taken = min(number - n_found, self._n_free)
            first = ROWS_AT_ONCE - self._n_free + np.arange(taken)
            start = address_of(self._memory[-1])
            found[n_found : n_found + taken] = start + first * n_samples * itemsize
            self._n_free -= taken
            n_found += taken
        return found

    def written(self, indices: NDArray, addresses: NDArray) -> None:
        """Note where rows are stored."""
        self._addresses[indices] = addresses

    def of(self, indices: NDArray) -> NDArray[np.uint64]:
        """Return the addresses of rows."""
        return self._addresses[indices]


class CudaRows(RowsOfSamples):
    """Rows of K on a CUDA device, in float32 or float64.

    Rows of many features are kept if all of them fit. Results do not depend on the number of
    threads, nor on how many problems are solved at a time.
    """

    kernel: PackedKernel

    def __init__(
        self,
        kernel: PackedKernel,
        X: Any,
        cache_bytes: float | None,
        n_jobs: int | None,
        dtype: type = np.float32,
        origin: NDArray | None = None,
        device: CudaDevice | None = None,
    ) -> None:
        super().__init__(kernel, Samples(X))
        self._device = cuda_device() if device is None else device
        self._dtype = dtype
        self._in_double = partial(
            CudaRows, kernel, X, cache_bytes, n_jobs, np.float64, origin, device
        )
        self._packed = self._device.pack(kernel, X, origin, dtype)
        n_samples, room = len(self.samples), self._device.free_bytes()
        fits = np.dtype(dtype).itemsize * float(n_samples) ** 2 <= min(room, cache_bytes or room)
        is_kept = fits and self._packed.width >= MIN_FEATURES_TO_KEEP
        self._stored = StoredRows(self._device, n_samples, dtype) if is_kept else None
        self.n_threads = n_threads(n_jobs)

    @property
    def is_coarse(self) -> bool:
        return self._dtype is np.float32

    def more_precise(self) -> CudaRows | None:
        """Return the same rows in float64, or None if they are in float64 already."""
        return self._in_double() if self.is_coarse else None

    def views(self, n_problems: int, max_views: int) -> list[CudaRows]:
        """Return the same rows for some problems at a time, each with a stream of its own."""
        number = max(1, min(n_problems, max_views, self.n_threads))
        if number == 1:
            return [self]
        views = [self.separate_view() for _ in range(number)]
        for view in views:
            view.n_threads = max(1, self.n_threads // number)
        return views

    def separate_view(self) -> CudaRows:
        """Return the same rows for a product beside the problems that are being solved."""
        self._device.synchronize()
        view = copy.copy(self)
        view.n_computed, view._device = 0, self._device.separate()
        return view

    def block(self, indices: NDArray) -> NDArray:
        """Return K[indices, indices]; the next call overwrites it."""
        return self._device.block(self.kernel, self._packed, self.columns(indices))

    def update(self, f: NDArray, indices: NDArray, values: NDArray) -> None:
        if self._stored is None:
            self.accumulate(f, indices, values, None, indices)
            return
        for part in stoppable_slices(len(indices), MAX_BLOCK):
            addresses = self._addresses(indices[part])
            f += self._device.stored_sums(
                self.kernel, self._dtype, self.n_samples, addresses, values[part]
            )

    def _addresses(self, indices: NDArray) -> NDArray[np.uint64]:
        """Return the addresses of rows, after computing missing ones."""
        stored = self._stored
        assert stored is not None
        with stored.lock:
            missing = stored.missing(indices)
            if len(missing):
                places = stored.places(len(missing))
                columns = self.columns(missing)
                self._device.store(self.kernel, self._packed, None, columns, places)
                self._device.synchronize()
                stored.written(missing, places)
                self.n_computed += len(missing)
        return stored.of(indices)

    def rounding_errors(self, c: NDArray, moved: float) -> NDArray[np.float64]:
        return errors_of_updates(self.kernel, self._packed, self.sizes(), c, moved)

    def part(self, indices: NDArray) -> PartOfRows | None:
        """Return the rows and columns of some samples; None if rows are kept anyway."""
        return None if self._stored is not None else PartOfRows(self, indices)

    def columns(self, indices: NDArray) -> Any:
        """Return some samples, as `accumulate` takes them."""
        return self._device.send(indices.astype(np.int32))

    def accumulate(
        self, f: NDArray, indices: NDArray, values: NDArray, columns: Any, places: NDArray
    ) -> None:
        """Add K[columns, indices] @ values to f without keeping the rows."""
        for part in stoppable_slices(len(indices), MAX_BLOCK):
            f += self._device.sums(
                self.kernel,
                self._packed,
                columns,
                self._packed,
                self.columns(indices[part]),
                values[part],
            )
        self.n_computed += len(indices) * len(f) // self.n_samples
