"""Packed rows, single precision and parts in play, on problems that oracles can solve.

Limits are lowered so that problems of some dozens of samples are stored and solved like large ones.
Levels of instructions are chosen once a process: `make test-levels` runs this file with each.
"""

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC, SVR

from bandsvm import BandedSVC
from bandsvm._certificate import intercept_interval
from bandsvm._defaults import LOSSES
from bandsvm._kernels import KernelSettings, PackedRows, Samples
from bandsvm._kernels.packed import PartOfRows
from tests.helpers.optimality import dual_value, kkt_violation, primal_value
from tests.helpers.problems import dual_by_qp, make_case, primal_by_clarabel
from torture.lowered import lowered_limits

# How rows are stored at first, and how X is.
WAYS = {
    "whole": (nullcontext, np.asarray),
    "packed double": (lambda: lowered_limits("double"), np.asarray),
    "packed single": (lambda: lowered_limits("single"), np.asarray),
    "sparse packed double": (lambda: lowered_limits("double"), sp.csr_array),
    "sparse packed single": (lambda: lowered_limits("single"), sp.csr_array),
    "packed by rule": (lowered_limits, lambda X: X.astype(np.float32)),
}
SETTINGS = {"gamma": 2.0, "coef0": 1.0, "degree": 3}
# Digits that QP solvers are good for.
RELATIVE = 1e-7


@st.composite
def problems(draw, loss):
    """Draw a problem for a kernel that the compiled engine knows, and the parameters of a fit."""
    C1 = 10.0 ** draw(st.floats(-3, 3))
    band = {
        "C1": C1,
        "C2": draw(st.sampled_from([0.0, 0.1 * C1, C1])),
        "rho2": 1.0 + draw(st.sampled_from([0.0, 0.01, 0.5, 5.0])),
    }
    case = make_case(
        draw(st.integers(0, 10**6)),
        draw(st.integers(4, 150)),
        kernel := draw(st.sampled_from(["linear", "rbf", "poly"])),
        duplicates=draw(st.booleans()),
        weights=draw(st.booleans()),
        has_intercept=(has_intercept := draw(st.booleans())),
        loss=loss,
        **band,
    )
    case = in_single(case, kernel)
    tol = draw(st.sampled_from([1e-3, 1e-6]))
    parameters = {"kernel": kernel, "fit_intercept": has_intercept, "loss": loss, "tol": tol}
    solver = draw(st.sampled_from(["smo", "smo", "pcg"]))
    return case, {**band, **parameters, **SETTINGS, "solver": solver, "n_jobs": 1}


def in_single(case, kernel):
    """Return a case with samples that single precision holds exactly."""
    X = case.X.astype(np.float32).astype(np.float64)
    samples = Samples(X)
    return replace(case, X=X, K=KernelSettings(kernel, 2.0, 1.0, 3).function()(samples, samples))


def assert_optimal(way, case, parameters):
    """A fit is as optimal as it says, and the optimum of the QP solvers lies within its gap."""
    context, store = WAYS[way]
    problem, signs = case.problem, np.where(case.problem.lo > 0, 1, -1)
    weights = np.maximum(problem.below, problem.above) / max(parameters["C1"], parameters["C2"])
    with context():
        model = BandedSVC(**parameters).fit(store(case.X), signs, weights)
    c = signs * (model.alpha_ - model.theta_)
    f = case.K @ c
    intercept = float(model.intercept_[0])
    interval = intercept_interval(problem, c, f)
    assert kkt_violation(problem, interval, intercept) <= 1.001 * parameters["tol"]
    primal, dual = primal_value(problem, c, f, intercept), dual_value(problem, c, f)
    scale = RELATIVE * primal
    certificate = model.certificate_
    # The certificate rests on the solver's decision values, whose errors it reports.
    room = (
        2 * certificate.gradient_drift * (problem.below + problem.above + np.abs(c)).sum() + scale
    )
    assert certificate.is_optimal
    assert certificate.primal == pytest.approx(primal, abs=room)
    assert certificate.gap == pytest.approx(primal - dual, abs=room)
    if (oracle := dual_by_qp(case, "piqp")) is not None:
        imbalance = abs(oracle[1].sum()) * 20 * max(1.0, problem.hi.max())
        assert oracle[0] <= primal + scale + (imbalance if problem.has_intercept else 0.0)
    if (oracle_primal := primal_by_clarabel(case)) is not None:
        assert oracle_primal >= dual - scale


def check_many(way, loss, n_examples):
    """Check some random problems."""

    @settings(max_examples=n_examples)
    @given(drawn=problems(loss))
    def check(drawn):
        assert_optimal(way, *drawn)

    check()


