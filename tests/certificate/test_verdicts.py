"""The certificate tells right from wrong."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from bandsvm import BandedSVC
from bandsvm._certificate import certify, choose_intercept, combine, duality_gap, intercept_interval
from bandsvm._certificate.not_optimal import why_not_optimal
from bandsvm._defaults import LOSSES
from bandsvm._kernels import PrecomputedRows
from bandsvm._problem import Status
from bandsvm._problem.band_problem import BandProblem
from tests.helpers.optimality import dual_value, kkt_violation, primal_value
from tests.helpers.problems import make_case, primal_by_clarabel

TOL = 1e-6


@pytest.fixture(params=itertools.product(LOSSES, [True, False]), ids=str)
def solved(request):
    """An optimal solution of a problem with free, bounded and unused variables."""
    loss, has_intercept = request.param
    # Squares pull fewer samples above the band.
    upper = {"C2": 2.0} if loss == "hinge" else {"C2": 5.0, "rho2": 1.2}
    case = make_case(2, 80, C1=3.0, **upper, has_intercept=has_intercept, loss=loss)
    solution = case.solve(tol=TOL)
    intercept = choose_intercept(case.problem, solution.c, solution.f)
    free = (solution.c > 0) & (solution.c < case.problem.bounds.below)
    assert free.any()
    assert (solution.c == case.problem.bounds.below).any() == (loss == "hinge")
    assert len(set(np.sign(solution.c * case.problem.lo))) == 3
    return case, solution, intercept


def certificate_of(case, solution, intercept, **options):
    return certify(case.problem, PrecomputedRows(case.K), solution, intercept, TOL, **options)


def test_optimal_solution_is_certified(solved):
    case, solution, intercept = solved
    certificate = certificate_of(case, solution, intercept)
    assert certificate.is_optimal
    assert certificate.status is Status.CONVERGED
    assert certificate.gap <= 1e-10 * certificate.primal
    assert certificate.primal == pytest.approx(certificate.dual, rel=1e-10)
    assert certificate.primal == pytest.approx(primal_by_clarabel(case), rel=1e-8)
    assert certificate.infeasibility <= 1e-12
    assert certificate.gradient_drift <= 1e-12
    assert certificate.n_checked == 80


def test_changed_coefficient_is_seen(solved):
    case, solution, intercept = solved
    for index in (np.argmax(solution.c), np.argmin(solution.c), int(np.argmin(np.abs(solution.c)))):
        c = solution.c.copy()
        c[index] += 0.01
        mutated = replace(solution, c=c, f=case.K @ c)
        certificate = certificate_of(case, mutated, intercept)
        assert not certificate.is_optimal
        assert certificate.gap > 1e-6
        # The same change without a new gradient: the recomputed one gives it away.
        stale = certificate_of(case, replace(solution, c=c), intercept)
        assert stale.gradient_drift > 1e-3
        assert stale.gap == certificate.gap
        assert not stale.is_optimal


@pytest.mark.parametrize("has_intercept", [True, False])
def test_coefficient_outside_the_box_is_infeasible(has_intercept):
    case = make_case(2, 80, C1=3.0, C2=2.0, has_intercept=has_intercept)
    solution = case.solve(tol=TOL)
    intercept = choose_intercept(case.problem, solution.c, solution.f)
    c = solution.c.copy()
    c[0] = case.problem.below[0] + 0.25
    c[1] -= c.sum() if case.problem.has_intercept else 0.0
    mutated = replace(solution, c=c, f=case.K @ c)
    certificate = certificate_of(case, mutated, intercept)
    # Sums in another order differ by rounding errors, which depend on the machine.
    assert certificate.infeasibility >= 0.25 / np.abs(c).sum() * (1.0 - 1e-12)
    assert not certificate.is_optimal


def test_unbalanced_coefficients_are_infeasible():
    case = make_case(2, 80)
    solution = case.solve(tol=TOL)
    c = solution.c * np.where(solution.c > 0, 0.9, 1.0)
    mutated = replace(solution, c=c, f=case.K @ c)
    certificate = certificate_of(case, mutated, 0.0)
    assert certificate.infeasibility == pytest.approx(abs(c.sum()) / np.abs(c).sum())
    assert not certificate.is_optimal


def test_changed_intercept_opens_a_gap(solved):
    case, solution, intercept = solved
    for change in (-0.1, 0.1):
        certificate = certificate_of(case, solution, intercept + change)
        assert certificate.gap > 1e-3
        assert certificate.primal > certificate.dual + 1e-3
        assert not certificate.is_optimal


def test_wrong_gradient_is_seen_and_replaced(solved):
    case, solution, intercept = solved
    f = solution.f.copy()
    f[np.flatnonzero(solution.c)[0]] += 0.05
    certificate = certificate_of(case, replace(solution, f=f), intercept)
    assert certificate.gradient_drift == pytest.approx(0.05)
    # The coefficients are optimal, whatever the solver thought of them.
    assert certificate.is_optimal
    assert certificate.gap <= 1e-10 * certificate.primal


def test_full_check_rests_on_the_recomputed_gradient(solved):
    case, solution, intercept = solved
    corrupted = replace(solution, f=solution.f + 0.3 * np.sin(np.arange(80)))
    certificate = certificate_of(case, corrupted, intercept, n_checks=None)
    assert certificate.gap <= 1e-10 * certificate.primal
    assert certificate.gradient_drift > 0.1


def test_gap_is_primal_minus_dual_and_its_terms_are_not_negative(solved, rng):
    case, _, _ = solved
    problem = case.problem
    for _ in range(20):
        c = problem.feasible(rng.uniform(-problem.above, problem.below))
        f, intercept = case.K @ c, rng.normal() if problem.has_intercept else 0.0
        gap = duality_gap(problem, c, f, intercept)
        difference = primal_value(problem, c, f, intercept) - dual_value(problem, c, f)
        assert gap == pytest.approx(difference, rel=1e-9)
        for i in range(0, 80, 7):
            sides = (getattr(problem, name)[[i]] for name in ("lo", "hi", "below", "above"))
            one = BandProblem(*sides, loss=problem.loss)
            assert duality_gap(one, c[[i]], f[[i]], intercept) >= 0.0


def test_violation_is_the_emptiness_of_the_intercept_interval(solved):
    case, solution, _ = solved
    lower, upper = intercept_interval(case.problem, solution.c, solution.f)
    assert lower <= upper + TOL
    zero = np.zeros(80)
    interval = intercept_interval(case.problem, zero, zero)
    expected = 2.0 if case.problem.has_intercept else 1.0
    assert kkt_violation(case.problem, interval, 0.0) == pytest.approx(expected)


def test_intercept_without_free_variables_is_the_middle_of_its_interval():
    # Two samples at their bounds: g may be anything between the two.
    problem = BandProblem(
        *(np.array(v) for v in ([1.0, -1.5], [1.5, -1.0], [0.1, 0.1], [0.1, 0.1]))
    )
    c, K = np.array([0.1, -0.1]), np.eye(2)
    lower, upper = intercept_interval(problem, c, K @ c)
    assert lower < upper
    assert choose_intercept(problem, c, K @ c) == pytest.approx((lower + upper) / 2)


def test_intercept_with_one_open_end_takes_the_other():
    problem = BandProblem(*(np.array(v) for v in ([1.0], [1.5], [0.0], [1.0])))
    assert choose_intercept(problem, np.zeros(1), np.zeros(1)) == 1.5


def test_certify_of_the_estimator_sees_a_tampered_model(rng):
    X = rng.normal(size=(90, 2))
    y = (X[:, 0] + 0.3 * rng.normal(size=90) > 0).astype(int)
    model = BandedSVC().fit(X, y)
    honest = model.certify(X, y)
    assert honest.is_optimal
    assert honest.primal == pytest.approx(model.certificate_.primal, rel=1e-12)
    model.dual_coef_[0, 0] *= 1.5
    assert model.certify(X, y).gap > 1e-4
    model.dual_coef_[0, 0] /= 1.5
    model.intercept_ = model.intercept_ + 0.2
    tampered = model.certify(X, y)
    assert tampered.gap > 1e-3
    assert not tampered.is_optimal
    assert "NOT optimal" in str(tampered)


def test_certificate_of_other_costs_is_not_optimal(rng):
    X = rng.normal(size=(90, 2))
    y = (X[:, 0] + 0.3 * rng.normal(size=90) > 0).astype(int)
    model = BandedSVC(C1=2.0, C2=2.0).fit(X, y).set_params(C1=1.0)
    assert not model.certify(X, y).is_optimal


def test_certificate_reads_well(rng):
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 3
    model = BandedSVC().fit(X, y)
    text = str(model.certificate_)
    for word in ("converged", "duality gap", "KKT violation", "3 problems", "kernel rows"):
        assert word in text
    assert model.certificate_.gap == pytest.approx(sum(p.gap for p in model.certificate_.parts))


def test_classes_are_judged_one_by_one():
    """The violation of one class and the uncertainty of another do not add up."""
    case = make_case(2, 80)
    solution = case.solve(tol=TOL)
    intercept = choose_intercept(case.problem, solution.c, solution.f)
    good = certificate_of(case, solution, intercept)
    parts = [replace(good, kkt_violation=0.9 * TOL), replace(good, uncertainty=0.9 * TOL)]
    assert all(part.is_optimal for part in parts)
    assert combine(parts).is_optimal
    assert why_not_optimal(combine(parts)) is None
    bad = combine([good, replace(good, kkt_violation=2 * TOL)])
    assert not bad.is_optimal
    assert "2.0e-06 > tol" in why_not_optimal(bad).render()
