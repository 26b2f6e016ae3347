"""Where the optimal intercept is an interval, its middle is taken by every way to a solution."""

import numpy as np
import pytest

from bandsvm import BandedSVC, LinearBandedSVC
from bandsvm._certificate import choose_intercept
from bandsvm._problem.band_problem import BandProblem
from bandsvm.model_selection import band_path, leave_one_out


def balanced_but_one(seed):
    """Two classes, one of them with a sample more: without it, all may lie at their bounds."""
    rng = np.random.default_rng(seed)
    n_positive = int(rng.integers(8, 30))
    y = np.r_[np.ones(n_positive), np.zeros(n_positive - 1)]
    return rng.normal(size=(len(y), 2)) + 0.8 * y[:, None], y


def settings(C2):
    return {"C1": 0.05, "C2": C2, "rho2": 1.5, "gamma": 0.5}


@pytest.mark.parametrize("C2", [0.0, 0.05])
@pytest.mark.parametrize("seed", range(5))
def test_leaving_one_out_and_refitting_agree(seed, C2):
    X, y = balanced_but_one(seed)
    model = BandedSVC(**settings(C2)).fit(X, y)
    found = leave_one_out(model, X, y).decision
    widest = 0.0
    for i in range(len(y)):
        refit = BandedSVC(**settings(C2)).fit(np.delete(X, i, 0), np.delete(y, i))
        lower, upper = refit.certificate_.intercept_interval
        widest = max(widest, upper - lower)
        assert found[i] == pytest.approx(refit.decision_function(X[[i]])[0], abs=2e-3)
    assert widest > 0.1


def test_order_and_tolerance_do_not_matter(rng):
    X, y = balanced_but_one(1)
    X, y = X[1:], y[1:]
    exact = BandedSVC(**settings(0.05), tol=1e-10).fit(X, y)
    lower, upper = exact.certificate_.intercept_interval
    assert upper - lower > 0.1
    assert exact.intercept_[0] == pytest.approx((lower + upper) / 2)
    for tol in (1e-1, 1e-3):
        order = rng.permutation(len(y))
        model = BandedSVC(**settings(0.05), tol=tol).fit(X[order], y[order])
        assert model.intercept_ == pytest.approx(exact.intercept_, abs=1e-6)


def test_a_path_and_single_fits_agree():
    X, y = balanced_but_one(2)
    X, y = X[1:], y[1:]
    model = BandedSVC(**settings(0.05)).fit(X, y)
    values = [0.02, 0.05, 0.1]
    path = band_path(X, y, vary="C1", values=values, model=model)
    for value, intercept in zip(values, path.intercepts, strict=True):
        single = BandedSVC(**{**settings(0.05), "C1": value}).fit(X, y)
        assert intercept[0] == pytest.approx(single.intercept_[0], abs=2e-3)


def test_linear_models_have_the_same_rule():
    X, y = balanced_but_one(3)
    X, y = 0.1 * X[1:], y[1:]
    kernel = BandedSVC(C1=0.05, C2=0.05, rho2=1.5, kernel="linear").fit(X, y)
    lower, upper = kernel.certificate_.intercept_interval
    assert upper - lower > 0.1
    linear = LinearBandedSVC(C1=0.05, C2=0.05, rho2=1.5, tol=1e-10).fit(X, y)
    assert linear.intercept_ == pytest.approx(kernel.intercept_, abs=1e-4)


def test_a_coefficient_next_to_its_bound_does_not_decide():
    """One that is free by less than the violation would take the intercept to an end."""
    problem = BandProblem(
        *(np.array(v) for v in ([1.0, -1.5], [1.5, -1.0], [0.1, 0.1], [0.1, 0.1]))
    )
    K = np.eye(2)
    for c in (np.array([0.1, -0.1]), np.array([0.1 - 1e-9, -0.1 + 1e-9])):
        assert choose_intercept(problem, c, K @ c) == pytest.approx(0.0, abs=1e-6)


def test_free_variables_decide_where_losses_are_not_flat(rng):
    X = rng.normal(size=(80, 2))
    y = X[:, 0] + 0.5 * rng.normal(size=80) > 0
    model = BandedSVC(C1=2.0, C2=2.0, rho2=1.5).fit(X, y)
    g = model.decision_function(X)
    on_edge = np.isclose(np.abs(g), 1.0, atol=1e-9) | np.isclose(np.abs(g), 1.5, atol=1e-9)
    assert on_edge.sum() >= 5
