"""Samples as linear solvers see them: three sums over samples, each added up chunk by chunk.

A solver asks for ``X'v``, ``X w`` and ``X'DX`` alone. Chunks and the order in which they are added
do not depend on the number of threads, so neither does any bit of the results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._kernels.samples import as_contiguous, sums_of_rows
from bandsvm._kernels.settings import KernelSettings
from bandsvm._kernels.small import SmallKernel, small_kernel
from bandsvm._system.cached import cached_property
from bandsvm._system.stopping import check_stop

# Dense samples are scaled in float64 copies of about this many bytes, which caches hold.
DENSE_CHUNK_BYTES = 2 * 2**20
# Rows of a chunk, for each feature, whose matrix X'DX is computed at a time.
ROWS_PER_FEATURE = 2
# Values of sparse samples that one call of the core goes through: some hundredths of a second.
SPARSE_CHUNK_VALUES = 2**22
# Matrices X'DX of more features are left to BLAS; tiles of the core are faster up to here.
MAX_FEATURES_OF_TILES = 128
# Sparse samples of so few features, of whose values so many are not 0, are copied into a matrix for
# Newton steps, which hold as many numbers for each sample anyway.
FEW_FEATURES, DENSE_ENOUGH = 64, 0.25
# Products with fewer values end before a thread has started.
MIN_VALUES_FOR_THREADS = 2**16
# Fewer values of dense samples are summed up before threads have started.
WORTH_THREADS = 2**23
# Rows of a chunk of a Newton step: what is computed for each of them takes little memory.
NEWTON_ROWS = 2**17


class LinearSamples:
    """Samples, dense or CSR, of float32 or float64; they are not copied, sums are float64.

    CSR matrices must not have repeated entries.
    """

    def __init__(self, X: Any, n_threads: int = 1) -> None:
        self.X = X
        self.n_samples, self.n_features = X.shape
        self.is_sparse = sp.issparse(X)
        self.n_values = int(X.nnz) if self.is_sparse else X.size  # values that are stored
        self.rows = _core_rows(X)
        self.n_threads = n_threads if self.n_values >= MIN_VALUES_FOR_THREADS else 1

    @property
    def n_pairs(self) -> float:
        """Number of pairs of values of a sample, over all samples."""
        if not self.is_sparse:
            return float(self.n_samples) * self.n_features**2
        return float((np.diff(self.X.indptr).astype(np.float64) ** 2).sum())

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to make the same samples on another machine."""
        return _contiguous_samples, (self.X, self.n_threads)

    def part(self, rows: slice) -> LinearSamples:
        """Return some samples next to each other; their values are not copied."""
        if not self.is_sparse:
            return LinearSamples(self.X[rows], self.n_threads)
        first, last = self.X.indptr[rows.start], self.X.indptr[rows.stop]
        starts = self.X.indptr[rows.start : rows.stop + 1] - first
        values = self.X.data[first:last], self.X.indices[first:last], starts
        part = type(self.X)(values, shape=(len(starts) - 1, self.n_features))
        return LinearSamples(part, self.n_threads)

    def for_newton_steps(self) -> LinearSamples:
        """Return the samples as a matrix if products with it take less time."""
        is_dense = self.n_values >= DENSE_ENOUGH * self.n_samples * self.n_features
        if self.is_sparse and self.n_features <= FEW_FEATURES and is_dense:
            return LinearSamples(self.X.toarray(), self.n_threads)
        return self

    def newton_chunks(self) -> Iterator[slice]:
        """Yield slices over the samples, large enough that to add up their matrices is cheap."""
        per_sample = max(1, -(-self.n_values // max(1, self.n_samples)))
        size = max(NEWTON_ROWS, ROWS_PER_FEATURE * self.n_features)
        if self.is_sparse:  # the products of a row are few, next to the entries of the matrix
            size = max(size, ROWS_PER_FEATURE * (self.n_features // per_sample) ** 2)
        return self._slices(size)

    def product(self, w: NDArray) -> NDArray[np.float64]:
        """Return ``X w``."""
        g = np.empty(self.n_samples)
        w = as_contiguous(w, np.float64)
        for part in self._chunks:
            check_stop()
            self.rows.multiply(part.start, w, g[part], self.n_threads)
        return g

    def weights(self, v: NDArray) -> NDArray[np.float64]:
        """Return ``X'v``."""
        sums, v = np.zeros(self.n_features), as_contiguous(v)
        if self.is_sparse:
            for part in self._chunks:
                check_stop()
                self.rows.add_to(part.start, v[part], sums)
            return sums
        for of_chunk in self._in_order(lambda part: self.X[part].T @ v[part]):
            sums += of_chunk
        return sums

    def squared_norms(self) -> NDArray[np.float64]:
        """Return the squared length of every sample."""
        norms = np.empty(self.n_samples)
        for part in self._chunks:
            check_stop()
            some = self.X[part]
            if self.is_sparse:
                norms[part] = sums_of_rows(some, np.square(some.data, dtype=np.float64))
            else:
                norms[part] = np.einsum("ij,ij->i", some, some, dtype=np.float64)
        return norms

    def descent(self, band: tuple[NDArray, ...], c: NDArray, w: NDArray, *penalty: float) -> Any:
        """Return the core's coordinate descent on these samples."""
        name = type(self.rows).__name__.replace("Rows", "Descent")
        return getattr(_core, name)(self.rows, _core.Bands(*band), c, w, *penalty)

    def gram(self, factors: NDArray, centre: NDArray | None = None) -> NDArray[np.float64]:
        """Return ``sum_i factors_i (x_i - centre) (x_i - centre)'``; factors are not negative.

        Dense samples are centred before they are multiplied, which keeps their digits.
        """
        if not self.is_sparse and self.n_features > MAX_FEATURES_OF_TILES:
            return self._gram_by_blas(factors, centre)
        gram, factors = np.zeros((self.n_features, self.n_features)), as_contiguous(factors)
        middle = () if self.is_sparse else (None if centre is None else as_contiguous(centre),)
        for part in self._chunks:
            check_stop()
            self.rows.add_gram(part.start, factors[part], *middle, gram, self.n_threads)
        diagonal = gram.diagonal().copy()
        gram += gram.T
        gram.flat[:: self.n_features + 1] = diagonal
        if self.is_sparse and centre is not None:
            gram -= factors.sum() * np.outer(centre, centre)
        return gram

    def _gram_by_blas(self, factors: NDArray, centre: NDArray | None) -> NDArray[np.float64]:
        roots = np.sqrt(factors)

        def of_chunk(part: slice) -> NDArray[np.float64]:
            scaled = self.X[part] - centre if centre is not None else self.X[part]
            scaled = np.multiply(scaled, roots[part, None], dtype=np.float64)
            return scaled.T @ scaled  # NumPy computes one triangle of it

        gram = np.zeros((self.n_features, self.n_features))
        # To add a matrix up costs as much as some rows that it sums over.
        for some in self._in_order(of_chunk, least=ROWS_PER_FEATURE * self.n_features):
            gram += some
        return gram

    @cached_property
    def kernel(self) -> SmallKernel | None:
        """The linear kernel of few samples, if compiled functions can have it."""
        return small_kernel(KernelSettings("linear", 1.0, 0.0, 1.0), self.X)

    @cached_property
    def _chunks(self) -> tuple[slice, ...]:
        """Slices over the samples that caches hold."""
        return self._chunks_of(1)

    def _chunks_of(self, least: int) -> tuple[slice, ...]:
        """Return slices over the samples, of at least so many."""
        per_sample = max(1, -(-self.n_values // max(1, self.n_samples)))
        values = SPARSE_CHUNK_VALUES if self.is_sparse else DENSE_CHUNK_BYTES // 8
        return tuple(self._slices(max(least, values // per_sample)))

    def _slices(self, size: int) -> Iterator[slice]:
        for start in range(0, self.n_samples, size):
            yield slice(start, min(start + size, self.n_samples))

    def _in_order(
        self, compute: Callable[[slice], NDArray], least: int = 1
    ) -> Iterator[NDArray[np.float64]]:
        """Yield what comes of each chunk, in order; as many at a time as there are threads."""
        chunks = self._chunks if least == 1 else self._chunks_of(least)

        def quietly(part: slice) -> NDArray[np.float64]:
            with np.errstate(over="ignore", invalid="ignore"):  # threads have settings of their own
                return compute(part)

        if self.n_threads == 1 or self.n_values < WORTH_THREADS:
            for part in chunks:
                check_stop()
                yield compute(part)
            return
        with ThreadPoolExecutor(self.n_threads) as pool:
            for start in range(0, len(chunks), self.n_threads):
                check_stop()
                yield from pool.map(quietly, chunks[start : start + self.n_threads])


def _contiguous_samples(X: Any, n_threads: int) -> LinearSamples:
    """Return samples that were received as bytes, which may lie anywhere in memory."""
    if sp.issparse(X):
        values = (as_contiguous(part) for part in (X.data, X.indices, X.indptr))
        return LinearSamples(type(X)(tuple(values), shape=X.shape), n_threads)
    return LinearSamples(as_contiguous(X), n_threads)


def _core_rows(X: Any) -> Any:
    """Return samples as the core reads them."""
    bits = "64" if X.dtype == np.float64 else "32"
    if not sp.issparse(X):
        return getattr(_core, f"DenseRows{bits}")(X)
    long = "Long" if X.indices.dtype == np.int64 else ""
    starts = X.indptr.astype(np.int64, copy=False)
    return getattr(_core, f"SparseRows{bits}{long}")(starts, X.indices, X.data, X.shape[1])
