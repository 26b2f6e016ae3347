"""docs/theory.md, sections 4 and 5: optimality, the gap, drift, squared losses."""

import math

import numpy as np
import pytest

from bandsvm._certificate import (
    N_SPOT_CHECKS,
    CheckedGradient,
    checked_gradient,
    choose_intercept,
    duality_gap,
    intercept_interval,
    measure,
)
from bandsvm._certificate.certification import SHARE_IN_SUMS
from bandsvm._certificate.gradient import FEW_VALUES, SAMPLES_PER_CHECK
from bandsvm._kernels import PrecomputedRows
from bandsvm._problem import Solution, Status
from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.slopes import ascent_slopes, violation
from tests.helpers.optimality import dual_value, kkt_violation, primal_value
from tests.helpers.statements import (
    ANY,
    at_most,
    dual,
    equal,
    gap_terms,
    h,
    judged,
    losses_at,
    numbered,
    positive_part,
    primal,
    ridge_at,
    slopes,
    states,
)

HINGE, SQUARED = ("hinge",), ("squared_hinge",)
SMALL = 1e-6


@states("29", "30", "37", "53", kernels=ANY)
def test_slopes_and_violation(one, k):
    """Slopes are derivatives of the dual; certificate and solvers agree on them."""
    problem = one.problem
    for c in one.points():
        f = one.K @ c
        right, left = slopes(problem, c, f)
        for i in range(len(c)):
            unit = SMALL * np.eye(len(c))[i]
            if np.isfinite(right[i]):
                rate = (dual(one, c + unit) - dual(one, c)) / SMALL
                equal(rate, k("29") * (right[i] + f[i]) - f[i], 1e-4)
                equal(rate, right[i] + (k("53", 0.5) - 1) * ridge_at(problem, c)[i] * c[i], 1e-4)
            if np.isfinite(left[i]):
                rate = (dual(one, c) - dual(one, c - unit)) / SMALL
                equal(rate, left[i], 1e-4)
        m, M = k("30") * right.max(), left.min()
        equal(intercept_interval(problem, c, f), (m, M))
        v = k("37") * max(m - M, 0.0) if problem.has_intercept else max(m, -M, 0.0)
        b = choose_intercept(problem, c, f)
        equal(kkt_violation(problem, (m, M), b), v)
        in_box = (c < problem.bounds.below) & (c > -problem.bounds.above)
        if in_box.all() or not problem.is_squared:  # solvers stop at the box, the certificate not
            equal(max(violation(problem, *ascent_slopes(problem, c, f)), 0.0), v)


@states("31", "32", "33", "34", "35", "36")
def test_optimal_if_and_only_if(one, k):
    """Theorem 2: no feasible point is better if m <= M, and a pair leads up if m > M."""
    problem, best = one.problem, one.optimum
    f = one.K @ best
    m, M, b, v = judged(one, best)
    at_most(v, 1e-8)
    loosened = {name: 1.0 - k(name) for name in ("31", "33", "36")}
    if problem.has_intercept:
        at_most(m, M + loosened["31"], 1e-8)
    else:
        at_most(m, loosened["36"], 1e-8)
        at_most(0.0, M, 1e-8)
    right, left = slopes(problem, best, f)
    at_most(right, b + loosened["33"], 1e-8)
    at_most(b, left, 1e-8)
    # Within the face of the optimum the dual falls by its curvature and no more.
    free = np.flatnonzero((np.abs(best) > 1e-3) & (best < problem.below) & (best > -problem.above))
    nearby = [best.copy()]
    if len(free) > 1:
        nearby[0][free[:2]] += 1e-3 * np.array([1.0, -1.0])
    for other in [*one.points(), *nearby]:
        way = other - best
        at_most(h(problem, other), h(problem, best) + k("34", 0.9) * (f + b) * way, 1e-7)
        at_most(dual(one, other) - dual(one, best), -k("35", 1.1) * way @ one.K @ way / 2, 1e-9)
        c, f_c = other, one.K @ other
        right, left = slopes(problem, c, f_c)
        i, j = int(np.argmax(right)), int(np.argmin(left))
        if problem.has_intercept and right[i] > left[j] + 1e-6:
            step = SMALL * (np.eye(len(c))[i] - np.eye(len(c))[j])
            rate = (dual(one, c + step) - dual(one, c)) / SMALL
            equal(rate, k("32") * (right[i] - left[j]), 1e-4)
    k("32")


