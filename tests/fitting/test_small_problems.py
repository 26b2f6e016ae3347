"""Small problems in one compiled call: the same answers as the general way and a QP solver."""

import cProfile
import gc
import os
import pickle
import pstats
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris, make_blobs, make_classification
from sklearn.exceptions import ConvergenceWarning

from bandsvm import BandedSVC, BandedSVR, OneClassBandedSVM
from bandsvm._fitting import small_problems
from bandsvm._fitting.fitted import coefficients_of, training_set
from bandsvm._kernels import KernelSettings, Samples
from bandsvm._problem import Status
from bandsvm._problem.band_problem import BandProblem, band_problem
from bandsvm._problem.band_problems import BandProblems
from bandsvm._system.stopping import stop_when
from bandsvm.svm import SVC
from tests.helpers.problems import Case, dual_by_qp
from tests.helpers.small_problems import drawn, general_way, own_kernel, values_of

CONSTANT = pytest.mark.filterwarnings("ignore:.*found no rule:UserWarning")
# Function calls of a fit of 100 samples and of a prediction of one row, for each kind of problem.
# Classification took 2740 and 848 when every problem was solved by Python. Versions of NumPy and
# scikit-learn differ by a few.
MAX_CALLS = {BandedSVC: (592, 230), BandedSVR: (635, 205), OneClassBandedSVM: (552, 260)}


def check_against_the_general_way(seed):
    """The compiled way ends where the general one does; return whether both ends are exact.

    Where kernel matrices are nearly singular, both may stop within ``tol``, each at a point of its
    own, and differ by no more than their gaps.
    """
    parameters, X, y, weights = drawn(seed)
    model = BandedSVC(**parameters).fit(X, y, weights)
    with general_way():
        other = BandedSVC(**parameters).fit(X, y, weights)
    found, expected = model.certificate_, other.certificate_
    assert found.is_optimal, parameters
    assert expected.is_optimal, parameters
    if parameters["kernel"] == "sigmoid":
        return True  # there may be several stationary points
    room = 1e-9 * max(1.0, expected.primal) + found.gap + expected.gap
    assert found.primal == pytest.approx(expected.primal, abs=room)
    is_exact = room <= 2e-9 * max(1.0, expected.primal)
    if is_exact and X.dtype == np.float64:  # others have decision values in float32
        values = values_of(other, X)
        room = 1e-9 * max(1.0, np.abs(values).max())
        np.testing.assert_allclose(values_of(model, X), values, rtol=0.0, atol=room)
    check_against_qp(model, X, y, weights)
    return is_exact


def check_against_qp(model, X, y, weights):
    """No QP solver finds a higher dual value."""
    found = training_set(model, X, y, weights, "the test")
    training, coefficients = found.training, coefficients_of(model)
    settings = KernelSettings.of(model, model.gamma_)
    if settings.is_precomputed:
        K = np.asarray(X, dtype=np.float64)
    else:
        K = np.asarray(settings.function()(Samples(X), Samples(X)))
    for problem, members, row in zip(
        training.problems, training.members, coefficients, strict=True
    ):
        part, c = K[np.ix_(members, members)], row[members]
        oracle = dual_by_qp(Case(problem, X, part, "small"), "piqp")
        if oracle is None:
            continue
        edges = problem.lo @ np.maximum(c, 0.0) + problem.hi @ np.minimum(c, 0.0)
        ridges = problem.ridge_at(c) * c @ c
        dual = float(edges - 0.5 * c @ part @ c - 0.5 * ridges)
        sizes = np.abs(problem.lo) @ np.abs(c) + abs(c @ part @ c) + ridges
        assert oracle[0] <= dual + model.certificate_.gap + 1e-9 * max(1.0, sizes)


@CONSTANT
@pytest.mark.parametrize("seed", range(40))
def test_both_ways_and_a_qp_solver_agree(seed):
    check_against_the_general_way(seed)


