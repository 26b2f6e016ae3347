"""BandedSVC as an estimator: fitted attributes, classes, weights, warm starts, scikit-learn."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVR
from sklearn.utils import compute_sample_weight

from bandsvm import BandedSVC, Certificate
from bandsvm._problem import Status
from bandsvm._solvers.block import MIN_BLOCK
from tests.helpers.problems import assert_same_objective

LABELS = {2: np.array(["cat", "dog"]), 3: np.array(["cat", "dog", "eel"])}


def labelled_samples(n_classes=2, n_samples=80, seed=0):
    """Return noisy samples of classes that lie side by side, the largest class twice as large."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 3))
    score = X[:, 0] + 0.4 * rng.normal(size=n_samples)
    edges = np.quantile(score, np.arange(1, n_classes) / (n_classes + 1))
    return X, LABELS[n_classes][np.digitize(score, edges)]


def problem_signs(model, y):
    """Return +1 and -1 as each problem of the model sees the labels, in the shape of alpha_."""
    if len(model.classes_) == 2:
        return np.where(y == model.classes_[1], 1.0, -1.0)
    return np.where(y[:, None] == model.classes_, 1.0, -1.0)


def by_class(values, y):
    """Return each sample's entry of a mapping."""
    return np.array([values[label] for label in y])


def large_samples():
    """Return more samples than a block holds."""
    X, y = labelled_samples(n_samples=1500, seed=3)
    assert len(y) > MIN_BLOCK
    return X, y


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_shapes_and_types_of_fitted_attributes(n_classes, fit_intercept):
    X, y = labelled_samples(n_classes)
    model = BandedSVC(fit_intercept=fit_intercept).fit(X, y)
    n_problems = 1 if n_classes == 2 else n_classes
    per_sample = (80,) if n_classes == 2 else (80, 3)
    n_support = len(model.support_)
    np.testing.assert_array_equal(model.classes_, LABELS[n_classes])
    assert model.dual_coef_.shape == (n_problems, n_support)
    assert model.intercept_.shape == (n_problems,)
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    for name in ("alpha_", "theta_", "xi_", "eta_"):
        assert getattr(model, name).shape == per_sample
        assert getattr(model, name).dtype == np.float64
    for name in ("support_", "alpha_support_", "theta_support_", "n_support_"):
        assert getattr(model, name).dtype.kind == "i"
    assert model.dual_coef_.dtype == model.intercept_.dtype == np.float64
    assert model.decision_function(X).shape == per_sample
    assert model.predict(X).shape == (80,)
    assert isinstance(model.n_iter_, int)
    assert model.n_iter_ >= 1
    assert model.n_features_in_ == 3
    assert model.gamma_ == pytest.approx(1 / (3 * X.var()), rel=1e-12)
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_support_vectors_are_those_of_either_edge(n_classes):
    X, y = labelled_samples(n_classes)
    model = BandedSVC(C1=0.7, C2=0.4, rho2=1.5).fit(X, y)
    alpha, theta = model.alpha_.reshape(80, -1), model.theta_.reshape(80, -1)
    np.testing.assert_array_equal(model.alpha_support_, np.flatnonzero(alpha.any(axis=1)))
    np.testing.assert_array_equal(model.theta_support_, np.flatnonzero(theta.any(axis=1)))
    assert min(len(model.alpha_support_), len(model.theta_support_)) > 0
    union = np.union1d(model.alpha_support_, model.theta_support_)
    np.testing.assert_array_equal(model.support_, union)
    counts = [np.sum(y[union] == label) for label in model.classes_]
    np.testing.assert_array_equal(model.n_support_, counts)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_multipliers_are_feasible_and_make_the_coefficients(n_classes, fit_intercept, rng):
    X, y = labelled_samples(n_classes)
    weights = rng.uniform(0.5, 2.0, size=80)
    model = BandedSVC(C1=0.7, C2=0.4, rho2=1.5, fit_intercept=fit_intercept, multi_class="ovr")
    model.fit(X, y, weights)
    alpha, theta, signs = (
        a.reshape(80, -1) for a in (model.alpha_, model.theta_, problem_signs(model, y))
    )
    assert (alpha * theta == 0).all()
    for multipliers, cost in ((alpha, 0.7), (theta, 0.4)):
        assert (multipliers >= 0).all()
        assert (multipliers <= cost * weights[:, None]).all()
    coefficients = (signs * (alpha - theta))[model.support_].T
    np.testing.assert_array_equal(model.dual_coef_, coefficients)
    if fit_intercept:
        np.testing.assert_allclose(model.dual_coef_.sum(axis=1), 0.0, atol=1e-12)
    else:
        np.testing.assert_array_equal(model.intercept_, 0.0)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("per_class", [False, True])
