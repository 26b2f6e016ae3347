"""Certificates of small problems, which compiled functions make many at a time."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import make_classification

from bandsvm import BandedSVC, _core
from bandsvm._certificate import certify
from bandsvm._certificate.gradient import FEW_VALUES, N_SPOT_CHECKS
from bandsvm._certificate.small import certify_small
from bandsvm._fitting import small_problems
from bandsvm._fitting.fitted import coefficients_of, training_set
from bandsvm._kernels import KernelSettings, Samples
from bandsvm._kernels.small import small_kernel
from bandsvm._problem import Solution, Status
from tests.helpers.small_problems import drawn

CONSTANT = pytest.mark.filterwarnings("ignore:.*found no rule:UserWarning")


@CONSTANT
@pytest.mark.parametrize("seed", range(100, 110))
def test_certificates_are_those_of_the_general_way(seed):
    parameters, X, y, weights = drawn(seed)
    model = BandedSVC(**parameters).fit(X, y, weights)
    expected = model.certify(X, y, weights)
    found = model.certificate_
    for one, other in zip(found.parts or [found], expected.parts or [expected], strict=True):
        assert one.primal == pytest.approx(other.primal, rel=1e-9, abs=1e-9)
        assert one.gap == pytest.approx(other.gap, abs=1e-9 * max(1.0, abs(one.primal)))
        assert one.intercept_interval == pytest.approx(other.intercept_interval, abs=1e-9)
        assert one.decision_range == pytest.approx(other.decision_range, abs=1e-9)
        assert one.n_checked == other.n_checked


def test_a_spoiled_solution_is_not_certified(monkeypatch):
    """The certificate does not take the solver's word: coefficients are moved behind its back."""
    X, y = make_classification(80, random_state=0)
    original = small_problems.solve_small

    def spoiled(*arguments):
        solutions = original(*arguments)
        free = np.flatnonzero(solutions.c > 0.0)[0]
        solutions.c[free] *= 0.5
        return solutions

    monkeypatch.setattr(small_problems, "solve_small", spoiled)
    results = []
    original_results = small_problems.SmallResults

    def noted(*arguments):
        results.append(original_results(*arguments))
        return results[-1]

    monkeypatch.setattr(small_problems, "SmallResults", noted)
    model = BandedSVC().fit(X, y)
    assert not results[0].is_complete
    assert model.certificate_.is_optimal  # the general way has taken over


def test_certificates_of_kernels_by_definition(rng):
    """Decision values that a solver got wrong show up as drift."""
    X, y = rng.normal(size=(50, 3)), np.arange(50) % 2
    model = BandedSVC().fit(X, y)
    found = training_set(model, X, y, None, "the test")
    kernel = KernelSettings.of(model, model.gamma_)
    rows, c = kernel.rows(X), coefficients_of(model)[0]
    right = Solution(c, rows.product(np.arange(50), c), Status.CONVERGED, 1, 1, 1, 0.0)
    wrong = replace(right, f=right.f + 0.1)
    for solution, drift in ((right, 0.0), (wrong, 0.1)):
        certificate = certify(
            found.training.problems[0], rows, solution, float(model.intercept_[0]), 1e-3
        )
        assert certificate.gradient_drift == pytest.approx(drift, abs=1e-9)
        assert certificate.primal == pytest.approx(model.certificate_.primal, rel=1e-9)


@pytest.fixture(scope="module")
def spot_checked():
    """A fit of which not all decision values are recomputed, and its training set."""
    X, y = make_classification(900, 12, n_informative=6, flip_y=0.2, random_state=0)
    model = BandedSVC(C1=10.0, C2=1.0, gamma=0.1).fit(X, y)
    assert len(model.support_) * len(X) > FEW_VALUES
    return model, training_set(model, X, y, None, "the test")


def recertified(model, found, f, tol=1e-3):
    """Return the certificate's measures of other decision values, and those values afterwards."""
    kernel = small_kernel(found.settings.kernel, found.X)
    c, f = coefficients_of(model)[0], f.copy()
    problems = found.training.problems
    return certify_small(problems, kernel, c, f, np.ones(1, dtype=bool), tol, 1), f


def training_f(model, found):
    """Return f = K c in double precision."""
    kernel, samples = found.settings.kernel.function(), Samples(found.X)
    return np.asarray(kernel(samples, samples)) @ coefficients_of(model)[0]


def test_spot_checks_find_what_a_full_certificate_finds(spot_checked):
    model, found = spot_checked
    certificate, full = model.certificate_, model.certify(found.X, found.y)
    assert certificate.is_optimal
    assert N_SPOT_CHECKS // 2 < certificate.n_checked < 3 * N_SPOT_CHECKS
    assert certificate.primal == pytest.approx(full.primal, rel=1e-9)
    assert certificate.dual == pytest.approx(full.dual, rel=1e-9)
    assert certificate.intercept_interval == pytest.approx(full.intercept_interval, abs=1e-9)
    assert certificate.gradient_drift <= 1e-9
    assert full.gap <= certificate.gap + 1e-9 * full.primal


def open_interval(certificates):
    """Return by how much limits of the intercept may miss each other, errors included."""
    lower, upper = certificates.measures[0, 10:12]
    return lower - upper


@pytest.mark.parametrize("error", [1e-2, 1.0, np.nan, np.inf])
def test_wrong_decision_values_where_it_matters_are_found(spot_checked, error):
    """The solver's values are wrong at half of the support vectors that decide on the intercept."""
    model, found = spot_checked
    exact = training_f(model, found)
    c, problem = coefficients_of(model)[0], found.training.problems[0]
    is_wrong = (c != 0.0) & (c < problem.below) & (c > -problem.above) & (np.arange(len(c)) % 2 > 0)
    certificates, left = recertified(model, found, np.where(is_wrong, exact + error, exact))
    assert certificates.drifts[0] >= (0.99 * error if np.isfinite(error) else np.inf)
    assert not open_interval(certificates) <= 1e-3
    is_recomputed = is_wrong & (np.abs(left - exact) < 1e-9)
    assert is_recomputed.sum() > 10


def test_errors_everywhere_are_not_certified(spot_checked, rng):
    """Where few samples show errors far above the estimates, none of the others is trusted."""
    model, found = spot_checked
    f = training_f(model, found) + rng.normal(scale=0.05, size=len(found.X))
    certificates, _ = recertified(model, found, f)
    assert certificates.drifts[0] > 0.05
    assert not open_interval(certificates) <= 1e-3


def test_rules_of_spot_checks_are_checked():
    rules = {
        **{"tol": 1e-3, "samples_per_check": 1000, "times_mean": 8.0, "times_largest": 2.0},
        **{"min_factor": 0.5, "far_from_tol": 2.0, "max_rounds": 4},
    }
    for wrong, message in (
        ({"n_checks": 7, "draws": np.zeros(1)}, "n_checks must be at least 8"),
        ({"n_checks": 8, "draws": np.zeros(0)}, "draws must not be empty"),
        ({"n_checks": 8, "draws": np.array([0.5, 2.0])}, "draws must lie between 0 and 1"),
        ({"n_checks": 8, "draws": np.array([np.nan])}, "draws must lie between 0 and 1"),
    ):
        with pytest.raises(ValueError, match=message):
            _core.SpotCheckRules(**{**rules, **wrong})