@states("38", kernels=ANY)
def test_intercept(one, k):
    """The mean over free variables, else the middle of [m, M], else its finite end."""
    problem = one.problem
    for c in one.points():
        f = one.K @ c
        bounded = np.inf if problem.is_squared else 1.0
        free = (c != 0) & (c < bounded * problem.below) & (c > -bounded * problem.above)
        m, M, b, _ = judged(one, c)
        if not problem.has_intercept:
            equal(b, 0.0)
        elif free.any():
            edge = np.where(c > 0, problem.lo, problem.hi)
            equal(b, k("38") * (edge - f - ridge_at(problem, c) * c)[free].mean())
            at_most(M, b)
            at_most(b, m)
    two = BandProblem(np.array([1.0, -3.0]), np.array([2.0, -1.5]), *np.ones((2, 2)))
    equal(choose_intercept(two, np.zeros(2), np.zeros(2)), k("38 middle") * (1.0 - 1.5) / 2)
    alone = BandProblem(np.ones(3), np.full(3, 2.0), np.ones(3), np.zeros(3))
    equal(choose_intercept(alone, np.zeros(3), np.zeros(3)), k("38 end") * 1.0)


@states("39", "41", "43", losses=HINGE, kernels=ANY)
def test_terms_of_the_gap(one, k):
    """Conjugates, and a sum without cancellation; no term is negative."""
    problem = one.problem
    tried = np.linspace(-1.0, 1.0, 401)[:, None]
    tried = np.where(tried > 0, tried * problem.below, tried * problem.above)
    for g in np.linspace(-3, 3, 13):
        values = np.where(tried >= 0, problem.lo, problem.hi) * tried - tried * g
        equal(losses_at(problem, np.full(len(one.y), g)), k("39") * values.max(axis=0), 1e-9)
    for c in one.points():
        for b in one.intercepts():
            g = one.K @ c + b
            terms = gap_terms(problem, c, g)
            at_most(0.0, terms)
            equal(duality_gap(problem, c, g - b, b), k("41") * terms.sum())
            low, high = problem.lo - g, g - problem.hi
            up = (problem.below - c) * positive_part(low) + c * positive_part(-low)
            up += problem.above * positive_part(high)
            down = (problem.above + c) * positive_part(high) - c * positive_part(-high)
            down += problem.below * positive_part(low)
            equal(terms, k("43") * np.where(c >= 0, up, down))


@states("40", "42", "44")
def test_primal_dual_and_what_lies_between(one, k):
    problem = one.problem
    best = dual(one, one.optimum)
    equal(best, primal(one, one.optimum, judged(one, one.optimum)[2]), 1e-7)
    for c in one.points():
        f = one.K @ c
        for b in one.intercepts():
            equal(primal_value(problem, c, f, b), k("40") * primal(one, c, b))
            equal(dual_value(problem, c, f), dual(one, c))
            gap = gap_terms(problem, c, f + b).sum()
            equal(primal(one, c, b) - dual(one, c), k("42") * gap)
            at_most(dual(one, c), k("44", 0.99) * best, 1e-9)
            at_most(k("44 primal", 1.01) * best, primal(one, c, b), 1e-9)


@states("45", "46", losses=HINGE, kernels=ANY)
def test_violation_bounds_the_gap(one, k):
    """In the box, whatever sums to zero; tight where all samples miss their band alike."""
    problem = one.problem
    below, above = problem.below, problem.above
    inside = [one.rng().uniform(-above, below) for _ in range(3)]  # of any sum
    for c in [*one.points(), *inside]:
        f = one.K @ c
        m, M = intercept_interval(problem, c, f)
        for b in filter(np.isfinite, [*one.intercepts(), m, M]):
            gap = gap_terms(problem, c, f + b).sum()
            up, down = positive_part(m - b), positive_part(b - M)
            at_most(gap, k("45", 0.9) * (up * (below - c).sum() + down * (above + c).sum()))
            if problem.has_intercept and abs(c.sum()) < 1e-12:
                at_most(gap, k("46", 0.9) * (up * below.sum() + down * above.sum()))
    c = np.zeros(3)
    alike = BandProblem(np.ones(3), np.full(3, 2.0), np.full(3, 0.7), np.full(3, 0.2))
    for b in (0.0, 3.0):
        gap = gap_terms(alike, c, c + b).sum()
        up, down = positive_part(1.0 - b), positive_part(b - 2.0)
        at_most(gap, k("45", 0.9) * (0.7 * 3 * up + 0.2 * 3 * down))
        at_most(gap, k("46", 0.9) * (0.7 * 3 * up + 0.2 * 3 * down))
    # Without intercept, half of the samples below and half above.
    split = BandProblem(np.array([1.0, -2.0]), np.array([2.0, -1.0]), *np.ones((2, 2)), False)
    equal(gap_terms(split, np.zeros(2), np.zeros(2)).sum(), 2.0)
    at_most(2.0, k("46 without", 0.4) * 1.0 * 4.0)