def test_slacks_are_distances_from_the_band(n_classes, per_class):
    X, y = labelled_samples(n_classes)
    rho1, rho2 = dict.fromkeys(LABELS[n_classes], 0.8), dict.fromkeys(LABELS[n_classes], 1.1)
    if per_class:
        rho1["dog"], rho2["dog"] = 1.5, 2.5
    bands = {"rho1": rho1, "rho2": rho2} if per_class else {"rho1": 0.8, "rho2": 1.1}
    model = BandedSVC(**bands, multi_class="ovr").fit(X, y)
    signed = (problem_signs(model, y) * model.decision_function(X)).T
    xi, eta = (by_class(rho1, y) - signed).T, (signed - by_class(rho2, y)).T
    np.testing.assert_allclose(model.xi_, np.maximum(xi, 0.0), atol=1e-9)
    np.testing.assert_allclose(model.eta_, np.maximum(eta, 0.0), atol=1e-9)
    assert model.xi_.any()
    assert model.eta_.any()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_linear_model_has_weights_of_features(n_classes):
    X, y = labelled_samples(n_classes)
    model = BandedSVC(kernel="linear", decision_function_shape="ovo").fit(X, y)
    assert model.coef_.shape == (len(model.intercept_), 3)
    values = (X @ model.coef_.T + model.intercept_).squeeze()
    np.testing.assert_allclose(values, model.decision_function(X), atol=1e-11)
    other = BandedSVC(kernel="rbf").fit(X, y)
    with pytest.raises(AttributeError, match="kernel='linear'"):
        _ = other.coef_
    assert not hasattr(other, "coef_")


@pytest.mark.parametrize("store", [np.asarray, sp.csr_array])
def test_weights_of_features_cannot_be_changed_in_vain(store):
    X, y = labelled_samples()
    model = BandedSVC(kernel="linear").fit(store(X), y)
    with pytest.raises(ValueError, match="read-only"):
        model.coef_[0, 0] = 1.0
    with pytest.raises(AttributeError):
        model.coef_ = np.zeros((1, 3))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_feature_names_of_frames(frame):
    X, y = labelled_samples()
    names = ["height", "length", "weight"]
    table = frame(dict(zip(names, X.T, strict=True)))
    model = BandedSVC().fit(table, y)
    np.testing.assert_array_equal(model.feature_names_in_, names)
    values = BandedSVC().fit(X, y).decision_function(X)
    np.testing.assert_allclose(model.decision_function(table), values, atol=1e-12)


@pytest.mark.parametrize("labels", [("a", "b"), (-1, 1), (7, 3), (False, True), ("yes", "no")])
def test_positive_values_mean_the_class_that_sorts_last(labels):
    X, y = labelled_samples()
    y = np.where(y == "dog", labels[1], labels[0])
    model = BandedSVC().fit(X, y)
    np.testing.assert_array_equal(model.classes_, np.unique(labels))
    predicted = np.where(model.decision_function(X) > 0, max(labels), min(labels))
    np.testing.assert_array_equal(model.predict(X), predicted)
    assert model.predict(X).dtype == y.dtype
    assert model.score(X, y) > 0.8


