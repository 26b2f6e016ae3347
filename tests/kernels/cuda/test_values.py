"""Kernel values on a CUDA device against those that NumPy computes in double precision."""

import numpy as np
import pytest
import scipy.sparse as sp

from bandsvm._kernels import Samples
from bandsvm._kernels.cuda import CudaProduct, CudaRows, cuda_device
from bandsvm._kernels.settings import KERNELS, KERNELS_ON_DEVICES
from bandsvm._system.advice import ParameterError
from tests.helpers import fake_cupy
from tests.helpers.cuda import cuda

__all__ = ["cuda"]

# Of errors, in units of the largest sum that is possible.
ROUNDING = {np.float32: 4e-6, np.float64: 2e-14}
# Samples and features: one tile and many, whole vectors and not.
SHAPES = [(1, 1), (5, 3), (128, 8), (129, 9), (300, 200), (700, 54)]


def samples(shape, is_sparse, given, rng):
    """Return samples, two of them equal."""
    X = rng.normal(loc=0.5, size=shape).astype(given)
    X[rng.random(shape) < 0.3] = 0
    X[-1] = X[0]
    return sp.csr_array(X) if is_sparse else X


def rows_of(name, X, dtype):
    kernel = KERNELS[name](1 / X.shape[1], 0.5, 3)
    dense = Samples(np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64))
    return CudaRows(kernel, X, None, 1, dtype, kernel.origin(X)), kernel(dense, dense)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", KERNELS_ON_DEVICES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("is_sparse", [False, True])
def test_blocks_sums_and_parts(cuda, shape, name, dtype, is_sparse, rng):
    X = samples(shape, is_sparse, rng.choice([np.float32, np.float64]), rng)
    rows, K = rows_of(name, X, dtype)
    some = rng.permutation(len(K))[: max(1, 2 * len(K) // 3)]
    values = rng.normal(size=len(some))
    size = np.abs(K).max()
    block = rows.block(some)
    assert block.dtype == dtype
    np.testing.assert_allclose(block, K[np.ix_(some, some)], rtol=0, atol=ROUNDING[dtype] * size)
    atol = ROUNDING[dtype] * size * np.abs(values).sum()
    np.testing.assert_allclose(rows.product(some, values), K[:, some] @ values, atol=atol)
    # The same sums, over rows that are not kept and over some samples only.
    f, kept = np.ones(len(K)), np.sort(some)
    rows.accumulate(f, some, values, None, some)
    np.testing.assert_allclose(f - 1, K[:, some] @ values, atol=atol + 1e-12)
    part = np.zeros(len(kept))
    rows.accumulate(part, some, values, rows.columns(kept), some)
    np.testing.assert_allclose(part, K[np.ix_(kept, some)] @ values, atol=atol)


@pytest.mark.parametrize("n_features", [3, 40])
def test_rows_are_kept_where_that_pays_and_come_to_the_same_sums(cuda, n_features, rng):
    X = rng.normal(size=(600, n_features))
    rows, K = rows_of("rbf", X, np.float32)
    assert (rows.part(np.arange(9)) is None) == (n_features == 40)
    values = rng.normal(size=600)
    for some in (np.arange(0, 600, 2), np.arange(600), np.arange(600)):
        found = rows.product(some, values[some])
        np.testing.assert_allclose(found, K[:, some] @ values[some], atol=1e-4)
    assert rows.n_computed == (600 if n_features == 40 else 1500)
    # Views share them.
    (view, _) = rows.views(2, 2) if rows.n_threads > 1 else (rows.separate_view(), None)
    np.testing.assert_array_equal(view.product(some, values), found)
    assert view.n_computed == (0 if n_features == 40 else 600)


def test_equal_samples_have_the_value_1(cuda, rng):
    X = 1e3 + rng.normal(size=(50, 7))
    X[20:] = X[:30]
    for dtype in (np.float32, np.float64):
        rows, _ = rows_of("rbf", X, dtype)
        block = rows.block(np.array([3, 23]))
        np.testing.assert_array_equal(block, 1.0)


@pytest.mark.parametrize("name", KERNELS_ON_DEVICES)
@pytest.mark.parametrize("n_sums", [1, 3])
def test_products_for_predictions(cuda, name, n_sums, rng):
    A, B = rng.normal(size=(230, 6)), rng.normal(size=(70, 6))
    kernel, coefficients = KERNELS[name](0.2, 0.5, 3), rng.normal(size=(70, n_sums))
    expected = kernel(Samples(A), Samples(B)) @ coefficients
    product = CudaProduct(kernel, B, coefficients, 1, cuda_device())
    np.testing.assert_allclose(product.exact(A), expected, rtol=0, atol=1e-11)
    single = product.within(A.astype(np.float32), 1e-3)
    np.testing.assert_allclose(single, expected, rtol=0, atol=1e-3)


def test_samples_that_do_not_fit_are_refused(cuda, monkeypatch, rng):
    monkeypatch.setattr("bandsvm._kernels.cuda.device.SHARE_OF_MEMORY", 1e-9)
    with pytest.raises(ParameterError, match=r"device must be 'cpu' .* dense samples take 0\.0 GB"):
        rows_of("rbf", rng.normal(size=(500, 40)), np.float32)


def test_full_memory_is_said_with_advice(monkeypatch, rng):
    monkeypatch.setitem(__import__("sys").modules, "cupy", fake_cupy.module())
    rows, _ = rows_of("rbf", rng.normal(size=(500, 4)), np.float32)
    monkeypatch.setattr(fake_cupy.Device, "memory", 1000)
    with pytest.raises(MemoryError, match=r"memory of the CUDA device is full .* cache_size"):
        rows.block(np.arange(500))
