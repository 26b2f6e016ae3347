"""LinearBandedSVC: the model of BandedSVC with a linear kernel, by solvers without a kernel."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_classification
from sklearn.svm import LinearSVC

from bandsvm._certificate import combine
from bandsvm._certificate.not_optimal import why_not_optimal
from bandsvm._defaults import LOSSES
from bandsvm._linear.executor import LocalExecutor
from bandsvm._linear.samples import LinearSamples
from bandsvm._linear.solving import LinearSolve
from bandsvm._problem import Status
from tests.helpers.problems import NarrowBandedSVC as BandedSVC
from tests.helpers.problems import NarrowLinearBandedSVC as LinearBandedSVC
from tests.helpers.problems import make_case, primal_by_clarabel, rare_kind


def exact(**parameters):
    """Return an estimator that goes to the end, with costs at which descent gets there."""
    return LinearBandedSVC(
        **{"C1": 0.02, "C2": 0.02, "tol": 1e-9, "max_iter": 20_000, **parameters}
    )


def fitted_to(case, solver):
    """Return the relative gap and the primal value of a random problem's solution."""
    executor = LocalExecutor(case.problem, LinearSamples(np.ascontiguousarray(case.X)))
    point = LinearSolve(executor, 1e-9, 20_000, lambda progress: None).solution(solver, None).point
    g = case.X @ point.w + point.intercept
    outside = np.concatenate([case.problem.lo - g, g - case.problem.hi])
    losses = np.maximum(outside, 0) ** (2 if case.problem.is_squared else 1)
    costs = np.concatenate([case.problem.below, case.problem.above])
    return point.relative_gap, 0.5 * float(point.w @ point.w) + float(costs @ losses)


def check_case(seed, solver):
    """Compare a random problem's solution with that of a QP solver."""
    rng = np.random.default_rng(seed)
    C1 = 10.0 ** rng.uniform(-3, 2 if solver == "newton" else 0)
    case = make_case(
        seed,
        int(rng.integers(2, 80)),
        "linear",
        C1=C1,
        C2=float(rng.choice([0.0, 0.1 * C1, C1])),
        rho2=1.0 + float(rng.choice([0.0, 0.5, 10.0])),
        duplicates=bool(rng.random() < 0.3),
        weights=bool(rng.random() < 0.3),
        has_intercept=bool(rng.random() < 0.7),
        loss=str(rng.choice(LOSSES)),
    )
    gap, primal = fitted_to(case, solver)
    expected = primal_by_clarabel(case)
    assert gap <= 1e-8, case
    assert expected is None or abs(primal - expected) <= 1e-8 * abs(expected) + 1e-12, case


@pytest.mark.parametrize("seed", range(30))
def test_random_problems_against_a_qp_solver(seed, solver):
    check_case(seed, solver)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1500))
def test_many_random_problems_against_a_qp_solver(seed, solver):
    check_case(seed, solver)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_model_is_that_of_the_linear_kernel(data, solver, loss, fit_intercept):
    X, y = data
    parameters = {"C1": 0.3, "C2": 0.5, "loss": loss, "fit_intercept": fit_intercept}
    ours = exact(solver=solver, store_multipliers=True, **parameters).fit(X, y)
    kernel = BandedSVC(kernel="linear", tol=1e-8, **parameters).fit(X, y)
    np.testing.assert_allclose(ours.coef_, kernel.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.decision_function(X), kernel.decision_function(X), atol=1e-4)
    assert ours.certificate_.primal == pytest.approx(kernel.certificate_.primal, rel=1e-8)
    assert ours.certificate_.is_optimal
    assert ours.certificate_.n_checked == len(X)
    signs = np.where(y == 1, 1.0, -1.0)
    np.testing.assert_allclose((signs * (ours.alpha_ - ours.theta_)) @ X, ours.coef_[0], atol=1e-9)


def test_without_a_band_the_model_is_that_of_liblinear(data, solver, loss):
    X, y = data
    ours = exact(C1=0.1, C2=0, fit_intercept=False, solver=solver, loss=loss).fit(X, y)
    theirs = LinearSVC(C=0.1, loss=loss, fit_intercept=False, tol=1e-9, max_iter=10**6).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)


