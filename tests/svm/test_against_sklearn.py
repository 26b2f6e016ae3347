"""Decision values, attributes and their shapes are those of `sklearn.svm`."""

import inspect
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification, make_regression
from sklearn.exceptions import NotFittedError

import bandsvm.svm
from bandsvm import BandedSVC
from bandsvm.svm import SVC, SVR

EXTRAS = {"time_limit", "n_jobs", "warm_start", "device"}
KERNELS = ("rbf", "linear", "poly")
IRIS = load_iris(return_X_y=True)
TWO = make_classification(120, 6, random_state=1)
NUMBERS = make_regression(80, 4, noise=5.0, random_state=0)
ATTRIBUTES = ("support_", "n_support_", "dual_coef_", "intercept_", "support_vectors_")


def both(ours, X, y, weights=None):
    """Return our estimator, and scikit-learn's of the same parameters and more digits, fitted."""
    known = {k: v for k, v in ours.get_params().items() if k not in EXTRAS}
    theirs = getattr(sklearn.svm, type(ours).__name__)(**known | {"tol": 1e-8})
    return ours.fit(X, y, sample_weight=weights), theirs.fit(X, y, sample_weight=weights)


def check_same(ours, theirs, X, atol=1e-4):
    """Compare everything that does not depend on which of several solutions was found."""
    values = "decision_function" if hasattr(theirs, "decision_function") else "predict"
    expected = getattr(theirs, values)(X)
    found = getattr(ours, values)(X)
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=atol * max(1, np.abs(found).max()))
    if values == "decision_function":
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        assert ours.predict(X).dtype == theirs.predict(X).dtype
    assert ours.shape_fit_ == theirs.shape_fit_
    assert ours.fit_status_ == theirs.fit_status_ == 0
    for name in ATTRIBUTES:
        a, b = getattr(ours, name), getattr(theirs, name)
        assert a.dtype == b.dtype, name
        assert type(a) is type(b), name
        assert a.ndim == b.ndim, name
    assert ours.dual_coef_.shape[0] == theirs.dual_coef_.shape[0]
    assert ours.n_support_.shape == theirs.n_support_.shape
    assert type(ours.n_iter_) is type(theirs.n_iter_)
    scale = max(1.0, np.abs(theirs.intercept_).max())
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=0.0, atol=atol * scale)


def check_same_solution(ours, theirs, atol=1e-3):
    """Compare support vectors and coefficients, where the solution is unique."""
    np.testing.assert_array_equal(ours.support_, theirs.support_)
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    a, b = (m.dual_coef_ for m in (ours, theirs))
    a, b = (m.toarray() if sp.issparse(m) else m for m in (a, b))
    np.testing.assert_allclose(a, b, rtol=0.0, atol=atol)
    a, b = (m.support_vectors_ for m in (ours, theirs))
    assert (a != b).sum() == 0


@pytest.mark.parametrize("name", bandsvm.svm.__all__)
def test_signatures_are_those_of_sklearn(name):
    """In order, kinds and defaults; ours have more behind them, by keyword."""
    ours = inspect.signature(getattr(bandsvm.svm, name)).parameters
    theirs = inspect.signature(getattr(sklearn.svm, name)).parameters
    assert list(ours)[: len(theirs)] == list(theirs)
    assert set(ours) - set(theirs) <= EXTRAS
    for parameter, expected in theirs.items():
        assert ours[parameter].kind is expected.kind
        assert ours[parameter].default == expected.default
        assert type(ours[parameter].default) is type(expected.default)
    public = {m for m in dir(getattr(sklearn.svm, name)) if not m.startswith("_")}
    assert public - {"unused_param"} <= set(dir(getattr(bandsvm.svm, name)))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("data", [IRIS, TWO], ids=["iris", "two"])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_classifier(kernel, data, is_sparse):
    X, y = data
    X = sp.csr_array(X) if is_sparse else X
    ours, theirs = both(SVC(kernel=kernel), X, y)
    check_same(ours, theirs, X)
    if kernel == "rbf":
        check_same_solution(ours, theirs)
    if kernel == "linear":
        assert type(ours.coef_) is type(theirs.coef_)
        difference = abs(ours.coef_ - theirs.coef_).max()
        assert difference <= 1e-3


