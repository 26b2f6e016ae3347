"""Few samples, solved at once: the same optimum as by the interior point method, exactly."""

import numpy as np
import pytest
import scipy.sparse as sp

from bandsvm import LinearBandedSVC, LinearBandedSVR
from bandsvm._linear import few_samples
from bandsvm._linear.executor import LocalExecutor
from bandsvm._linear.few_samples import SMALL
from bandsvm._linear.samples import LinearSamples
from bandsvm._linear.solver_choice import AT_ONCE, choose_method
from bandsvm._problem.band_problem import band_problem

CASES = {
    "squares": {"loss": "squared_hinge"},
    "squares with a band": {"loss": "squared_hinge", "C2": 0.3, "rho2": 1.5},
    "hinge": {"loss": "hinge"},
    "hinge with a band": {"loss": "hinge", "C2": 0.3, "rho2": 1.5},
}


def problem_of(rng, n=80, n_features=6, has_intercept=True, **settings):
    """Return samples, and a problem in which some samples have no weight."""
    X = rng.normal(size=(n, n_features)) * 10.0 ** rng.integers(-1, 2, n_features)
    signs = np.where(X @ rng.normal(size=n_features) + rng.normal(size=n) > 0, 1, -1)
    settings = {"rho1": 1.0, "rho2": 2.0, "C1": 1.0, "C2": 0.0} | settings
    weights = rng.integers(0, 3, n).astype(float)
    return X, band_problem(signs, weights=weights, has_intercept=has_intercept, **settings)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("has_intercept", [True, False])
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array, np.float32])
def test_steps_end_at_the_optimum(rng, case, has_intercept, convert):
    X, problem = problem_of(rng, has_intercept=has_intercept, **CASES[case])
    executor = LocalExecutor(problem, LinearSamples(convert(X)))
    found = executor.at_once(1000)
    assert found.is_solved
    assert found.n_iter >= 1
    assert executor.point(found.c).relative_gap <= 1e-12


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_models_are_those_of_the_interior_point_method(seed, C):
    """Both are certified; at large C, and at the ends of the data, steps overshoot."""
    rng = np.random.default_rng(seed)
    n, n_features = int(rng.integers(5, 120)), int(rng.integers(1, 40))
    X = rng.standard_t(2, size=(n, n_features))
    signs = np.arange(n) % 2
    loss = ("hinge", "squared_hinge")[seed % 2]
    model = LinearBandedSVC(C1=C, C2=C * (seed % 3), loss=loss, fit_intercept=seed % 5 > 0)
    at_once = model.fit(X, signs).certificate_
    newton = model.set_params(solver="newton").fit(X, signs).certificate_
    assert at_once.is_optimal
    assert at_once.relative_gap <= 1e-10
    assert at_once.primal == pytest.approx(newton.primal, rel=1e-9)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 100.0])
def test_numbers(rng, loss, epsilon):
    """With a wide tube no sample is outside, and the losses have no curvature."""
    X = rng.normal(size=(60, 4))
    y = X @ rng.normal(size=4) + 0.1 * rng.normal(size=60)
    model = LinearBandedSVR(loss=loss, epsilon=epsilon)
    at_once = model.fit(X, y).predict(X)
    assert model.certificate_.relative_gap <= 1e-12
    np.testing.assert_allclose(at_once, model.set_params(solver="newton").fit(X, y).predict(X))


@pytest.mark.parametrize("n_features", [4, 80])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_what_is_not_solved_is_for_another_solver(rng, loss, n_features, monkeypatch):
    """Steps that end too early cost a few more, and no digit."""
    X = rng.normal(size=(60, n_features))
    signs, settings = X[:, 0] > 0, {"loss": loss, "C1": 100.0}
    model = LinearBandedSVC(**settings).fit(X, signs)
    solve = few_samples.solve_small

    def nothing(*arguments):
        found = solve(*arguments)
        return found._replace(c=np.zeros(60), is_solved=np.array([False]))

    monkeypatch.setattr(few_samples, "MAX_NEWTON_STEPS", 1)
    monkeypatch.setattr(few_samples, "solve_small", nothing)
    again = LinearBandedSVC(**settings).fit(X, signs)
    assert again.n_iter_ > model.n_iter_
    assert again.certificate_.is_optimal
    np.testing.assert_allclose(again.coef_, model.coef_, atol=1e-4)


def test_steps_count_as_iterations(rng):
    X = rng.normal(size=(200, 5))
    model = LinearBandedSVC(C1=100.0, loss="squared_hinge", max_iter=2)
    with pytest.warns(UserWarning, match="max_iter=2 "):
        model.fit(X, X[:, 0] > 0)
    assert model.n_iter_ == 2


def test_which_problems_are_solved_at_once():
    few, many = np.zeros((SMALL, 20)), np.zeros((SMALL + 1, 20))
    wide, text = np.zeros((300, 900)), sp.random_array((300, 5000), density=0.01, format="csr")
    for is_squared in (True, False):
        assert choose_method(LinearSamples(few), is_squared) == AT_ONCE
        assert choose_method(LinearSamples(many), is_squared) == "newton"
        assert choose_method(LinearSamples(wide), is_squared) == AT_ONCE
        assert choose_method(LinearSamples(text), is_squared) == "cd"


def test_sparse_samples_of_many_features_stay_sparse(rng):
    """The equations of samples on edges need their products, not a dense copy of them."""
    X = sp.random_array((300, 200_000), density=1e-3, format="csr", rng=rng)
    model = LinearBandedSVC(C1=10.0).fit(X, np.arange(300) % 2)
    assert model.certificate_.is_optimal
