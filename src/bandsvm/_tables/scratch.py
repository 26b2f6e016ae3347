"""Matrices in temporary files, written block by block and mapped into memory.

The files have no name, so they vanish with the process, however it ends.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from bandsvm._tables.remarks import DataFileError

# Bytes of the rows that are worked on at a time.
ROWS_BYTES = 8 * 2**20
# The largest number of 32 bits.
MAX_INT32 = 2**31 - 1


def require_disk(n_bytes: float, source: str) -> None:
    """Raise unless the folder of temporary files has room for so many bytes."""
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    if n_bytes > free:
        raise DataFileError(
            f"{source} needs about {gigabytes(n_bytes)} of disk for its numbers, but the folder "
            f"{folder} has {gigabytes(free)}; set TMPDIR to a folder with more room."
        )


def gigabytes(n_bytes: float) -> str:
    """Return a number of bytes for people."""
    return f"{n_bytes / 1e9:.3g} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:.3g} MB"


class DiskArray:
    """An array in a temporary file, to which blocks are added."""

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self._file = tempfile.TemporaryFile(prefix="bandsvm-")  # noqa: SIM115
        weakref.finalize(self, self._file.close)

    def append(self, block: NDArray) -> None:
        """Write a block; a full disk is an error here, where mapped memory would crash."""
        try:
            self._file.write(np.ascontiguousarray(block, self.dtype).data)
            self._file.flush()
        except OSError as error:
            raise DataFileError(
                f"cannot write to the folder of temporary files {tempfile.gettempdir()}: "
                f"{error.strerror}; set TMPDIR to a folder with more room."
            ) from None

    def mapped(self, *shape: int) -> NDArray:
        """Return the array, to which nothing can be added any more.

        Nothing of it is in memory until it is used.
        """
        if 0 in shape:
            return np.empty(shape, self.dtype)
        return np.memmap(self._file, self.dtype, "r", shape=shape)


class DiskMatrix:
    """A matrix on disk, dense or CSR like the first block of rows that is added.

    Above ``max_narrow`` entries, a sparse matrix has indices of 64 bits.
    """

    def __init__(self, max_narrow: int = MAX_INT32) -> None:
        self._max_narrow = max_narrow
        self._n_rows, self._n_columns = 0, 0
        self._values: DiskArray | None = None
        self._indices: DiskArray | None = None
        self._lengths: list[NDArray] = []

    def append(self, block: Any) -> None:
        """Add some rows."""
        if self._values is None:
            self._values = DiskArray(block.dtype)
            self._indices = DiskArray(np.int32) if sp.issparse(block) else None
        self._n_rows += block.shape[0]
        self._n_columns = max(self._n_columns, block.shape[1])
        if self._indices is None:
            self._values.append(block)
            return
        self._values.append(block.data)
        self._indices.append(block.indices)
        self._lengths.append(np.diff(block.indptr))

    def finished(self) -> Any:
        """Return the matrix."""
        if self._values is None:
            return np.empty((0, 0))
        if self._indices is None:
            return self._values.mapped(self._n_rows, self._n_columns)
        starts = np.concatenate([[0], *self._lengths]).cumsum(dtype=np.int64)
        n_values = int(starts[-1])
        indices = self._indices.mapped(n_values)
        if n_values > self._max_narrow:
            # SciPy would widen them in memory.
            indices = _widened(indices)
        shape = (self._n_rows, self._n_columns)
        return sp.csr_matrix((self._values.mapped(n_values), indices, starts), shape, copy=False)


def _widened(indices: NDArray) -> NDArray:
    """Return indices in 64 bits, on disk."""
    result, step = DiskArray(np.int64), ROWS_BYTES // 8
    for start in range(0, len(indices), step):
        result.append(indices[start : start + step])
    return result.mapped(len(indices))


def row_blocks(X: Any) -> Iterator[slice]:
    """Yield slices over the rows of a matrix, of some megabytes each."""
    n_values = X.nnz if sp.issparse(X) else X.shape[0] * X.shape[1]
    per_row = max(1, 12 * n_values // max(1, X.shape[0]))
    step = max(1, ROWS_BYTES // per_row)
    for start in range(0, X.shape[0], step):
        yield slice(start, min(start + step, X.shape[0]))


def mapped_rows(X: Any, function: Callable[[Any], Any]) -> Any:
    """Return what a function makes of rows, a block at a time, on disk."""
    result = DiskMatrix()
    for rows in row_blocks(X):
        result.append(function(X[rows]))
    return result.finished()


def kept_rows(X: Any, kept: NDArray[np.intp], is_on_disk: bool) -> Any:
    """Return some rows of a matrix, on disk if it is there."""
    if not is_on_disk:
        return X[kept]
    result = DiskMatrix()
    for rows in row_blocks(X):
        first, last = np.searchsorted(kept, (rows.start, rows.stop))
        result.append(X[rows][kept[first:last] - rows.start])
    return result.finished()
