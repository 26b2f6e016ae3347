"""The loop that drives the solvers, and their parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg.lapack import get_lapack_funcs

from bandsvm._defaults import LOSSES
from bandsvm._engines import engine_for
from bandsvm._kernels import KernelSettings
from bandsvm._problem import Start, Status
from bandsvm._problem.band_problem import band_problem
from bandsvm._problem.piecewise import falling_root, project
from bandsvm._problem.slopes import ascent_slopes, violation
from bandsvm._solvers import available_solvers, solve
from bandsvm._solvers.block import part_in_play, steps_on_part
from bandsvm._solvers.face import Face, _ascend, newton_direction
from bandsvm._solvers.polish import snap_to_bounds
from bandsvm._solvers.projected_cg import best_on_segment, conjugate_direction, proximal_point
from bandsvm._solvers.state import Part, State
from tests.helpers import problems
from tests.helpers.optimality import dual_value
from tests.helpers.problems import make_case

pytestmark = pytest.mark.usefixtures("engine")


def dual(case, solution):
    return dual_value(case.problem, solution.c, solution.f)


@pytest.mark.parametrize("solver", available_solvers())
def test_callback_sees_every_outer_step(solver):
    case = make_case(0, 60, C1=10.0)
    seen = []
    solution = case.solve(solver=solver, callback=seen.append)
    assert [progress.n_iter for progress in seen] == list(range(solution.n_iter + 1))
    assert seen[-1].violation <= seen[-1].tol == 1e-3
    assert seen[-1].c.any()
    assert seen[-1].seconds <= solution.seconds


@pytest.mark.parametrize("solver", ["smo", "pcg"])
def test_callback_can_stop(solver):
    case = make_case(0, 60, C1=10.0)
    solution = case.solve(solver=solver, callback=lambda progress: True)
    assert solution.status is Status.STOPPED
    assert solution.n_iter == 0


@pytest.mark.parametrize("solver", ["smo", "pcg"])
def test_max_iter_bounds_the_work_and_start_goes_on(solver):
    case = make_case(0, 1200, C1=100.0, C2=100.0)
    stopped = case.solve(solver=solver, max_iter=2)
    assert stopped.status is Status.ITERATION_LIMIT
    assert stopped.n_iter == 2
    resumed = case.solve(solver=solver, start=Start(stopped.c))
    assert resumed.status is Status.CONVERGED
    from_scratch = case.solve(solver=solver)
    assert dual(case, resumed) == pytest.approx(dual(case, from_scratch), rel=1e-4)


@pytest.mark.heavy
@pytest.mark.parametrize("loss", LOSSES)
def test_turned_pairs_save_steps(loss):
    case = make_case(0, 300, C1=100.0, C2=100.0, loss=loss)
    turned = case.solve(solver="smo", tol=1e-6, polished=False)
    plain = case.solve(solver="reference", tol=1e-6, polished=False)
    assert turned.n_pair_steps < 0.8 * plain.n_pair_steps
    assert dual(case, turned) == pytest.approx(dual(case, plain), rel=1e-9)


def test_interrupt_passes_through():
    def interrupt(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_case(0, 30).solve(callback=interrupt)


@pytest.mark.parametrize("solver", available_solvers())
def test_start_at_the_solution_ends_at_once(solver):
    case = make_case(3, 50)
    solution = case.solve(solver=solver, tol=1e-6)
    again = case.solve(solver=solver, tol=1e-6, start=Start(solution.c))
    assert again.n_iter == 0
    np.testing.assert_allclose(again.f, solution.f, atol=1e-9)


@pytest.mark.parametrize("solver", available_solvers())
def test_infeasible_start_is_made_feasible(solver, rng):
    case = make_case(3, 50)
    solution = case.solve(solver=solver, start=Start(rng.normal(size=50) * 100))
    expected = case.solve(solver=solver)
    np.testing.assert_allclose(
        solution.f - solution.f.mean(), expected.f - expected.f.mean(), atol=1e-8
    )


def test_unreachable_tolerance_ends_without_progress():
    case = make_case(3, 50, C1=1e4, C2=1e4)
    solution = case.solve(tol=1e-300)
    assert solution.status is Status.NO_PROGRESS


def engine_of(case, c, f):
    return engine_for(problems.ROWS(case.K), case.problem, c, f)


def test_selection_finds_the_worst_violators(rng):
    case = make_case(0, 200)
    c = case.problem.feasible(rng.normal(size=200))
    rise, fall = ascent_slopes(case.problem, c, case.K @ c)
    kept = np.arange(20)
    current, chosen = engine_of(case, c, case.K @ c).select(kept, 20)
    assert current == pytest.approx(violation(case.problem, rise, fall))
    others = np.arange(20, 200)
    risers = others[np.argsort(-rise[others])[:10]]
    fallers = np.setdiff1d(others[np.argsort(fall[others])], risers, assume_unique=True)[:10]
    assert set(chosen) == {*risers, *fallers}


def test_selection_takes_no_more_than_the_violators(rng):
    case = make_case(0, 200)
    c, f = np.zeros(200), np.zeros(200)
    f[:3] = [5.0, -5.0, 0.0]  # two samples far out, ties among all others
    _, chosen = engine_of(case, c, f).select(np.arange(190, 200), 6)
    assert len(set(chosen)) == len(chosen) == 6
    assert {0, 1} <= set(chosen)
    assert max(chosen) < 190
    f[7] = np.nan
    assert np.isnan(engine_of(case, c, f).select(np.arange(0), 6)[0])


@given(st.integers(0, 1000), st.integers(1, 30), st.booleans())
def test_projection_is_feasible_and_nearest(seed, n, has_total):
    rng = np.random.default_rng(seed)
    lower, upper = -rng.random(n), rng.random(n)
    total = float(rng.uniform(lower, upper).sum()) if has_total else None
    point = rng.normal(size=n) * 10.0 ** rng.integers(-3, 6)
    nearest = project(point, lower, upper, total)
    assert ((nearest >= lower) & (nearest <= upper)).all()
    if has_total:
        assert nearest.sum() == pytest.approx(total, abs=1e-9)
        # Moving some of one variable to another brings no feasible point nearer.
        for i, j in rng.integers(0, n, size=(10, 2)):
            t = min(upper[i] - nearest[i], nearest[j] - lower[j], 1e-3)
            if t > 1e-6 and i != j:
                gain = (nearest[i] - point[i]) * t - (nearest[j] - point[j]) * t
                assert gain >= -1e-6 * np.abs(point).max()


def test_falling_root():
    # 3 up to 1, then falling by 2 a unit until 4, where it is -3.
    def value(b):
        return float(3.0 - 2.0 * (np.clip(b, 1.0, 4.0) - 1.0))

    assert falling_root(value, np.array([4.0, 1.0])) == pytest.approx(2.5)


def bent(problem, c):
    """Return what squared losses subtract from the dual: c^2 / (4 cost)."""
    costs = np.where(c > 0, problem.below, problem.above)
    used = (problem.loss == "squared_hinge") & (c != 0)
    return float((c[used] ** 2 / (4 * costs[used])).sum())


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("has_intercept", [True, False])
def test_proximal_point_maximises_its_model(rng, has_intercept, loss):
    case = make_case(1, 30, C2=3.0, has_intercept=has_intercept, weights=True, loss=loss)
    problem = case.problem
    c = problem.feasible(rng.normal(size=30))
    f, length = case.K @ c, 0.3

    def model(z):
        edges = np.where(z > 0, problem.lo, problem.hi) @ z - bent(problem, z)
        return edges - f @ (z - c) - ((z - c) ** 2).sum() / (2 * length)

    best = proximal_point(problem, c, f, length)
    np.testing.assert_allclose(problem.feasible(best), best, atol=1e-12)
    for scale in (1e-4, 1e-2, 1.0):
        for _ in range(50):
            other = problem.feasible(best + scale * rng.normal(size=30))
            assert model(other) <= model(best) + 1e-10


@pytest.mark.parametrize("loss", LOSSES)
def test_best_on_segment_beats_a_scan(rng, loss):
    case = make_case(1, 30, C2=0.1, loss=loss)
    problem = case.problem
    for _ in range(50):
        c, end = (problem.feasible(rng.normal(size=30)) for _ in range(2))
        f, way = case.K @ c, end - c

        def dual(t, c=c, way=way):
            z = c + t * way
            edges = np.where(z > 0, problem.lo, problem.hi) @ z - bent(problem, z)
            return edges - 0.5 * z @ case.K @ z

        t = best_on_segment(problem, c, f, end, float(way @ case.K @ way))
        assert 0.0 <= t <= 1.0
        assert dual(t) >= max(dual(s) for s in np.linspace(0, 1, 201)) - 1e-9


@pytest.mark.parametrize("has_intercept", [True, False])
@pytest.mark.parametrize("kind", ["definite", "singular", "indefinite"])
def test_directions_lead_up(rng, has_intercept, kind):
    n = 25
    A = rng.normal(size=(n, 3 if kind == "singular" else n))
    kernel = A @ A.T
    if kind == "indefinite":
        kernel -= 5 * np.eye(n)
    gradient = rng.normal(size=n)
    gradient -= gradient.mean() if has_intercept else 0.0
    face = Face(kernel, gradient, np.zeros(n), -np.ones(n), np.ones(n), has_intercept)
    for find in (newton_direction, lambda face: conjugate_direction(face, 1e-12)):
        direction = find(face)
        assert face.gradient @ direction > 0
        if has_intercept:
            assert abs(direction.sum()) <= 1e-9 * np.abs(direction).sum()


def test_newton_direction_solves_the_face(rng):
    n = 20
    A = rng.normal(size=(n, n))
    kernel, gradient = A @ A.T + np.eye(n), rng.normal(size=n)
    gradient -= gradient.mean()
    wide = np.full(n, 1e9)
    face = Face(kernel, gradient, np.zeros(n), -wide, wide, True)
    residual = gradient - kernel @ newton_direction(face)
    np.testing.assert_allclose(residual, residual.mean(), atol=1e-9)


@pytest.mark.parametrize("has_intercept", [True, False])
@pytest.mark.parametrize("place", ["kernel", "gradient"])
def test_newton_direction_of_what_is_not_finite_leads_nowhere(rng, place, has_intercept):
    A, gradient = rng.normal(size=(5, 5)), rng.normal(size=5)
    kernel = A @ A.T
    (kernel[2] if place == "kernel" else gradient)[2] = np.nan
    face = Face(kernel, gradient, np.zeros(5), -np.ones(5), np.ones(5), has_intercept)
    assert _ascend(face, newton_direction(face)) is None


def test_newton_direction_of_an_indefinite_kernel_takes_few_factors(monkeypatch):
    """Its trace is 0, which says nothing of the damping that it needs."""
    counted = []

    def functions(names, arrays):
        factorise, solve = get_lapack_funcs(names, arrays)
        return lambda *a, **k: counted.append(1) or factorise(*a, **k), solve

    monkeypatch.setattr("bandsvm._solvers.face.get_lapack_funcs", functions)
    kernel, gradient = np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 2.0])
    face = Face(kernel, gradient, np.zeros(2), -np.ones(2), np.ones(2), False)
    assert gradient @ newton_direction(face) > 0
    assert len(counted) < 15


def test_a_lone_free_variable_that_holds_what_bounds_miss_the_sum_by_is_nothing():
    """Three times 0.1 is not 0.3: the difference would determine the intercept."""
    y, bounds = np.array([1.0, 1.0, 1.0, -1.0, 1.0]), np.array([0.1, 0.1, 0.1, 0.3, 0.1])
    problem = band_problem(y, 1.0, 1.0, bounds, bounds)
    c = y * bounds
    c[-1] = -c[:-1].sum()
    assert 0.0 < abs(c[-1]) < 1e-15
    K = np.outer(*2 * [np.array([0.0, 0.1, -0.1, 0.5, 2.0])])
    state = State(engine_for(problems.ROWS(K), problem, c, K @ c))
    snap_to_bounds(state)
    np.testing.assert_array_equal(state.engine.c, [*c[:-1], 0.0])


@pytest.mark.parametrize("loss", LOSSES)
def test_steps_on_a_part_leave_the_others_where_they_are(loss):
    case = make_case(0, 200, C1=10.0, C2=5.0, loss=loss)
    problem = case.problem
    c, part = case.solve().c.copy(), np.arange(0, 200, 3)
    c[part] = 0.0
    state = State(engine_of(case, c.copy(), case.K @ c))
    engine = state.engine
    of_part = problem.part(part)
    for name in ("bounds", "ridge"):
        for whole, own in zip(getattr(problem, name), getattr(of_part, name), strict=True):
            np.testing.assert_array_equal(own, whole[part])
    rows = problems.ROWS(case.K[np.ix_(part, part)])
    partial = State(engine_for(rows, of_part, *engine.at(part)))
    for _ in steps_on_part(state, Part(part, partial, c[part]), 1e-6):
        pass
    np.testing.assert_allclose(engine.f, case.K @ engine.c, atol=1e-9)
    others = np.setdiff1d(np.arange(200), part)
    np.testing.assert_array_equal(engine.c[others], c[others])
    rise, fall = ascent_slopes(problem, engine.c, engine.f)
    assert rise[part].max() - fall[part].min() <= 1e-6 < violation(problem, rise, fall)


def test_samples_out_of_play_catch_up(rng):
    """Whatever ends a fit, its gradient is that of all samples."""
    X = rng.normal(size=(4000, 3))
    signs = np.where(X[:, 0] + 0.5 * rng.normal(size=4000) > 0, 1.0, -1.0)
    problem = band_problem(signs, 1.0, 1.5, 1.0, 1.0)
    settings = KernelSettings("rbf", 0.3, 0.0, 3)
    seen = []

    def rows():
        return settings.rows(X, largest_rounding=1e-4)

    full = solve(problem, rows(), callback=lambda progress: seen.append(progress.violation))
    for n_iter in range(full.n_iter + 1):
        cut = solve(problem, rows(), max_iter=n_iter)
        support = np.flatnonzero(cut.c)
        exact = rows().exact_product(np.arange(4000), support, cut.c[support])
        np.testing.assert_allclose(cut.f, exact, atol=1e-3)
        assert abs(cut.c.sum()) < 1e-9
    state = State(engine_for(rows(), problem, full.c.copy(), full.f.copy()))
    part = part_in_play(state)
    assert 0 < len(part.indices) < 2000
