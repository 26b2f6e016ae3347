"""Kernel rows computed by the compiled engine: packed samples, vector instructions, threads."""

from __future__ import annotations

import copy
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._kernels.packing import (
    PackedKernel,
    pack,
    quickly_solved,
    rows_at_once,
    uses_worth_keeping,
)
from bandsvm._kernels.part import PartOfRows
from bandsvm._kernels.precision import errors_of_updates
from bandsvm._kernels.rows import MIN_CAPACITY, SCRATCH_SHARE, ComputedRows
from bandsvm._kernels.samples import Samples
from bandsvm._kernels.sizes import MAX_BLOCK, MAX_PART
from bandsvm._kernels.slots import SlotTable
from bandsvm._system import memory
from bandsvm._system.stopping import stoppable_slices
from bandsvm._system.threads import n_threads

# From this many multiplications per kernel value on, blocks pick values out of stored rows and the
# last block: cheaper values are computed again faster than they are looked up in memory.
MIN_PRODUCTS_TO_PICK = 60
# Largest share of the memory for the two blocks that are kept; the rest is for rows.
BLOCK_SHARE = 0.5
# Rows that several problems share are kept from their first use if they are worth keeping after so
# many uses. Rows of fewer features are hardly slower to compute again than to read.
USES_OF_SHARED = 3.0
# Bytes per sample of a solver's arrays, if it runs beside others.
BYTES_OF_POINT = 100
# More samples than the last panel of packed ones can leave empty, for estimates of memory.
PADDING = 256


def largest_block(n_samples: int, itemsize: int, cache_bytes: float) -> int:
    """Return the largest block for which a store's memory suffices."""
    fits = int((BLOCK_SHARE * cache_bytes / (2 * itemsize)) ** 0.5)
    return min(n_samples, MAX_BLOCK, max(MIN_CAPACITY, fits))


def useful_bytes(X: Any) -> float:
    """Return the memory beyond which a store only becomes faster.

    With at least this much, blocks are solved and rows added in the same order: results are equal.
    """
    n_samples, n_features = X.shape[0], X.shape[1] if X.ndim == 2 else 1
    n_values = X.nnz if sp.issparse(X) else X.size
    blocks = 2 * 8 * min(n_samples, MAX_BLOCK) ** 2
    rows = 8 * (n_samples + PADDING) * min(n_samples, MAX_BLOCK)
    samples = (1.0 + MAX_PART) * 2 * 8 * (n_values + PADDING * n_features)
    for_rows = 1.0 - SCRATCH_SHARE
    return max(blocks / BLOCK_SHARE, (samples + blocks + rows) / for_rows)


