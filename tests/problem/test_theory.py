"""docs/theory.md, sections 3, 8, 10 and 11: band problems, leaving out, no cost, other sums."""

from dataclasses import replace

import numpy as np
import pytest

from bandsvm._certificate import (
    CheckedGradient,
    choose_intercept,
    intercept_interval,
    measure,
)
from bandsvm._kernels import PrecomputedRows
from bandsvm._problem.band_problem import BandProblem, band_problem, split_coefficients
from bandsvm._solvers import solve
from bandsvm.model_selection._bound import lowest_signed_value
from tests.helpers.statements import (
    ANY,
    at_most,
    dual,
    equal,
    gap_terms,
    h,
    positive_part,
    primal,
    states,
)


def without(one, i):
    """Return the problem without sample i and its solution."""
    rest = one.problem.without(i)
    return rest, replace(one.case, problem=rest).solve(tol=1e-11).c


@states("66", "67", "68", "69", "70", intercept=(False,), seeds=4)
def test_leave_one_out_without_intercept(one, k):
    """Section 8: a sample that is no alpha-SV is never an error when it is left out."""
    problem, c = one.problem, one.optimum
    f = one.K @ c
    alpha, theta = split_coefficients(one.y, c)
    z, own = one.y * f, np.diag(one.K)
    errors = 0
    for i in range(len(c)):
        rest, c_rest = without(one, i)
        f_rest = one.K @ c_rest
        z_rest = one.y[i] * f_rest[i]
        at_most(0.0, c[i] * (f[i] - f_rest[i]), 1e-7)
        at_most(c[i] * (f[i] - f_rest[i]), k("66", 0.95) * c[i] ** 2 * own[i], 1e-7)
        others = np.arange(len(c)) != i
        h_c, h_rest = h(problem, c)[others], h(rest, c_rest)[others]
        way = (c_rest - c)[others]
        at_most(h_rest, h_c + k("67", 0.5) * f[others] * way, 1e-7)
        at_most(h_c, h_rest - f_rest[others] * way, 1e-7)
        delta = c - c_rest
        total = float(delta[others] @ (f - f_rest)[others])
        at_most(total, (k("68", -1.0) - 1) * np.abs(total), 1e-7)
        column, inner = one.K[others, i], one.K[np.ix_(others, others)]
        curved = delta[others] @ inner @ delta[others]
        at_most(c[i] * column @ delta[others], -k("69", 1.1) * curved, 1e-7)
        errors += z_rest <= 0
        if alpha[i] > 0:
            at_most(z[i] - alpha[i] * own[i], z_rest, 1e-7)
            at_most(z_rest, z[i], 1e-7)
        else:
            at_most(one.rho2 if theta[i] > 0 else one.rho1, z[i], 1e-7)
            at_most(z[i], z_rest, 1e-7)
            at_most(z_rest, z[i] + theta[i] * own[i], 1e-7)
            assert z_rest > 0
    can_fail = (alpha > 0) & (z <= alpha * own)
    at_most(errors, k("70", 0.3) * can_fail.sum(), 0.0)


@pytest.mark.heavy
@states("71", "72", "73", intercept=(False,), seeds=4)
def test_leave_one_out_from_a_fit_that_is_not_exact(one, k):
    """Proposition 9, from points that are far from optimal."""
    own = np.diag(one.K)
    for c in one.points():
        f = one.K @ c
        gap = max(gap_terms(one.problem, c, f).sum(), 1e-15)
        alpha, lam = positive_part(one.y * c), one.y * c
        root = np.sqrt(c**2 + 4 * gap / own)
        give = 2 * gap / (np.abs(c) + root)
        at_most(give, np.sqrt(gap * own))
        at_most(give * np.abs(c), gap)
        lowest = lowest_signed_value(one.problem, one.y, c, f, own)
        equal(lowest, one.y * f - alpha * own - k("71 code") * give, 1e-6)
        equal(0.5 * own * (root - lam), positive_part(-lam) * own + k("73") * give)
        for i in range(0, len(c), 2):
            _, c_rest = without(one, i)
            z_rest = one.y[i] * (one.K @ c_rest)[i]
            at_most(one.y[i] * f[i] - alpha[i] * own[i] - k("71", 0.9) * give[i], z_rest, 1e-7)
            others = np.arange(len(c)) != i
            delta, column = (c - c_rest)[others], one.K[others, i]
            curved = delta @ one.K[np.ix_(others, others)] @ delta
            at_most(c[i] * column @ delta, k("72", 0.9) * gap - curved, 1e-7)
    # Tight: of two equal samples, the one left out costs next to nothing and the other has y = -1.
    signs, costs = np.array([1.0, -1.0]), np.array([1e-12, 1.0])
    pair = band_problem(signs, 1.0, 1.0, costs, costs, has_intercept=False)
    gap = gap_terms(pair, np.zeros(2), np.zeros(2)).sum()
    rest = solve(pair.without(0), PrecomputedRows(np.ones((2, 2))), tol=1e-12)
    at_most(-k("71", 0.9) * np.sqrt(gap), rest.f[0], 1e-7)
    at_most(0.0, k("72", 0.9) * gap - rest.c[1] ** 2, 1e-7)


