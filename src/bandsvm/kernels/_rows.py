"""A store of kernel rows, computed on demand and shared by all problems over the same samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm.engines.sizes import LARGEST_BLOCK
from bandsvm.kernels._operator import Kernel, OnCpu, Rows
from bandsvm.kernels._samples import CHUNK_BYTES, Samples
from bandsvm.kernels._slots import SlotTable
from bandsvm.system import memory
from bandsvm.system.stopping import check_stop
from bandsvm.system.threads import results_in_threads, single_threaded_blas

# A pair step needs two rows; a block worth solving needs some more.
SMALLEST_CAPACITY = 16
# Memory for rows of samples whose products are asked for again and again, and its largest share.
TARGET_BYTES = 64 * 2**20
TARGET_SHARE = 0.1
# Memory for pieces of samples in float64 and for what solvers keep beside rows, and its share.
SCRATCH_BYTES = 32 * 2**20
SCRATCH_SHARE = 0.15
# Products of kernel values of more samples than spot checks take are not computed in threads: all
# pieces of their sums would be in memory at once.
MOST_IN_THREADS = 256
# Largest share of the memory for a block, which is copied out of the rows.
COPIED_BLOCK_SHARE = 0.25


class ComputedRows(OnCpu):
    """Base class of stores of computed rows."""

    def __init__(
        self,
        kernel: Kernel,
        samples: Samples,
        row_bytes: int,
        cache_bytes: float,
        other_bytes: float = 0.0,
    ) -> None:
        self.kernel = kernel
        self.samples = samples
        self.n_threads = 1
        self.n_computed = 0
        self._target_bytes = target_bytes(cache_bytes)
        # They are computed in pieces, which take about as much.
        scratch = min(SCRATCH_BYTES, SCRATCH_SHARE * cache_bytes)
        for_rows = cache_bytes - 2 * self._target_bytes - scratch - other_bytes
        self._capacity = row_capacity(len(samples), row_bytes, for_rows)
        self._spare_bytes = max(0.0, for_rows - self._capacity * row_bytes)
        # Sums must not depend on how many rows are kept, as long as this many are.
        self._rows_at_once = LARGEST_BLOCK
        self._table = SlotTable(len(samples), self._capacity)
        self._diagonal: NDArray[np.float64] | None = None
        self._targets: NDArray = np.empty(0, dtype=np.intp)
        self._target_rows: NDArray[np.float64] | None = None

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.samples)

    def part(self, indices: NDArray) -> Rows | None:
        """Return the rows and columns of some samples; None if that saves no time."""
        return None

    @property
    def capacity(self) -> int:
        """Largest number of rows that are kept."""
        return self._capacity

    def diagonal(self) -> NDArray[np.float64]:
        """Return the diagonal of K."""
        if self._diagonal is None:
            with np.errstate(over="ignore", invalid="ignore"):
                self._diagonal = finite(self.kernel.diagonal(self.samples))
        return self._diagonal

    def _parts(self, indices: NDArray) -> Iterator[slice]:
        """Yield slices of rows that are added together."""
        size = min(self._capacity, self._rows_at_once)
        for start in range(0, len(indices), size):
            check_stop()
            yield slice(start, start + size)

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

    def exact_product(self, targets: NDArray, indices: NDArray, values: NDArray) -> NDArray:
        """Return K[targets][:, indices] @ values from separately computed float64 kernel values.

        Targets that are requested twice are likely to be requested again: their rows are kept.
        """
        if np.array_equal(targets, self._targets):
            fit_in = 8 * len(targets) * self.n_samples <= self._target_bytes
            if self._target_rows is None and fit_in:
                chosen = self.samples.take(targets)
                self._target_rows = finite_values(self.kernel, chosen, self.samples)
            if self._target_rows is not None:
                coefficients = np.zeros((self.n_samples, *values.shape[1:]))
                coefficients[indices] = values
                return self._target_rows @ coefficients
        self._targets, self._target_rows = targets.copy(), None
        chosen, others = self.samples.take(targets), self.samples.take(indices)
        return kernel_product(self.kernel, chosen, others, values, self.n_threads)


# Writes the rows of some samples to some slots of a store.
RowWriter = Callable[[NDArray, NDArray, NDArray], None]


class KernelRows(ComputedRows):
    """Rows of K; at most ``capacity`` are kept, and the least recently used are dropped first.

    They are computed by the kernel, or by a faster function that writes rows of ``width`` values.
    """

    def __init__(
        self,
        kernel: Kernel,
        samples: Samples,
        cache_bytes: float | None = None,
        write: RowWriter | None = None,
        width: int = 0,
    ) -> None:
        width = max(width, len(samples))
        if cache_bytes is None:
            cache_bytes = memory.default_bytes(8 * width * len(samples))
        blocks = min(8 * min(len(samples), LARGEST_BLOCK) ** 2, COPIED_BLOCK_SHARE * cache_bytes)
        super().__init__(kernel, samples, 8 * width, cache_bytes, blocks)
        self._write = write
        self._padded = np.empty((self._capacity, width))
        self._store = self._padded[:, : len(samples)]

    @property
    def is_coarse(self) -> bool:
        """Whether rows have less than double precision."""
        return False

    def more_precise(self) -> None:
        """Return None: there is no higher precision."""

    def block(self, indices: NDArray) -> NDArray[np.float64]:
        """Return K[indices, indices]."""
        if len(indices) > self._capacity:
            chosen = self.samples.take(indices)
            return finite_values(self.kernel, chosen, chosen)
        slots = self._slots(indices)
        if len(indices) == self.n_samples and np.array_equal(slots, indices):
            return self._store  # all of K, each row in its own slot
        return self._store[np.ix_(slots, indices)]

    def product(self, indices: NDArray, values: NDArray) -> NDArray[np.float64]:
        """Return K[:, indices] @ values."""
        f = np.zeros(self.n_samples)
        self.update(f, indices, values)
        return f

    def update(self, f: NDArray, indices: NDArray, values: NDArray) -> None:
        """Add K[:, indices] @ values to f."""
        for part in self._parts(indices):
            _core.update_gradient(self._padded, self._slots(indices[part]), values[part], f, 1)

    def _write_by_kernel(self, indices: NDArray, store: NDArray, places: NDArray) -> None:
        """Write rows of K, computed by the kernel."""
        per_call = max(1, CHUNK_BYTES // (8 * self.n_samples))
        for start in range(0, len(indices), per_call):
            check_stop()
            part = slice(start, start + per_call)
            rows = self.samples.take(indices[part])
            store[places[part]] = finite_values(self.kernel, rows, self.samples)

    def _fill(self, missing: NDArray, places: NDArray) -> None:
        """Compute rows into their slots."""
        write = self._write or self._write_by_kernel
        write(missing, self._padded, places)


def finite_values(kernel: Kernel, A: Samples, B: Samples) -> NDArray[np.float64]:
    """Return K(A, B), or raise if a value is NaN or infinite."""
    with np.errstate(over="ignore", invalid="ignore"):
        return finite(kernel(A, B))


def finite(values: NDArray) -> NDArray:
    """Return kernel values unchanged, or raise if one is NaN or infinite."""
    if np.isfinite(values.sum()) or np.isfinite(values).all():
        return values
    raise ValueError(
        "The kernel is not finite for this X; scale X, for example with "
        "sklearn.preprocessing.StandardScaler, or lower gamma or degree."
    )


def kernel_product(
    kernel: Kernel, A: Samples, B: Samples, values: NDArray, n_threads: int = 1
) -> NDArray[np.float64]:
    """Return K(A, B) @ values with only pieces of K(A, B) in memory at a time.

    Threads share out the pieces of B if A is short, so that all products fit in little memory.
    """

    def product_with(some: slice) -> NDArray[np.float64]:
        products = np.empty((len(A), *values.shape[1:]))
        right, factors = B.take(some), values[some]
        for part in A.chunks(max(len(right), A.n_values_per_sample)):
            check_stop()
            products[part] = finite_values(kernel, A.take(part), right) @ factors
        return products

    def product_on_one_core(some: slice) -> NDArray[np.float64]:
        with single_threaded_blas():
            return product_with(some)

    # Pieces of B are small enough to stay in cache while they are scaled, multiplied and summed.
    pieces = list(B.chunks(8 * B.n_values_per_sample))
    products = np.zeros((len(A), *values.shape[1:]))
    if len(A) > MOST_IN_THREADS:
        n_threads = 1
    product_of = product_with if n_threads == 1 else product_on_one_core
    jobs = [partial(product_of, some) for some in pieces]
    for product in results_in_threads(jobs, n_threads):
        products += product
    return products


def row_capacity(n_samples: int, bytes_per_row: int, n_bytes: float) -> int:
    """Return how many rows of a matrix fit in a number of bytes."""
    return min(n_samples, max(SMALLEST_CAPACITY, int(n_bytes // bytes_per_row)))


def target_bytes(cache_bytes: float) -> float:
    """Return how much of a store's memory is reserved for rows of spot checks."""
    return min(TARGET_BYTES, TARGET_SHARE * cache_bytes)
