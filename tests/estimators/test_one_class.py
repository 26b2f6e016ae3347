"""OneClassBandedSVM as an estimator: attributes, conventions, warm starts, copies, refusals."""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_outlier_detector
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import OneClassBandedSVM
from bandsvm.model_selection import leave_one_out
from tests.helpers.one_class import cloud
from tests.helpers.problems import assert_same_objective
from tests.helpers.small_problems import own_kernel


@pytest.mark.parametrize("n_samples", [90, 1100])
def test_attributes_are_those_of_the_problem(n_samples, rng):
    X, weights = cloud(n_samples), rng.uniform(0.0, 2.0, size=n_samples)
    weights[:5] = 0.0
    model = OneClassBandedSVM(nu=0.2, tol=1e-6).fit(X, sample_weight=weights)
    c = np.zeros(n_samples)
    c[model.support_] = model.dual_coef_[0]
    np.testing.assert_array_equal(model.alpha_, c)
    np.testing.assert_array_equal(model.alpha_support_, model.support_)
    np.testing.assert_array_equal(model.support_vectors_, X[model.support_])
    assert not model.theta_.any()
    assert not model.eta_.any()
    assert not len(model.theta_support_)
    assert ((c >= 0.0) & (c <= weights)).all()
    assert c.sum() == pytest.approx(0.2 * weights.sum(), rel=1e-12)
    values = model.decision_function(X)
    np.testing.assert_allclose(model.xi_, np.maximum(-values, 0.0), atol=1e-4)
    squares = float(c @ (values - model.intercept_[0]))
    certificate = model.certificate_
    losses = weights @ model.xi_ + c.sum() * model.intercept_[0]
    assert certificate.primal == pytest.approx(0.5 * squares + losses, rel=1e-6)
    assert certificate.dual == pytest.approx(-0.5 * squares, rel=1e-6)
    assert certificate.tol == model.tol * certificate.scale
    again = model.certify(X, sample_weight=weights)
    assert again.is_optimal
    assert again.n_checked == n_samples - 5
    assert again.primal == pytest.approx(certificate.primal, rel=1e-6)
    assert not model.certify(X[::-1], sample_weight=weights).is_optimal


@pytest.mark.parametrize("nu", [0.01, 0.1, 0.5, 0.9])
def test_nu_bounds_the_shares_of_outliers_and_of_support_vectors(nu):
    for seed in range(10):
        X = cloud(101 if seed < 7 else 1501, seed)
        if seed % 2:
            X = np.repeat(X, 3, axis=0)
        model = OneClassBandedSVM(nu=nu).fit(X)
        assert (model.predict(X) == -1).mean() <= nu + 1e-12
        assert len(model.support_) / len(X) >= nu - 1e-12


def test_methods_follow_conventions():
    X = cloud()
    model = OneClassBandedSVM(nu=0.1)
    assert is_outlier_detector(model)
    with pytest.raises(NotFittedError):
        model.offset_  # noqa: B018
    labels = model.fit_predict(X)
    assert labels.dtype.kind == "i"
    assert set(labels) == {-1, 1}
    values, scores = model.decision_function(X), model.score_samples(X)
    np.testing.assert_array_equal(labels == 1, values >= 0.0)
    np.testing.assert_allclose(values, scores - model.offset_, atol=1e-12)
    assert isinstance(model.offset_, float)
    assert model.offset_ == -model.intercept_[0]
    # Support vectors inside their bounds lie on the boundary, which belongs to the inside.
    is_free = (model.alpha_ > 0.0) & (model.alpha_ < 1.0)
    assert is_free.any()
    assert (values[is_free] >= 0.0).all()
    np.testing.assert_allclose(values[is_free], 0.0, atol=1e-12)
    weights = np.arange(120) % 2
    expected = clone(model).fit(X, sample_weight=weights).predict(X)
    np.testing.assert_array_equal(model.fit_predict(X, sample_weight=weights), expected)
    np.testing.assert_array_equal(clone(model).fit(X, np.arange(120)).predict(X), labels)


def test_outliers_are_found(rng):
    X, noise = rng.normal(size=(1500, 3)), 6.0 * rng.normal(size=(100, 3))
    is_typical = np.repeat([True, False], [1500, 100])
    model = make_pipeline(StandardScaler(), OneClassBandedSVM(nu=0.06))
    values = model.fit(np.concatenate([X, noise])).decision_function(np.concatenate([X, noise]))
    assert roc_auc_score(is_typical, values) > 0.95


def test_all_samples_are_support_vectors_if_nu_is_1():
    X = cloud()
    model = OneClassBandedSVM(nu=1.0).fit(X)
    assert (model.dual_coef_ == 1.0).all()
    assert len(model.support_) == 120
    assert model.certificate_.is_optimal
    assert model.offset_ == pytest.approx(model.score_samples(X).max())


