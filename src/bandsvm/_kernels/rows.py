"""A store of kernel rows, computed on demand and shared by all problems over the same samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._kernels.exact import exact_products, finite, finite_values
from bandsvm._kernels.operator import Kernel, KernelOperator
from bandsvm._kernels.packing import PackedKernel, pack
from bandsvm._kernels.precision import errors_of_updates
from bandsvm._kernels.products import Linear
from bandsvm._kernels.samples import CHUNK_BYTES, Samples
from bandsvm._kernels.sizes import MAX_BLOCK
from bandsvm._kernels.slots import SlotTable
from bandsvm._system import memory
from bandsvm._system.stopping import stoppable_slices

# A pair step needs two rows; a block worth solving needs some more.
MIN_CAPACITY = 16
# Memory for pieces of samples in float64 and for what solvers keep beside rows, and its share.
SCRATCH_BYTES = 32 * 2**20
SCRATCH_SHARE = 0.15
# Largest share of the memory for a block, which is copied out of the rows.
COPIED_BLOCK_SHARE = 0.25


class RowsOfSamples(KernelOperator):
    """Base class of matrices of kernel values that are computed from samples."""

    n_computed, n_threads = 0, 1

    def __init__(self, kernel: Kernel, samples: Samples) -> None:
        self.kernel = kernel
        self.samples = samples
        self._diagonal: NDArray[np.float64] | None = None
        self._sizes: NDArray[np.float64] | None = None

    @property
    def n_samples(self) -> int:
        return len(self.samples)

    def diagonal(self) -> NDArray[np.float64]:
        if self._diagonal is None:
            with np.errstate(over="ignore", invalid="ignore"):
                self._diagonal = finite(self.kernel.diagonal(self.samples))
        return self._diagonal

    def sizes(self) -> NDArray[np.float64]:
        if self._sizes is None:
            with np.errstate(over="ignore", invalid="ignore"):
                self._sizes = self.kernel.sizes(self.samples)
        return self._sizes

    def cost_of_exact(self, n_terms: int) -> float:
        """Return the number of kernel values per target; the linear kernel needs no values."""
        return 1.0 if isinstance(self.kernel, Linear) else float(n_terms)

    def exact_product(self, targets: NDArray, indices: NDArray, values: NDArray) -> NDArray:
        """Return K[targets][:, indices] @ values from separately computed float64 kernel values."""
        samples = self.samples
        return exact_products(
            self.kernel, samples, targets, samples, indices, values, self.n_threads
        )


class ComputedRows(RowsOfSamples):
    """Base class of stores of computed rows."""

    def __init__(
        self,
        kernel: Kernel,
        samples: Samples,
        row_bytes: int,
        cache_bytes: float,
        other_bytes: float = 0.0,
    ) -> None:
        super().__init__(kernel, samples)
        for_rows = cache_bytes - min(SCRATCH_BYTES, SCRATCH_SHARE * cache_bytes) - other_bytes
        self._capacity = min(len(samples), max(MIN_CAPACITY, int(for_rows // row_bytes)))
        self._spare_bytes = max(0.0, for_rows - self._capacity * row_bytes)
        # Sums must not depend on how many rows are kept, as long as this many are.
        self._rows_at_once = MAX_BLOCK
        self._table = SlotTable(len(samples), self._capacity)

    @property
    def capacity(self) -> int:
        return self._capacity

    def _parts(self, indices: NDArray) -> Iterator[slice]:
        """Return slices of rows that are added together."""
        size = min(self._capacity, self._rows_at_once)
        return stoppable_slices(len(indices), size)

    def _fill(self, missing: NDArray, places: NDArray) -> None:
        """Compute the rows of samples into slots of the store."""
        raise NotImplementedError

    def _slots(self, indices: NDArray) -> NDArray[np.intp]:
        """Return the slots of the rows of ``indices``, after computing missing ones."""
        while True:
            slots, missing, places = self._table.find(indices)
            if len(missing):
                try:
                    self._fill(missing, places)
                except BaseException:
                    self._table.forget(missing)
                    raise
                self.n_computed += len(missing)
                self._table.written(missing)
            if self._table.wait_for(indices):
                return slots


class PackedWriter:
    """Writes rows of K in float64, on one thread, faster than the kernel itself does."""

    def __init__(self, kernel: PackedKernel, X: Any) -> None:
        self._kernel = kernel
        self._packed = pack(kernel, X, kernel.origin(X), np.float64, 1)
        self.width = self._packed.stride

    def __call__(self, indices: NDArray, store: NDArray, places: NDArray) -> None:
        """Write the rows of some samples to some places of a store."""
        packed, kernel = self._packed, self._kernel.in_core()
        _core.compute_rows(packed, indices, packed, indices, kernel, store, places, 1)
        with np.errstate(over="ignore", invalid="ignore"):
            written = store if len(places) == len(store) else store[places]
            finite(written[:, : packed.count])

    def rounding_errors(self, sizes: NDArray, c: NDArray, moved: float) -> NDArray[np.float64]:
        """Return estimates of rounding errors of ``K c``."""
        return errors_of_updates(self._kernel, self._packed, sizes, c, moved)


class KernelRows(ComputedRows):
    """Rows of K; at most ``capacity`` are kept, and the least recently used are dropped first.

    They are computed by the kernel, or by a ``writer``.
    """

    def __init__(
        self,
        kernel: Kernel,
        samples: Samples,
        cache_bytes: float | None = None,
        writer: PackedWriter | None = None,
    ) -> None:
        width = len(samples) if writer is None else writer.width
        if cache_bytes is None:
            cache_bytes = memory.default_bytes(8 * width * len(samples))
        blocks = min(8 * min(len(samples), MAX_BLOCK) ** 2, COPIED_BLOCK_SHARE * cache_bytes)
        super().__init__(kernel, samples, 8 * width, cache_bytes, blocks)
        self._writer = writer
        self._padded = np.empty((self._capacity, width))
        self._store = self._padded[:, : len(samples)]

    def block(self, indices: NDArray) -> NDArray[np.float64]:
        if len(indices) > self._capacity:
            chosen = self.samples.take(indices)
            return finite_values(self.kernel, chosen, chosen)
        slots = self._slots(indices)
        if len(indices) == self.n_samples and np.array_equal(slots, indices):
            return self._store  # all of K, each row in its own slot
        return self._store[np.ix_(slots, indices)]

    def update(self, f: NDArray, indices: NDArray, values: NDArray) -> None:
        for part in self._parts(indices):
            _core.update_gradient(self._padded, self._slots(indices[part]), values[part], f, 1)

    def _write_by_kernel(self, indices: NDArray, store: NDArray, places: NDArray) -> None:
        """Write rows of K, computed by the kernel."""
        per_call = max(1, CHUNK_BYTES // (8 * self.n_samples))
        for part in stoppable_slices(len(indices), per_call):
            rows = self.samples.take(indices[part])
            store[places[part]] = finite_values(self.kernel, rows, self.samples)

    def _fill(self, missing: NDArray, places: NDArray) -> None:
        write = self._writer or self._write_by_kernel
        write(missing, self._padded, places)

    def rounding_errors(self, c: NDArray, moved: float) -> NDArray[np.float64]:
        if self._writer is None:
            return super().rounding_errors(c, moved)
        return self._writer.rounding_errors(self.sizes(), c, moved)
