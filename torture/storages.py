"""Ways in which users store the same numbers, sensible or not.

Each takes a float64 matrix and a source of random numbers, and returns the matrix as stored and the
numbers that it stands for; None where it stands for none, so that only a refusal is right.
"""

from __future__ import annotations

import tempfile
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.random import Generator
from numpy.typing import NDArray

Stored = tuple[Any, NDArray | None]


def plain(X: NDArray, rng: Generator) -> Stored:
    return X, X


def columns_first(X: NDArray, rng: Generator) -> Stored:
    return np.asfortranarray(X), X


def every_second(X: NDArray, rng: Generator) -> Stored:
    wide = rng.normal(size=(2 * X.shape[0], 3 * X.shape[1]))
    wide[::2, 1::3] = X
    return wide[::2, 1::3], X


def backwards(X: NDArray, rng: Generator) -> Stored:
    return X[::-1, ::-1].copy()[::-1, ::-1], X


def one_row_for_all(X: NDArray, rng: Generator) -> Stored:
    repeated = np.broadcast_to(X[:1], X.shape)
    return repeated, repeated


def read_only(X: NDArray, rng: Generator) -> Stored:
    X = X.copy()
    X.flags.writeable = False
    return X, X


def memory_mapped(X: NDArray, rng: Generator) -> Stored:
    with tempfile.TemporaryFile() as file:  # what is mapped outlives it
        mapped = np.memmap(file, dtype=X.dtype, mode="w+", shape=X.shape)
    mapped[:] = X
    return mapped, X


def big_endian(X: NDArray, rng: Generator) -> Stored:
    return X.astype(">f8"), X


def unaligned(X: NDArray, rng: Generator) -> Stored:
    memory = np.zeros(X.nbytes + 1, dtype=np.uint8)
    odd = memory[1:].view(np.float64).reshape(X.shape)
    odd[:] = X
    return odd, X


def single(X: NDArray, rng: Generator) -> Stored:
    X = X.astype(np.float32)
    return X, X.astype(np.float64)


def half(X: NDArray, rng: Generator) -> Stored:
    X = X.astype(np.float16)
    return X, X.astype(np.float64)


def extended(X: NDArray, rng: Generator) -> Stored:
    return X.astype(np.longdouble), X


def tiny_integers(X: NDArray, rng: Generator) -> Stored:
    X = np.clip(np.nan_to_num(X), -1, 1) * 127
    return X.astype(np.int8), np.trunc(X)


def huge_integers(X: NDArray, rng: Generator) -> Stored:
    whole = (2**63 + rng.integers(0, 2**62, size=X.shape).astype(np.uint64)).astype(np.uint64)
    return whole, whole.astype(np.float64)


def truths(X: NDArray, rng: Generator) -> Stored:
    return X > 0, (X > 0).astype(np.float64)


def objects(X: NDArray, rng: Generator) -> Stored:
    return X.astype(object), X


def text(X: NDArray, rng: Generator) -> Stored:
    return np.array([[repr(float(v)) for v in row] for row in X]).reshape(X.shape), X


def lists(X: NDArray, rng: Generator) -> Stored:
    return X.tolist(), X


def pandas_frame(X: NDArray, rng: Generator) -> Stored:
    import pandas as pd

    return pd.DataFrame(X, index=rng.permutation(len(X))), X


def pandas_nullable(X: NDArray, rng: Generator) -> Stored:
    import pandas as pd

    return pd.DataFrame(X).astype("Float64"), X


def pandas_sparse(X: NDArray, rng: Generator) -> Stored:
    import pandas as pd

    return pd.DataFrame(X).astype(pd.SparseDtype(float, 0.0)), X


def polars_frame(X: NDArray, rng: Generator) -> Stored:
    import polars as pl

    return pl.DataFrame(X, schema=[f"f{k}" for k in range(X.shape[1])]), X


def masked_nowhere(X: NDArray, rng: Generator) -> Stored:
    return np.ma.array(X, mask=np.zeros(X.shape, dtype=bool)), X


def masked(X: NDArray, rng: Generator) -> Stored:
    hidden = np.zeros(X.shape, dtype=bool)
    hidden[0, 0] = True
    return np.ma.array(X, mask=hidden), None


def old_matrix(X: NDArray, rng: Generator) -> Stored:
    return np.matrix(X), X


def complex_numbers(X: NDArray, rng: Generator) -> Stored:
    return X + 1j, None


def complex_sparse(X: NDArray, rng: Generator) -> Stored:
    return sp.csr_array(X + 1j), None