@pytest.mark.parametrize("kernel", KERNELS)
def test_regressor(kernel):
    X, y = NUMBERS
    ours, theirs = both(SVR(kernel=kernel, C=10.0), X, y / y.std())
    check_same(ours, theirs, X)
    ours, theirs = both(SVR(kernel=kernel, C=10.0), sp.csr_array(X), y / y.std())
    check_same(ours, theirs, sp.csr_array(X))


@pytest.mark.parametrize(
    "parameters",
    [
        {"decision_function_shape": "ovo"},
        {"break_ties": True},
        {"class_weight": "balanced"},
        {"class_weight": {0: 0.2, 2: 5.0}},
        {"C": 1000.0},
        {"C": np.inf},
        {"gamma": "auto"},
    ],
    ids=str,
)
def test_parameters_of_the_classifier(parameters):
    X, y = IRIS
    X, y = (X[10:], y[10:]) if "class_weight" in parameters else (X, y)
    if parameters.get("C") == np.inf:
        X, y = X[y < 2], y[y < 2]
    check_same(*both(SVC(**parameters), X, y), X)


def test_weights():
    """Those up to 0 leave samples out; gamma="scale" and class_weight="balanced" ignore all."""
    X, y = IRIS
    weights = np.random.default_rng(0).uniform(0.1, 3.0, len(y))
    weights[::7], weights[3::11] = 0.0, -1.0
    check_same(*both(SVC(class_weight="balanced"), X, y, weights), X)
    check_same(*both(SVR(), X, y, weights), X)


def test_labels_of_any_kind():
    X, y = IRIS
    names = np.array(["setosa", "versicolor", "virginica"])
    for labels in (names[y], names[y].astype(object), y - 1.0, y == 1):
        check_same(*both(SVC(), X, labels), X)


def test_a_callable_kernel_is_called_once_with_the_whole_training_set():
    X, y = IRIS
    calls = []

    def kernel(A, B):
        calls.append((A, B))
        return A @ B.T

    model = SVC(kernel=kernel).fit(X, y)
    ((A, B),) = calls
    assert A is X
    assert B is X
    theirs = sklearn.svm.SVC(kernel=lambda A, B: A @ B.T, tol=1e-8).fit(X, y)
    check_same(model, theirs, X)
    banded = model.to_banded()
    np.testing.assert_allclose(banded.decision_function(X), model.decision_function(X), atol=1e-6)


def test_a_callable_kernel_is_not_called_with_invalid_sparse_samples():
    """Products of SciPy would write beyond their memory."""
    X, y = IRIS
    model = SVC(kernel=lambda A, B: (A @ B.T).toarray()).fit(sp.csr_array(X), y)
    broken = sp.csr_array(X)
    broken.indices[:4] = -7
    for use in (lambda: model.predict(broken), lambda: model.fit(broken, y)):
        with pytest.raises(ValueError, match="X is not a valid CSR matrix"):
            use()


def test_sparse_and_dense_samples_do_not_mix():
    X, y = IRIS
    dense, sparse = SVC().fit(X, y), SVC().fit(sp.csr_array(X), y)
    with pytest.raises(ValueError, match="cannot use sparse input in 'SVC' trained on dense data"):
        dense.predict(sp.csr_array(X))
    np.testing.assert_allclose(sparse.decision_function(X), dense.decision_function(X), atol=1e-6)


def test_single_precision_is_converted():
    X, y = IRIS
    model = SVC().fit(X.astype(np.float32), y)
    assert model.decision_function(X.astype(np.float32)).dtype == np.float64
    assert model.support_vectors_.dtype == np.float64


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_banded(kernel):
    """The same model as a BandedSVC, and a copy: changes do not come back."""
    X, y = IRIS
    X = X @ X.T if kernel == "precomputed" else X
    model = SVC(kernel=kernel, class_weight="balanced").fit(X, y)
    banded = model.to_banded()
    assert isinstance(banded, BandedSVC)
    np.testing.assert_array_equal(banded.decision_function(X), model.decision_function(X))
    again = clone(banded).fit(X, y)
    np.testing.assert_allclose(
        again.decision_function(X), model.decision_function(X), rtol=0.0, atol=1e-9
    )
    banded.set_params(C1=5.0).fit(X, y)
    assert model.to_banded().C1 == 1.0