def test_a_weight_is_a_number_of_copies(data, solver, loss, rng):
    X, y = data
    weights = rng.integers(0, 4, size=len(y))
    weighted = exact(solver=solver, loss=loss).fit(X, y, sample_weight=weights)
    copied = exact(solver=solver, loss=loss).fit(np.repeat(X, weights, 0), np.repeat(y, weights))
    assert weighted.certificate_.primal == pytest.approx(copied.certificate_.primal, rel=1e-8)
    np.testing.assert_allclose(weighted.coef_, copied.coef_, atol=1e-4)


def test_costs_and_bands_by_class(data, solver):
    X, y = data
    numbers = {"C1": {0: 1.0, 1: 0.8}, "rho1": {0: 1.0, 1: 0.7}, "rho2": {0: 1.2, 1: 2.0}}
    ours = exact(solver=solver, class_weight="balanced", **numbers).fit(X, y)
    parameters = {"C2": 0.02, "class_weight": "balanced", "tol": 1e-8}
    kernel = BandedSVC(kernel="linear", **parameters, **numbers).fit(X, y)
    assert ours.certificate_.primal == pytest.approx(kernel.certificate_.primal, rel=1e-8)
    positions = ours.band_position(X)
    assert set(positions) == {"below", "inside", "above"}


def test_classes_are_told_apart_one_vs_rest(solver):
    X, y = load_iris(return_X_y=True)
    model = exact(solver=solver, store_multipliers=True).fit(X, y)
    assert model.coef_.shape == (3, 4)
    assert model.alpha_.shape == (150, 3)
    assert len(model.certificate_.parts) == 3
    for label in range(3):
        one = exact(solver=solver).fit(X, y == label)
        part = model.certificate_.parts[label]
        assert part.primal == pytest.approx(one.certificate_.primal, rel=1e-8)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_dense_and_sparse_single_and_double(data, solver, dtype, index):
    X, y = data
    X = np.where(np.abs(X) < 0.5, 0.0, X).astype(np.float32)
    expected = exact(solver=solver).fit(X.astype(np.float64), y)
    sparse = sp.csr_matrix(X.astype(dtype))
    sparse.indices, sparse.indptr = sparse.indices.astype(index), sparse.indptr.astype(index)
    for samples in (X.astype(dtype), sparse, sp.csr_array(sparse), sp.csc_matrix(sparse)):
        model = exact(solver=solver).fit(samples, y)
        assert model.certificate_.primal == pytest.approx(expected.certificate_.primal, rel=1e-8)
        values = model.decision_function(samples)
        assert values.dtype == dtype
        np.testing.assert_allclose(values, expected.decision_function(X), atol=1e-3)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_matrix])
def test_the_number_of_threads_changes_no_bit(solver, convert):
    X, y = make_classification(500, 20, random_state=0)
    X[np.abs(X) < 0.3] = 0.0
    models = [exact(solver=solver, n_jobs=n).fit(convert(X), y) for n in (1, 2, 3, 4)]
    for model in models[1:]:
        np.testing.assert_array_equal(model.coef_, models[0].coef_)
        np.testing.assert_array_equal(model.intercept_, models[0].intercept_)


def hard_cases():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6))
    y = X[:, 0] + 0.5 * rng.normal(size=200) > 0
    scales = 10.0 ** np.arange(-4, 2)
    return {
        "badly scaled columns": (X * scales, y),
        "far from the origin": (X + 1000.0, y),
        "duplicated columns": (np.hstack([X, X]), y),
        "constant columns": (np.hstack([X, np.ones((200, 2)), np.zeros((200, 1))]), y),
        "more features than samples": (rng.normal(size=(20, 60)), y[:20]),
        "separable": (X, X[:, 0] > 0),
        "one class outnumbered": (X, np.arange(200) < 3),
        "duplicated rows": (X[rng.integers(0, 10, size=200)], y),
        "two samples": (X[:2], np.array([True, False])),
        "one feature": (X[:, :1], y),
    }


@pytest.mark.parametrize("name", hard_cases())
@pytest.mark.parametrize("C", [1e-6, 1e-2, 1.0])
def test_hard_cases(name, C, solver, loss):
    X, y = hard_cases()[name]
    if solver == "cd" and name == "badly scaled columns":
        C = min(C, 0.1)
    if solver == "cd" and name == "far from the origin":
        X = (
            X - 1000.0
        )  # descent needs features near the origin; it warns where it does not converge
    model = LinearBandedSVC(C1=C, C2=C, solver=solver, loss=loss, max_iter=20_000).fit(X, y)
    assert model.certificate_.is_optimal
    kernel = BandedSVC(kernel="linear", C1=C, C2=C, loss=loss, tol=1e-5).fit(X, y)
    assert model.certificate_.primal == pytest.approx(kernel.certificate_.primal, rel=1e-5)