@pytest.mark.heavy
@states("47", "48", losses=HINGE, kernels=ANY)
def test_rounding_errors_move_violation_and_gap_by_no_more(one, k):
    problem, rng = one.problem, one.rng()
    for c in one.points():
        true = one.K @ c
        for _ in range(5):
            errors = rng.random(len(c))
            f = true + rng.uniform(-1.0, 1.0, len(c)) * errors
            solution = Solution(c, f, Status.CONVERGED, 0, 0, 0, 0.0)
            checked = checked_gradient(problem, PrecomputedRows(one.K), solution, np.inf, None)
            equal(checked.drift, k("47") * np.abs(f - true).max())
            b = choose_intercept(problem, c, f)
            m_true, M_true = intercept_interval(problem, c, true)
            right, left = slopes(problem, c, f)
            at_most(m_true, (right + k("48 m", 0.5) * errors).max())
            at_most((left - k("48 M", 0.5) * errors).min(), M_true)
            ends = [
                per_sample(problem, c, f + b + sign * k("48", 0.5) * errors) for sign in (1, -1)
            ]
            at_most(gap_terms(problem, c, true + b).sum(), np.maximum(*ends).sum())
            # The certificate says the same; in sums it counts a share of the errors.
            found = measure(problem, c, CheckedGradient(f, errors, 0.0, 0), b)
            shares = (sign * SHARE_IN_SUMS * errors for sign in (1, -1))
            ends = [per_sample(problem, c, f + b + share) for share in shares]
            in_product = np.linalg.norm(SHARE_IN_SUMS * errors * c)
            equal(found.gap, np.maximum(*ends).sum() + in_product)
            equal(found.lower_with_errors, (right + errors).max())
            equal(-found.minus_upper_with_errors, (left - errors).min())


def per_sample(problem, c, g):
    """Return the terms of the gap."""
    return np.array([gap_terms(problem.part([i]), c[[i]], g[[i]]).sum() for i in range(len(c))])


@states("49", losses=HINGE, kernels=("rbf",), seeds=1)
def test_share_of_errors_that_is_missed(one, k):
    """Drawn without replacement, samples miss a share less often than the page says."""
    n = 100_000
    n_uniform = N_SPOT_CHECKS // 4 + n // SAMPLES_PER_CHECK
    for share in (0.05, 0.1, 0.5):
        wrong = round(share * n)
        missed = math.comb(n - wrong, n_uniform) / math.comb(n, n_uniform)
        at_most(missed, k("49", 0.9) * (1 - share) ** n_uniform, 0.0)
    # What the page says.
    assert (N_SPOT_CHECKS, SAMPLES_PER_CHECK, FEW_VALUES) == (128, 1000, 65_536)
    assert 0.011 < 0.9**42 < 0.0125
    assert 0.5**42 < 1e-12


@states("50", "51", "52", "54", losses=SQUARED, kernels=ANY)
def test_squared_losses(one, k):
    """Loss, its conjugate, the dual and the terms of the gap."""
    problem = one.problem
    tried = np.linspace(-30.0, 30.0, 60_001)[:, None]
    for g in (-2.0, -0.5, 0.9, 2.5):
        everywhere = np.full(len(one.y), g)
        short, beyond = positive_part(problem.lo - g), positive_part(g - problem.hi)
        loss = problem.below * short**2 + k("50") * problem.above * beyond**2
        equal(loss, losses_at(problem, everywhere))
        ridges = 1 / (2 * np.where(tried > 0, problem.below, problem.above))
        values = np.where(tried >= 0, problem.lo, problem.hi) * tried - tried * g
        values = (values - 0.5 * k("51") * ridges * tried**2).max(axis=0)
        equal(losses_at(problem, everywhere), values, 1e-4)
    for c in one.points():
        f = one.K @ c
        edges = np.where(c >= 0, problem.lo, problem.hi) * c
        value = (edges - 0.5 * k("52") * ridge_at(problem, c) * c**2).sum() - 0.5 * c @ f
        equal(dual_value(problem, c, f), value)
        for b in one.intercepts():
            g = f + b
            terms = gap_terms(problem, c, g)
            at_most(0.0, terms)
            low, high = problem.lo - g, g - problem.hi
            up = problem.below * (positive_part(low) - c / (2 * problem.below)) ** 2
            up += c * positive_part(-low) + problem.above * positive_part(high) ** 2
            down = problem.above * (positive_part(high) + c / (2 * problem.above)) ** 2
            down += -c * positive_part(-high) + problem.below * positive_part(low) ** 2
            equal(terms, k("54") * np.where(c >= 0, up, down))
            equal(duality_gap(problem, c, f, b), terms.sum())