@CONSTANT
@pytest.mark.slow
@pytest.mark.timeout(3000)
def test_both_ways_and_a_qp_solver_agree_many_times():
    exact = [check_against_the_general_way(seed) for seed in range(1000, 1500)]
    assert np.mean(exact) >= 0.97


def test_threads_change_no_bit():
    X, y = load_digits(return_X_y=True)
    models = [BandedSVC(C2=0.5, rho2=1.5, n_jobs=n).fit(X[:600], y[:600]) for n in (1, 2, 3)]
    for model in models[1:]:
        np.testing.assert_array_equal(model.dual_coef_, models[0].dual_coef_)
        np.testing.assert_array_equal(model.intercept_, models[0].intercept_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("n_classes", [2, 5])
def test_values_of_extreme_size_are_for_the_general_way(n_classes, rng):
    y = np.arange(40) % n_classes
    X = (rng.normal(size=(40, 3)) + y[:, None]) * 1e60
    model = BandedSVC(kernel="linear", C1=1e-115).fit(X, y)
    with general_way():
        other = BandedSVC(kernel="linear", C1=1e-115).fit(X, y)
    np.testing.assert_array_equal(model.dual_coef_, other.dual_coef_)


def test_steps_are_bounded_by_max_iter():
    X, y = make_classification(200, flip_y=0.3, random_state=0)
    model = BandedSVC(kernel="linear", C1=1e4, C2=1e4, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        model.fit(X, y)
    assert model.certificate_.status is Status.ITERATION_LIMIT
    assert model.n_iter_ == 1


@pytest.mark.parametrize("n_classes", [2, 12])
@pytest.mark.parametrize("kernel", ["rbf", "own"])
def test_no_time_at_all(n_classes, kernel):
    X, y = make_blobs(240, 4, centers=n_classes, random_state=0)
    kernel = own_kernel if kernel == "own" else kernel
    model = BandedSVC(kernel=kernel, time_limit=1e-9)
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        model.fit(X, y)
    assert model.certificate_.status is Status.TIME_LIMIT
    assert model.predict(X).shape == y.shape


def test_a_reason_to_stop_keeps_what_is_solved():
    X, y = make_blobs(2400, 4, centers=120, cluster_std=3.0, random_state=0)
    questions = iter([None, None])  # before the call, and once within
    model = BandedSVC(n_jobs=1)
    with (
        stop_when(lambda: next(questions, Status.TIME_LIMIT)),
        pytest.warns(ConvergenceWarning),
    ):
        model.fit(X, y)
    statuses = {part.status for part in model.certificate_.parts}
    assert statuses == {Status.CONVERGED, Status.TIME_LIMIT}


def test_ctrl_c_ends_a_call():
    X, y = make_blobs(2400, 4, centers=120, cluster_std=3.0, random_state=0)
    model = BandedSVC(n_jobs=1)
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    timer.join()


def test_handlers_of_signals_may_raise():
    """A program's own handler is called within the compiled call, and its error ends the fit."""
    X, y = make_blobs(2400, 4, centers=120, cluster_std=3.0, random_state=0)

    class AlarmError(Exception):
        pass

    def alarm(number, frame):
        raise AlarmError

    before = signal.signal(signal.SIGALRM, alarm)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        with pytest.raises(AlarmError):
            BandedSVC(n_jobs=2).fit(X, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def test_a_warm_start_continues():
    X, y = make_classification(150, n_classes=3, n_informative=4, random_state=0)
    model = BandedSVC(C1=1.0, C2=0.5, rho2=1.5, warm_start=True).fit(X, y)
    model.set_params(C1=1.1).fit(X, y)
    cold = BandedSVC(C1=1.1, C2=0.5, rho2=1.5).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), cold.decision_function(X), atol=1e-10)
    assert model.certificate_.n_pair_steps < cold.certificate_.n_pair_steps


@pytest.fixture
def kernels_made(monkeypatch):
    """The samples for which compiled functions have got kernels, by their shapes."""
    made, original = [], small_problems.small_kernel

    def noted(settings, X):
        made.append(X.shape)
        return original(settings, X)

    monkeypatch.setattr(small_problems, "small_kernel", noted)
    return made


def test_wide_samples_are_for_the_general_way(kernels_made, rng):
    """Between two looks at the clock there must be no more work than some tenths of a second."""
    y = np.arange(400) % 2
    BandedSVC().fit(rng.normal(size=(400, 10)), y)
    assert kernels_made.pop() == (400, 10)
    model = BandedSVC().fit(rng.normal(size=(400, 30_000)), y)
    assert not kernels_made
    assert model.certificate_.is_optimal


def test_the_memory_limit_holds_for_what_pairs_share(kernels_made):
    X, y = load_digits(return_X_y=True)
    for cache_size, is_compiled in ((5.0, False), (None, True)):
        model = BandedSVC(cache_size=cache_size, n_jobs=1).fit(X[:900], y[:900])
        assert bool(kernels_made) is is_compiled
        assert model.certificate_.is_optimal


def test_hard_problems_are_handed_over_soon(monkeypatch, rng):
    X = rng.normal(size=(600, 100))
    y = np.where(X[:, 0] + 3.0 * rng.normal(size=600) > 0.0, 1, 0)
    found = []
    original = small_problems.solve_small
    monkeypatch.setattr(
        small_problems, "solve_small", lambda *a: found.append(original(*a)) or found[-1]
    )
    model = BandedSVC(C1=1e6, C2=1e6, rho2=1.0, kernel="linear", max_iter=30)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, y)
    assert not found[0].is_solved[0]
    assert 18_000 <= found[0].n_pair_steps[0] <= 400_000