@pytest.mark.parametrize("name", hard_cases())
@pytest.mark.parametrize("C2", [0.0, 1e6])
def test_newton_takes_large_costs(name, C2, loss):
    X, y = hard_cases()[name]
    if name == "far from the origin":
        X = X - 950.0  # the rounding errors of X'c alone would exceed tol
    model = LinearBandedSVC(C1=1e6, C2=C2, solver="newton", loss=loss).fit(X, y)
    assert model.certificate_.is_optimal
    assert model.n_iter_ <= 80


@pytest.mark.parametrize(("n_samples", "C", "tol"), [(3000, 1e4, 1e-9), (5000, 1e6, 1e-6)])
def test_newton_where_nearly_all_samples_lie_on_an_edge(n_samples, C, tol):
    X, y = rare_kind(n_samples)
    model = LinearBandedSVC(C1=C, C2=C, tol=tol, solver="newton").fit(X, y)
    assert model.certificate_.is_optimal


def test_the_certificate_of_several_problems_shows_what_counts():
    """The gap of all may be small next to all objectives, that of one not next to its own."""
    X, y = load_iris(return_X_y=True)
    good = LinearBandedSVC().fit(X, y).certificate_
    short = replace(
        good.parts[1],
        **{"gap": 1e-5, "relative_gap": 2e-3, "status": Status.TIME_LIMIT, "seconds": 3.0},
    )
    certificate = combine([good.parts[0], short, good.parts[2]])
    assert not certificate.is_optimal
    assert "over 3 problems: NOT optimal to tol in 1 of them" in repr(certificate)
    assert "of single problems at most 2.0e-03, tol 1.0e-06" in repr(certificate)
    complaint = why_not_optimal(certificate).render()
    assert "met its time_limit with duality gap 1.0e-05 (2.0e-03 of the objective" in complaint
    assert complaint.endswith("2 of 3 problems are optimal.")


def test_samples_without_weight_may_hold_anything(data, solver):
    X, y = data
    X, weights = X.copy(), np.ones(len(y))
    weights[:50], X[:50] = 0.0, 1e150
    model = exact(solver=solver).fit(X, y, sample_weight=weights)
    rest = exact(solver=solver).fit(X[50:], y[50:])
    assert model.certificate_.primal == pytest.approx(rest.certificate_.primal, rel=1e-8)


def test_multipliers_are_kept_on_request_only(data):
    model = LinearBandedSVC(store_multipliers=True).fit(*data)
    assert model.alpha_.shape == model.theta_.shape == (len(data[1]),)
    assert model.certificate_.kkt_violation <= 1e-2
    model.set_params(store_multipliers=False).fit(*data)
    assert not hasattr(model, "alpha_")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"solver": "smo"}, "solver must be one of 'auto', 'newton'"),
        ({"C1": np.inf}, "C1 must be finite.*BandedSVC"),
        ({"C1": -1.0}, "C1 must be greater than 0"),
        ({"tol": 0.0}, "tol must be greater than 0"),
        ({"loss": "log"}, "loss must be"),
    ],
)
def test_bad_parameters_are_refused(data, parameters, message):
    with pytest.raises(ValueError, match=message):
        LinearBandedSVC(**parameters).fit(*data)


def test_matrices_that_do_not_fit_are_refused(data, monkeypatch):
    monkeypatch.setattr("bandsvm._linear.solver_choice.available_bytes", lambda: 100.0)
    monkeypatch.setattr("bandsvm._linear.solver_choice.LITTLE_BYTES", 0)
    with pytest.raises(ValueError, match=r"newton.*GB.*8 features.*solver='cd'"):
        LinearBandedSVC(solver="newton").fit(*data)


def test_what_overflows_is_refused(data):
    X, y = data
    with pytest.raises(ValueError, match=r"overflow.*scale X"):
        LinearBandedSVC(solver="newton").fit(X * 1e160, y)
