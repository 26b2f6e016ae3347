"""Kernel rows by the compiled engine: packed samples, vector instructions, threads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._threads import n_threads
from bandsvm.kernels._rows import ComputedRows, Kernel, finite
from bandsvm.kernels._samples import Samples

PACKED_KERNELS = ("linear", "rbf", "poly", "sigmoid")
FEWEST_FEATURES_TO_PICK = 200
# Nanoseconds a kernel value, on two cores; only their ratios matter.
COST_OF_EXP, COST_OF_PRODUCT, SPARSE_FACTOR = 0.3, 0.01, 10.0
COST_OF_READING, COST_OF_FRESH_MEMORY = 0.33, 1.0
# Samples that are packed for prediction at a time.
CHUNK_BYTES = 32 * 2**20


@dataclass(frozen=True)
class PackedKernel:
    """A kernel that the compiled engine knows, with its parameters."""

    name: str
    gamma: float
    coef0: float
    degree: int

    def parameters(self) -> tuple[str, float, float, int]:
        """Return what the engine's functions take."""
        gamma = self.gamma if np.isfinite(self.gamma) else 0.0
        return self.name, float(gamma), float(self.coef0), int(self.degree)


def origin(packed_kernel: PackedKernel, X: Any) -> NDArray[np.float64]:
    """Return the point to measure dense samples from: only distances do not mind where it is."""
    if packed_kernel.name != "rbf" or sp.issparse(X):
        return np.zeros(X.shape[1])
    return X.mean(axis=0, dtype=np.float64)


def pack(X: Any, dtype: type, centre: NDArray) -> Any:
    """Return samples packed for the engine, dense ones measured from ``centre``."""
    single = dtype is np.float32
    if sp.issparse(X):
        compress = _core.compress_32 if single else _core.compress_64
        starts, columns = X.indptr.astype(np.int64), X.indices.astype(np.int32)
        return compress(starts, columns, X.data, X.shape[1])
    return (_core.pack_32 if single else _core.pack_64)(np.ascontiguousarray(X), centre)


def uses_worth_keeping(X: Any) -> float:
    """Return after how many uses a row is worth its place in memory.

    Fresh memory costs more than the values written into it: rows of few features are cheaper to
    compute again than to keep.
    """
    n_products = SPARSE_FACTOR * X.nnz / max(1, X.shape[0]) if sp.issparse(X) else X.shape[1]
    saved = COST_OF_EXP + COST_OF_PRODUCT * n_products - COST_OF_READING
    return COST_OF_FRESH_MEMORY / max(saved, 0.01)


class PackedRows(ComputedRows):
    """Rows of K in float32 or float64, at most ``capacity`` of them kept."""

    def __init__(
        self,
        packed_kernel: PackedKernel,
        kernel: Kernel,
        X: Any,
        cache_bytes: float | None,
        n_jobs: int | None,
        dtype: type = np.float32,
    ) -> None:
        packed = pack(X, dtype, origin(packed_kernel, X))
        super().__init__(kernel, Samples(X), packed.stride * dtype().itemsize, cache_bytes)
        self._packed_kernel = packed_kernel
        self._cache_bytes = cache_bytes
        self._n_jobs = n_jobs
        self._dtype = dtype
        self._packed = packed
        self._parameters = packed_kernel.parameters()
        self._n_threads = n_threads(n_jobs)
        # Untouched memory costs nothing: a store of full size is filled as far as it is needed.
        self._store = np.empty((self._capacity, packed.stride), dtype=dtype)
        self._n_uses = np.zeros(len(self.samples), dtype=np.int64)
        self._worth_keeping = uses_worth_keeping(X)

    @property
    def is_coarse(self) -> bool:
        """Whether rows are of less than double precision."""
        return self._dtype is np.float32

    def sharper(self) -> PackedRows | None:
        """Return the same rows in float64, or None if that is what they are."""
        if self._dtype is np.float64:
            return None
        return PackedRows(
            self._packed_kernel,
            self.kernel,
            self.samples.X,
            self._cache_bytes,
            self._n_jobs,
            np.float64,
        )

    def block(self, indices: NDArray) -> NDArray:
        """Return K[indices, indices], computed on its own: it needs no whole rows."""
        chosen = self._packed.take(np.asarray(indices, dtype=np.int64))
        values = np.empty((len(indices), chosen.stride), dtype=self._dtype)
        slots = self._table.peek(indices)
        # With many features it is cheaper to pick values out of the rows at hand.
        is_picked = (slots >= 0) & (self.samples.n_features > FEWEST_FEATURES_TO_PICK)
        missing, picked = np.flatnonzero(~is_picked), np.flatnonzero(is_picked)
        _core.compute_rows(
            chosen, missing, chosen, *self._parameters, values, missing, self._n_threads
        )
        values[picked, : len(indices)] = self._store[np.ix_(slots[picked], indices)]
        return np.ascontiguousarray(values[:, : len(indices)])

    def product(self, indices: NDArray, values: NDArray) -> NDArray[np.float64]:
        """Return K[:, indices] @ values."""
        f = np.zeros(self.n_samples)
        self.update(f, indices, values)
        return f

    def update(self, f: NDArray, indices: NDArray, values: NDArray) -> None:
        """Add K[:, indices] @ values to f."""
        self._n_uses[indices] += 1
        is_new = (self._table.peek(indices) < 0) & (self._n_uses[indices] < self._worth_keeping)
        if is_new.any():
            self._accumulate(f, indices[is_new], values[is_new])
        indices, values = indices[~is_new], values[~is_new]
        for start in range(0, len(indices), self._capacity):
            part = slice(start, start + self._capacity)
            slots, missing, places = self._table.find(indices[part])
            if len(missing):
                _core.compute_rows(
                    self._packed,
                    missing,
                    self._packed,
                    *self._parameters,
                    self._store,
                    places,
                    self._n_threads,
                )
                self.n_computed += len(missing)
            _core.update_gradient(self._store, slots, values[part], f, self._n_threads)

    def _accumulate(self, f: NDArray, indices: NDArray, values: NDArray) -> None:
        """Add K[:, indices] @ values to f without keeping the rows."""
        _core.accumulate_rows(
            self._packed, indices, self._packed, *self._parameters, values, f, self._n_threads
        )
        self.n_computed += len(indices)


def packed_product(
    packed_kernel: PackedKernel, A: Any, B: Any, coefficients: NDArray, n_jobs: int | None
) -> NDArray:
    """Return K(A, B) @ coefficients in float64, without keeping any kernel values."""
    dtype = np.float64
    centre = origin(packed_kernel, B)
    right = pack(B, dtype, centre)
    padded = np.zeros((coefficients.shape[1], right.stride), dtype=dtype)
    padded[:, : len(coefficients)] = coefficients.T
    products = np.zeros((A.shape[0], coefficients.shape[1]))
    rows_at_once = max(1, CHUNK_BYTES // (dtype().itemsize * max(1, A.shape[1])))
    for start in range(0, A.shape[0], rows_at_once):
        part = slice(start, start + rows_at_once)
        left = pack(A[part], dtype, centre)
        _core.multiply_rows(
            left, right, *packed_kernel.parameters(), padded, products[part], n_threads(n_jobs)
        )
    return finite(products)
