"""docs/theory.md, section 6: what ``tol`` means."""

import re
from pathlib import Path

import numpy as np

from bandsvm import BandedSVC
from bandsvm._certificate import FEASIBLE, CheckedGradient, certificate_of, choose_intercept
from bandsvm._problem import Solution, Status
from bandsvm._problem.band_problem import BandProblem
from bandsvm.datasets import make_paper_clusters
from tests.helpers.statements import ANY, at_most, equal, gap_terms, judged, states

PAGE = Path(__file__).parents[2] / "docs" / "theory.md"
TOLERANCES = (1e-2, 3e-3, 1e-3)


@states("59", kernels=ANY)
def test_violation_bounds_the_gap_at_the_chosen_intercept(one, k):
    problem = one.problem
    below, above = problem.below.sum(), problem.above.sum()
    for c in one.points():
        _, _, b, v = judged(one, c)
        gap = gap_terms(problem, c, one.K @ c + b).sum()
        bound = v**2 * (below + above)
        if not problem.is_squared:
            bound = v * (max(below, above) if problem.has_intercept else below + above)
        at_most(gap, k("59", 0.2) * bound)
    # Two samples with edges on either side of the intercept: half of the bound, and an eighth.
    c = np.zeros(2)
    lo, hi = np.array([1.0, -1.0]), np.array([1.0, -1.0])
    for loss, share in (("hinge", 0.5), ("squared_hinge", 0.125)):
        two = BandProblem(lo, hi, *np.ones((2, 2)), loss=loss)
        v = 2.0  # m = 1, M = -1, b = 0
        gap = gap_terms(two, c, c).sum()
        bound = v * 2.0 if loss == "hinge" else v**2 * 4.0
        equal(gap, share * bound)
        at_most(gap, k(f"59 {loss}", 0.9 * share) * bound)


@states("60", "61", "62", "63")
def test_gap_bounds_how_far_the_model_is(one, k):
    """Proposition 5, at training samples and between them."""
    best = one.optimum
    f_best, b_best = one.K @ best, judged(one, best)[2]
    own = np.diag(one.K)
    apart = own[:, None] + own[None] - 2 * one.K
    for c in one.points():
        f = one.K @ c
        _, _, chosen, v = judged(one, c)
        for b in {chosen, *one.intercepts()}:
            gap = gap_terms(one.problem, c, f + b).sum() + 1e-12
            way = c - best
            at_most(way @ one.K @ way, k("60", 0.9) * gap, 1e-7)
            at_most(np.abs(f - f_best), k("61", 0.9) * np.sqrt(gap * own), 1e-6)
            change = (f - f_best)[:, None] - (f - f_best)[None]
            limit = np.sqrt(gap * np.maximum(apart, 0.0))
            at_most(np.abs(change), k("62", 0.9) * limit, 1e-6)
        gap = gap_terms(one.problem, c, f + chosen).sum()
        bounds = one.problem.below, one.problem.above
        free = [(p != 0) & (p < bounds[0]) & (p > -bounds[1]) & (p * best > 0) for p in (c, best)]
        if one.problem.has_intercept and not one.is_squared:
            for j in np.flatnonzero(free[0] & free[1]):
                reach = v + np.sqrt(max(gap, 0.0) * own[j])
                at_most(abs(chosen - b_best), k("63", 0.1) * reach, 1e-6)
    k("63", 0.1)
    # Tight: one sample whose cost is just what its edge takes; of two such, also the difference.
    c = np.array([0.5, -0.5])
    two = BandProblem(np.array([1.0, -1.0]), np.array([1.0, -1.0]), *np.ones((2, 2)), False)
    single = gap_terms(two.part(np.array([0])), c[:1], c[:1]).sum()
    at_most(0.5**2, k("60", 0.9) * single)
    at_most(0.5, k("61", 0.9) * np.sqrt(single))
    at_most(1.0, k("62", 0.9) * np.sqrt(2 * gap_terms(two, c, c).sum()))


@states("64", losses=("hinge",), kernels=("rbf",), seeds=1)
def test_verdict(one, k):
    """Violation and uncertainty against tol, constraints against their rounding."""
    problem, c = one.problem, one.optimum

    def certificate(c, error, tol):
        f = one.K @ c
        solution = Solution(c, f, Status.CONVERGED, 0, 0, 0, 0.0)
        checked = CheckedGradient(f, np.full(len(c), error), 0.0, 0)
        return certificate_of(problem, solution, checked, choose_intercept(problem, c, f), tol)

    # Where m and M meet, errors of two samples count; without intercept, that of one.
    tol, limit = 1e-3, 1 / 2 if problem.has_intercept else 1.0
    for share in (0.97, 1.03):
        found = certificate(c, k("64", 1.05) * share * limit * tol, tol)
        assert found.is_optimal is (share < 1)
        equal(found.kkt_violation + found.uncertainty, k("64", 1.05) * share * tol, 1e-5)
    outside = c.copy()
    outside[0] = problem.below[0] + 2 * FEASIBLE * np.abs(c).sum()
    assert not certificate(outside, 0.0, 1e9).is_optimal
    assert certificate(c, 0.0, 1e-6).is_optimal


def numbers_of_tol():
    """Return the table of section 6.3: a line for each tolerance."""
    X, y = make_paper_clusters(200, random_state=0)
    settings = {"C1": 10, "C2": 100, "rho1": 1.0, "rho2": 1.5, "gamma": 1.0}
    best = BandedSVC(**settings, tol=1e-10).fit(X, y)
    reference = best.decision_function(X)
    cost = 10.0 * np.array([(y > 0).sum(), (y < 0).sum()])
    upper = 100.0 * np.array([(y > 0).sum(), (y < 0).sum()])
    most = max(cost[0] + upper[1], cost[1] + upper[0])
    rows = []
    for tol in TOLERANCES:
        model = BandedSVC(**settings, tol=tol).fit(X, y)
        certificate = model.certify(X, y)
        off = np.abs(model.decision_function(X) - reference).max()
        rows.append(
            [
                tol,
                certificate.kkt_violation,
                tol * most,
                certificate.gap,
                certificate.relative_gap,
                np.sqrt(certificate.gap),
                off,
            ]
        )
    return rows


def written_numbers():
    """Return the numbers of the table as the page has them."""
    table = re.search(r"<!-- numbers of tol -->(.*?)<!--", PAGE.read_text(), re.DOTALL).group(1)
    lines = [line for line in table.splitlines() if re.match(r"\| \d", line)]
    return [[float(cell) for cell in line.strip("| ").split(" | ")] for line in lines]


def test_numbers_of_a_real_fit():
    """They depend on the order in which a machine adds, so that only their sizes are compared."""
    measured, written = numbers_of_tol(), written_numbers()
    assert [row[0] for row in written] == list(TOLERANCES)
    np.testing.assert_array_less(np.abs(np.log10(np.array(measured) / written)), 0.7)
    for row in written:
        tol, violation, bound, gap, _, root, off = row
        assert violation <= tol
        assert gap <= bound
        assert off <= 2 * root + tol
