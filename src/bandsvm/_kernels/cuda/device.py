"""A CUDA device: samples in its memory, and kernel values that it computes.

CuPy is imported when a device is asked for. `kernel_values.cu` is compiled for each type of numbers
and each kernel when it is first used; CuPy keeps the result on disk.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._kernels.packing import PackedKernel
from bandsvm._kernels.samples import as_contiguous
from bandsvm._system.advice import ParameterError

FUNCTIONS = {"linear": 0, "rbf": 1, "poly": 2, "sigmoid": 3}
# As in `kernel_values.cu`: threads of a block, and rows and columns of a tile.
THREADS, TILES = 256, {np.float32: 128, np.float64: 64}
# Numbers that are loaded at a time, to which the features of packed samples are padded.
VECTOR = 4
# Blocks of threads that keep a device busy: fewer rows are summed up in parts.
BLOCKS_PER_PROCESSOR = 4
# Bytes of samples that are sent at a time.
SENT_BYTES = 64 * 2**20
# Share of free memory that samples and stored rows may fill; the rest is for sums and blocks.
SHARE_OF_MEMORY = 0.8
# Kernel values of several sums that are kept at a time.
VALUES_AT_ONCE = 2**27


@dataclass(frozen=True)
class DeviceSamples:
    """Samples on a device, packed for kernel values: scaled, shifted, and padded."""

    values: Any  # of shape (count, width), on the device
    norms_there: Any
    norms: NDArray  # halves of squared lengths
    n_features: int

    @property
    def count(self) -> int:
        """Number of samples."""
        return len(self.norms)

    @property
    def width(self) -> int:
        """Number of features, padded."""
        return int(self.values.shape[1])


class CudaDevice:
    """A device of CuPy, by default the current one, with a stream of its own."""

    def __init__(self, cupy: Any, number: int | None = None) -> None:
        self._cupy = cupy
        # Which device is the current one is known to each thread alone.
        self._number = cupy.cuda.Device().id if number is None else number
        with self._device():
            self._stream = cupy.cuda.Stream(non_blocking=True)
        self._pinned: Any = np.empty(0, dtype=np.uint8)
        self._n_processors = self._device().attributes["MultiProcessorCount"]

    def _device(self) -> Any:
        return self._cupy.cuda.Device(self._number)

    def separate(self) -> CudaDevice:
        """Return the same device with another stream, for another thread."""
        return CudaDevice(self._cupy, self._number)

    def free_bytes(self) -> float:
        """Return how much of the device's memory samples and rows may fill."""
        with self._device() as device:
            pool = self._cupy.get_default_memory_pool()
            return SHARE_OF_MEMORY * float(device.mem_info[0] + pool.free_bytes())

    def send(self, array: NDArray) -> Any:
        """Return a copy of an array on the device."""
        with self._at_work():
            return self._cupy.asarray(array)

    def empty(self, shape: tuple[int, ...], dtype: type) -> Any:
        """Return an array on the device whose values nobody has set."""
        with self._at_work():
            return self._cupy.empty(shape, dtype)

    def pack(
        self, kernel: PackedKernel, X: Any, origin: NDArray | None, dtype: type
    ) -> DeviceSamples:
        """Return samples on the device, dense ones shifted to ``origin``."""
        n_samples, n_features = X.shape
        width = -(-max(1, n_features) // VECTOR) * VECTOR
        needed = float(np.dtype(dtype).itemsize) * n_samples * width
        if needed > self.free_bytes():
            raise ParameterError(
                "device",
                "must be 'cpu' for samples that do not fit in the memory of the CUDA device",
                "cuda",
                f"dense samples take {needed / 2**30:.1f} GB there, "
                f"{self.free_bytes() / 2**30:.1f} GB are free",
            )
        cupy = self._cupy
        with self._at_work():
            packed = cupy.zeros((n_samples, width), dtype)
            send = self._send_csr if sp.issparse(X) else self._send_dense
            per_sample = X.dtype.itemsize * max(1, X.nnz // n_samples if sp.issparse(X) else width)
            step = max(1, SENT_BYTES // per_sample)
            place = cupy.asarray(np.zeros(n_features) if origin is None else origin)
            for first in range(0, n_samples, step):
                some = slice(first, first + step)
                send(kernel, X[some], place, packed[some])
            norms = cupy.empty(n_samples, dtype)
            self._launch(
                kernel, dtype, "norms", n_samples, packed, np.int32(n_samples), np.int32(width),
                norms,
            )  # fmt: skip
            return DeviceSamples(packed, norms, norms.get(), n_features)

    def _send_dense(self, kernel: PackedKernel, X: NDArray, origin: Any, packed: Any) -> None:
        given, n_features = self._cupy.asarray(as_contiguous(X)), X.shape[1]
        name = "pack_float" if X.dtype == np.float32 else "pack_double"
        self._launch(
            kernel, packed.dtype.type, name, X.size, given, np.int64(X.size), np.int32(n_features),
            origin, float(kernel.scale()), np.int32(packed.shape[1]), packed,
        )  # fmt: skip

    def _send_csr(self, kernel: PackedKernel, X: Any, origin: Any, packed: Any) -> None:
        parts = (X.indptr.astype(np.int64), X.indices.astype(np.int32), as_contiguous(X.data))
        name = "pack_csr_float" if X.dtype == np.float32 else "pack_csr_double"
        self._launch(
            kernel, packed.dtype.type, name, THREADS * X.shape[0], *map(self._cupy.asarray, parts),
            np.int32(X.shape[0]), float(kernel.scale()), np.int32(packed.shape[1]), packed,
        )  # fmt: skip

    def sums(
        self,
        kernel: PackedKernel,
        rows: DeviceSamples,
        row_ids: Any | None,
        columns: DeviceSamples,
        column_ids: Any | None,
        weights: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return ``K(rows, columns) @ weights``, added up in double precision.

        Ids are those of some samples, on the device; None stands for all. They may be long: sums
        over their columns are added in the order of the columns.
        """
        n_rows = rows.count if row_ids is None else len(row_ids)
        dtype = rows.values.dtype.type
        tile = TILES[dtype]
        n_blocks, part = self._parts(n_rows, len(weights), tile, tile)
        with self._at_work():
            parts = self._cupy.empty((part.number, n_rows), np.float64)
            self._function(kernel, dtype, "accumulate")(
                (n_blocks, part.number),
                (THREADS,),
                (
                    *self._samples_and_kernel(kernel, rows, row_ids, columns, column_ids),
                    self._cupy.asarray(weights.astype(dtype)),
                    np.int32(part.size),
                    parts,
                ),
            )
            return self._added(kernel, dtype, parts)

    def store(
        self,
        kernel: PackedKernel,
        samples: DeviceSamples,
        row_ids: Any | None,
        columns: Any,
        addresses: NDArray[np.uint64],
    ) -> None:
        """Write columns of K to addresses on the device."""
        with self._at_work():
            self._store(kernel, samples, row_ids, samples, columns, addresses)

    def _store(
        self,
        kernel: PackedKernel,
        rows: DeviceSamples,
        row_ids: Any | None,
        columns: DeviceSamples,
        column_ids: Any | None,
        addresses: NDArray[np.uint64],
    ) -> None:
        n_rows = rows.count if row_ids is None else len(row_ids)
        dtype = rows.values.dtype.type
        self._function(kernel, dtype, "store")(
            (-(-n_rows // TILES[dtype]), -(-len(addresses) // TILES[dtype])),
            (THREADS,),
            (
                *self._samples_and_kernel(kernel, rows, row_ids, columns, column_ids),
                self._cupy.asarray(addresses),
            ),
        )

    def block(self, kernel: PackedKernel, samples: DeviceSamples, ids: Any) -> NDArray:
        """Return the kernel values among some samples; the next call overwrites them."""
        number, dtype = len(ids), samples.values.dtype.type
        with self._at_work():
            values = self._cupy.empty((number, number), dtype)
            self._store(kernel, samples, ids, samples, ids, _addresses_of_rows(values))
            if self._pinned.nbytes < values.nbytes:
                memory = self._cupy.cuda.alloc_pinned_memory(values.nbytes)
                self._pinned = np.frombuffer(memory, np.uint8, values.nbytes)
            here = self._pinned[: values.nbytes].view(dtype).reshape(values.shape)
            values.get(out=here)
            return here

    def stored_sums(
        self, kernel: PackedKernel, dtype: type, n_rows: int, addresses: NDArray, weights: NDArray
    ) -> NDArray[np.float64]:
        """Return the sum of stored columns of K times weights."""
        n_blocks, part = self._parts(n_rows, len(weights), THREADS, 1)
        cupy = self._cupy
        with self._at_work():
            parts = cupy.empty((part.number, n_rows), np.float64)
            self._function(kernel, dtype, "add_stored")(
                (n_blocks, part.number),
                (THREADS,),
                (
                    cupy.asarray(addresses),
                    cupy.asarray(weights),
                    np.int32(len(weights)),
                    np.int32(n_rows),
                    np.int32(part.size),
                    parts,
                ),
            )
            return self._added(kernel, dtype, parts)

    def products(
        self,
        kernel: PackedKernel,
        rows: DeviceSamples,
        columns: DeviceSamples,
        coefficients: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return ``K(rows, columns) @ coefficients``, one column per sum."""
        if coefficients.shape[1] == 1:
            return self.sums(kernel, rows, None, columns, None, coefficients[:, 0])[:, None]
        cupy, dtype = self._cupy, rows.values.dtype.type
        products = np.empty((rows.count, coefficients.shape[1]))
        step = max(1, int(VALUES_AT_ONCE // columns.count))
        with self._at_work():
            there = cupy.asarray(coefficients)
            for first in range(0, rows.count, step):
                ids = cupy.arange(first, min(first + step, rows.count), dtype=np.int32)
                values = cupy.empty((columns.count, len(ids)), dtype)
                self._store(kernel, rows, ids, columns, None, _addresses_of_rows(values))
                products[first : first + len(ids)] = (values.T.astype(np.float64) @ there).get()
        return products

    def synchronize(self) -> None:
        """Wait until everything that was asked for is done."""
        self._stream.synchronize()

    def _parts(self, n_rows: int, n_columns: int, rows: int, granularity: int) -> Parts:
        """Return blocks of rows, and the parts of columns that keep all processors busy."""
        n_blocks = -(-n_rows // rows)
        wanted = -(-BLOCKS_PER_PROCESSOR * self._n_processors // n_blocks)
        size = -(-n_columns // max(1, wanted))
        size = -(-size // granularity) * granularity
        return n_blocks, Part(size, -(-n_columns // size))

    def _added(self, kernel: PackedKernel, dtype: type, parts: Any) -> NDArray[np.float64]:
        """Return the sums of parts."""
        number, n_rows = parts.shape
        sums = parts[0]
        if number > 1:
            sums = self._cupy.empty(n_rows, np.float64)
            self._launch(
                kernel, dtype, "add_parts", n_rows, parts, np.int32(number), np.int32(n_rows), sums
            )
        return sums.get()

    def _samples_and_kernel(
        self,
        kernel: PackedKernel,
        rows: DeviceSamples,
        row_ids: Any | None,
        columns: DeviceSamples,
        column_ids: Any | None,
    ) -> tuple[Any, ...]:
        """Return the arguments that functions of kernel values begin with."""
        n_rows = rows.count if row_ids is None else len(row_ids)
        n_columns = columns.count if column_ids is None else len(column_ids)
        return (
            *(rows.values, rows.norms_there, 0 if row_ids is None else row_ids, np.int32(n_rows)),
            columns.values,
            columns.norms_there,
            0 if column_ids is None else column_ids,
            np.int32(n_columns),
            np.int32(rows.width),
            float(kernel.gamma),
            float(kernel.coef0),
            np.int32(kernel.degree),
            np.bool_(rows is columns),
        )

    def _launch(
        self, kernel: PackedKernel, dtype: type, name: str, n_threads: int, *arguments: Any
    ) -> None:
        """Run a function with a thread for each of some numbers."""
        blocks = -(-n_threads // THREADS)
        self._function(kernel, dtype, name)((blocks,), (THREADS,), arguments)

    def _function(self, kernel: PackedKernel, dtype: type, name: str) -> Any:
        return _module(self._cupy, dtype, FUNCTIONS[kernel.name]).get_function(name)

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        """Run what is asked for in the own stream; say what to do if memory runs out."""
        try:
            with self._device(), self._stream:
                yield
        except self._cupy.cuda.memory.OutOfMemoryError as error:
            raise MemoryError(
                f"The memory of the CUDA device is full ({error}); lower cache_size, or set "
                "device='cpu'."
            ) from error


@dataclass(frozen=True)
class Part:
    """Columns of a part, and how many parts there are."""

    size: int
    number: int


Parts = tuple[int, Part]


def address_of(array: Any) -> int:
    """Return the address of an array on a device."""
    return int(array.data.ptr)


def _addresses_of_rows(values: Any) -> NDArray[np.uint64]:
    """Return the addresses of the rows of a matrix on a device."""
    offsets = np.arange(len(values), dtype=np.uint64) * np.uint64(values.strides[0])
    return np.uint64(address_of(values)) + offsets


@cache
def _module(cupy: Any, dtype: type, function: int) -> Any:
    """Return the compiled functions for a type of numbers and a kernel."""
    real = "float" if dtype is np.float32 else "double"
    options = ("-std=c++17", f"-DREAL={real}", f"-DFUNCTION={function}")
    source = (Path(__file__).parent / "kernel_values.cu").read_text(encoding="utf-8")
    return cupy.RawModule(code=source, options=options)


def has_cuda() -> bool:
    """Return whether there is a CUDA device that can be used."""
    try:
        cuda_device()
    except ParameterError:
        return False
    return True


def cuda_device() -> CudaDevice:
    """Return the CUDA device, or raise with advice if there is none."""
    try:
        import cupy
    except ImportError as error:
        raise ParameterError(
            "device", "must be 'cpu' or None without CuPy", "cuda", "pip install bandsvm[cuda]"
        ) from error
    try:
        cupy.cuda.Device().compute_capability  # noqa: B018  (raises without a device)
    except Exception as error:
        raise ParameterError(
            "device",
            "must be 'cpu' or None on a machine without a CUDA device that CuPy can use",
            "cuda",
            f"CuPy says: {error}",
        ) from error
    return CudaDevice(cupy)