@states("55", "56", losses=SQUARED, kernels=ANY)
def test_squares_bound_the_gap_by_squares(one, k):
    problem, rng = one.problem, one.rng()
    total = (problem.below + problem.above).sum()
    for c in [*one.points(), rng.normal(size=len(one.y))]:
        f = one.K @ c
        m, M = intercept_interval(problem, c, f)
        for b in filter(np.isfinite, [*one.intercepts(), m, M]):
            miss = max(m - b, b - M, 0.0)
            at_most(gap_terms(problem, c, f + b).sum(), k("55", 0.9) * miss**2 * total)
            drift = rng.random()
            true = f + drift * np.sign(rng.normal(size=len(c)))
            gap = gap_terms(problem, c, true + b).sum()
            at_most(gap, k("56", 0.9) * (miss + drift) ** 2 * total)
    # Three samples that miss their band by 3: the gap is 27, and 9 would be the hinge's bound.
    alike = BandProblem(*np.full((2, 3), 3.0), np.ones(3), np.zeros(3), loss="squared_hinge")
    zero = np.zeros(3)
    equal(gap_terms(alike, zero, zero).sum(), 27.0)
    at_most(27.0, k("55", 0.9) * 3.0**2 * 3)
    at_most(gap_terms(alike, zero, zero - 0.5).sum(), k("56", 0.9) * (3.0 + 0.5) ** 2 * 3)


@pytest.mark.parametrize("kernel", ANY)
def test_bounds_of_the_hinge_are_false_of_squares(kernel):
    """Why section 5 has bounds of its own."""
    one = numbered(0, kernel, "squared_hinge", True)
    c = np.zeros(len(one.y))
    m, M = intercept_interval(one.problem, c, c)
    b = m - 3.0
    gap = gap_terms(one.problem, c, c + b).sum()
    bound = positive_part(m - b) * one.problem.below.sum()
    bound += positive_part(b - M) * one.problem.above.sum()
    assert gap > 1.2 * bound


@states("57", "58", losses=SQUARED)
def test_multipliers_and_box_of_squares(one, k):
    problem, c = one.problem, one.optimum
    g = one.K @ c + judged(one, c)[2]
    bought = 2 * (problem.below * positive_part(problem.lo - g))
    bought -= 2 * (problem.above * positive_part(g - problem.hi))
    equal(c, k("57") * bought, 1e-6)
    largest = (problem.below * positive_part(problem.lo) ** 2).sum()
    largest += (problem.above * positive_part(-problem.hi) ** 2).sum()
    at_most(c, k("58", 0.3) * 2 * np.sqrt(problem.below * largest))
    at_most(-c, k("58 lower", 0.3) * 2 * np.sqrt(problem.above * largest))
    equal(problem.bounds.below, 2 * k("58 twice") * 2 * np.sqrt(problem.below * largest))


def test_gap_and_violation_vanish_together():
    """Proposition 3, kernels that are not positive semidefinite included."""
    for kernel in ANY:
        for has_intercept in (True, False):
            one = numbered(1, kernel, "hinge", has_intercept)
            c = one.case.solve(tol=1e-10).c
            f = one.K @ c
            _, _, b, v = judged(one, c)
            assert v <= 1e-9
            assert duality_gap(one.problem, c, f, b) <= 1e-8
            for other in one.points()[:-1]:
                _, _, b, v = judged(one, other)
                gap = duality_gap(one.problem, other, one.K @ other, b)
                assert (v > 1e-8) == (gap > 1e-10)


def test_solutions_of_duplicates_differ_and_their_values_do_not():
    one = numbered(0, "twins", "hinge", True)
    c, moved = one.optimum, one.optimum.copy()
    pairs = [(i, i + 1) for i in range(0, 8, 2) if one.y[i] == one.y[i + 1]]
    i, j = next(pair for pair in pairs if c[pair[0]] * c[pair[1]] > 0 or c[list(pair)].any())
    bounds = one.problem.below if c[i] + c[j] > 0 else one.problem.above
    share = (c[i] + c[j]) * bounds[i] / (bounds[i] + bounds[j])
    moved[i], moved[j] = share * 0.5, c[i] + c[j] - share * 0.5
    if abs(moved[j]) > bounds[j]:
        moved[i], moved[j] = share, c[i] + c[j] - share
    assert np.abs(moved - c).max() > 1e-3
    equal(dual(one, moved), dual(one, c))
    equal(one.K @ moved, one.K @ c)
    assert judged(one, moved)[3] <= 1e-8