@states("78", kernels=ANY)
def test_sample_without_cost_is_predicted(one, k):
    """Section 10: leaving a sample out of the problem or of the matrix is the same."""
    problem = one.problem.without(3)
    kept = np.arange(len(one.y)) != 3
    c = replace(one.case, problem=problem).solve(tol=1e-11).c
    assert c[3] == 0.0
    support = c != 0
    equal((one.K @ c)[3], k("78") * one.K[3, support] @ c[support])
    if np.linalg.eigvalsh(one.K)[0] > -1e-9:
        smaller = solve(
            problem.part(np.flatnonzero(kept)), PrecomputedRows(one.K[kept][:, kept]), tol=1e-11
        )
        equal(one.K[3, kept] @ smaller.c, (one.K @ c)[3], 1e-6)


@states("79", "80", "81", "82", losses=("hinge",), intercept=(True,))
def test_one_class_is_a_problem_of_another_sum(one, k):
    """Section 11: primal, dual and gap of the one-class SVM, and what nu bounds."""
    zeros, nu, rows = np.zeros(len(one.y)), 0.37, PrecomputedRows(one.K)
    total = nu * float(one.weights.sum())
    problem = BandProblem(zeros, zeros, one.weights, zeros, total=total)
    single = replace(one, case=replace(one.case, problem=problem))

    def objective(c, b):
        return primal(single, c, b) + k("79") * nu * one.weights.sum() * b

    solution = solve(problem, rows, tol=1e-11)
    best_b = choose_intercept(problem, solution.c, solution.f)
    lowest = objective(solution.c, best_b)
    equal(lowest, dual(single, solution.c))
    for c in single.points():
        equal(k("80") * c.sum(), total)
        for b in (best_b, -0.7, 1.2):
            at_most(lowest, objective(c, b))
            at_most(dual(single, c), lowest)
            terms = gap_terms(problem, c, one.K @ c + b)
            equal(objective(c, b) - dual(single, c), k("81") * terms.sum())
            found = measure(problem, c, CheckedGradient(one.K @ c, None, 0.0, 0), b)
            equal([found.primal, found.gap], [objective(c, b), terms.sum()])
    is_outside = solution.f + best_b < -1e-9
    at_most(one.weights[is_outside].sum(), k("82", 0.1) * nu * one.weights.sum())
    at_most(k("82 support", 3.0) * total, one.weights[solution.c > 0].sum())


def test_leaving_out_with_intercept_needs_a_free_variable():
    """Section 8: a sample of coefficient 0 can limit the intercept if no variable is free."""
    below, above = np.array([1.0, 1.0]), np.array([0.0, 1.0])
    problem = BandProblem(np.array([1.0, 0.5]), np.array([2.0, 1.4]), below, above)
    c = f = np.zeros(2)
    assert intercept_interval(problem, c, f) == (1.0, 1.4)  # so that c = 0 is optimal
    assert choose_intercept(problem, c, f) == pytest.approx(1.2)
    assert choose_intercept(problem.without(1), c, f) == 1.0


def test_band_problem_by_hand():
    problem = band_problem(np.array([1, -1]), 1.0, 1.5, 2.0, 3.0, np.array([1.0, 10.0]))
    np.testing.assert_array_equal(problem.lo, [1.0, -1.5])
    np.testing.assert_array_equal(problem.hi, [1.5, -1.0])
    np.testing.assert_array_equal(problem.below, [2.0, 30.0])
    np.testing.assert_array_equal(problem.above, [3.0, 20.0])


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
