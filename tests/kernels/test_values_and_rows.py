"""Kernel values against scikit-learn's, the store of kernel rows, and fits on all kinds of X."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise

from bandsvm import BandedSVC
from bandsvm._kernels import (
    KernelRows,
    KernelSettings,
    PrecomputedRows,
    Samples,
    available_kernels,
    kernel_product,
)
from bandsvm._kernels import rows as rows_module
from bandsvm._kernels import samples as samples_module

GAMMA, COEF0, DEGREE = 0.3, 0.5, 3
SETTINGS = {"gamma": GAMMA, "coef0": COEF0, "degree": DEGREE}
TRUTHS = {
    "linear": pairwise.linear_kernel,
    "rbf": lambda A, B: pairwise.rbf_kernel(A, B, gamma=GAMMA),
    "poly": lambda A, B: pairwise.polynomial_kernel(A, B, degree=DEGREE, gamma=GAMMA, coef0=COEF0),
    "sigmoid": lambda A, B: pairwise.sigmoid_kernel(A, B, gamma=GAMMA, coef0=COEF0),
    "laplacian": lambda A, B: pairwise.laplacian_kernel(A, B, gamma=GAMMA),
    "chi2": lambda A, B: pairwise.chi2_kernel(A, B, gamma=GAMMA),
}
STORAGES = {"dense": np.asarray, "csr_array": sp.csr_array, "csr_matrix": sp.csr_matrix}
SPARSE = [sp.csr_array, sp.csr_matrix]
DEFINITE = [name for name in TRUTHS if name != "sigmoid"]


def sample_matrix(seed, n_samples, n_features=5, *, positive=False):
    """Return samples of which about half of the entries are 0."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)) * (rng.random((n_samples, n_features)) < 0.5)
    return np.abs(X) if positive else X


def labelled_samples(n_samples=60, n_features=5, *, positive=False):
    """Return samples and labels that depend on them with some noise."""
    X = sample_matrix(1, n_samples, n_features, positive=positive)
    noise = np.random.default_rng(2).normal(scale=0.3, size=n_samples)
    return X, np.where(X[:, 0] - X[:, 1] + noise > 0, "yes", "no")


def kernel_of(name):
    return KernelSettings(name, GAMMA, COEF0, DEGREE).function()


def fitted(X, y, kernel="rbf", sample_weight=None, **changes):
    parameters = {**SETTINGS, "tol": 1e-8, **changes}
    return BandedSVC(kernel=kernel, **parameters).fit(X, y, sample_weight)


def test_every_kernel_has_a_truth_here():
    assert set(TRUTHS) == set(available_kernels())