def test_models_are_pickled_in_threads():
    X, y = make_blobs(60, 3, centers=4, cluster_std=3.0, random_state=0)
    models = [BandedSVC().fit(X, y) for _ in range(20)]
    expected = pickle.loads(pickle.dumps(BandedSVC().fit(X, y))).alpha_
    with ThreadPoolExecutor(4) as pool:
        copies = list(pool.map(pickle.dumps, [m for m in models for _ in range(4)]))
    for copy in copies:
        np.testing.assert_array_equal(pickle.loads(copy).alpha_, expected)
    assert {"alpha_", "theta_", "xi_", "eta_"} <= set(dir(BandedSVC().fit(X, y)))


@pytest.mark.parametrize("multi_class", ["ovo", "ovr"])
def test_larger_problems_of_many_classes_are_solved_together(multi_class):
    X, y = make_blobs([1020, *[30] * 7], 4, cluster_std=4.0, random_state=0)
    model = BandedSVC(1.0, 1.0, rho2=1.5, multi_class=multi_class).fit(X, y)
    with general_way():
        other = BandedSVC(1.0, 1.0, rho2=1.5, multi_class=multi_class).fit(X, y)
    for ours, theirs in zip(model.certificate_.parts, other.certificate_.parts, strict=True):
        assert ours.is_optimal
        assert abs(ours.primal - theirs.primal) <= ours.gap + theirs.gap
        assert ours.gap <= 1e-9 * ours.primal  # exact, as small ones are
    assert max(part.relative_gap for part in other.certificate_.parts) > 1e-9  # stops at tol


def test_any_bound_on_outer_steps_is_taken():
    X, y = make_classification(40, random_state=0)
    assert BandedSVC(max_iter=10**400).fit(X, y).certificate_.is_optimal


def calls_of(action):
    """Return how many functions an action calls."""
    for _ in range(3):
        action()  # what is kept between calls is not counted
    profile = cProfile.Profile()
    profile.runcall(action)
    return pstats.Stats(profile).total_calls


