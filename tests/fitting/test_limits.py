"""Fits that end early: Ctrl-C and time limits keep the best model so far, and one can go on."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_val_score

from bandsvm import BandedSVC, LinearBandedSVC
from bandsvm._fitting.fit import fit_model
from bandsvm._fitting.outcomes import MIN_SPOT_CHECKS
from bandsvm._fitting.run import Observer
from bandsvm._kernels import KernelSettings, PrecomputedRows, packing
from bandsvm._problem import Start, Status
from bandsvm._problem.band_problem import band_problem
from bandsvm._solvers import solve
from bandsvm._system.stopping import Stop, check_stop, stop_when
from tests.helpers.problems import assert_same_objective
from tests.helpers.watching import AfterEveryStep


@pytest.fixture(scope="module")
def data():
    return make_classification(3000, flip_y=0.2, random_state=0)


class PressesCtrlC(Observer):
    """Sends SIGINT to the process in given outer steps of the whole fit."""

    def __init__(self, *steps):
        self.steps, self.n_steps = steps, 0

    def step(self, run):
        self.n_steps += 1
        for _ in range(self.steps.count(self.n_steps)):
            os.kill(os.getpid(), signal.SIGINT)


def interrupted(model, X, y, *steps):
    assert fit_model(model, X, y, None, PressesCtrlC(*steps))
    return model


def test_ctrl_c_keeps_the_best_model_so_far(data):
    model = interrupted(BandedSVC(), *data, 4)
    certificate = model.certificate_
    assert certificate.status is Status.INTERRUPTED
    assert certificate.kkt_violation > model.tol
    assert certificate.primal > certificate.dual > 0
    assert model.score(*data) > 0.7
    assert model.certify(*data).gap == pytest.approx(certificate.gap, rel=1e-3)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def press_soon():
    threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT)).start()


def test_ctrl_c_ends_fit_with_the_gap_and_the_way_on(data):
    model = BandedSVC(tol=1e-10, C1=1e4, C2=1e4)
    press_soon()
    with pytest.raises(KeyboardInterrupt, match=r"interrupted .*gap \d.*kept.*warm_start=True"):
        model.fit(*data)
    assert model.certificate_.status is Status.INTERRUPTED
    assert np.isfinite(model.decision_function(data[0])).all()


def test_ctrl_c_ends_loops_over_fits(data):
    class Counted(BandedSVC):
        n_fits = 0

        def fit(self, X, y, sample_weight=None):
            Counted.n_fits += 1
            press_soon()
            return super().fit(X, y, sample_weight)

    with pytest.raises(KeyboardInterrupt):
        cross_val_score(Counted(tol=1e-10, C1=1e4, C2=1e4), *data)
    assert Counted.n_fits == 1


@pytest.mark.parametrize("step", [1, 2, 4])
def test_resumed_fit_equals_an_uninterrupted_one(data, step):
    model = interrupted(BandedSVC(warm_start=True, tol=1e-6), *data, step)
    model.fit(*data)
    whole = BandedSVC(tol=1e-6).fit(*data)
    assert model.certificate_.status is Status.CONVERGED
    assert_same_objective(model, whole)


def test_ctrl_c_in_a_fit_of_several_classes():
    X, y = load_iris(return_X_y=True)
    model = BandedSVC(warm_start=True, C1=100, tol=1e-8)
    interrupted(model, X, y, 3)
    statuses = [part.status for part in model.certificate_.parts]
    assert statuses[0] is Status.CONVERGED
    assert statuses[-1] is Status.INTERRUPTED
    assert model.decision_function(X).shape == (150, 3)
    model.fit(X, y)
    assert_same_objective(model, BandedSVC(C1=100, tol=1e-8).fit(X, y))


def test_second_ctrl_c_ends_the_program_as_usual(data):
    model = BandedSVC()
    with pytest.raises(KeyboardInterrupt):
        interrupted(model, *data, 2, 2)
    assert not hasattr(model, "classes_")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_program_s_own_handler_is_left_alone(data):
    pressed = []
    old = signal.signal(signal.SIGINT, lambda *_: pressed.append(1))
    try:
        model = BandedSVC()
        assert not fit_model(model, *data, None, PressesCtrlC(2))
    finally:
        signal.signal(signal.SIGINT, old)
    assert pressed == [1]
    assert model.certificate_.is_optimal


def test_fits_in_other_threads_need_no_signals(data):
    models = [BandedSVC() for _ in range(2)]
    threads = [threading.Thread(target=model.fit, args=data) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(model.certificate_.is_optimal for model in models)


class Slow(Observer):
    """Makes every outer step last."""

    def step(self, run):
        time.sleep(0.05)


def test_time_limit_ends_a_fit_and_warm_start_goes_on(data):
    model = BandedSVC(time_limit=0.1, warm_start=True)
    fit_model(model, *data, None, Slow())
    assert model.certificate_.status is Status.TIME_LIMIT
    assert model.certificate_.n_iter < BandedSVC().fit(*data).n_iter_
    model.set_params(time_limit=None).fit(*data)
    assert_same_objective(model, BandedSVC().fit(*data))


def test_time_limit_is_one_for_all_classes():
    X, y = load_iris(return_X_y=True)
    model = BandedSVC(time_limit=0.1, C1=100, tol=1e-8)
    fit_model(model, X, y, None, Slow())
    statuses = [part.status for part in model.certificate_.parts]
    assert statuses[-1] is Status.TIME_LIMIT
    assert model.certificate_.parts[-1].n_iter == 0


def test_time_limit_warns_with_the_way_on(data):
    with pytest.warns(ConvergenceWarning, match=r"time_limit with .*gap .*warm_start=True"):
        BandedSVC(time_limit=1e-6).fit(*data)


def test_time_limit_that_suffices_changes_nothing(data):
    limited, free = BandedSVC(time_limit=1000).fit(*data), BandedSVC().fit(*data)
    np.testing.assert_array_equal(limited.dual_coef_, free.dual_coef_)


@pytest.mark.parametrize("value", [0, -1, np.nan, np.inf, "1 s", True])
def test_time_limit_must_be_seconds(value, data):
    with pytest.raises((ValueError, TypeError), match="time_limit must be"):
        BandedSVC(time_limit=value).fit(*data)


class EndsAt:
    """Wants work to end when it looks up for the n-th time."""

    def __init__(self, n_looks, reason=Status.INTERRUPTED):
        self.n_left, self.reason = n_looks, reason

    def __call__(self):
        self.n_left -= 1
        return self.reason if self.n_left < 0 else None


def test_looking_up_asks_the_innermost_watch_only():
    with stop_when(EndsAt(0)):
        with stop_when(None):
            check_stop()
        with pytest.raises(Stop):
            check_stop()
    check_stop()


@pytest.mark.parametrize("estimator", [BandedSVC(), LinearBandedSVC()])
def test_a_caller_can_end_a_fit_between_pieces_of_work(data, estimator):
    ends = EndsAt(8)
    with stop_when(ends), pytest.warns(ConvergenceWarning, match="was interrupted"):
        estimator.fit(*data)
    assert ends.n_left < 0
    assert estimator.certificate_.status is Status.INTERRUPTED


def test_a_time_limit_holds_within_the_callers_wish(data):
    with stop_when(EndsAt(10**9)), pytest.warns(ConvergenceWarning, match="time_limit"):
        BandedSVC(time_limit=1e-9).fit(*data)


STORES = {
    "given": ("rbf", 600, "smo"),
    "float64": ("rbf", 300, "pcg"),
    "by NumPy": ("laplacian", 1100, "smo"),
    "packed": ("rbf", 2200, "smo"),
    "packed, linear": ("linear", 1200, "smo"),
}


@pytest.fixture
def in_small_pieces(monkeypatch):
    monkeypatch.setattr(packing, "MAX_CALL_COST", 1e5)


@pytest.mark.usefixtures("in_small_pieces")
@pytest.mark.parametrize("n_looks", [0, 1, 3, 17, 71])
@pytest.mark.parametrize("store", STORES)
def test_whenever_a_solve_is_ended_its_gradient_is_right(rng, store, n_looks):
    kernel, n_samples, solver = STORES[store]
    X = rng.normal(size=(n_samples, 4))
    signs = np.where(X[:, 0] + 0.5 * rng.normal(size=n_samples) > 0, 1.0, -1.0)
    problem = band_problem(signs, 1.0, 1.2, 10.0, 10.0)
    settings = KernelSettings(kernel, 0.3, 0.0, 3)
    rows = settings.rows(X, largest_rounding=1.0)
    if store == "given":
        rows = PrecomputedRows(rows.block(np.arange(n_samples)).copy())
    ends = EndsAt(n_looks)
    with stop_when(ends):
        solution = solve(problem, rows, solver=solver, max_iter=20, polished=False)
    assert (solution.status is Status.INTERRUPTED) == (ends.n_left < 0)
    np.testing.assert_allclose(problem.feasible(solution.c), solution.c, atol=1e-9)
    everything = np.arange(n_samples)
    expected = rows.exact_product(everything, everything, solution.c)
    np.testing.assert_allclose(solution.f, expected, atol=2e-3)
    # What was left behind is as good as new.
    again = solve(problem, rows, solver=solver, max_iter=3, polished=False)
    expected = rows.exact_product(everything, everything, again.c)
    np.testing.assert_allclose(again.f, expected, atol=2e-3)


@pytest.mark.usefixtures("in_small_pieces")
@pytest.mark.parametrize("reason", [Status.INTERRUPTED, Status.TIME_LIMIT])
def test_a_start_that_takes_long_is_given_up_on_ctrl_c_only(rng, reason):
    X = rng.normal(size=(2500, 4))
    problem = band_problem(np.where(X[:, 0] > 0, 1.0, -1.0), 1.0, 1.5, 1.0, 1.0)
    rows = KernelSettings("rbf", 0.3, 0.0, 3).rows(X, largest_rounding=1.0)
    start = problem.feasible(rng.normal(size=2500))
    with stop_when(EndsAt(3, reason)):
        if reason is Status.INTERRUPTED:
            with pytest.raises(Stop):
                solve(problem, rows, start=Start(start))
            return
        solution = solve(problem, rows, start=Start(start))
    assert solution.status is reason
    everything = np.arange(2500)
    expected = rows.exact_product(everything, everything, solution.c)
    np.testing.assert_allclose(solution.f, expected, atol=2e-3)


def test_ctrl_c_before_the_first_step_leaves_an_earlier_fit_as_it_was(data):
    model = BandedSVC(warm_start=True).fit(*data)
    before = dict(vars(model))
    interrupted = stop_when(lambda: Status.INTERRUPTED)
    with interrupted, pytest.raises(KeyboardInterrupt, match="before its first step"):
        model.fit(*data)
    assert vars(model) == before


def fit_for_four_steps(model, *data):
    """Fit a model whose time is up after four steps."""
    counts = AfterEveryStep()
    with stop_when(lambda: Status.TIME_LIMIT if counts.n_steps >= 4 else None):
        fit_model(model, *data, counts)


def test_the_certificate_is_part_of_the_time_limit(data):
    model = BandedSVC()
    fit_for_four_steps(model, *data, None)
    assert model.certificate_.status is Status.TIME_LIMIT
    assert model.certificate_.n_checked <= MIN_SPOT_CHECKS
    assert model.certify(*data).gap == pytest.approx(model.certificate_.gap, rel=1e-3)


def test_samples_without_weight_hold_up_no_fit_that_must_end(data):
    X, y = data
    weights = np.ones(len(y))
    weights[:50] = 0.0
    model = BandedSVC()
    fit_for_four_steps(model, X, y, weights)
    assert np.isnan(model.xi_[:50]).all()
    assert np.isfinite(model.xi_[50:]).all()