@pytest.mark.filterwarnings("ignore:BandedSVC found no rule:UserWarning")
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_each_column_is_one_class_against_the_rest(kernel):
    X, y = labelled_samples(3)
    binary = BandedSVC(rho2=1.5, kernel=kernel, C1=2.0, C2=0.5, tol=1e-8)
    model = clone(binary).set_params(multi_class="ovr").fit(X, y)
    values = model.decision_function(X)
    for k, label in enumerate(LABELS[3]):
        np.testing.assert_allclose(
            values[:, k], binary.fit(X, y == label).decision_function(X), atol=1e-9
        )
        assert model.certificate_.parts[k].primal == pytest.approx(binary.certificate_.primal)
    theirs = OneVsRestClassifier(binary).fit(X, y)
    np.testing.assert_allclose(values, theirs.decision_function(X), atol=1e-9)
    np.testing.assert_array_equal(model.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(model.predict(X), LABELS[3][values.argmax(axis=1)])
    assert model.score(X, y) > 0.7


@pytest.mark.parametrize("n_classes", [2, 3])
def test_costs_by_class_are_sample_weights(n_classes):
    X, y = labelled_samples(n_classes)
    factors = dict(zip(LABELS[n_classes], (0.5, 2.0, 3.0), strict=False))
    C1, C2 = ({label: C * factor for label, factor in factors.items()} for C in (0.7, 0.4))
    mapped = BandedSVC(rho2=1.5, C1=C1, C2=C2, tol=1e-8).fit(X, y)
    weighted = BandedSVC(rho2=1.5, C1=0.7, C2=0.4, tol=1e-8, gamma=mapped.gamma_)
    weighted.fit(X, y, by_class(factors, y))
    values = mapped.decision_function(X)
    np.testing.assert_allclose(values, weighted.decision_function(X), atol=1e-9)
    plain = BandedSVC(rho2=1.5, C1=0.7, C2=0.4, tol=1e-8).fit(X, y)
    assert np.abs(values - plain.decision_function(X)).max() > 1e-2


def test_bands_by_class_are_targets_of_a_regression():
    """With equal costs and equally wide bands, each class has its own target in an SVR."""
    X, y = labelled_samples()
    rho1, rho2 = {"cat": 1.0, "dog": 2.0}, {"cat": 1.5, "dog": 2.5}
    model = BandedSVC(C1=3.0, C2=3.0, rho1=rho1, rho2=rho2, gamma=0.5, tol=1e-8).fit(X, y)
    targets = by_class({"cat": -1.25, "dog": 2.25}, y)
    regression = SVR(C=3.0, epsilon=0.25, gamma=0.5, tol=1e-8).fit(X, targets)
    np.testing.assert_allclose(model.decision_function(X), regression.predict(X), atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("class_weight", ["balanced", {"cat": 3.0, "dog": 0.5}])
def test_class_weights_are_sample_weights(n_classes, class_weight, rng):
    X, y = labelled_samples(n_classes)
    weights = np.ones(80) if class_weight == "balanced" else rng.uniform(0.5, 2.0, size=80)
    factors = compute_sample_weight(class_weight, y)
    by_classes, by_samples, plain = (
        BandedSVC(rho2=1.5, class_weight=kind, gamma=0.5, tol=1e-8)
        .fit(X, y, w)
        .decision_function(X)
        for kind, w in ((class_weight, weights), (None, weights * factors), (None, weights))
    )
    np.testing.assert_allclose(by_classes, by_samples, atol=1e-9)
    assert np.abs(by_classes - plain).max() > 1e-2


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("solver", ["smo", "pcg"])
def test_warm_start_at_the_solution_stays_there(n_classes, solver):
    X, y = labelled_samples(n_classes)
    model = BandedSVC(rho2=1.5, warm_start=True, solver=solver, tol=1e-8).fit(X, y)
    cold_steps, values = model.certificate_.n_iter, model.decision_function(X)
    model.fit(X, y)
    assert model.certificate_.n_iter < cold_steps
    np.testing.assert_allclose(model.decision_function(X), values, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "change",
    [{"C1": 0.1}, {"C1": 30.0}, {"C2": 0.0}, {"C2": 5.0}, {"rho1": 0.2}, {"rho2": 4.0}],
    ids=str,
)
def test_warm_start_with_other_parameters_equals_a_cold_start(n_classes, change):
    X, y = labelled_samples(n_classes)
    model = BandedSVC(rho2=1.5, warm_start=True, tol=1e-9).fit(X, y)
    warm = model.set_params(**change).fit(X, y).decision_function(X)
    cold = BandedSVC(**{"rho2": 1.5, "tol": 1e-9, **change}).fit(X, y).decision_function(X)
    np.testing.assert_allclose(warm, cold, atol=1e-8)


def test_warm_start_from_coefficients_whose_products_underflow():
    X, y = labelled_samples(2)
    weights = np.full(len(y), 1e-300)
    model = BandedSVC(warm_start=True, C2=0.0).fit(X, y, weights)
    model.set_params(C1=dict(zip(model.classes_, (1.0, 1e-7), strict=True))).fit(X, y, weights)
    assert model.certificate_.is_optimal


def test_warm_start_with_other_samples_is_a_cold_start():
    X, y = labelled_samples()
    model = BandedSVC(rho2=1.5, warm_start=True).fit(X, y)
    for others in ((X[:60], y[:60]), labelled_samples(3)):
        cold = BandedSVC(rho2=1.5).fit(*others)
        model.fit(*others)
        assert model.certificate_.n_pair_steps == cold.certificate_.n_pair_steps
        np.testing.assert_array_equal(model.dual_coef_, cold.dual_coef_)


def test_iteration_limit_warns_and_warm_start_goes_on():
    X, y = large_samples()
    model = BandedSVC(rho2=1.5, max_iter=1, warm_start=True)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1 .*> tol=.* gap .*warm_start=True"):
        model.fit(X, y)
    assert model.certificate_.status is Status.ITERATION_LIMIT
    assert model.n_iter_ == 1
    model.set_params(max_iter=10_000).fit(X, y)
    assert model.certificate_.is_optimal
    assert_same_objective(model, BandedSVC(rho2=1.5).fit(X, y))


def test_limits_of_linear_kernels_name_the_linear_model():
    X, y = large_samples()
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1 .* use LinearBandedSVC"):
        BandedSVC(kernel="linear", max_iter=1).fit(X, y)
    with pytest.warns(ConvergenceWarning) as given:
        BandedSVC(max_iter=1).fit(X, y)
    assert "Linear" not in str(given[0].message)


@pytest.mark.parametrize(
    "change",
    [{"n_jobs": 1}, {"n_jobs": 2}, {"n_jobs": -1}, {"cache_size": 0.01}, {"cache_size": 1}],
)
def test_threads_and_cache_do_not_change_the_answer(change):
    X, y = large_samples()
    model, changed = (
        BandedSVC(**{"rho2": 1.5, "tol": 1e-6, "multi_class": "ovr", **kind}).fit(X, y)
        for kind in ({}, change)
    )
    np.testing.assert_allclose(
        changed.decision_function(X), model.decision_function(X), atol=10 * model.tol
    )
    assert_same_objective(changed, model)
    if "cache_size" in change:
        assert changed.certificate_.n_kernel_rows > model.certificate_.n_kernel_rows


@pytest.mark.parametrize("n_classes", [2, 3])
def test_fitted_model_survives_cloning_and_storage(n_classes, tmp_path):
    X, y = labelled_samples(n_classes)
    model = BandedSVC(
        rho2=1.5, C1=dict.fromkeys(LABELS[n_classes], 2.0), kernel="poly", degree=2
    ).fit(X, y)
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "dual_coef_")
    joblib.dump(model, tmp_path / "model.joblib")
    mapped = joblib.load(tmp_path / "model.joblib", mmap_mode="r")
    for copy in (pickle.loads(pickle.dumps(model)), mapped):
        np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
        np.testing.assert_array_equal(copy.predict(X), model.predict(X))
        assert copy.certificate_ == model.certificate_
        assert copy.certify(X, y).is_optimal


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_certify_agrees_with_the_certificate_of_the_fit(n_classes, kernel, rng):
    X, y = labelled_samples(n_classes)
    X = X @ X.T if kernel == "precomputed" else X
    weights = rng.uniform(0.5, 2.0, size=80)
    model = BandedSVC(rho2=1.5, kernel=kernel, class_weight="balanced").fit(X, y, weights)
    kept, checked = model.certificate_, model.certify(X, y, weights)
    assert sum(part.n_checked for part in checked.parts or [checked]) == 80 * (n_classes - 1)
    assert checked.is_optimal
    for name in ("primal", "dual", "gap", "kkt_violation", "infeasibility"):
        assert getattr(checked, name) == pytest.approx(getattr(kept, name), abs=1e-9)
    for name in ("status", "tol", "n_iter", "n_pair_steps"):
        assert getattr(checked, name) == getattr(kept, name)
    assert kept.gap == pytest.approx(kept.primal - kept.dual, abs=1e-9)


def test_certificate_of_many_classes_sums_its_parts_and_reads_well():
    X, y = labelled_samples(3)
    model = BandedSVC(rho2=1.5).fit(X, y)
    whole, parts = model.certificate_, model.certificate_.parts
    assert len(parts) == 3
    for name in ("primal", "dual", "gap", "n_iter", "n_pair_steps", "n_kernel_rows", "seconds"):
        total = sum(getattr(part, name) for part in parts)
        assert getattr(whole, name) == pytest.approx(total, rel=1e-12)
    for name in ("kkt_violation", "infeasibility", "gradient_drift"):
        assert getattr(whole, name) == max(getattr(part, name) for part in parts)
    assert whole.status is Status.CONVERGED
    assert model.n_iter_ == whole.n_iter
    assert isinstance(whole, Certificate)
    for words in (
        "3 problems: optimal",
        "converged",
        "duality gap",
        "KKT violation",
        "tol 1.0e-03",
    ):
        assert words in str(whole)
    assert repr(whole) == str(whole)
    assert BandedSVC().fit(X, y == "cat").certificate_.parts == ()
