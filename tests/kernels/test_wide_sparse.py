"""Sparse samples of very many columns: work and memory follow the nonzeros."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from bandsvm import BandedSVC, _core
from bandsvm._kernels import Samples, available_kernels, kernel_product, make_kernel
from bandsvm._kernels.settings import KernelSettings

N_TEXTS, N_WORDS = 300, 30
# An array with one value a column would take eight terabytes.
HASHED_COLUMNS = 2**40


def texts(rng, n_columns, n_texts=N_TEXTS, dtype=np.float64):
    """Word counts of texts in two languages that share some words, hashed to columns."""
    columns = np.random.default_rng(0).choice(n_columns, size=3000, replace=False)
    y = np.arange(n_texts) % 2
    words = (rng.pareto(0.7, size=(n_texts, N_WORDS)) * 20).astype(np.int64) % 2000
    words += 1000 * y[:, None] * (words > 100)
    starts = np.arange(0, n_texts * N_WORDS + 1, N_WORDS)
    counts = np.ones(n_texts * N_WORDS, dtype=dtype)
    parts = (counts, columns[words].ravel(), starts)
    X = sp.csr_array(parts, shape=(n_texts, n_columns))
    X.sum_duplicates()
    return X, y


def columns_in_use(*matrices):
    """Return the same matrices without the columns that are zero in all of them."""
    used = np.unique(np.concatenate([X.indices for X in matrices]))
    return [
        sp.csr_array((X.data, np.searchsorted(used, X.indices), X.indptr), (X.shape[0], len(used)))
        for X in matrices
    ]


@pytest.mark.parametrize("n_texts", [N_TEXTS, 1100])
@pytest.mark.parametrize("kernel", available_kernels())
def test_columns_without_values_cost_nothing(rng, kernel, n_texts):
    if kernel in ("laplacian", "chi2") and n_texts > N_TEXTS:
        pytest.skip("computed alike, whatever the number of samples")
    X, y = texts(rng, HASHED_COLUMNS, n_texts)
    X_test, _ = texts(rng, HASHED_COLUMNS, 50)
    narrow, narrow_test = columns_in_use(X, X_test)
    wide_model, narrow_model = (
        BandedSVC(kernel=kernel, gamma=0.02).fit(some, y) for some in (X, narrow)
    )
    assert wide_model.certificate_.is_optimal
    np.testing.assert_allclose(
        wide_model.decision_function(X_test),
        narrow_model.decision_function(narrow_test),
        rtol=1e-4 if n_texts > 1000 else 1e-9,
        atol=1e-2 if n_texts > 1000 else 1e-9,
    )


@pytest.mark.parametrize("kernel", available_kernels())
def test_memory_follows_the_nonzeros(rng, kernel):
    n_columns = 2**24
    X, y = texts(rng, n_columns)
    X_test, _ = texts(rng, n_columns, 100)
    BandedSVC(kernel=kernel, gamma=0.02).fit(X[:50], y[:50])  # loads what is loaded once
    tracemalloc.start()
    BandedSVC(kernel=kernel, gamma=0.02).fit(X, y).decision_function(X_test)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Less than one byte a column; what there is are matrices of 300 x 300 and dense pieces.
    assert peak < n_columns


def test_rows_against_many_columns_equal_numpy(rng):
    """Groups of rows hold values of their own features alone, and their order does not matter."""
    X, _ = texts(rng, HASHED_COLUMNS, 700, np.float32)
    X.data[:] = rng.normal(size=X.nnz)
    (narrow,) = columns_in_use(X)
    exact = (narrow.astype(np.float64) @ narrow.astype(np.float64).T).toarray()
    columns = X.indices.astype(np.int64)
    packed = _core.compress_64(X.indptr.astype(np.int64), columns, X.data, X.shape[1], 1.0, 3.0)
    assert packed.n_bytes < 40 * X.nnz
    values = {}
    for n_threads in (1, 3):
        store = np.empty((700, packed.stride))
        order = rng.permutation(700)
        settings = ("linear", 0.0, 0.0, 3)
        _core.compute_rows(packed, order, packed, order, *settings, store, order, n_threads)
        values[n_threads] = store[:, :700]
        np.testing.assert_allclose(store[:, :700], exact, atol=1e-12)
    np.testing.assert_array_equal(values[1], values[3])


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "sigmoid"])
@pytest.mark.parametrize("left", ["sparse", "dense"])
@pytest.mark.parametrize("right", ["sparse", "dense"])
def test_columns_of_one_side_alone(rng, kernel, left, right):
    """What the other side lacks is dropped from products and stays in distances."""
    A, B = np.zeros((60, 5000)), np.zeros((90, 5000))
    A[:, 1000:4000:3] = rng.normal(size=(60, 1000)) * (rng.random((60, 1000)) < 0.05)
    B[:, 2000:5000:2] = rng.normal(size=(90, 1500)) * (rng.random((90, 1500)) < 0.05)
    coefficients = rng.normal(size=(90, 2))
    settings = KernelSettings(kernel, 0.05, 0.5, 2)
    expected = kernel_product(settings.function(), Samples(A), Samples(B), coefficients)
    A, B = (sp.csr_array(M) if kind == "sparse" else M for M, kind in ((A, left), (B, right)))
    np.testing.assert_allclose(settings.product(A, B, coefficients, 2), expected, atol=1e-11)


@pytest.mark.parametrize("kernel", ["laplacian", "chi2", "rbf"])
def test_distances_of_sparse_samples_equal_those_of_dense_ones(rng, kernel, monkeypatch):
    A, B = (rng.random((n, 40)) * (rng.random((n, 40)) < 0.1) for n in (30, 50))
    A[3] = B[7] = 0.0
    function = make_kernel(kernel, 0.3, 0.0, 3)
    expected = function(Samples(A), Samples(B))
    sparse = Samples(sp.csr_array(A)), Samples(sp.csr_array(B))
    np.testing.assert_allclose(function(*sparse), expected, rtol=1e-13)
    for module in ("samples", "distances"):
        monkeypatch.setattr(f"bandsvm._kernels.{module}.CHUNK_BYTES", 8 * 100)
    np.testing.assert_allclose(function(*sparse), expected, rtol=1e-13)


def test_prediction_packs_many_sparse_rows_at_once(rng, monkeypatch):
    X, y = texts(rng, 2**20)
    model = BandedSVC(kernel="rbf", gamma=0.02).fit(X, y)
    calls, multiply = [], _core.multiply_rows
    monkeypatch.setattr(_core, "multiply_rows", lambda *args: calls.append(0) or multiply(*args))
    model.decision_function(X)
    assert len(calls) == 1


def test_linear_prediction_is_one_product_with_the_weights(rng, monkeypatch):
    X, y = texts(rng, 2**20)
    model = BandedSVC(kernel="linear").fit(X, y)
    expected = kernel_product(
        make_kernel("linear", 0.0, 0.0, 3),
        Samples(X),
        Samples(model.support_vectors_),
        model.dual_coef_.T,
    )
    monkeypatch.setattr(_core, "multiply_rows", None)
    got = model.decision_function(X) - model.intercept_
    np.testing.assert_allclose(got, expected[:, 0], atol=1e-12)


def test_columns_out_of_range_are_refused():
    starts, values = np.array([0, 2]), np.ones(2)
    for columns in ([0, 2**40], [-1, 3]):
        with pytest.raises(ValueError, match="out of range"):
            _core.compress_64(starts, np.array(columns), values, 2**40, 1.0, 3.0)
    with pytest.raises(ValueError, match="must not fall"):
        _core.compress_64(np.array([0, 2, 1]), np.array([0, 1]), values, 5, 1.0, 3.0)
