"""Bad input is refused with the name of what is wrong, the rule, the value and the way out."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from bandsvm import BandedSVC

N_SAMPLES = 30  # as in the fixtures


def with_entry(X, value):
    """Return a copy of X with one entry replaced."""
    X = X.copy()
    X[3, 1] = value
    return X


def first_weight(value):
    return np.concatenate([[value], np.ones(N_SAMPLES - 1)])


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_samples_are_not_finite(value, storage, X, y):
    bad = storage(with_entry(X, value))
    model = BandedSVC()
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
        model.fit(bad, y)
    with pytest.raises(ValueError, match=r"X contains (NaN|infinity)"):
        model.fit(X, y).predict(bad)


def test_infinity_comes_with_a_cure(X, y):
    with pytest.raises(ValueError, match=r"X must be finite; .*scale X"):
        BandedSVC().fit(with_entry(X, np.inf), y)


def test_text_comes_with_a_cure(X, y):
    text = np.full(X.shape, "red", dtype=object)
    with pytest.raises(ValueError, match=r"(?s)could not convert.*red.*X must be numeric.*Encoder"):
        BandedSVC().fit(text, y)
    with pytest.raises(ValueError, match=r"X must be numeric"):
        BandedSVC().fit(X, y).predict(text)


def broken_columns(X):
    X.indices = -1 - X.indices


def broken_starts(X):
    X.indptr = X.indptr[::-1].copy()


@pytest.mark.parametrize("kernel", ["rbf", "chi2", "laplacian"])
@pytest.mark.parametrize("damage", [broken_columns, broken_starts])
@pytest.mark.parametrize("storage", [sp.csr_array, sp.csc_array, sp.csr_matrix])
def test_sparse_matrix_is_broken(storage, damage, kernel, X, y):
    """Compiled loops read indices without asking."""
    broken = storage(np.abs(X))
    damage(broken)
    message = rf"X is not a valid {broken.format.upper()} matrix: .*coo_array"
    with pytest.raises(ValueError, match=message):
        BandedSVC(kernel=kernel).fit(broken, y)
    with pytest.raises(ValueError, match=message):
        BandedSVC(kernel=kernel).fit(np.abs(X), y).predict(broken)


def test_masked_entries_are_no_numbers(X, y):
    hidden = np.zeros(X.shape, dtype=bool)
    BandedSVC().fit(np.ma.array(X, mask=hidden), y)
    hidden[3, 1] = True
    with pytest.raises(ValueError, match=r"masked entries.*SimpleImputer"):
        BandedSVC().fit(np.ma.array(X, mask=hidden), y)


def test_dates_and_records_are_no_numbers(X, y):
    with pytest.raises(ValueError, match=r"got dates; .*days since"):
        BandedSVC().fit(X.astype("datetime64[D]"), y)
    with pytest.raises(ValueError, match=r"records with the fields \('a', 'b'\)"):
        BandedSVC().fit(np.zeros(N_SAMPLES, dtype=[("a", float), ("b", int)]), y)
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": X[:, 0], "when": pd.Timestamp("2020-01-01")})
    with pytest.raises(TypeError, match=r"X must be numeric.*encode dates"):
        BandedSVC().fit(frame, y)


def test_infinities_of_both_signs_are_refused_without_a_warning(X, y):
    bad = with_entry(X, np.inf)
    bad[0, 0] = -np.inf
    with pytest.raises(ValueError, match="X contains infinity"):
        BandedSVC().fit(bad, y)
    weights = first_weight(np.inf)
    weights[1] = -np.inf
    with pytest.raises(ValueError, match="sample_weight contains infinity"):
        BandedSVC().fit(X, y, weights)


def test_costs_overflow(X, y):
    with pytest.raises(ValueError, match=r"C1 and C2 times the weights .*finite.*1e\+300"):
        BandedSVC(C2=1e10).fit(X, y, np.full(N_SAMPLES, 1e300))


def test_wrong_shapes(X, y):
    with pytest.raises(ValueError, match="Expected 2D array, got 1D"):
        BandedSVC().fit(X[:, 0], y)
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[29, 30\]"):
        BandedSVC().fit(X[1:], y)
    with pytest.raises(ValueError, match="minimum of 1"):
        BandedSVC().fit(X[:0], y[:0])
    with pytest.raises(ValueError, match="y should be a 1d array"):
        BandedSVC().fit(X, np.column_stack([y, y]))
    model = BandedSVC().fit(X, y)
    with pytest.raises(ValueError, match=r"X has 2 features, but .* expecting 3"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="Expected 2D array, got 1D"):
        model.predict(X[0])


def test_labels_do_not_make_classes(X, y):
    with pytest.raises(ValueError, match=r"two classes.* got one class: \['only'\]"):
        BandedSVC().fit(X, np.full(N_SAMPLES, "only"))
    with pytest.raises(ValueError, match="continuous"):
        BandedSVC().fit(X, X[:, 0])
    with pytest.raises(ValueError, match="y contains NaN"):
        BandedSVC().fit(X, np.where(y == 1, np.nan, 0.0))
    with pytest.raises(ValueError, match="requires y"):
        BandedSVC().fit(X, None)


def test_weights_leave_one_class(X, y):
    with pytest.raises(ValueError, match=r"two classes .*weight.* got one class: \[0\]"):
        BandedSVC().fit(X, y, sample_weight=(y == 0).astype(float))


def test_class_weights_leave_one_class(X, y):
    with pytest.raises(ValueError, match="class"):
        BandedSVC(class_weight={0: 1.0, 1: 0.0}).fit(X, y)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.zeros(N_SAMPLES), "sample_weight .*all weights are zero"),
        (0.0, "sample_weight .*all weights are zero"),
        (first_weight(-2.0), r"sample_weight must not be negative, got .*-2"),
        (np.ones(N_SAMPLES - 1), r"sample_weight must have .*30 samples, got shape \(29,\)"),
        (np.ones((N_SAMPLES, 1)), r"sample_weight must have .* got shape \(30, 1\)"),
        (first_weight(np.nan), "sample_weight contains NaN"),
        (first_weight(np.inf), "sample_weight contains infinity"),
    ],
)
def test_bad_weights(weights, message, X, y):
    with pytest.raises(ValueError, match=message):
        BandedSVC().fit(X, y, sample_weight=weights)


def test_bad_kernel_matrix(X, y):
    K, model = X @ X.T, BandedSVC(kernel="precomputed")
    with pytest.raises(ValueError, match=r"square .*shape \(30, 29\)"):
        model.fit(K[:, 1:], y)
    with pytest.raises(ValueError, match=r"symmetric.* differ by up to 5"):
        model.fit(K + 5 * np.eye(N_SAMPLES, k=3), y)
    with pytest.raises(ValueError, match="X contains NaN"):
        model.fit(with_entry(K, np.nan), y)


@pytest.mark.parametrize("sparse", [sp.csr_array, sp.csr_matrix])
def test_kernel_matrix_is_sparse(sparse, X, y):
    K = sparse(X @ X.T)
    with pytest.raises(TypeError, match=r"precomputed kernel must be .*dense.*toarray"):
        BandedSVC(kernel="precomputed").fit(K, y)
    with pytest.raises(TypeError, match=r"dense.*toarray"):
        BandedSVC(kernel="precomputed").fit(K.toarray(), y).predict(K)


def test_kernel_columns_do_not_fit_the_model(X, y):
    K = X @ X.T
    model = BandedSVC(kernel="precomputed").fit(K, y)
    with pytest.raises(ValueError, match=rf"2 features.*30.*{len(model.support_)}.*support"):
        model.predict(K[:, :2])


def one_column_short(A, B):
    return (A @ B.T)[:, 1:]


def not_finite(A, B):
    return (A @ B.T) * np.nan


def words(A, B):
    return np.full((len(A), len(B)), "near")


def nothing(A, B):
    return None


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (one_column_short, r"shape .*\(20, 20\).* one_column_short returned shape \(20, 19\)"),
        (not_finite, "finite values.* not_finite returned NaN"),
        (words, "numbers.* words returned"),
        (nothing, "kernel must return .* nothing returned"),
    ],
)
def test_bad_callable_kernel(kernel, message, X, y):
    with pytest.raises(ValueError, match=message):
        BandedSVC(kernel=kernel).fit(X, y)


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_chi2_of_negative_samples(storage, X, y):
    with pytest.raises(ValueError, match=r"X must not be negative for kernel='chi2', got -"):
        BandedSVC(kernel="chi2").fit(storage(X), y)
    with pytest.raises(ValueError, match="negative"):
        BandedSVC(kernel="chi2").fit(storage(np.abs(X)), y).predict(storage(X))


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize(
    ("kernel", "gamma", "message"),
    [
        ("linear", "scale", "kernel is not finite.*scale X"),
        ("poly", 1.0, "kernel is not finite.*scale X"),
        ("rbf", "scale", "gamma='scale'.*variance.*too large.*scale X"),
    ],
)
def test_samples_too_large_for_float64(storage, kernel, gamma, message, X, y):
    with pytest.raises(ValueError, match=message):
        BandedSVC(kernel=kernel, gamma=gamma).fit(storage(X * 1e200), y)


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_samples_whose_distances_are_infinite(storage, X, y):
    """Their kernel matrix is the identity."""
    samples = storage(X * 1e200)
    model = BandedSVC(gamma=1.0).fit(samples, y)
    assert model.certify(samples, y).is_optimal
    assert (model.predict(samples) == y).all()


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("factor", [1e-160, 1e-200, 1e-300])
def test_variance_too_small_for_float64(storage, factor, X, y):
    with pytest.raises(ValueError, match=r"gamma='scale'.*variance.*too small.*scale X"):
        BandedSVC().fit(storage(X * factor), y)


def test_n_jobs_beyond_all_measure(X, y):
    model = BandedSVC(n_jobs=10**30).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), BandedSVC().fit(X, y).predict(X))


def test_use_before_fit(X, y):
    model = BandedSVC(kernel="linear")
    uses = [
        lambda: model.predict(X),
        lambda: model.decision_function(X),
        lambda: model.certify(X, y),
        lambda: model.coef_,
    ]
    for use in uses:
        with pytest.raises(NotFittedError, match="not fitted yet"):
            use()


def test_certify_something_else(X, y, rng):
    model = BandedSVC().fit(X, y)
    with pytest.raises(ValueError, match=r"needs the training set: 30 samples.* got 29"):
        model.certify(X[1:], y[1:])
    with pytest.raises(ValueError, match=r"classes \[0, 1\].*classes \['no', 'yes'\]"):
        model.certify(X, np.where(y == 1, "yes", "no"))
    with pytest.raises(ValueError, match="X has 2 features"):
        model.certify(X[:, :2], y)
    assert not model.certify(X + rng.normal(size=X.shape), y).is_optimal
    assert not model.certify(X, 1 - y).is_optimal


@pytest.mark.parametrize("weight", [0.1, 10.0])
def test_certify_with_other_weights(weight, X, y):
    certificate = BandedSVC().fit(X, y).certify(X, y, sample_weight=np.full(N_SAMPLES, weight))
    assert not certificate.is_optimal


FAILURES = {
    "parameter": ({"tol": -1.0}, 1.0, None),
    "samples": ({}, np.nan, None),
    "weights": ({}, 1.0, np.zeros(N_SAMPLES)),
    "band": ({"rho1": 3.0, "rho2": 1.5}, 1.0, None),
    "gamma": ({"gamma": "scale"}, 1e200, None),
    "kernel": ({"kernel": nothing}, 1.0, None),
    "overflow": ({"kernel": "linear"}, 1e200, None),
    "kernel matrix": ({"kernel": "precomputed"}, 1.0, None),
    "negative samples": ({"kernel": "chi2"}, 1.0, None),
}


@pytest.mark.parametrize("stage", FAILURES)
def test_failed_fit_leaves_nothing_fitted(stage, X, y):
    parameters, factor, weights = FAILURES[stage]
    model = BandedSVC(**parameters)
    with pytest.raises(ValueError, match=r"."):
        model.fit(X * factor, y, weights)
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
    with pytest.raises(NotFittedError):
        model.predict(X)


@pytest.mark.parametrize("kernel", [nothing, "chi2"])
def test_failed_fit_does_not_spoil_the_fitted_model(kernel, X, y):
    model = BandedSVC().fit(X, y)
    values = model.decision_function(X)
    with pytest.raises(ValueError, match=r"."):
        model.set_params(kernel=kernel, gamma=5.0).fit(X, y)
    model.set_params(kernel="rbf")
    np.testing.assert_array_equal(model.decision_function(X), values)