@pytest.mark.heavy
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("way", WAYS)
def test_fits_are_as_optimal_as_they_say(way, loss):
    check_many(way, loss, 15)


@pytest.mark.slow
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("way", WAYS)
def test_fits_are_as_optimal_as_they_say_many_times(way, loss):
    check_many(way, loss, 100)


@pytest.mark.parametrize(
    ("seed", "n_samples", "C2", "rho2", "tol"),
    [
        (349176, 130, 0.0, 1.01, 1e-3),
        (484141, 94, 100.0, 1.01, 1e-6),
        (922658, 123, 0.0, 1.01, 1e-3),
    ],
)
def test_steps_on_blocks_that_hardly_lead_on(seed, n_samples, C2, rho2, tol):
    """Blocks of some variables of an ill-conditioned problem need thousands of steps."""
    band = {"C1": 1000.0, "C2": C2, "rho2": rho2}
    case = make_case(
        seed,
        n_samples,
        "poly",
        duplicates=True,
        weights=False,
        has_intercept=True,
        loss="squared_hinge",
        **band,
    )
    parameters = {**band, **SETTINGS, "kernel": "poly", "loss": "squared_hinge", "tol": tol}
    assert_optimal("packed double", in_single(case, "poly"), parameters)


def noisy_classes(n_samples=200):
    """Return two overlapping classes, with samples that LIBSVM's float32 rows hold exactly."""
    rng = np.random.default_rng(0)
    X = np.round(8 * rng.normal(size=(n_samples, 3))) / 8
    return X, np.where(X[:, 0] + 0.7 * rng.normal(size=n_samples) > 0, 1, -1)


KERNELS = [
    {"kernel": "linear"},
    {"kernel": "rbf", "gamma": 0.7},
    {"kernel": "poly", "gamma": 0.5, "coef0": 1.0, "degree": 2},
]


def fitted(way, X, y, sample_weight=None, **parameters):
    """Return a model that was fitted in one of the ways."""
    context, store = WAYS[way]
    with context():
        return BandedSVC(**{"rho2": 1.5, "tol": 1e-6, **parameters}).fit(store(X), y, sample_weight)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["kernel"])
@pytest.mark.parametrize("way", WAYS)
def test_special_cases_are_svc_and_svr(way, kernel):
    X, y = noisy_classes()
    svc = SVC(tol=1e-8, **kernel).fit(X, y).decision_function(X)
    ours = fitted(way, X, y, C2=0, **kernel).decision_function(X)
    np.testing.assert_allclose(ours, svc, atol=2e-5 * np.abs(svc).max())
    svr = SVR(epsilon=0.25, tol=1e-8, **kernel).fit(X, 1.25 * y).predict(X)
    ours = fitted(way, X, y, **kernel).decision_function(X)
    np.testing.assert_allclose(ours, svr, atol=2e-5 * np.abs(svr).max())


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["kernel"])
@pytest.mark.parametrize("way", WAYS)
def test_weights_are_repeated_rows(way, kernel):
    X, y = noisy_classes(120)
    weights = np.arange(120) % 4
    weighted = fitted(way, X, y, weights, **kernel)
    repeated = fitted(way, np.repeat(X, weights, axis=0), np.repeat(y, weights), **kernel)
    values = repeated.decision_function(X)
    np.testing.assert_allclose(weighted.decision_function(X), values, atol=2e-5)
    assert weighted.certificate_.primal == pytest.approx(repeated.certificate_.primal, rel=1e-6)


def test_threads_do_not_change_a_bit():
    X, y = noisy_classes()
    for way in WAYS:
        one, two = (fitted(way, X, y, n_jobs=n) for n in (1, 2))
        np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)


@pytest.mark.parametrize("way", WAYS)
def test_large_ways_are_taken(way, monkeypatch):
    """Otherwise this file tests nothing."""
    stores, parts = [], []
    count = {PackedRows: stores, PartOfRows: parts}
    for kind, made in count.items():
        monkeypatch.setattr(kind, "__init__", counted(kind.__init__, made))
    X, y = noisy_classes()
    fitted(way, X, y, gamma=0.7)
    is_coarse = [rows.is_coarse for rows in stores]
    # Single precision suffices even for this tol: all decision values are recomputed.
    expected = {"whole": [], "double": [False], "single": [True]}
    assert is_coarse == expected.get(way.split()[-1], is_coarse)
    assert bool(parts) == bool(stores) == (way != "whole")


def counted(initialise, made):
    """Return an initialiser that also notes what it made."""

    def initialise_and_note(self, *arguments, **options):
        made.append(self)
        initialise(self, *arguments, **options)

    return initialise_and_note
