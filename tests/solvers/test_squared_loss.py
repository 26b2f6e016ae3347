"""BandedSVC(loss="squared_hinge"): all that the hinge can do, and the certificate of it."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from bandsvm._certificate import (
    certify,
)
from bandsvm._kernels import PrecomputedRows
from tests.helpers.problems import NarrowBandedSVC as BandedSVC
from tests.helpers.problems import make_case

TOL = 1e-8


def squared(**parameters):
    """Return an estimator that solves to the end."""
    return BandedSVC(**{"loss": "squared_hinge", "gamma": 0.5, "tol": TOL, **parameters})


def classes_of(rng, n_samples, n_classes=2):
    """Return noisy samples of some classes."""
    X = rng.normal(size=(n_samples, 3))
    limits = np.linspace(-0.5, 0.5, n_classes - 1) if n_classes > 2 else [0.0]
    return X, np.digitize(X[:, 0] + 0.5 * rng.normal(size=n_samples), limits)


def assert_same(ours, other, X, atol=1e-6):
    np.testing.assert_allclose(ours.decision_function(X), other.decision_function(X), atol=atol)


def test_objective_is_what_the_docstring_says(rng):
    X, y = classes_of(rng, 60)
    model = squared(C1=2.0, C2=0.5, kernel="linear").fit(X, y)
    z = np.where(y == 1, 1, -1) * model.decision_function(X)
    losses = 2.0 * np.maximum(1.0 - z, 0) ** 2 + 0.5 * np.maximum(z - 1.5, 0) ** 2
    value = 0.5 * float((model.coef_**2).sum()) + losses.sum()
    assert model.certificate_.primal == pytest.approx(value, rel=1e-12)
    assert model.certificate_.dual == pytest.approx(value, rel=1e-9)
    # The multipliers are the slopes of the losses.
    np.testing.assert_allclose(model.alpha_, 4.0 * model.xi_, atol=1e-6)
    np.testing.assert_allclose(model.theta_, 1.0 * model.eta_, atol=1e-6)
    assert model.theta_.any()


@pytest.mark.parametrize("solver", ["smo", "pcg"])
def test_a_weight_is_a_number_of_copies(rng, solver):
    X, y = classes_of(rng, 60)
    weights = rng.integers(0, 4, size=60)
    weighted = squared(solver=solver).fit(X, y, sample_weight=weights)
    copied = squared(solver=solver).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_same(weighted, copied, X)


def test_costs_by_class_are_class_weights(rng):
    X, y = classes_of(rng, 60)
    by_class = squared(C1={0: 2.0, 1: 0.5}, C2={0: 4.0, 1: 1.0}).fit(X, y)
    assert_same(by_class, squared(C2=2.0, class_weight={0: 2.0, 1: 0.5}).fit(X, y), X)


def test_classes_are_told_apart_one_against_the_rest(rng):
    X, y = classes_of(rng, 90, n_classes=3)
    model = squared().set_params(multi_class="ovr").fit(X, y)
    assert model.certificate_.is_optimal
    for label in range(3):
        one = squared().fit(X, y == label)
        np.testing.assert_allclose(
            model.decision_function(X)[:, label], one.decision_function(X), atol=1e-7
        )


def test_sparse_and_given_kernels(rng):
    X, y = classes_of(rng, 80)
    X[X < 0] = 0.0
    model = squared().fit(X, y)
    assert_same(model, squared().fit(sp.csr_matrix(X), y), X)
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(-1))
    given = squared(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(given.decision_function(K), model.decision_function(X), atol=1e-7)


@pytest.mark.parametrize("solver", ["smo", "pcg"])
@pytest.mark.parametrize("first", [{"loss": "hinge", "C1": 50.0}, {"C1": 1e3}, {"C2": 0.0}])
def test_warm_start_from_another_loss(rng, solver, first):
    X, y = classes_of(rng, 120)
    model = squared(solver=solver, warm_start=True, **first).fit(X, y)
    model.set_params(loss="squared_hinge", C1=1.0, C2=1.0).fit(X, y)
    cold = squared(solver=solver).fit(X, y)
    assert model.certificate_.is_optimal
    assert_same(model, cold, X)
    assert_same(model.set_params(loss="hinge").fit(X, y), squared(loss="hinge").fit(X, y), X, 1e-5)


@pytest.mark.parametrize("C1", [0.1, 10.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_large_problems_in_single_precision(rng, C1, fit_intercept):
    X, y = classes_of(rng, 2000)
    model = squared(C1=C1, tol=1e-3, fit_intercept=fit_intercept).fit(X, y)
    certificate = model.certify(X, y)
    assert certificate.is_optimal
    assert certificate.relative_gap <= 1e-5
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(-1))
    exact = squared(C1=C1, tol=1e-6, fit_intercept=fit_intercept, kernel="precomputed").fit(K, y)
    assert exact.certificate_.primal == pytest.approx(certificate.primal, rel=1e-5)
    assert exact.certificate_.primal >= certificate.dual


@pytest.mark.parametrize("solver", ["smo", "pcg"])
def test_indefinite_kernel_is_solved_or_reported(rng, solver):
    X, y = classes_of(rng, 80)
    for coef0 in (-1.0, 0.0):
        model = squared(kernel="sigmoid", coef0=coef0, C1=100.0, solver=solver, max_iter=500)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, y)
        assert np.isfinite(model.decision_function(X)).all()
        told = any(issubclass(warning.category, ConvergenceWarning) for warning in caught)
        assert told is not model.certificate_.is_optimal


@pytest.mark.parametrize("cost", [1e-300, 1e-200, 1e12])
def test_extreme_costs(rng, cost):
    X, y = classes_of(rng, 30)
    model = squared(C1=cost, C2=cost, tol=1e-6, kernel="linear")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert model.certificate_.is_optimal or cost > 1.0


def test_coefficient_on_a_side_without_cost_is_infeasible():
    case = make_case(2, 80, C2=0.0, loss="squared_hinge")
    solution = case.solve(tol=TOL)
    c = solution.c.copy()
    wrong = np.flatnonzero(case.problem.below == 0.0)[:1]
    c[wrong] += 0.25 - c[wrong]
    c[np.argmax(case.problem.below)] -= c.sum()
    changed = replace(solution, c=c, f=case.K @ c)
    certificate = certify(case.problem, PrecomputedRows(case.K), changed, 0.0, TOL)
    assert certificate.infeasibility >= (1 - 1e-12) * 0.25 / np.abs(c).sum()
    assert not certificate.is_optimal