def dates(X: NDArray, rng: Generator) -> Stored:
    return rng.integers(0, 10**9, size=X.shape).astype("datetime64[s]"), None


def frame_with_dates(X: NDArray, rng: Generator) -> Stored:
    import pandas as pd

    return pd.DataFrame({"a": X[:, 0], "when": pd.Timestamp("2020-01-01")}), None


def durations(X: NDArray, rng: Generator) -> Stored:
    whole = rng.integers(0, 10**6, size=X.shape)
    return whole.astype("timedelta64[s]"), whole.astype(np.float64)


def cube(X: NDArray, rng: Generator) -> Stored:
    return X[:, :, None], None


def records(X: NDArray, rng: Generator) -> Stored:
    return np.zeros(len(X), dtype=[("a", float), ("b", int)]), None


def compressed(X: NDArray, rng: Generator) -> Stored:
    X = np.where(rng.random(X.shape) < 0.5, X, 0.0)
    return sp.csr_array(X), X


def explicit_zeros(X: NDArray, rng: Generator) -> Stored:
    _, X = compressed(X, rng)
    full = sp.csr_array(np.ones(X.shape))
    full.data = X.ravel().copy()
    return full, X


def unsorted(X: NDArray, rng: Generator) -> Stored:
    n, d = X.shape
    order = np.array([rng.permutation(d) for _ in range(n)]).reshape(n, d)
    parts = np.take_along_axis(X, order, axis=1).ravel(), order.ravel(), np.arange(0, n * d + 1, d)
    return sp.csr_array(parts, shape=X.shape), X


def repeated_entries(X: NDArray, rng: Generator) -> Stored:
    n, d = X.shape
    halves = np.repeat(X / 2, 2, axis=1).ravel()
    columns = np.tile(np.repeat(np.arange(d), 2), n)
    return sp.csr_array((halves, columns, np.arange(0, 2 * n * d + 1, 2 * d)), shape=X.shape), X


def long_indices(X: NDArray, rng: Generator) -> Stored:
    stored, X = compressed(X, rng)
    stored.indices, stored.indptr = stored.indices.astype(np.int64), stored.indptr.astype(np.int64)
    return stored, X


def sparse_columns(X: NDArray, rng: Generator) -> Stored:
    return sp.csc_array(X), X


def coordinates(X: NDArray, rng: Generator) -> Stored:
    return sp.coo_matrix(X), X


def sparse_single(X: NDArray, rng: Generator) -> Stored:
    X = X.astype(np.float32)
    return sp.csr_matrix(X), X.astype(np.float64)


def sparse_integers(X: NDArray, rng: Generator) -> Stored:
    stored, X = tiny_integers(X, rng)
    return sp.csr_array(stored), X


def empty_rows(X: NDArray, rng: Generator) -> Stored:
    X = np.where(rng.random((len(X), 1)) < 0.5, X, 0.0)
    return sp.csr_array(X), X


def read_only_sparse(X: NDArray, rng: Generator) -> Stored:
    stored, X = compressed(X, rng)
    for part in (stored.data, stored.indices, stored.indptr):
        part.flags.writeable = False
    return stored, X


def broken_indices(X: NDArray, rng: Generator) -> Stored:
    stored = sp.csr_array(np.where(X == 0.0, 1.0, X))
    stored.indices = stored.indices + 10 * X.shape[1]
    return stored, None


def broken_starts(X: NDArray, rng: Generator) -> Stored:
    stored = sp.csr_array(np.where(X == 0.0, 1.0, X))
    stored.indptr = stored.indptr[::-1].copy()
    return stored, None


def negative_indices(X: NDArray, rng: Generator) -> Stored:
    stored = sp.csr_array(np.where(X == 0.0, 1.0, X))
    stored.indices = -1 - stored.indices
    return stored, None


SENSIBLE = (plain, columns_first, single, compressed, pandas_frame)
ODD = (
    *(every_second, backwards, one_row_for_all, read_only, memory_mapped, big_endian, unaligned),
    *(half, extended, tiny_integers, huge_integers, truths, objects, text, lists),
    *(pandas_nullable, pandas_sparse, polars_frame, masked_nowhere, masked, old_matrix),
    *(complex_numbers, complex_sparse, dates, frame_with_dates, durations, cube, records),
    *(explicit_zeros, unsorted, repeated_entries, long_indices, sparse_columns, coordinates),
    *(sparse_single, sparse_integers, empty_rows, read_only_sparse),
    *(broken_indices, broken_starts, negative_indices),
)
