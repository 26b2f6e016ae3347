"""Units must not matter: samples times s and costs by s^2 are the same problem."""

import itertools

import numpy as np
import pytest
from sklearn.datasets import load_wine, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from bandsvm import BandedSVC
from bandsvm._defaults import LOSSES
from bandsvm._engines import engine_for
from bandsvm._kernels import PrecomputedRows
from bandsvm._problem import Status
from bandsvm._problem.band_problem import band_problem
from bandsvm._problem.piecewise import project
from bandsvm._solvers import available_solvers, limits, solve
from bandsvm._solvers.face import climb_face
from bandsvm._solvers.projected_cg import projected_cg_steps
from bandsvm._solvers.state import State
from bandsvm.model_selection import leave_one_out
from tests.helpers.problems import make_case

SCALES = [1e-8, 1e-4, 1.0, 1e4, 1e6, 1e7, 1e8]


@pytest.fixture
def blobs():
    return make_blobs(100, centers=2, cluster_std=0.6, random_state=0)


def noisy(rng, n_samples):
    X = rng.normal(size=(n_samples, 3))
    return X, (X[:, 0] + 0.5 * rng.normal(size=n_samples) > 0).astype(int)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("solver", available_solvers())
def test_two_points(solver, scale):
    """Between -x and x the decision value is z / x, and alpha = 1 / (2 x^2)."""
    X, y = np.array([[-scale], [scale]]), np.array([0, 1])
    model = BandedSVC(C1=1e20, C2=0, kernel="linear", solver=solver).fit(X, y)
    np.testing.assert_allclose(model.dual_coef_, [[-0.5 / scale**2, 0.5 / scale**2]], rtol=1e-12)
    np.testing.assert_allclose(model.decision_function(X), [-1.0, 1.0], rtol=1e-12)
    assert model.certificate_.is_optimal


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("solver", ["smo", "pcg"])
@pytest.mark.parametrize("scale", SCALES)
def test_box_much_wider_than_the_solution(blobs, scale, solver, loss):
    """Separable classes need coefficients of 1 / s^2, whatever more their cost allows."""
    X, y = blobs
    hard = SVC(C=1e8, kernel="linear", tol=1e-10).fit(X, y)
    cost = 1e12 * max(1.0, scale**-2)
    model = BandedSVC(C1=cost, C2=0, kernel="linear", solver=solver, loss=loss)
    model.fit(X * scale, y)
    assert model.certificate_.is_optimal
    np.testing.assert_allclose(
        model.decision_function(X * scale), hard.decision_function(X), atol=1e-3
    )
    # At the optimum the dual is half the sum of squared weights.
    objective = 0.5 * float((hard.coef_**2).sum())
    assert model.certificate_.dual * scale**2 == pytest.approx(objective, rel=1e-3)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C2", [0.0, 1.0])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("solver", available_solvers())
@pytest.mark.parametrize(("kernel", "power"), [("linear", 2), ("poly", 6)])
def test_powers_of_two_give_the_same_bits(rng, kernel, power, solver, loss, C2, fit_intercept):
    X, y = noisy(rng, 60)

    def fitted(scale):
        unit = scale**-power
        model = BandedSVC(C1=unit, C2=C2 * unit, kernel=kernel, gamma=1.0, solver=solver, loss=loss)
        model.set_params(fit_intercept=fit_intercept).fit(X * scale, y)
        certificate = model.certificate_
        work = certificate.n_iter, certificate.n_pair_steps, certificate.n_kernel_rows
        return model.dual_coef_ / unit, model.decision_function(X * scale), work

    coefficients, decision, work = fitted(1.0)
    for scale in (2.0**-26, 2.0**-9, 2.0**9, 2.0**26):
        scaled_coefficients, scaled_decision, scaled_work = fitted(scale)
        np.testing.assert_array_equal(scaled_coefficients, coefficients)
        np.testing.assert_array_equal(scaled_decision, decision)
        assert scaled_work == work


@pytest.mark.parametrize("solver", ["smo", "pcg"])
def test_powers_of_two_give_the_same_bits_in_single_precision(rng, solver):
    X, y = noisy(rng, 1200)

    def fitted(scale):
        unit = scale**-2
        model = BandedSVC(C1=unit, C2=unit, kernel="linear", solver=solver).fit(X * scale, y)
        return model.dual_coef_ / unit, model.certificate_.n_kernel_rows

    coefficients, n_rows = fitted(1.0)
    for scale in (2.0**-26, 2.0**26):
        scaled_coefficients, scaled_rows = fitted(scale)
        np.testing.assert_array_equal(scaled_coefficients, coefficients)
        assert scaled_rows == n_rows


@pytest.mark.parametrize("loss", LOSSES)
def test_powers_of_two_give_the_same_bits_of_left_out_samples(rng, loss):
    X, y = noisy(rng, 60)

    def left_out(scale):
        model = BandedSVC(C1=scale**-2, C2=scale**-2, kernel="linear", loss=loss)
        result = leave_one_out(model.fit(X * scale, y), X * scale, y)
        return result.decision, result.n_pair_steps

    decision, n_steps = left_out(1.0)
    for scale in (2.0**-26, 2.0**26):
        scaled_decision, scaled_steps = left_out(scale)
        np.testing.assert_array_equal(scaled_decision, decision)
        assert scaled_steps == n_steps


@pytest.mark.parametrize("gamma", ["auto", 1.0])
def test_kernel_values_of_many_sizes(gamma):
    """Wine, unscaled, with powers of four: kernel values of 1e19 and more, and separable."""
    X, y = load_wine(return_X_y=True)
    model = BandedSVC(C2=0, kernel="poly", degree=4, gamma=gamma).fit(X, y)
    assert model.certificate_.is_optimal
    assert model.score(X, y) == 1.0


