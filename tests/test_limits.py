"""Fits that end early: Ctrl-C and time limits keep the best model so far, and one can go on."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning

from bandsvm import BandedSVC, _limits
from bandsvm._course import Observer
from bandsvm._fitting import fit_model
from bandsvm._limits import Interruption
from bandsvm.solvers import Status
from problems import assert_same_objective


@pytest.fixture(autouse=True)
def calm(monkeypatch):
    """No Ctrl-C of an earlier test counts as the first of two."""
    monkeypatch.setattr(Interruption, "_last_interrupted_at", -np.inf)


@pytest.fixture(scope="module")
def data():
    return make_classification(3000, flip_y=0.2, random_state=0)


class PressesCtrlC(Observer):
    """Sends SIGINT to the process in given outer steps of the whole fit."""

    def __init__(self, *steps):
        self.steps, self.n_steps = steps, 0

    def step(self, course):
        self.n_steps += 1
        for _ in range(self.steps.count(self.n_steps)):
            os.kill(os.getpid(), signal.SIGINT)


def interrupted(model, X, y, *steps):
    fit_model(model, X, y, None, PressesCtrlC(*steps))
    return model


def test_ctrl_c_keeps_the_best_model_so_far(data):
    model = interrupted(BandedSVC(), *data, 3)
    certificate = model.certificate_
    assert certificate.status is Status.INTERRUPTED
    assert certificate.kkt_violation > model.tol
    assert certificate.primal > certificate.dual > 0
    assert model.score(*data) > 0.7
    assert model.certify(*data).gap == pytest.approx(certificate.gap, rel=1e-3)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_warns_with_the_gap_and_the_way_on(data):
    timer = threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.warns(ConvergenceWarning, match=r"interrupted .*gap \d.*kept.*warm_start=True"):
        BandedSVC(tol=1e-10, C1=1e4, C2=1e4).fit(*data)


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


def test_ctrl_c_soon_after_another_gets_out_of_a_loop_over_fits(data):
    interrupted(BandedSVC(), *data, 2)
    with pytest.raises(KeyboardInterrupt):
        interrupted(BandedSVC(), *data, 2)


def test_ctrl_c_long_after_another_is_a_first_one(data, monkeypatch):
    monkeypatch.setattr(_limits, "SECOND_PRESS", 0.0)
    interrupted(BandedSVC(), *data, 2)
    assert interrupted(BandedSVC(), *data, 2).certificate_.status is Status.INTERRUPTED


def test_a_program_s_own_handler_is_left_alone(data):
    pressed = []
    old = signal.signal(signal.SIGINT, lambda *_: pressed.append(1))
    try:
        model = interrupted(BandedSVC(), *data, 2)
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

    def step(self, course):
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
    with pytest.warns(ConvergenceWarning, match=r"time_limit after .* s .*gap .*warm_start=True"):
        BandedSVC(time_limit=1e-6).fit(*data)


def test_time_limit_that_suffices_changes_nothing(data):
    limited, free = BandedSVC(time_limit=1000).fit(*data), BandedSVC().fit(*data)
    np.testing.assert_array_equal(limited.dual_coef_, free.dual_coef_)


@pytest.mark.parametrize("value", [0, -1, np.nan, np.inf, "1 s", True])
def test_time_limit_must_be_seconds(value, data):
    with pytest.raises((ValueError, TypeError), match="time_limit must be"):
        BandedSVC(time_limit=value).fit(*data)
