"""From one point of a path to the next: what is kept, what is solved for, what is left over."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics.pairwise import rbf_kernel

from bandsvm._certificate import intercept_interval
from bandsvm._defaults import LOSSES
from bandsvm._fitting.outcomes import certified
from bandsvm._kernels import KernelSettings
from bandsvm._problem import Start
from bandsvm._problem.band_problem import band_problem
from bandsvm._solvers import solve, solve_for
from bandsvm.model_selection import _following
from bandsvm.model_selection._following import PathFollower

N = 600
X, Y = make_classification(N, flip_y=0.2, random_state=0)
SIGNS = np.where(Y > 0, 1.0, -1.0)
K = rbf_kernel(X, gamma=0.05)
TOL = 1e-6


@pytest.fixture
def rows():
    return KernelSettings("rbf", 0.05, 0.0, 3).rows(X)


def violation(problem, solution):
    lower, upper = intercept_interval(problem, solution.c, solution.f)
    return lower - upper if problem.has_intercept else max(lower, -upper)


def solved(problem, rows):
    return certified(problem, rows, solve(problem, rows, tol=TOL), TOL)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("has_intercept", [False, True])
def test_solving_for_all_variables_solves_the_problem(rows, has_intercept, loss):
    problem = band_problem(SIGNS, 1.0, 1.5, 1.0, 0.5, 1.0, has_intercept, loss)
    zero = np.zeros(N)
    found = solve_for(np.arange(N), problem, rows, Start(zero, zero.copy()), TOL)
    assert violation(problem, found) <= TOL
    np.testing.assert_allclose(found.f, K @ found.c, atol=1e-10)
    assert found.n_iter == 1
    assert found.n_pair_steps > 0


def test_other_variables_stay(rows):
    problem = band_problem(SIGNS, 1.0, 1.5, 1.0, 0.5)
    start = solve(problem, rows, tol=0.1, polished=False).c
    some = np.arange(0, N, 3)
    found = solve_for(some, problem, rows, Start(start, K @ start), TOL)
    others = np.setdiff1d(np.arange(N), some)
    np.testing.assert_array_equal(found.c[others], start[others])
    assert (found.c[some] != start[some]).any()
    of_some = problem.part(some)
    rise, fall = intercept_interval(of_some, found.c[some], found.f[some])
    assert rise - fall <= TOL


@pytest.mark.parametrize("n_variables", [0, 10, N])
def test_a_start_out_of_balance_ends_in_balance(rows, rng, n_variables):
    problem = band_problem(SIGNS, 1.0, 1.5, 1.0, 0.5)
    start = np.where(rng.uniform(size=N) < 0.5, 0.9 * problem.below, 0.0)
    assert start.sum() > 1.0
    found = solve_for(np.arange(n_variables), problem, rows, Start(start, K @ start), TOL)
    assert abs(found.c.sum()) <= 1e-12 * np.abs(found.c).sum()
    assert (found.c <= problem.below).all()
    assert (found.c >= -problem.above).all()
    np.testing.assert_allclose(found.f, K @ found.c, atol=1e-10)


@pytest.mark.parametrize("weighted", [False, True])
def test_coefficients_at_bounds_go_where_the_bounds_go(rows, rng, monkeypatch, weighted):
    monkeypatch.setattr(_following, "MAX_BLOCK", 0)  # nothing is solved for
    weights = rng.uniform(0.5, 2.0, size=N) if weighted else np.ones(N)
    follower = PathFollower(rows)
    # Also from no cost at all, where all that lies above the band is at the bound 0.
    problems = [
        band_problem(SIGNS, 1.0, 1.5, 1.0, C2, weights, has_intercept=False)
        for C2 in (0.0, 0.1, 0.15, 0.4)
    ]
    for old, new in pairwise(problems):
        last = solved(old, rows)
        start = follower.start(old, new, last, TOL)
        np.testing.assert_allclose(start.f, K @ start.c, rtol=1e-10, atol=1e-10)
        at_bound = SIGNS * last.solution.c <= -np.minimum(old.below, old.above)
        outside = at_bound & (SIGNS * last.decision > 1.5 + 1e-6)
        assert outside.any()
        np.testing.assert_array_equal(
            -(SIGNS * start.c)[outside], np.minimum(new.below, new.above)[outside]
        )
        np.testing.assert_array_equal(start.c[~at_bound], last.solution.c[~at_bound])


@pytest.mark.parametrize("most", [0, 400, 1920])
@pytest.mark.parametrize("vary", ["C2", "rho2"])
def test_a_short_step_is_all_but_solved(rows, monkeypatch, vary, most):
    monkeypatch.setattr(_following, "MAX_BLOCK", most)
    monkeypatch.setattr(_following, "block_size", lambda n_samples: min(100, n_samples))
    numbers = {"rho1": 1.0, "rho2": 1.5, "C1": 1.0, "C2": 0.5}
    problems = [
        band_problem(SIGNS, **{**numbers, vary: value * numbers[vary]})
        for value in (1.0, 0.98, 0.96)
    ]
    follower = PathFollower(rows)
    ends = []
    for old, new in pairwise(problems):
        end = follower.start(old, new, solved(old, rows), TOL)
        np.testing.assert_allclose(end.f, K @ end.c, atol=1e-10)
        assert abs(end.c.sum()) <= 1e-10
        ends.append(violation(new, end))
    # Few variables have to move, and they are found; without any, it is another matter.
    assert (max(ends) <= TOL) == (most > 0)


def test_squared_losses_have_no_bounds_to_follow(rows, monkeypatch):
    monkeypatch.setattr(_following, "MAX_BLOCK", 0)
    old, new = (band_problem(SIGNS, 1.0, 1.5, 1.0, C2, loss="squared_hinge") for C2 in (0.0, 0.1))
    last = solved(old, rows)
    start = PathFollower(rows).start(old, new, last, TOL)
    np.testing.assert_allclose(start.c, last.solution.c, atol=1e-12)