def test_small_coefficient_of_a_far_sample_counts():
    """Its coefficient is 1e-14 of the others', and what it contributes is as much as theirs."""
    far = 1e14
    K = np.array([[far, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    problem = band_problem(np.array([1, 1, -1]), 1.0, 2.0, 1e3, 0.0, has_intercept=False)
    solution = solve(problem, PrecomputedRows(K))
    np.testing.assert_allclose(solution.c, [1.0 / far, 1.0, -1.0], rtol=1e-12)


@pytest.mark.parametrize("width", [1.0, 1e8, 1e26])
@pytest.mark.parametrize("distance", [1.0, 1e6])
def test_projection_onto_a_box_much_wider_than_the_point(rng, width, distance):
    point = distance * rng.normal(size=50)
    lower = np.where(rng.random(50) < 0.5, -width, 0.0)
    upper = lower + width
    nearest = project(point, lower, upper, 0.1)
    assert ((nearest >= lower) & (nearest <= upper)).all()
    assert nearest.sum() == pytest.approx(0.1, abs=1e-14 * np.abs(nearest).sum())
    # All that lie inside are shifted by the same amount.
    shift = (point - nearest)[(nearest > lower) & (nearest < upper)]
    np.testing.assert_allclose(shift, shift.mean(), atol=1e-12 * distance)


@pytest.mark.parametrize("solver", ["smo", "pcg"])
@pytest.mark.parametrize("scale", [1e9, 1e150])
def test_among_rounding_errors_a_fit_ends_soon(rng, scale, solver):
    """Coefficients of 1 and kernel values of 1e18 leave no digit of a decision value."""
    X, y = noisy(rng, 40)
    with pytest.warns(ConvergenceWarning, match="duality gap .* scale X"):
        model = BandedSVC(kernel="linear", solver=solver).fit(scale * X, y)
    assert model.certificate_.n_iter < 1000
    assert model.certificate_.n_pair_steps < 1_000_000
    assert np.isfinite(model.decision_function(scale * X)).all()


def test_work_is_bounded_and_goes_on_from_there(rng, monkeypatch, one_by_one):
    X, y = noisy(rng, 200)
    model = BandedSVC(C1=1e3, C2=1e3, kernel="linear", warm_start=True)
    with monkeypatch.context() as patch:
        patch.setattr("bandsvm._solvers.limits.MAX_WORK", 1e6)
        with pytest.warns(ConvergenceWarning, match=r"work .* gap .* scale X.* warm_start"):
            model.fit(X, y)
        assert model.certificate_.status is Status.WORK_LIMIT
        assert model.certificate_.n_iter == 1
    assert model.fit(X, y).certificate_.is_optimal


def test_polish_is_bounded(rng, monkeypatch):
    """A round more than the work allows, however far from exact the solution is."""
    case = make_case(0, 200, kernel="linear", C1=1e5, C2=1e5)
    rounds = []

    def climb(state):
        rounds.append(1)
        return climb_face(state)

    monkeypatch.setattr("bandsvm._solvers.polish.climb_face", climb)
    monkeypatch.setattr("bandsvm._solvers.polish.rounding_error", lambda state: 0.0)
    case.solve(tol=1e-2)
    n_rounds = len(rounds)
    assert n_rounds > 1
    monkeypatch.setattr("bandsvm._solvers.polish.MAX_WORK_OF_POLISHING", 0.0)
    case.solve(tol=1e-2)
    assert len(rounds) == n_rounds + 1


@pytest.mark.parametrize("width", [1.0, 1e26])
def test_projection_meets_corners_exactly(rng, width):
    lower, upper = np.zeros(50), np.full(50, width)
    np.testing.assert_array_equal(project(rng.random(50), lower, upper, 0.0), lower)
    np.testing.assert_array_equal(project(rng.random(50), lower, upper, 50 * width), upper)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("kernel", "scale"),
    [*itertools.product(["rbf", "poly"], [1e-150, 1e100, 1e150]), ("linear", 1e-150)],
)
def test_units_of_any_size_take_little_work(kernel, scale, rng):
    X, y = scale * rng.normal(size=(40, 3)), rng.random(40) > 0.5
    certificate = BandedSVC(kernel=kernel).fit(X, y).certificate_
    assert certificate.n_iter <= 100
    assert certificate.n_pair_steps <= 100_000
    assert certificate.n_kernel_rows <= 40 * 100


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("scale", [1e100, 1e150])
def test_work_is_bounded_where_rounding_errors_decide(scale, rng, monkeypatch):
    """How soon it ends depends on rounding, that is, on the instructions of the machine."""
    monkeypatch.setattr(limits, "MAX_WORK", 1e9)
    X, y = scale * rng.normal(size=(40, 3)), rng.random(40) > 0.5
    certificate = BandedSVC(kernel="linear").fit(X, y).certificate_
    assert not certificate.is_optimal
    assert certificate.n_pair_steps <= 1e9 / limits.PER_PAIR_STEP


def test_step_lengths_of_huge_kernels_are_not_zero(rng):
    X = rng.normal(size=(50, 8))
    K = 1e307 * ((X @ X.T) / np.abs(X @ X.T).max())  # the sum of its diagonal is infinite
    problem = band_problem(np.where(np.arange(50) % 2, 1.0, -1.0), 1.0, 1.5, 1e5, 1e5)
    state = State(engine_for(PrecomputedRows(K), problem, np.zeros(50), np.zeros(50)))
    with np.errstate(over="ignore", invalid="ignore"):
        list(itertools.islice(projected_cg_steps(state, 1e-3), 2))
    assert state.engine.c.any()
    assert np.isfinite(state.engine.c).all()
