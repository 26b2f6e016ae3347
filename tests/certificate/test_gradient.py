"""Certificates look where rounding errors can be, and say what they leave open."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_classification

from bandsvm import BandedSVC
from bandsvm._certificate import (
    N_SPOT_CHECKS,
    CheckedGradient,
    certify,
    checked_gradient,
    choose_intercept,
    duality_gap,
    intercept_interval,
    measure,
)
from bandsvm._certificate.gradient import FEW_VALUES, MIN_FACTOR, _drawn_by
from bandsvm._defaults import LOSSES
from bandsvm._kernels import KernelSettings, PrecomputedRows, Samples
from bandsvm._kernels import exact as exact_module
from bandsvm._kernels.distances import Rbf
from bandsvm._kernels.exact import exact_products
from bandsvm._kernels.packed import PackedRows
from bandsvm._problem import Solution, Start
from bandsvm._problem.band_problem import BandProblem, band_problem
from bandsvm._solvers import solve
from tests.helpers.optimality import dual_value, primal_value
from tests.helpers.problems import make_case

TOL = 1e-3
N = 3000


class KnownErrors(PrecomputedRows):
    """Rows with given estimates of rounding errors, which note what is recomputed."""

    def __init__(self, matrix, estimates, is_coarse=True):
        super().__init__(matrix)
        self._estimates, self._is_coarse = estimates, is_coarse
        self.recomputed = np.empty(0, dtype=int)

    @property
    def is_coarse(self):
        return self._is_coarse

    def rounding_errors(self, c, moved):
        return self._estimates

    def exact_product(self, targets, indices, values):
        self.recomputed = np.union1d(self.recomputed, targets)
        return super().exact_product(targets, indices, values)


@pytest.fixture(scope="module")
def solved():
    """An exact solution of a problem with more kernel values than are recomputed as a whole."""
    case = make_case(5, N, C1=2.0, C2=2.0)
    solution = case.solve(tol=1e-9)
    assert N * np.count_nonzero(solution.c) > FEW_VALUES
    return case, solution


def certificate_of(case, rows, solution):
    intercept = choose_intercept(case.problem, solution.c, solution.f)
    return certify(case.problem, rows, solution, intercept, TOL)


def free_variables(case, solution):
    c, problem = solution.c, case.problem
    return np.flatnonzero((c > 0) & (c < problem.below) | (c < 0) & (c > -problem.above))


@pytest.mark.heavy
def test_samples_at_risk_are_always_recomputed(solved):
    """Wherever they are, and however many the others."""
    case, solution = solved
    rng = np.random.default_rng(0)
    for _ in range(20):
        estimates = np.full(N, 1e-9)
        at_risk = rng.choice(free_variables(case, solution), 5, replace=False)
        estimates[at_risk] = 2 * TOL
        f = solution.f.copy()
        f[at_risk] += TOL
        rows = KnownErrors(case.K, estimates)
        certificate = certificate_of(case, rows, replace(solution, f=f))
        assert np.isin(at_risk, rows.recomputed).all()
        assert certificate.gradient_drift == pytest.approx(TOL)
        assert certificate.n_checked == len(rows.recomputed) < N // 10
        # Where their values are known, the solution is as optimal as it was.
        assert certificate.is_optimal


def test_errors_matter_where_margins_are_small(solved):
    """Samples far from any edge may be off by more than tol, and need not be recomputed."""
    case, solution = solved
    g = solution.f + choose_intercept(case.problem, solution.c, solution.f)
    distances = np.minimum(np.abs(g - case.problem.lo), np.abs(g - case.problem.hi))
    far = np.flatnonzero(distances > 0.2)
    assert len(far) > 500
    estimates = np.full(N, 1e-12)
    estimates[far] = 0.05
    rows = KnownErrors(case.K, estimates)
    certificate = certificate_of(case, rows, solution)
    assert certificate.is_optimal
    assert len(rows.recomputed) < 2 * N_SPOT_CHECKS
    # The same estimates next to an edge leave it open whether the solution is optimal.
    near = np.argsort(distances)[: N // 2]
    estimates[near] = 1.0
    certificate = certificate_of(case, KnownErrors(case.K, estimates), solution)
    assert not certificate.is_optimal
    assert certificate.uncertainty > TOL
    # Without a more precise way, all of them are recomputed.
    rows = KnownErrors(case.K, estimates, is_coarse=False)
    assert certificate_of(case, rows, solution).is_optimal
    assert len(rows.recomputed) >= len(near)


def test_errors_that_are_found_raise_the_bounds_of_others(solved):
    case, solution = solved
    estimates = np.full(N, 1e-6)
    exact = checked_gradient(case.problem, KnownErrors(case.K, estimates), solution, TOL)
    unchecked = exact.errors > 0.0
    np.testing.assert_allclose(exact.errors[unchecked], MIN_FACTOR * estimates[unchecked])
    f = solution.f + 3e-6 * np.where(np.arange(N) % 2, 1.0, -1.0)
    rough = checked_gradient(
        case.problem, KnownErrors(case.K, estimates), replace(solution, f=f), TOL
    )
    unchecked = rough.errors > 0.0
    np.testing.assert_allclose(rough.errors[unchecked], 24e-6, rtol=1e-6)  # 8 root mean squares
    assert rough.drift == pytest.approx(3e-6)
    np.testing.assert_allclose(rough.f[~unchecked], (case.K @ solution.c)[~unchecked], atol=1e-12)


@pytest.mark.parametrize("estimate", [np.inf, np.nan])
def test_estimates_that_are_no_numbers_mean_risk(solved, estimate):
    case, solution = solved
    estimates = np.full(N, 1e-9)
    at_risk = free_variables(case, solution)[:3]
    estimates[at_risk] = estimate
    rows = KnownErrors(case.K, estimates)
    certificate = certificate_of(case, rows, solution)
    assert np.isin(at_risk, rows.recomputed).all()
    assert certificate.is_optimal


def test_samples_are_drawn_by_their_weights(rng):
    weights = rng.random(500) ** 8
    counts = np.bincount(_drawn_by(weights, 200_000), minlength=500)
    np.testing.assert_allclose(counts / 200_000, weights / weights.sum(), atol=2e-3)
    assert len(_drawn_by(np.zeros(5), 3)) == 0


@pytest.mark.parametrize("period", range(2, 20))
def test_spot_checks_follow_no_pattern(period):
    """Samples come in order of class, patient or day: evenly spaced ones may all be alike."""
    n = 4000
    rows, c = PrecomputedRows(np.zeros((n, n))), np.ones(n)
    problem = band_problem(np.where(np.arange(n) % 2, 1.0, -1.0), 1.0, 1.5, 2.0, 2.0)
    for offset in range(period):
        f = (np.arange(n) % period != offset) * 1.0
        checked = checked_gradient(problem, rows, Solution(c, f, None, 0, 0, 0, 0.0), TOL)
        assert checked.drift == 1.0
        assert checked.n_checked < n


numbers = st.floats(-3.0, 3.0)


@given(
    st.integers(0, 10**6),
    st.sampled_from(LOSSES),
    st.booleans(),
    numbers,
    st.sampled_from([1, 40]),
    st.sampled_from([0.0, 0.0, 1.5, -20.0]),
)
def test_compiled_measures_equal_the_formulas(
    seed, loss, has_intercept, intercept, n_samples, total
):
    rng = np.random.default_rng(seed)
    lo = rng.normal(size=n_samples)
    costs = rng.choice([0.0, 0.5, 2.0, np.inf], size=(2, n_samples), p=[0.2, 0.4, 0.3, 0.1])
    if loss == "squared_hinge":
        costs = np.minimum(costs, 5.0)
    if loss == "squared_hinge" or not has_intercept:
        total = 0.0
    width = rng.choice([0.0, 1.0], size=n_samples)
    problem = BandProblem(lo, lo + width, *costs, has_intercept, loss, total=total)
    most, least = np.minimum(costs, 3.0)
    c = np.where(rng.random(n_samples) < 0.3, 0.0, rng.uniform(-least, most))
    at_bound = rng.random(n_samples) < 0.3
    c = np.where(at_bound, np.where(rng.random(n_samples) < 0.5, most, -least), c)
    f = rng.normal(size=n_samples)
    found = measure(problem, c, CheckedGradient(f, None, 0.0, 0), intercept)
    scale = max(1.0, abs(found.primal))
    assert found.primal == pytest.approx(primal_value(problem, c, f, intercept), abs=1e-12 * scale)
    assert found.dual == pytest.approx(dual_value(problem, c, f), abs=1e-12 * scale)
    assert found.gap == pytest.approx(duality_gap(problem, c, f, intercept), abs=1e-11 * scale)
    assert (found.lower, -found.minus_upper) == intercept_interval(problem, c, f)
    assert found.excess == pytest.approx(c.sum() - total, abs=1e-12)
    assert found.total_size == pytest.approx(np.abs(c).sum())
    assert found.outside >= 0.0
    # With errors, nothing becomes better.
    errors = rng.random(n_samples)
    worse = measure(problem, c, CheckedGradient(f, errors, 0.0, 0), intercept)
    assert worse.gap >= found.gap
    assert worse.primal >= found.primal
    assert worse.lower_with_errors >= found.lower
    assert worse.worst_violation(has_intercept) >= found.worst_violation(has_intercept)


def test_values_that_are_not_finite_are_not_optimal():
    case = make_case(3, 50)
    solution = case.solve(tol=1e-9)
    for wrong in (np.nan, np.inf, -np.inf):
        f = solution.f.copy()
        f[7] = wrong
        measured = measure(case.problem, solution.c, CheckedGradient(f, None, 0.0, 0), 0.0)
        assert not np.isfinite(measured.gap)


# Rounding errors of kernels, and of what is made of them


def spread_out(rng, n_samples, n_features=2):
    """Return samples of which most are zero and some, at large gamma, far from the origin."""
    X = rng.normal(size=(n_samples, n_features)) * (rng.random((n_samples, n_features)) < 0.1)
    return X, np.where(X.sum(axis=1) + 0.01 * rng.normal(size=n_samples) > 0, 1.0, -1.0)


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("gamma", [0.1, 1e4, 1e10])
def test_samples_have_the_kernel_value_1_with_themselves(storage, dtype, gamma, rng):
    X = rng.normal(size=(1200, 3)) * (rng.random((1200, 3)) < 0.6)
    rows = PackedRows(Rbf(gamma), storage(X), None, 2, dtype)
    everything = np.arange(1200)
    assert (np.diagonal(rows.block(everything)) == 1.0).all()
    some = rng.choice(1200, 40, replace=False)
    exact = rows.exact_product(some, some, np.eye(40))
    assert (np.diagonal(exact) == 1.0).all()
    # A row that is added to the gradient, and one that is added for some samples only.
    for part in (rows, rows.part(everything)):
        for i in some[:5]:
            f = part.product(np.array([i]), np.ones(1))
            assert abs(f[i] - 1.0) <= 8 * np.finfo(dtype).eps
    for name in ("laplacian", "chi2", "rbf"):
        values = KernelSettings(name, gamma, 0.0, 3).function()(
            *[Samples(storage(np.abs(X[:50])))] * 2
        )
        np.testing.assert_allclose(np.diagonal(values), 1.0, rtol=1e-9)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "sigmoid", "laplacian", "chi2", "linear"])
@pytest.mark.parametrize("left", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("right", [np.asarray, sp.csr_array])
def test_exact_products_take_all_storages(kernel, left, right, rng):
    A, B = (np.abs(rng.normal(size=(n, 6))) * (rng.random((n, 6)) < 0.5) for n in (70, 40))
    function, coefficients = (
        KernelSettings(kernel, 0.3, 0.5, 3).function(),
        rng.normal(size=(25, 2)),
    )
    targets, terms = rng.permutation(70)[:30], rng.permutation(40)[:25]
    expected = function(Samples(A), Samples(B))[np.ix_(targets, terms)] @ coefficients
    for types in ((np.float64, np.float64), (np.float32, np.float64), (np.float64, np.float32)):
        samples = [
            Samples(store(X.astype(t)))
            for store, X, t in zip((left, right), (A, B), types, strict=True)
        ]
        found = exact_products(function, samples[0], targets, samples[1], terms, coefficients, 2)
        np.testing.assert_allclose(found, expected, atol=1e-12 if types[0] is types[1] else 1e-4)
    vector = exact_products(
        function, Samples(left(A)), targets, Samples(right(B)), terms, coefficients[:, 0]
    )
    np.testing.assert_allclose(vector, expected[:, 0], atol=1e-12)
    nothing = exact_products(function, Samples(A), targets, Samples(B), terms[:0], coefficients[:0])
    assert (nothing == np.zeros((30, 2))).all()


@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian", "chi2"])
@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_dense_samples_of_many_zeros_are_taken_as_sparse_ones(kernel, shift, monkeypatch, rng):
    A, B = (shift + rng.random((n, 40)) * (rng.random((n, 40)) < 0.1) for n in (70, 50))
    function, coefficients = (
        KernelSettings(kernel, 0.3, 0.5, 3).function(),
        rng.normal(size=(50, 2)),
    )
    arguments = function, Samples(A), np.arange(70)[::-1], Samples(B), np.arange(50), coefficients
    dense = exact_products(*arguments)
    converted, as_csr = [], exact_module._as_csr
    monkeypatch.setattr(exact_module, "MIN_WORK_TO_CONVERT", 0)
    monkeypatch.setattr(exact_module, "_as_csr", lambda A: converted.append(A) or as_csr(A))
    np.testing.assert_allclose(exact_products(*arguments), dense, rtol=1e-12)
    assert len(converted) == (2 if shift == 0.0 else 0)


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_fits_and_predictions_far_from_the_origin(storage, rng):
    """Distances are rounding errors times gamma, unless differences are squared."""
    X, y = spread_out(rng, 1100)
    samples = storage(X)
    model = BandedSVC(C2=0.0, gamma=1e10, tol=1e-6).fit(samples, y)
    assert model.certify(samples, y).is_optimal
    kernel = KernelSettings("rbf", 1e10, 0.0, 3).function()
    everything = np.arange(1100)
    exact = exact_products(
        kernel,
        Samples(X),
        everything,
        Samples(X[model.support_]),
        np.arange(len(model.support_)),
        model.dual_coef_.T,
    )
    values = model.decision_function(samples)
    np.testing.assert_allclose(values, exact[:, 0] + model.intercept_, atol=1e-9)


def test_gradients_are_fresh_after_coefficients_shrank():
    """Rounding errors of large coefficients must not stay behind."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    X[0] *= 1e5
    rows = KernelSettings("poly", 1.0, 1.0, 2).rows(X)
    signs = np.where(np.arange(60) % 2, 1.0, -1.0)
    problem = band_problem(signs, 1.0, 1.5, 1e-4, 1e-4)
    start = problem.feasible(np.where(np.arange(60) < 2, signs * 1e-4, 0.0))
    for solver in ("smo", "pcg", "reference"):
        solution = solve(
            problem, rows, solver=solver, start=Start(start), polished=False, max_iter=100
        )
        everything = np.arange(60)
        exact = rows.exact_product(everything, everything, solution.c)
        assert np.abs(solution.f - exact).max() <= 1e-3
        assert solution.moved <= 11 * np.linalg.norm(rows.sizes() * solution.c)