@pytest.mark.parametrize("kernel", ["rbf", "linear", "precomputed"])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_back_from_a_banded_model(kernel, is_sparse):
    X, y = IRIS
    X = X @ X.T if kernel == "precomputed" else X
    X = sp.csr_array(X) if is_sparse and kernel != "precomputed" else X
    banded = BandedSVC(C1=3.0, C2=0, kernel=kernel).fit(X, y)
    model = SVC.from_banded(banded)
    np.testing.assert_array_equal(model.decision_function(X), banded.decision_function(X))
    check_same(clone(model).fit(X, y), sklearn.svm.SVC(C=3.0, kernel=kernel, tol=1e-8).fit(X, y), X)
    np.testing.assert_array_equal(model.support_, clone(model).fit(X, y).support_)
    assert SVC.from_banded(model.to_banded()).get_params() == model.get_params()


@pytest.mark.parametrize(
    "parameters",
    [{"C2": 1.0}, {"multi_class": "ovr"}, {"loss": "squared_hinge"}, {"class_weight": "balanced"}],
    ids=str,
)
def test_other_banded_models_are_no_svc(parameters):
    with pytest.raises(ValueError, match="An SVC"):
        SVC.from_banded(BandedSVC(**{"C2": 0.0, **parameters}).fit(*IRIS))


def test_certificates_and_warm_starts():
    X, y = IRIS
    model = SVC(warm_start=True, C=10.0).fit(X, y)
    assert model.certificate_.is_optimal
    assert model.certify(X, y).is_optimal
    assert model.set_params(C=11.0).fit(X, y).certificate_.is_optimal
    np.testing.assert_allclose(
        model.decision_function(X), SVC(C=11.0).fit(X, y).decision_function(X), atol=1e-6
    )


def test_models_survive_pickle_and_failed_fits():
    X, y = IRIS
    model = SVC().fit(X, y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="class"):
        model.fit(X, np.zeros(len(y)))
    with pytest.raises(ValueError, match="infinity"):
        model.fit(np.full((4, 2), np.inf), [0, 1, 0, 1])
    np.testing.assert_array_equal(model.decision_function(X), before)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), before)


@pytest.mark.parametrize("name", ["support_", "coef_", "certificate_", "n_iter_", "classes_"])
def test_attributes_are_missing_before_fit(name):
    assert not hasattr(SVC(kernel="linear"), name)
    with pytest.raises(NotFittedError):
        getattr(SVC(kernel="linear"), name)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0.0}, "C must be greater than 0, got 0.0"),
        ({"C": "1"}, "C must be a real number"),
        ({"kernel": "cubic"}, "kernel must be one of"),
        ({"shrinking": 2}, "shrinking must be a bool"),
        ({"probability": "yes"}, "probability must be a bool"),
        ({"max_iter": 0}, "max_iter must be at least 1, or -1 for no limit, got 0"),
        ({"max_iter": 2.5}, "max_iter must be an integer"),
        ({"decision_function_shape": "ovx"}, "must be 'ovr' or 'ovo'"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        SVC(**parameters).fit(*IRIS)


def test_infinite_cost_of_a_regressor():
    X, y = NUMBERS
    y = y / y.std()
    model = SVR(C=np.inf, gamma=1.0).fit(X, y)
    assert np.abs(model.predict(X) - y).max() <= 0.1 + 1e-3
    with pytest.raises(ValueError, match="C=inf lets no prediction lie outside the tube"):
        SVR(C=np.inf, kernel="linear").fit(X, y)


def test_what_is_missing_says_what_to_use():
    with pytest.raises(ImportError, match=r"bandsvm.svm has no NuSVC: search"):
        bandsvm.svm.NuSVC  # noqa: B018