@pytest.mark.parametrize("kind", MAX_CALLS)
def test_function_calls_have_a_budget(kind):
    X, y = make_classification(100, 10, random_state=0)
    y = X[:, 0] + 0.1 * X[:, 1] ** 2 if kind is BandedSVR else y
    model, (of_fit, of_prediction) = kind(), MAX_CALLS[kind]
    assert calls_of(lambda: model.fit(X, y)) <= of_fit
    assert calls_of(lambda: model.predict(X[:1])) <= of_prediction


@pytest.mark.parametrize("kind", MAX_CALLS)
def test_a_fit_leaves_no_cycles(kind):
    """What a fit used is freed at once, and the collector has nothing to look for."""
    X, y = make_classification(100, 10, random_state=0)
    model = kind()
    model.fit(X, y)
    gc.collect()
    gc.disable()
    try:
        model.fit(X, y)
        assert gc.collect() == 0
    finally:
        gc.enable()


def test_many_pairs_of_classes_cost_few_calls():
    """Python is entered once for all of them, and nothing is made for each."""
    calls, pairs = [], []
    for n_classes in (10, 30):
        X, y = make_blobs(120, 3, centers=n_classes, cluster_std=3.0, random_state=0)
        model = BandedSVC()
        calls.append(calls_of(lambda model=model, X=X, y=y: model.fit(X, y)))
        pairs.append(len(model.intercept_))
    assert calls[1] - calls[0] <= 1.1 * (pairs[1] - pairs[0])


def test_scikit_learns_names_add_few_calls():
    """A tenth of those of the same BandedSVC, since what only compatibility needs waits."""
    X, y = load_iris(return_X_y=True)
    banded, switched = BandedSVC(C2=0), SVC()
    most = 1.1 * calls_of(lambda: banded.fit(X, y))
    assert calls_of(lambda: switched.fit(X, y)) <= most


def test_tables_of_pairs_are_filled_when_they_are_read():
    X, y = make_blobs(60, 3, centers=4, cluster_std=3.0, random_state=0)
    model = BandedSVC(C2=0.5, rho2=1.2).fit(X, y)
    assert "alpha_" not in vars(model)
    with general_way():
        other = BandedSVC(C2=0.5, rho2=1.2).fit(X, y)
    for name in ("alpha_", "theta_", "xi_", "eta_"):
        assert hasattr(model, name)
        np.testing.assert_allclose(getattr(model, name), getattr(other, name), atol=1e-9)
    assert not hasattr(model, "mu_")
    with pytest.raises(AttributeError, match="only for kernel='linear'"):
        model.coef_  # noqa: B018
    model.fit(X, y % 2)
    assert model.alpha_.shape == y.shape


def parts_of(problems):
    """Return the arrays of problems."""
    return [(p.lo, p.hi, p.below, p.above, p.bounds, p.ridge) for p in problems]


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_problems_in_arrays_are_those_they_are_made_of(loss, rng):
    sizes, samples = [3, 5, 2], rng.permutation(10)
    alone = [
        band_problem(rng.choice([-1.0, 1.0], n), 1.0, 2.0, 3.0, 0.5, rng.random(n), loss=loss)
        for n in sizes
    ]
    values = BandProblem(
        *(np.concatenate([getattr(p, k) for p in alone]) for k in ("lo", "hi", "below", "above")),
        loss=loss,
    )
    together = BandProblems(values, np.array([0, 3, 8, 10]), samples, False)
    for one, other in zip(parts_of(together), parts_of(alone), strict=True):
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose(a, b)
    bounds = [np.concatenate(side) for side in zip(*(p.bounds for p in alone), strict=True)]
    np.testing.assert_allclose(np.array(together.bounds), np.array(bounds))
    some = together.some(np.array([0, 2]))
    np.testing.assert_array_equal(some.of_samples, samples[[0, 1, 2, 8, 9]])
    np.testing.assert_array_equal(some[1].lo, alone[2].lo)