@pytest.mark.parametrize("name", TRUTHS)
@pytest.mark.parametrize("storage_of_A", STORAGES)
@pytest.mark.parametrize("storage_of_B", STORAGES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kernel_values_equal_scikit_learns(name, storage_of_A, storage_of_B, dtype):
    A, B = (
        sample_matrix(s, n, positive=name == "chi2").astype(dtype) for s, n in ((3, 17), (4, 9))
    )
    samples_A, samples_B = Samples(STORAGES[storage_of_A](A)), Samples(STORAGES[storage_of_B](B))
    values = kernel_of(name)(samples_A, samples_B)
    truth = TRUTHS[name](A.astype(np.float64), B.astype(np.float64))
    assert type(values) is np.ndarray
    assert values.dtype == np.float64
    np.testing.assert_allclose(values, truth, rtol=1e-12, atol=1e-14)
    diagonal, square = kernel_of(name).diagonal(samples_A), kernel_of(name)(samples_A, samples_A)
    assert diagonal.dtype == np.float64
    np.testing.assert_allclose(diagonal, np.diagonal(square), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", TRUTHS)
@pytest.mark.parametrize("storage", STORAGES)
def test_values_do_not_depend_on_the_size_of_pieces(name, storage, monkeypatch):
    A, B = (sample_matrix(s, n, positive=name == "chi2") for s, n in ((3, 17), (4, 9)))
    monkeypatch.setattr(samples_module, "CHUNK_BYTES", 8 * 5 * 2)
    samples_A, samples_B = Samples(STORAGES[storage](A)), Samples(STORAGES[storage](B))
    coefficients = np.random.default_rng(5).normal(size=(9, 2))
    products = kernel_product(kernel_of(name), samples_A, samples_B, coefficients)
    np.testing.assert_allclose(products, TRUTHS[name](A, B) @ coefficients, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rbf_is_exact_far_from_the_origin(dtype, rng):
    A, B = ((1e6 + rng.normal(size=(n, 4))).astype(dtype) for n in (12, 30))
    values = kernel_of("rbf")(Samples(A), Samples(B))
    distances = cdist(A.astype(np.float64), B.astype(np.float64), "sqeuclidean")
    np.testing.assert_allclose(values, np.exp(-GAMMA * distances), rtol=1e-12)


def test_rbf_model_does_not_depend_on_the_origin():
    X, y = labelled_samples()
    far = X + 1e6
    near = far - 1e6  # exact, so both have the very same distances
    values = fitted(far, y).decision_function(far[:20])
    np.testing.assert_allclose(values, fitted(near, y).decision_function(near[:20]), atol=1e-9)


def full_matrix(name, storage, n_samples=50):
    X = sample_matrix(6, n_samples, positive=name == "chi2")
    return Samples(STORAGES[storage](X)), TRUTHS[name](X, X)


def assert_rows_agree(rows, K, rng):
    """Compare all that a store of rows answers with the whole matrix."""
    n_samples = len(K)
    np.testing.assert_allclose(rows.diagonal(), np.diagonal(K), rtol=1e-12, atol=1e-14)
    assert rows.n_samples == n_samples
    for size in (1, 7, rows.capacity):
        indices = rng.permutation(n_samples)[:size]
        block = rows.block(indices)
        assert block.dtype == np.float64
        np.testing.assert_allclose(block, K[np.ix_(indices, indices)], rtol=1e-11, atol=1e-13)
    for size in (1, 16, n_samples):
        indices, targets = rng.permutation(n_samples)[:size], rng.permutation(n_samples)[:11]
        values = rng.normal(size=size)
        products = K[:, indices] @ values
        np.testing.assert_allclose(rows.product(indices, values), products, atol=1e-11)
        for _ in range(3):  # the first time afresh, then from what is remembered
            exact = rows.exact_product(targets, indices, values)
            np.testing.assert_allclose(exact, products[targets], atol=1e-11)


@pytest.mark.parametrize("name", TRUTHS)
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("cache_bytes", [None, 1])
def test_stored_rows_equal_the_matrix(name, storage, cache_bytes, rng):
    samples, K = full_matrix(name, storage)
    rows = KernelRows(kernel_of(name), samples, cache_bytes)
    assert rows.capacity == (len(K) if cache_bytes is None else rows_module.MIN_CAPACITY)
    assert_rows_agree(rows, K, rng)


@pytest.mark.parametrize("name", TRUTHS)
@pytest.mark.parametrize("storage", STORAGES)
def test_products_over_no_samples_are_zero(name, storage):
    samples, K = full_matrix(name, storage)
    rows = KernelRows(kernel_of(name), samples)
    everything, nothing = np.arange(len(K)), np.empty(0, dtype=np.intp)
    np.testing.assert_array_equal(rows.product(nothing, np.empty(0)), np.zeros(len(K)))
    exact = rows.exact_product(everything, nothing, np.empty(0))
    np.testing.assert_array_equal(exact, np.zeros(len(K)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_given_rows_equal_the_matrix(dtype, order, rng):
    _, K = full_matrix("rbf", "dense")
    given = np.array(K, dtype=dtype, order=order)
    rows = PrecomputedRows(given)
    assert rows.capacity == len(K)
    assert_rows_agree(rows, given.astype(np.float64), rng)
    assert rows.n_computed == 0


def test_cache_holds_as_many_rows_as_it_is_given_bytes_for():
    samples, K = full_matrix("linear", "dense")
    row_bytes = K[0].nbytes
    # A quarter is for a block, 15 % for what comes and goes.
    assert KernelRows(kernel_of("linear"), samples, 70.5 * row_bytes).capacity == 42
    assert KernelRows(kernel_of("linear"), samples, 1e9).capacity == len(K)


def test_kept_rows_are_not_computed_again():
    samples, K = full_matrix("linear", "dense")
    rows = KernelRows(kernel_of("linear"), samples)
    everything = np.arange(len(K))
    for _ in range(2):
        rows.product(everything, np.ones(len(K)))
        rows.block(everything[::-1])
    rows.exact_product(everything, everything, np.ones(len(K)))
    assert rows.n_computed == len(K)


def test_longest_unused_rows_leave_a_full_store():
    computed = []

    def recording(A, B):
        computed.append(len(A))
        return A @ B.T

    samples, K = full_matrix("linear", "dense")
    rows = KernelRows(KernelSettings(recording, np.nan, 0.0, 0).function(), samples, cache_bytes=1)
    rows.block(np.arange(16))
    rows.block(np.arange(8))
    rows.block(np.arange(30, 38))  # 8 to 15 have to leave
    assert rows.n_computed == 24
    kept = np.concatenate([np.arange(8), np.arange(30, 38)])
    np.testing.assert_allclose(rows.block(kept), K[np.ix_(kept, kept)], atol=1e-13)
    assert rows.n_computed == 24
    rows.block(np.arange(8, 16))
    assert rows.n_computed == 32 == sum(computed)


def test_full_store_computes_every_row_at_every_sweep():
    samples, K = full_matrix("linear", "dense")
    rows = KernelRows(kernel_of("linear"), samples, cache_bytes=1)
    values = np.arange(50.0)
    for sweep in (1, 2, 3):
        np.testing.assert_allclose(rows.product(np.arange(50), values), K @ values, atol=1e-10)
        assert rows.n_computed == sweep * len(K)


@pytest.mark.parametrize("storage", STORAGES)
def test_callable_kernel_equals_the_named_one(storage):
    X, y = labelled_samples()
    X = STORAGES[storage](X)
    types = set()

    def own_kernel(A, B):
        types.update((type(A), type(B)))
        return pairwise.rbf_kernel(A, B, gamma=GAMMA)

    model = fitted(X, y, own_kernel)
    np.testing.assert_allclose(
        model.decision_function(X), fitted(X, y).decision_function(X), atol=1e-9
    )
    assert types == {type(X)}
    assert np.isnan(model.gamma_)


def test_callable_kernel_may_return_a_sparse_matrix():
    X, y = labelled_samples()
    X = sp.csr_array(X)
    values = fitted(X, y, lambda A, B: A @ B.T).decision_function(X)
    np.testing.assert_allclose(values, fitted(X, y, "linear").decision_function(X), atol=1e-9)


@pytest.mark.parametrize("name", TRUTHS)
@pytest.mark.parametrize("sparse", SPARSE)
def test_models_predict_on_dense_and_sparse_alike(name, sparse):
    X, y = labelled_samples(positive=name == "chi2")
    Z = sample_matrix(7, 20, positive=name == "chi2")
    settings = {"gamma": 0.05, "coef0": 0.0, "C1": 0.1} if name == "sigmoid" else {}
    dense_model, sparse_model = (fitted(data, y, name, **settings) for data in (X, sparse(X)))
    assert sp.issparse(sparse_model.support_vectors_)
    for model in (dense_model, sparse_model):
        values = model.decision_function(Z)
        assert type(values) is np.ndarray
        assert values.dtype == np.float64
        np.testing.assert_allclose(values, model.decision_function(sparse(Z)), atol=1e-11)
    if name in DEFINITE:
        np.testing.assert_allclose(
            dense_model.decision_function(Z), sparse_model.decision_function(Z), atol=1e-9
        )


@pytest.mark.parametrize("name", DEFINITE)
@pytest.mark.parametrize("storage", STORAGES)
def test_float32_model_equals_the_float64_model_of_the_same_numbers(name, storage):
    X, y = labelled_samples(positive=name == "chi2")
    X = X.astype(np.float32)
    single, double = STORAGES[storage](X), STORAGES[storage](X.astype(np.float64))
    model = fitted(single, y, name)
    assert model.support_vectors_.dtype == np.float32
    values = model.decision_function(single)
    assert values.dtype == np.float32
    expected = fitted(double, y, name).decision_function(double)
    np.testing.assert_allclose(values, expected, atol=2e-5)
    np.testing.assert_allclose(model.decision_function(double), expected, atol=1e-9)


def padded(X):
    wide = np.zeros((2 * X.shape[0], 2 * X.shape[1]))
    wide[::2, ::2] = X
    return wide[::2, ::2]


def read_only(X):
    X = X.copy()
    for part in (X.data, X.indices, X.indptr) if sp.issparse(X) else (X,):
        part.flags.writeable = False
    return X


def read_only_sparse(X):
    return read_only(sp.csr_array(X))


LAYOUTS = [padded, np.asfortranarray, read_only, read_only_sparse]


@pytest.mark.parametrize("name", DEFINITE)
@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda layout: layout.__name__)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_layout_does_not_matter(name, layout, dtype):
    X, y = labelled_samples(positive=name == "chi2")
    X = X.astype(dtype)
    laid_out = layout(X)
    values = fitted(laid_out, y, name).decision_function(laid_out)
    expected = fitted(X, y, name).decision_function(X)
    atol = 1e-9 if dtype is np.float64 else 2e-5
    np.testing.assert_allclose(values, expected, atol=atol, rtol=atol)


def test_float32_predictions_are_computed_in_float64_where_that_is_needed(rng):
    X = rng.normal(size=(300, 2)).astype(np.float32)
    y = X[:, 0] + 0.5 * rng.normal(size=300) > 0
    model = fitted(X, y, "rbf", C1=1e5, C2=1e5)
    exact = model.decision_function(X.astype(np.float64))
    np.testing.assert_allclose(model.decision_function(X), exact, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", TRUTHS)
@pytest.mark.parametrize("storage", STORAGES)
def test_samples_are_not_modified(name, storage):
    dense, y = labelled_samples(positive=name == "chi2")
    X = STORAGES[storage](dense.copy())
    weights = np.ones(len(y))
    fitted(X, y, name, gamma=0.05, coef0=0.0, C1=0.1, sample_weight=weights).predict(X)
    np.testing.assert_array_equal(X.toarray() if sp.issparse(X) else X, dense)
    np.testing.assert_array_equal(weights, 1.0)


@pytest.mark.parametrize("name", DEFINITE)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precomputed_kernel_equals_the_named_one(name, dtype):
    X, y = labelled_samples(positive=name == "chi2")
    Z = sample_matrix(7, 20, positive=name == "chi2")
    model = fitted(TRUTHS[name](X, X).astype(dtype), y, "precomputed")
    all_columns = TRUTHS[name](Z, X)
    values = model.decision_function(all_columns)
    tolerance = 1e-9 if dtype is np.float64 else 1e-4
    named = fitted(X, y, name).decision_function(Z)
    np.testing.assert_allclose(values, named, atol=tolerance)
    assert len(model.support_) < len(y)
    support_columns = all_columns[:, model.support_]
    np.testing.assert_allclose(model.decision_function(support_columns), values, rtol=1e-12)
    assert np.isnan(model.gamma_)
    assert model.support_vectors_.size == 0


@pytest.mark.parametrize("name", TRUTHS)
@pytest.mark.parametrize("storage", ["csr_array", "csr_matrix", "float32"])
def test_samples_are_copied_in_pieces_only(name, storage, monkeypatch):
    """Neither CSR nor float32 samples are ever made dense float64 as a whole."""
    n_features, piece = 400, 2048
    X, y = labelled_samples(60, n_features, positive=name == "chi2")
    X = X.astype(np.float32) if storage == "float32" else STORAGES[storage](X)
    sizes = [0]
    whole_dense = Samples.dense

    def recorded(values):
        if values.shape[1] == n_features:
            sizes.append(values.size)
        return values

    monkeypatch.setattr(Samples, "dense", lambda samples: recorded(whole_dense(samples)))
    for kind in SPARSE:
        toarray = kind.toarray
        monkeypatch.setattr(kind, "toarray", lambda X, f=toarray: recorded(f(X)))
    for module in (samples_module, rows_module):
        monkeypatch.setattr(module, "CHUNK_BYTES", 8 * piece)
    fitted(X, y, name, gamma="scale", coef0=0.0, C1=0.1).predict(X)
    assert max(sizes) <= piece
