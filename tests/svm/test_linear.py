"""LinearSVC and LinearSVR minimise scikit-learn's objectives, whose intercept is penalised."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from scipy.optimize import minimize
from sklearn.datasets import load_iris, make_regression

from bandsvm import LinearBandedSVC
from bandsvm.svm import LinearSVC, LinearSVR
from bandsvm.svm._linear_checks import LITTLE_MATRIX

X, y = load_iris(return_X_y=True)
TWO = y != 0
A, B = make_regression(60, 4, noise=5.0, bias=30.0, random_state=0)
EXACT = {"tol": 1e-10, "max_iter": 1_000_000, "dual": True}


def objective_of(theta, samples, targets, model):
    """Return scikit-learn's objective at weights and, last, the weight of the constant feature."""
    values = samples @ theta[:-1] + model.intercept_scaling * theta[-1]
    if isinstance(model, LinearSVC):
        losses = np.maximum(0.0, 1.0 - targets * values)
    else:
        losses = np.maximum(0.0, np.abs(targets - values) - model.epsilon)
    power = 2 if "squared" in model.loss else 1
    return 0.5 * theta @ theta + model.C * (losses**power).sum()


def theta_of(model):
    return np.append(np.ravel(model.coef_), model.intercept_ / model.intercept_scaling)


@pytest.mark.parametrize("scaling", [1, 20.0])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_classifier_reaches_the_optimum(loss, scaling):
    model = LinearSVC(loss=loss, intercept_scaling=scaling, C=2.0).fit(X[TWO], y[TWO])
    signs = np.where(y[TWO] == 2, 1.0, -1.0)
    found = objective_of(theta_of(model), X[TWO], signs, model)
    assert model.certificate_.primal == pytest.approx(found, rel=1e-9)
    assert model.certificate_.is_optimal
    # No point nearby is better.
    best = minimize(objective_of, theta_of(model), (X[TWO], signs, model), method="Nelder-Mead")
    assert best.fun >= found * (1.0 - 1e-7)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("scaling", [1.0, 10.0])
def test_regressor_reaches_the_optimum(loss, scaling):
    model = LinearSVR(loss=loss, intercept_scaling=scaling, epsilon=0.5).fit(A, B)
    found = objective_of(theta_of(model), A, B, model)
    assert model.certificate_.primal == pytest.approx(found, rel=1e-9)
    theirs = sklearn.svm.LinearSVR(loss=loss, intercept_scaling=scaling, epsilon=0.5, **EXACT).fit(
        A, B
    )
    assert objective_of(theta_of(theirs), A, B, model) >= found * (1.0 - 1e-9)
    np.testing.assert_allclose(model.coef_, theirs.coef_, rtol=1e-3)
    assert model.coef_.shape == theirs.coef_.shape
    assert model.intercept_.shape == theirs.intercept_.shape


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 3.0, 1: 0.5}])
@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("weights", [None, np.random.default_rng(0).integers(0, 3, 140)])
def test_many_classes_are_those_of_sklearn(class_weight, is_sparse, weights):
    samples = sp.csr_array(X[10:]) if is_sparse else X[10:]
    ours = LinearSVC(class_weight=class_weight).fit(samples, y[10:], weights)
    theirs = sklearn.svm.LinearSVC(class_weight=class_weight, tol=1e-8, max_iter=10_000)
    theirs.fit(samples, y[10:], weights)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    np.testing.assert_array_equal(ours.predict(samples), theirs.predict(samples))
    assert ours.decision_function(samples).shape == theirs.decision_function(samples).shape
    assert ours.certificate_.is_optimal


@pytest.mark.parametrize("n_copies", [1, 40])
def test_sparse_samples_are_the_same_as_dense_ones(n_copies):
    """Few ones are copied into a matrix, more are not."""
    samples, labels = np.tile(X, (n_copies, 1)), np.tile(y, n_copies)
    dense = LinearSVC(C=1.0 / n_copies).fit(samples, labels)
    sparse = LinearSVC(C=1.0 / n_copies).fit(sp.csr_array(samples), labels)
    assert (X.size * n_copies <= LITTLE_MATRIX) == (n_copies == 1)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-4)
    np.testing.assert_allclose(sparse.intercept_, dense.intercept_, atol=1e-4)


def test_without_an_intercept():
    models = (
        module(fit_intercept=False, tol=1e-8) for module in (LinearSVC, sklearn.svm.LinearSVC)
    )
    ours, theirs = (model.fit(X, y) for model in models)
    assert ours.intercept_ == theirs.intercept_ == 0.0
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)


def test_weights_may_be_sparse_and_may_be_set():
    model = LinearSVC().fit(X, y)
    labels = model.predict(X)
    np.testing.assert_array_equal(model.sparsify().predict(X), labels)
    np.testing.assert_array_equal(model.densify().predict(X), labels)
    model.coef_ = -model.coef_
    assert (model.predict(X) != labels).any()


def test_banded():
    model = LinearSVC().fit(X, y)
    banded = model.to_banded()
    assert isinstance(banded, LinearBandedSVC)
    np.testing.assert_array_equal(banded.decision_function(X), model.decision_function(X))
    linear = LinearSVR().fit(A, B)
    np.testing.assert_array_equal(linear.to_banded().predict(A), linear.predict(A))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"penalty": "l1"}, "penalty must be 'l2', got 'l1'; no band problem has"),
        ({"penalty": "l1", "dual": True}, "Unsupported set of arguments.*dual=True"),
        ({"multi_class": "crammer_singer"}, "multi_class must be 'ovr'"),
        ({"loss": "hinge", "dual": False}, "Unsupported set of arguments.*loss='hinge'"),
        ({"loss": "log"}, "loss must be 'hinge' or 'squared_hinge'"),
        ({"C": -1.0}, "C must be greater than 0, got -1.0"),
        ({"intercept_scaling": 0.0}, "intercept_scaling must be greater than 0"),
        ({"tol": 0.0}, "tol must be greater than 0"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, message):
    with pytest.raises(ValueError, match=message):
        LinearSVC(**parameters).fit(X, y)


@pytest.mark.parametrize("model", [LinearSVC, LinearSVR])
def test_any_tolerance_is_taken(model):
    assert model(tol=1e200).fit(X, y).certificate_.is_optimal