class Block:
    """Kernel values among some samples, in memory that is reused."""

    def __init__(self, dtype: type) -> None:
        self.indices: NDArray = np.empty(0, dtype=np.intp)
        self.values: NDArray = np.empty((0, 0), dtype=dtype)
        self._memory: NDArray = np.empty(0, dtype=dtype)

    def reserve(self, number: int, panel: int) -> None:
        """Make room for the values of a number of samples, in rows padded to whole panels."""
        width = -(-number // panel) * panel
        if self._memory.size < number * width:
            self._memory = np.empty(number * width, dtype=self._memory.dtype)
        self.indices = self.indices[:0]  # until there are values
        self.values = self._memory[: number * width].reshape(number, width)


class PackedRows(ComputedRows):
    """Rows of K in float32 or float64, at most ``capacity`` of them kept.

    If ``n_uses`` is large enough for that to pay off, rows are kept from their first use.
    """

    kernel: PackedKernel

    def __init__(
        self,
        kernel: PackedKernel,
        X: Any,
        cache_bytes: float | None,
        n_jobs: int | None,
        dtype: type = np.float32,
        n_uses: float = 0.0,
        origin: NDArray | None = None,
    ) -> None:
        threads = n_threads(n_jobs)
        if cache_bytes is None:
            cache_bytes = memory.default_bytes(useful_bytes(X) + dtype().itemsize * X.shape[0] ** 2)
        origin = kernel.origin(X) if origin is None else origin
        packed = pack(kernel, X, origin, dtype, threads)
        self._row_bytes = packed.stride * dtype().itemsize
        self._largest_block = min(
            quickly_solved(packed), largest_block(X.shape[0], dtype().itemsize, cache_bytes)
        )
        blocks = 2 * dtype().itemsize * self._largest_block**2
        worth_keeping = uses_worth_keeping(packed.n_products)
        if worth_keeping <= n_uses:
            worth_keeping = 0.0
        # If rows are not kept, samples in play are packed separately.
        samples_bytes = packed.n_bytes * (1.0 if worth_keeping <= 1.0 else 1.0 + MAX_PART)
        super().__init__(kernel, Samples(X), self._row_bytes, cache_bytes, samples_bytes + blocks)
        self._dtype = dtype
        self._in_double = partial(
            PackedRows, kernel, X, cache_bytes, n_jobs, np.float64, n_uses, origin
        )
        self._packed = packed
        self._core_kernel = kernel.in_core()
        self.n_threads = threads
        # Untouched memory costs nothing, so the store has its full size from the start.
        self._store = np.empty((self._capacity, packed.stride), dtype=dtype)
        self._n_values = 0  # computed, but not yet as many as a row has
        self._n_uses = np.zeros(len(self.samples), dtype=np.int64)
        self._rows_at_once = min(self._rows_at_once, rows_at_once(packed))
        self._worth_keeping = worth_keeping
        self._blocks = [Block(dtype), Block(dtype)]
        self._place_in_block = np.full(len(self.samples), -1)

    def views(self, n_problems: int, max_views: int) -> list[PackedRows]:
        """Return the same rows for at most ``max_views`` of some problems at a time, one view each.

        Their number depends on threads and memory; what is computed with them does not.
        """
        # What all rows take counts, not how much is free: results must not depend on that.
        fit_by_default = self._row_bytes * self.n_samples <= memory.DEFAULT_BYTES
        if fit_by_default and self._worth_keeping <= min(n_problems, USES_OF_SHARED):
            self._worth_keeping = 0.0
        number = min(n_problems, max_views, self.n_threads, self._views_in_memory())
        return [self] if number <= 1 else [self._view(k, number) for k in range(number)]

    def begin_problem(self) -> None:
        """Count uses from 0: they decide in which order rows are added."""
        self._n_uses[:] = 0
        self._n_values = 0

    @property
    def _holds_all(self) -> bool:
        """Whether there is room for all rows, so that none is ever replaced."""
        return self._capacity >= self.n_samples

    def _bytes_per_view(self) -> float:
        """Return the memory that a problem needs for itself."""
        blocks = 2 * self._dtype().itemsize * self._largest_block**2
        part = 0.0 if self._worth_keeping <= 1.0 else MAX_PART * self._packed.n_bytes
        return blocks + part + BYTES_OF_POINT * self.n_samples

    def _views_in_memory(self) -> int:
        """Return how many problems at a time there is memory for."""
        if self._holds_all:
            return 1 + int(self._spare_bytes // self._bytes_per_view())
        if self._worth_keeping <= 1.0:
            return 1  # they would replace each other's rows
        # Rows are kept now and then: each view keeps its own.
        fewest = MAX_BLOCK * self._row_bytes
        own = self._bytes_per_view()
        return int((self._capacity * self._row_bytes + own) // (fewest + own))

    def _view(self, k: int, number: int) -> PackedRows:
        """Return view ``k`` of a number of views."""
        view = self.separate_view()
        view.n_threads = max(1, self.n_threads // number)
        view._worth_keeping = self._worth_keeping
        if not self._holds_all:
            for_rows = self._capacity * self._row_bytes - (number - 1) * self._bytes_per_view()
            view._capacity = int(for_rows // (number * self._row_bytes))
            view._table = SlotTable(self.n_samples, view._capacity)
            view._store = self._store[k * view._capacity : (k + 1) * view._capacity]
        return view

    def separate_view(self) -> PackedRows:
        """Return the same rows for a product beside the problems that are being solved."""
        view = copy.copy(self)
        view.n_computed = view._n_values = 0
        view._n_uses = np.zeros_like(self._n_uses)
        view._blocks = [Block(self._dtype), Block(self._dtype)]
        view._place_in_block = np.full(self.n_samples, -1)
        if self._worth_keeping > 1.0:
            view._worth_keeping = np.inf  # the store may belong to views
        return view

    @property
    def capacity(self) -> int:
        """Largest number of rows that are kept, and of rows of a block."""
        return min(self._capacity, max(self._largest_block, MIN_CAPACITY))

    @property
    def is_coarse(self) -> bool:
        return self._dtype is np.float32

    def more_precise(self) -> PackedRows | None:
        """Return the same rows in float64, or None if they are in float64 already."""
        return self._in_double() if self.is_coarse else None

    def block(self, indices: NDArray) -> NDArray:
        """Return K[indices, indices], computed without whole rows.

        Expensive values that the previous block contains are not recomputed. The block is
        overwritten by the next call.
        """
        block, last = self._blocks
        if np.array_equal(indices, last.indices):
            return last.values[:, : len(indices)]
        is_picked = self._packed.n_products >= MIN_PRODUCTS_TO_PICK
        if is_picked:
            places, slots = self._place_in_block[indices], self._table.peek(indices)
        else:
            block = last  # in the same memory, which may be in cache
            places = slots = np.full(len(indices), -1)
        block.reserve(len(indices), self._packed.panel)
        _core.compute_block(
            self._packed,
            indices,
            self._core_kernel,
            block.values,
            last.values,
            places,
            self._store,
            slots,
            self.n_threads,
        )
        if is_picked:
            self._place_in_block[last.indices] = -1
            self._place_in_block[indices] = np.arange(len(indices))
            self._blocks = [last, block]
        block.indices = indices
        return block.values[:, : len(indices)]

    def update(self, f: NDArray, indices: NDArray, values: NDArray) -> None:
        self._n_uses[indices] += 1
        # Whether another problem has stored a row must not matter: the sums would differ.
        is_new = self._n_uses[indices] < self._worth_keeping
        if is_new.any():
            new = indices[is_new]
            self.accumulate(f, new, values[is_new], self._packed, new)
        indices, values = indices[~is_new], values[~is_new]
        for part in self._parts(indices):
            slots = self._slots(indices[part])
            _core.update_gradient(self._store, slots, values[part], f, self.n_threads)

    def _fill(self, missing: NDArray, places: NDArray) -> None:
        packed, kernel, store = self._packed, self._core_kernel, self._store
        _core.compute_rows(packed, missing, packed, missing, kernel, store, places, self.n_threads)

    def rounding_errors(self, c: NDArray, moved: float) -> NDArray[np.float64]:
        return errors_of_updates(self.kernel, self._packed, self.sizes(), c, moved)

    def part(self, indices: NDArray) -> PartOfRows | None:
        """Return the rows and columns of some samples; None if rows are kept anyway."""
        return None if self._worth_keeping <= 1.0 else PartOfRows(self, indices)

    def columns(self, indices: NDArray) -> Any:
        """Return some samples, packed for `accumulate`."""
        return self._packed.take(indices, self.n_threads)

    def accumulate(
        self, f: NDArray, indices: NDArray, values: NDArray, columns: Any, places: NDArray
    ) -> None:
        """Add K[columns, indices] @ values to f without keeping the rows.

        ``places`` are those of the samples ``indices`` among the columns, or -1.
        """
        for part in stoppable_slices(len(indices), self._rows_at_once):
            _core.accumulate_rows(
                self._packed,
                indices[part],
                columns,
                places[part],
                self._core_kernel,
                values[part],
                f,
                self.n_threads,
            )
        self._n_values += len(indices) * len(f)
        self.n_computed, self._n_values = (
            self.n_computed + self._n_values // self.n_samples,
            self._n_values % self.n_samples,
        )
