"""Linear fits of few samples: exact up to rounding, in few steps."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from bandsvm import LinearBandedSVC
from bandsvm._linear.point import MAX_UNKNOWNS, on_edges
from bandsvm._linear.samples import LinearSamples
from bandsvm._problem.band_problem import band_problem

# Newton steps with which each set was solved when this was written, one for every problem added.
DATA = {"iris": (load_iris, 29), "wine": (load_wine, 31), "cancer": (load_breast_cancer, 12)}


@pytest.mark.parametrize("name", DATA)
def test_few_steps_and_the_last_digits(name):
    load, n_steps = DATA[name]
    X, y = load(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = LinearBandedSVC().fit(X, y)
    assert model.n_iter_ <= n_steps
    parts = model.certificate_.parts or (model.certificate_,)
    assert max(part.relative_gap for part in parts) <= 1e-13
    order = np.random.default_rng(0).permutation(len(y))
    again = LinearBandedSVC().fit(X[order], y[order])
    np.testing.assert_allclose(model.coef_, again.coef_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_an_optimum_that_is_disturbed_is_found_again(loss, fit_intercept, rng):
    X = rng.standard_normal((80, 6))
    y = np.where(X[:, 0] + rng.standard_normal(80) > 0.0, 1.0, -1.0)
    model = LinearBandedSVC(
        rho2=1.5, loss=loss, fit_intercept=fit_intercept, store_multipliers=True
    ).fit(X, y)
    c = y * (model.alpha_ - model.theta_)
    problem = make_problem(y, loss, fit_intercept)
    free = (c != 0.0) & (np.abs(c) < 1.0) if loss == "hinge" else c != 0.0
    disturbed = c * np.where(free, 1.0 + 1e-4 * rng.standard_normal(80), 1.0)
    found = on_edges(problem, LinearSamples(X), disturbed)
    assert np.abs(disturbed - c).max() > 1e-6
    np.testing.assert_allclose(found, c, atol=1e-10)


def make_problem(y, loss, fit_intercept):
    return band_problem(y, 1.0, 1.5, 1.0, 1.0, np.ones(len(y)), fit_intercept, loss=loss)


def test_wrong_samples_on_edges_are_noticed(rng):
    near, y = 0.01 * rng.standard_normal((4, 6)), np.tile([1.0, -1.0], 2)
    assert on_edges(make_problem(y, "hinge", True), LinearSamples(near), 0.5 * y) is None
    many = rng.standard_normal((2 * MAX_UNKNOWNS, 2))
    y = np.tile([1.0, -1.0], MAX_UNKNOWNS)
    assert on_edges(make_problem(y, "hinge", True), LinearSamples(many), 0.5 * y) is None
