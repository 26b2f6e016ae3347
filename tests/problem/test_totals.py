"""Problems whose coefficients have another sum than 0: points, solvers, certificates."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bandsvm._certificate import certify, choose_intercept
from bandsvm._kernels import PrecomputedRows
from bandsvm._problem import Start
from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.band_problems import BandProblems
from bandsvm._solvers import available_solvers, solve
from tests.helpers.problems import dual_by_qp, make_case, primal_by_clarabel

shares = st.floats(-1.0, 1.0)


def with_total(problem, share):
    """Return the problem with a share of the largest or of the least possible sum."""
    ends = problem.bounds.below if share > 0.0 else problem.bounds.above
    return replace(problem, total=share * float(ends.sum()))


@given(st.integers(0, 10**6), st.sampled_from([1, 2, 30]), shares, st.booleans())
def test_feasible_points_have_the_sum(seed, n_samples, share, is_zero):
    rng = np.random.default_rng(seed)
    costs = rng.choice([0.0, 0.5, 2.0], size=(2, n_samples))
    costs[:, 0] = 1.0
    problem = with_total(BandProblem(*np.zeros((2, n_samples)), *costs), share)
    start = np.zeros(n_samples) if is_zero else rng.normal(size=n_samples)
    c = problem.feasible(start)
    assert ((-problem.above <= c) & (c <= problem.below)).all()
    assert abs(c.sum() - problem.total) <= 1e-12 * max(abs(problem.total), np.abs(c).sum())
    np.testing.assert_allclose(problem.feasible(c), c, rtol=1e-12)
    if is_zero:  # as few as possible, and at most one of them inside its bounds
        inside = (c != 0.0) & (c < problem.below) & (c > -problem.above)
        assert inside.sum() <= 1


def test_first_samples_are_spread_over_all():
    problem = BandProblem(*np.zeros((2, 1000)), np.ones(1000), np.zeros(1000), total=100.0)
    used = np.flatnonzero(problem.feasible(np.zeros(1000)))
    assert len(used) == 100
    assert np.diff(used).max() <= 20


def test_a_sum_that_rounding_puts_next_to_whole_samples_leaves_no_free_one():
    problem = BandProblem(
        *np.zeros((2, 30)), np.ones(30), np.zeros(30), total=np.nextafter(3.0, 4.0)
    )
    assert sorted(problem.feasible(np.zeros(30)))[-4:] == [0.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("solver", available_solvers())
@pytest.mark.parametrize("share", [-0.4, -1e-3, 1e-4, 0.3])
def test_solvers_find_what_qp_solvers_find(solver, share):
    """Bands, costs and sums of any kind: more than estimators ask for."""
    for seed in range(4):
        case = make_case(seed, 40, C1=2.0, C2=0.7, weights=True)
        problem = with_total(case.problem, share)
        case = replace(case, problem=problem)
        rows = PrecomputedRows(case.K)
        solution = solve(problem, rows, solver=solver, tol=1e-8)
        b = choose_intercept(problem, solution.c, solution.f)
        found = certify(problem, rows, solution, b, 1e-6)
        assert found.is_optimal, seed
        assert solution.c.sum() == pytest.approx(problem.total, rel=1e-10)
        expected, _ = dual_by_qp(case, "piqp")
        unit = max(1.0, abs(expected))
        np.testing.assert_allclose([found.primal, found.dual], expected, atol=1e-6 * unit)
        assert found.primal == pytest.approx(primal_by_clarabel(case), abs=1e-6 * unit)
        # From elsewhere, and with another sum.
        other = replace(problem, total=-0.2 * problem.total)
        later = solve(other, rows, solver=solver, tol=1e-8, start=Start(solution.c))
        b = choose_intercept(other, later.c, later.f)
        assert certify(other, rows, later, b, 1e-6).is_optimal


def test_a_wrong_sum_is_infeasible():
    case = make_case(0, 40)
    problem = replace(case.problem, total=1.0)
    rows = PrecomputedRows(case.K)
    solution = solve(case.problem, rows, tol=1e-8)  # of sum 0
    b = choose_intercept(problem, solution.c, solution.f)
    found = certify(problem, rows, solution, b, 1e-3)
    assert found.infeasibility == pytest.approx(1.0 / np.abs(solution.c).sum())
    assert not found.is_optimal


def test_parts_keep_the_sum_and_no_sample_can_be_left_out():
    problem = BandProblem(*np.zeros((2, 6)), np.ones(6), np.zeros(6), total=2.0)
    several = BandProblems(problem, np.array([0, 3, 6]), np.arange(6), False)
    assert [one.total for one in several] == [2.0, 2.0]
    assert problem.part(np.arange(3)).total == 2.0
    with pytest.raises(ValueError, match="no sample can be left out"):
        problem.without(0)
    with pytest.raises(ValueError, match="squared losses must have the sum 0"):
        _ = replace(problem, loss="squared_hinge").bounds