STORES = {
    "float32": lambda X: X.astype(np.float32),
    "sparse": lambda X: sp.csr_array(np.where(X > 5.0, X, 0.0)),
    "frame": lambda X: pd.DataFrame(X, columns=["a", "b"]),
    "list": lambda X: X.tolist(),
    "columns": np.asfortranarray,
}


@pytest.mark.parametrize("name", STORES)
@pytest.mark.parametrize("n_samples", [90, 1100])
def test_samples_of_any_kind(name, n_samples):
    X = STORES[name](cloud(n_samples))
    plain = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    model, expected = OneClassBandedSVM(nu=0.2, tol=1e-6), OneClassBandedSVM(nu=0.2, tol=1e-6)
    values = model.fit(X).decision_function(X)
    assert model.certificate_.is_optimal
    assert model.certify(X).is_optimal
    assert values.dtype == np.float64
    np.testing.assert_allclose(values, expected.fit(plain).decision_function(plain), atol=2e-5)


@pytest.mark.parametrize("n_samples", [90, 1100])
def test_kernels_of_any_kind(n_samples):
    X = cloud(n_samples)
    expected = OneClassBandedSVM(gamma=0.5, nu=0.2, tol=1e-6).fit(X)
    K = own_kernel(X, X)
    matrix = OneClassBandedSVM(kernel="precomputed", nu=0.2, tol=1e-6).fit(K)
    function = OneClassBandedSVM(kernel=own_kernel, nu=0.2, tol=1e-6).fit(X)
    values = expected.decision_function(X)
    np.testing.assert_allclose(matrix.decision_function(K), values, atol=1e-5)
    np.testing.assert_allclose(matrix.decision_function(K[:, matrix.support_]), values, atol=1e-5)
    np.testing.assert_allclose(function.decision_function(X), values, atol=1e-5)
    linear = OneClassBandedSVM(kernel="linear", nu=0.2).fit(X)
    np.testing.assert_allclose(
        X @ linear.coef_[0] + linear.intercept_, linear.decision_function(X), atol=1e-8
    )


def test_warm_starts_continue_with_other_nu():
    X = cloud(1500)
    model = OneClassBandedSVM(nu=0.3, tol=1e-4, warm_start=True).fit(X)
    cold = model.certificate_.n_pair_steps
    model.fit(X)
    assert model.certificate_.n_pair_steps <= 0.1 * cold
    for nu in (0.31, 0.1, 0.9, 1.0, 0.02):
        again = clone(model).set_params(nu=nu).fit(X)
        model.set_params(nu=nu).fit(X)
        assert model.certificate_.is_optimal
        assert_same_objective(model, again)
    weights = np.arange(1500) % 3
    model.set_params(nu=0.5).fit(X, sample_weight=weights)
    assert model.certificate_.is_optimal
    assert not model.alpha_[weights == 0].any()


def test_copies_predict_the_same():
    X = cloud()
    model = OneClassBandedSVM(nu=0.2).fit(X)
    expected = model.decision_function(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), expected)
    jobs = [joblib.delayed(clone(model).set_params(n_jobs=n).fit)(X) for n in (1, 2)]
    for other in joblib.Parallel(2, prefer="threads")(jobs):
        np.testing.assert_array_equal(other.decision_function(X), expected)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"nu": 0.0}, "nu must be greater than 0 and at most 1, got 0.0"),
        ({"nu": 1.01}, "nu must be greater than 0 and at most 1"),
        ({"nu": np.nan}, "nu must be finite"),
        ({"kernel": "rbff"}, "kernel must be one of"),
        ({"solver": "newton"}, "solver must be one of"),
        ({"tol": 0.0}, "tol must be greater than 0"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        OneClassBandedSVM(**parameters).fit(cloud())


def test_wrong_input_is_refused():
    X = cloud()
    with pytest.raises(TypeError, match="nu must be a real number"):
        OneClassBandedSVM(nu="0.1").fit(X)
    with pytest.raises(TypeError, match="has no parameter shrinking"):
        OneClassBandedSVM(shrinking=False)
    with pytest.raises(ValueError, match="sample_weight must contain at least one non-zero"):
        OneClassBandedSVM().fit(X, sample_weight=np.zeros(120))
    with pytest.raises(ValueError, match="sample_weight must have a finite sum"):
        OneClassBandedSVM(gamma=1.0).fit(X, sample_weight=np.full(120, 1e308))
    with pytest.raises(ValueError, match="symmetric"):
        OneClassBandedSVM(kernel="precomputed").fit(np.triu(np.ones((9, 9))))
    model = OneClassBandedSVM().fit(X)
    with pytest.raises(ValueError, match="3 features, but OneClassBandedSVM is expecting 2"):
        model.predict(np.ones((2, 3)))
    with pytest.raises(ValueError, match="certify needs the training set: 120 samples"):
        model.certify(X[:50])
    with pytest.raises((TypeError, ValueError, AttributeError)):
        leave_one_out(model, X, np.ones(120))