@pytest.mark.heavy
def test_the_gap_includes_what_rounding_leaves_open():
    """Large kernel values: the certificate of a fit and that of `certify` agree."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(100, 5)) + 10.0
        y = X[:, 0] + 0.5 * rng.normal(size=100) > 10.0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = BandedSVC(C1=100.0, kernel="poly", gamma=1.0, tol=1e-6).fit(X, y)
        again = model.certify(X, y)
        assert model.certificate_.gap == pytest.approx(again.gap, rel=0.3)
        assert model.certificate_.is_optimal == again.is_optimal


@pytest.mark.parametrize("n_samples", [60, 1300])
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_kernel_values_beyond_single_precision(n_samples, multi_class, rng):
    """Of float32 samples: what can be fitted can be predicted."""
    X = (rng.normal(size=(n_samples, 3)) * 1e7).astype(np.float32)
    y = rng.integers(0, 3, size=n_samples)
    model = BandedSVC(
        C1=1e-90, C2=1e-90, kernel="poly", degree=6, gamma=1.0, multi_class=multi_class
    ).fit(X, y)
    values = model.decision_function(X)
    assert np.isfinite(values).all()
    exact = model.decision_function(X.astype(np.float64))
    np.testing.assert_allclose(values, exact, atol=1e-3)


def test_decision_values_of_a_kernel_matrix_that_overflow_are_refused(rng):
    X = rng.normal(size=(30, 1))
    model = BandedSVC(kernel="precomputed").fit(X @ X.T, X[:, 0] > 0)
    with pytest.raises(ValueError, match="not finite for these kernel values; divide"):
        model.predict(1e308 * np.sign(model.dual_coef_))


CERTIFIED_WRONGLY = (2030884, 1020719, 30080255, 30091827)
WARNED_OF_IN_NUMPYS_WORDS = (31230485, 2062422, 2080141, 2081164, 2011727)


@pytest.mark.parametrize("number", CERTIFIED_WRONGLY + WARNED_OF_IN_NUMPYS_WORDS)
def test_problems_that_torture_found(number):
    from torture.problems import case

    _, fault = case(number)
    assert fault == ""


def test_large_fits_are_certified_at_more_samples_than_are_drawn():
    X, y = make_classification(4000, 10, flip_y=0.1, random_state=0)
    model = BandedSVC(C1=10.0, C2=10.0, rho2=1.5).fit(X.astype(np.float32), y)
    certificate = model.certificate_
    assert N_SPOT_CHECKS // 2 < certificate.n_checked < 4000
    full = model.certify(X.astype(np.float32), y)
    assert full.is_optimal
    assert full.kkt_violation <= certificate.kkt_violation + certificate.uncertainty + 1e-9
    assert full.gap <= 1.2 * certificate.gap
