"""Theorems of docs/theory.md, checked on random problems."""

from dataclasses import replace

import numpy as np
import pytest

from bandsvm.certificate import choose_intercept
from bandsvm.problem import band_problem, slacks, split_coefficients
from problems import make_case


def without(case, i):
    """Return the decision value at sample i of the model fitted without it."""
    problem = case.problem
    below, above = problem.below.copy(), problem.above.copy()
    below[i] = above[i] = 0.0
    left_out = replace(problem, below=below, above=above)
    return type(case)(left_out, case.X, case.K, "").solve(tol=1e-10).f[i]


@pytest.mark.parametrize(
    "settings",
    [
        {"C1": 0.5, "C2": 0.5},
        {"C1": 10.0, "C2": 1.0},
        {"C2": 20.0},
        {"C1": 3.0, "C2": 1.0, "loss": "squared_hinge"},
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_leave_one_out_without_intercept(seed, settings):
    """Section 8: a sample that is no alpha-SV is never an error when it is left out."""
    case = make_case(seed, 40, has_intercept=False, **settings)
    signs = np.where(case.problem.lo > 0, 1.0, -1.0)
    solution = case.solve(tol=1e-10)
    alpha, theta = split_coefficients(signs, solution.c)
    z = signs * solution.f
    seen = set()
    for i in range(40):
        z_without = signs[i] * without(case, i)
        if alpha[i] > 0:
            seen.add("alpha")
            assert z[i] - alpha[i] * case.K[i, i] - 1e-7 <= z_without <= z[i] + 1e-7
        elif theta[i] > 0:
            seen.add("theta")
            assert z_without >= z[i] - 1e-7
            assert z_without > 0
        else:
            seen.add("none")
            assert z_without == pytest.approx(z[i], abs=1e-7)
            assert z_without > 0
    assert "alpha" in seen
    assert len(seen) > 1


def test_band_problem_by_hand():
    problem = band_problem(np.array([1, -1]), 1.0, 1.5, 2.0, 3.0, np.array([1.0, 10.0]))
    np.testing.assert_array_equal(problem.lo, [1.0, -1.5])
    np.testing.assert_array_equal(problem.hi, [1.5, -1.0])
    np.testing.assert_array_equal(problem.below, [2.0, 30.0])
    np.testing.assert_array_equal(problem.above, [3.0, 20.0])


def test_one_signed_variable_loses_nothing(rng):
    """Section 3: the paper's 2n multipliers, split from c, satisfy its complementarity."""
    case = make_case(4, 60, C1=2.0, C2=5.0)
    signs = np.where(case.problem.lo > 0, 1.0, -1.0)
    solution = case.solve(tol=1e-8)
    alpha, theta = split_coefficients(signs, solution.c)
    assert not (alpha * theta).any()
    decision = solution.f + choose_intercept(case.problem, solution.c, solution.f)
    xi, eta = slacks(signs, decision, 1.0, 1.5)
    z = signs * decision
    np.testing.assert_allclose(alpha * (xi - 1.0 + z), 0.0, atol=1e-8)
    np.testing.assert_allclose(theta * (eta + 1.5 - z), 0.0, atol=1e-8)
    np.testing.assert_allclose((2.0 - alpha) * xi, 0.0, atol=1e-8)
    np.testing.assert_allclose((5.0 - theta) * eta, 0.0, atol=1e-8)


@pytest.mark.parametrize("seed", range(20))
def test_feasible_point_keeps_zeros_and_feasible_points(seed):
    rng = np.random.default_rng(seed)
    problem = band_problem(np.where(rng.random(30) > 0.5, 1, -1), 1.0, 1.5, 1.0, 0.3)
    start = rng.normal(size=30) * rng.integers(0, 2, size=30)
    point = problem.feasible(start)
    assert abs(point.sum()) < 1e-12
    assert (point <= problem.below).all()
    assert (point >= -problem.above).all()
    assert (point[start == 0] == 0).all()
    np.testing.assert_array_equal(problem.feasible(point), point)
    # No variable changes sides, and those at a bound stay there if the others can take the excess.
    clipped = np.clip(start, -problem.above, problem.below)
    assert (point * clipped >= 0).all()
    free = (clipped != 0) & (clipped > -problem.above) & (clipped < problem.below)
    nearest = np.where(clipped > 0, 0.0, -problem.above)[free].sum()
    farthest = np.where(clipped < 0, 0.0, problem.below)[free].sum()
    if nearest <= -clipped[~free].sum() <= farthest:
        np.testing.assert_array_equal(point[~free], clipped[~free])
