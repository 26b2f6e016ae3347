"""Every solver against independent ones, over random problems.

Where an oracle and a solver of ours disagree, the certificate decides who is off: any dual value is
a lower bound of the optimum and any primal value an upper one.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bandsvm._certificate import choose_intercept, duality_gap, intercept_interval
from bandsvm._defaults import LOSSES
from bandsvm._solvers import available_solvers
from tests.helpers.numpy_engine import NumpyRows
from tests.helpers.optimality import dual_value, kkt_violation, primal_value
from tests.helpers.problems import cases, dual_by_qp, make_case, primal_by_clarabel

RELATIVE = 1e-8
TOL = 1e-8
SOLVERS = [
    pytest.param(name, marks=pytest.mark.slow if name == "reference" else ())
    for name in available_solvers()
]


def objectives(case, solver):
    """Return primal and dual value of our solution, from K c computed afresh."""
    return objectives_at(case, case.solve(solver=solver, tol=TOL).c)


def objectives_at(case, c):
    """Return primal and dual value of coefficients."""
    f = case.K @ c
    intercept = choose_intercept(case.problem, c, f)
    return primal_value(case.problem, c, f, intercept), dual_value(case.problem, c, f)


def assert_objectives_equal_the_qp_solvers(case):
    """Compare both solvers with oracles, which take longer than they do."""
    oracle_dual = dual_by_qp(case, "piqp")
    oracle_primal = primal_by_clarabel(case)
    assert oracle_dual is not None or oracle_primal is not None
    for solver in ("smo", "pcg"):
        c = case.solve(solver=solver, tol=TOL).c
        primal, dual = objectives_at(case, c)
        # Large coefficients make much of violations up to tol.
        scale = RELATIVE * primal + TOL * np.abs(c).sum()
        # No feasible dual point is above ours and no primal point below: the oracle may be off,
        # not we.
        if oracle_dual is not None:
            value, theirs = oracle_dual
            imbalance = abs(theirs.sum()) * 20 * max(1.0, case.problem.hi.max())
            slack = scale + (imbalance if case.problem.has_intercept else 0.0)
            assert value <= dual + slack, solver
        if oracle_primal is not None:
            assert oracle_primal >= primal - scale, solver
        assert primal - dual <= scale, solver


@pytest.mark.heavy
@settings(max_examples=10)
@given(case=cases())
def test_objectives_equal_the_qp_solvers(case):
    assert_objectives_equal_the_qp_solvers(case)


@pytest.mark.heavy
@settings(max_examples=10)
@given(case=cases(loss="squared_hinge"))
def test_squared_objectives_equal_the_qp_solvers(case):
    assert_objectives_equal_the_qp_solvers(case)


@pytest.mark.parametrize("loss", LOSSES)
@settings(max_examples=8)
@given(data=st.data())
def test_reference_solver_agrees(loss, data):
    case = data.draw(cases(max_samples=25, loss=loss))
    # Pair steps alone take too long where costs are high.
    assume(max(case.problem.below.max(), case.problem.above.max()) <= 100)
    primal, dual = objectives(case, "reference")
    fast_primal, fast_dual = objectives(case, "smo")
    assert dual == pytest.approx(fast_dual, rel=RELATIVE)
    assert primal == pytest.approx(fast_primal, rel=RELATIVE)


@pytest.mark.parametrize("solver", ["smo", "pcg"])
def test_another_engine_comes_to_the_same_objectives(monkeypatch, solver):
    case = make_case(3, 40, C2=2.0)
    expected = objectives(case, solver)
    monkeypatch.setattr("tests.helpers.problems.ROWS", NumpyRows)
    assert objectives(case, solver) == pytest.approx(expected, rel=RELATIVE)


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("has_intercept", [True, False])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize(
    "band", [{"C2": 0.0}, {"C2": 2.0}, {"C2": 1.0, "rho2": 1.0}, {"C2": 10.0, "rho2": 1.01}]
)
def test_agrees_with_two_qp_solvers_to_all_digits(solver, loss, has_intercept, kernel, band):
    case = make_case(3, 40, kernel, has_intercept=has_intercept, weights=True, loss=loss, **band)
    primal, dual = objectives(case, solver)
    for oracle in ("piqp", "osqp"):
        value, _ = dual_by_qp(case, oracle)
        assert dual == pytest.approx(value, rel=RELATIVE)
    assert primal == pytest.approx(primal_by_clarabel(case), rel=RELATIVE)
    assert dual == pytest.approx(primal, rel=RELATIVE)


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("has_intercept", [True, False])
def test_solution_is_optimal_and_feasible(solver, loss, has_intercept):
    case = make_case(1, 60, has_intercept=has_intercept, duplicates=True, loss=loss)
    solution = case.solve(solver=solver, tol=1e-8)
    problem, f = case.problem, case.K @ solution.c
    if loss == "hinge":
        assert (solution.c <= problem.below).all()
        assert (solution.c >= -problem.above).all()
    else:
        # The box that keeps solvers in sight has no part in the solution.
        assert (solution.c < 0.51 * problem.bounds.below).all()
        assert (solution.c > -0.51 * problem.bounds.above).all()
    np.testing.assert_allclose(solution.f, f, atol=1e-12)
    intercept = choose_intercept(problem, solution.c, f)
    interval = intercept_interval(problem, solution.c, f)
    assert kkt_violation(problem, interval, intercept) <= 1e-8
    assert duality_gap(problem, solution.c, f, intercept) <= 1e-8
    if has_intercept:
        assert abs(solution.c.sum()) <= 1e-13


@pytest.mark.parametrize("solver", ["smo", "pcg"])
@pytest.mark.parametrize("loss", LOSSES)
def test_large_enough_for_blocks(solver, loss):
    """More samples than a block holds and than a polish takes."""
    case = make_case(5, 1500, C1=10.0, C2=10.0, loss=loss)
    primal, dual = objectives(case, solver)
    assert dual == pytest.approx(primal, rel=1e-7)


@pytest.mark.slow
@pytest.mark.timeout(3000)
@settings(max_examples=500)
@given(case=cases())
def test_objectives_equal_the_qp_solvers_many_times(case):
    assert_objectives_equal_the_qp_solvers(case)


@pytest.mark.slow
@pytest.mark.timeout(3000)
@settings(max_examples=500)
@given(case=cases(loss="squared_hinge"))
def test_squared_objectives_equal_the_qp_solvers_many_times(case):
    assert_objectives_equal_the_qp_solvers(case)
