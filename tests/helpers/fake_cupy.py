"""A module in CuPy's place whose device is this machine: NumPy arrays, and functions in NumPy.

It has what `bandsvm._kernels.cuda` uses, no more. Functions of `kernel_values.cu` are replaced by
their definitions; addresses are those of NumPy's memory.
"""

import ctypes
import types

import numpy as np


class OutOfMemoryError(MemoryError):
    """As CuPy's."""


class Array(np.ndarray):
    """An array as on a device; it must be fetched to be used."""

    @property
    def data(self):
        return types.SimpleNamespace(ptr=self.ctypes.data)

    def get(self, out=None):
        if out is None:
            return np.array(self)
        out[...] = self
        return out

    def __dlpack_device__(self):
        return (2, 0)  # a CUDA device


Array.__module__ = "cupy"


class Stream:
    def __init__(self, non_blocking):
        assert non_blocking

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def synchronize(self):
        pass


class Device:
    attributes = types.MappingProxyType({"MultiProcessorCount": 2})
    compute_capability = "90"
    memory = 2**30
    id = 0

    def __init__(self, number=0):
        assert number == 0

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    @property
    def mem_info(self):
        return self.memory, self.memory


class Strict:
    """An array that NumPy cannot take by itself, as those of CuPy are."""

    def __init__(self, array):
        self.array = np.array(array)

    shape = property(lambda self: self.array.shape)
    dtype = property(lambda self: self.array.dtype)
    ndim = property(lambda self: self.array.ndim)

    def __len__(self):
        return len(self.array)

    def __getitem__(self, key):
        return Strict(self.array[key])

    def __dlpack_device__(self):
        return (2, 0)

    def __array__(self, *arguments, **named):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")


Strict.__module__ = "cupy"


def on_device(array):
    """Return a copy as an array on the device."""
    return np.array(getattr(array, "array", array)).view(Array)


def empty(shape, dtype):
    if np.prod(shape, dtype=float) * np.dtype(dtype).itemsize > Device.memory:
        raise OutOfMemoryError("out of memory allocating too many bytes")
    return np.full(shape, 77, dtype).view(Array)  # whatever was there


def zeros(shape, dtype):
    array = empty(shape, dtype)
    array[...] = 0
    return array


def at_address(address, count, dtype):
    """Return the memory at an address as an array."""
    kind = ctypes.c_float if dtype == np.float32 else ctypes.c_double
    return np.ctypeslib.as_array((kind * count).from_address(int(address)))


def plain(array):
    return None if isinstance(array, int) else np.asarray(array).view(np.ndarray)


class Functions:
    """The functions of `kernel_values.cu`, by their definitions."""

    def __init__(self, real, function):
        self.real, self.function = real, function

    def values(self, rows, row_norms, row_ids, n_rows, columns, column_norms, column_ids, *others):
        n_columns, width, gamma, coef0, degree, is_one_matrix = others
        rows, columns, row_norms, column_norms = map(
            plain, (rows, columns, row_norms, column_norms)
        )
        assert rows.shape[1] == columns.shape[1] == width
        i = np.arange(n_rows) if plain(row_ids) is None else plain(row_ids)
        j = np.arange(n_columns) if plain(column_ids) is None else plain(column_ids)
        assert (len(i), len(j)) == (n_rows, n_columns)
        assert i.dtype.kind == j.dtype.kind == "i"
        products = rows[i] @ columns[j].T
        if self.function == 1:
            exponents = products - row_norms[i][:, None] - column_norms[j]
            values = np.exp2(np.minimum(exponents, 0))
            if is_one_matrix:
                values[i[:, None] == j] = 1
            return values
        inner = products * self.real(gamma) + self.real(coef0)
        return {0: products, 2: inner**degree, 3: np.tanh(inner)}[self.function]

    def accumulate(self, grid, arguments):
        *samples, weights, columns_of_part, parts = arguments
        terms = self.values(*samples) * plain(weights)
        for k in range(grid[1]):
            some = slice(k * columns_of_part, (k + 1) * columns_of_part)
            parts[k] = terms[:, some].astype(np.float64).sum(axis=1)

    def store(self, grid, arguments):
        *samples, stored = arguments
        for column, address in zip(self.values(*samples).T, plain(stored), strict=True):
            at_address(address, len(column), self.real)[:] = column

    def add_stored(self, grid, arguments):
        stored, weights, n_columns, n_rows, columns_of_part, parts = arguments
        assert len(stored) == len(weights) == n_columns
        parts[...] = 0
        for k, (address, weight) in enumerate(zip(plain(stored), plain(weights), strict=True)):
            parts[k // columns_of_part] += weight * at_address(address, n_rows, self.real)

    def add_parts(self, grid, arguments):
        parts, n_parts, n_rows, sums = arguments
        assert parts.shape == (n_parts, n_rows)
        sums[...] = plain(parts).sum(axis=0)

    def norms(self, grid, arguments):
        samples, _, _, halves = arguments
        halves[...] = self.real(0.5) * (plain(samples) ** 2).sum(axis=1)

    def pack(self, arguments):
        samples, n_values, n_features, origin, scale, width, packed = arguments
        assert samples.size == n_values
        assert packed.shape[1] == width
        packed[:, :n_features] = (samples.astype(np.float64) - origin) * scale

    def pack_csr(self, arguments):
        starts, features, values, count, scale, _, packed = arguments
        rows = np.repeat(np.arange(count), np.diff(starts))
        packed[rows, plain(features)] = plain(values) * scale

    def __call__(self, name, grid, arguments):
        if name.startswith("pack"):
            assert name.endswith("float" if arguments[0].dtype == np.float32 else "double") or (
                "csr" in name
            )
            (self.pack_csr if "csr" in name else self.pack)(arguments)
        else:
            getattr(self, name)(grid, arguments)


class RawModule:
    def __init__(self, code, options):
        assert 'extern "C" __global__' in code
        real, function = (option.partition("=")[2] for option in options[1:])
        self._functions = Functions(
            {"float": np.float32, "double": np.float64}[real], int(function)
        )
        self._code = code

    def get_function(self, name):
        assert name in self._code
        return lambda grid, block, arguments: self._functions(name, grid, arguments)


def module():
    """Return the module that stands for CuPy."""
    cuda = types.SimpleNamespace(
        Stream=Stream,
        Device=Device,
        alloc_pinned_memory=lambda n_bytes: bytearray(n_bytes),
        memory=types.SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
        runtime=types.SimpleNamespace(
            getDeviceProperties=lambda number: {"name": b"fake"},
            driverGetVersion=lambda: 0,
            runtimeGetVersion=lambda: 0,
        ),
    )
    fake = types.ModuleType("cupy")
    vars(fake).update(
        __version__="0",
        cuda=cuda,
        get_default_memory_pool=lambda: types.SimpleNamespace(free_bytes=lambda: 0),
        asarray=on_device,
        from_dlpack=on_device,
        empty=empty,
        zeros=zeros,
        arange=lambda *arguments, dtype: on_device(np.arange(*arguments, dtype=dtype)),
        RawModule=RawModule,
    )
    return fake
