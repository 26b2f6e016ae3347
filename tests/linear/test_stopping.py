"""How linear fits end: at a limit, on Ctrl-C, by an error; and how they go on from there."""

import math
import os
import re
import signal
import time

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.exceptions import ConvergenceWarning

from bandsvm._fitting.lifecycle import end_fit
from bandsvm._fitting.run import Observer
from bandsvm._linear.executor import LocalExecutor
from bandsvm._linear.fit import fit_linear
from bandsvm._problem import Status
from bandsvm._system.stopping import Stop, check_stop
from tests.helpers.problems import NarrowLinearBandedSVC as LinearBandedSVC
from tests.helpers.watching import AfterEveryStep, AtStep


def fit_watched(model, data, *observers):
    """Fit a model as `fit` does, watched by observers."""
    end_fit(model, fit_linear(model, *data, None, *observers))
    return model


def press_ctrl_c():
    os.kill(os.getpid(), signal.SIGINT)


def test_non_convergence_is_a_warning_that_names_the_gap(data, solver):
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2 .*gap \d.*e-06.*warm_start=True"):
        model = LinearBandedSVC(solver=solver, max_iter=2, warm_start=True).fit(*data)
    certificate = model.certificate_
    assert re.search(
        r"NOT optimal to tol.*\n.*\n.*of the objective, tol 1.0e-06", repr(certificate)
    )
    assert certificate.status is Status.ITERATION_LIMIT
    assert not certificate.is_optimal
    assert certificate.primal >= certificate.dual
    model.set_params(max_iter=20_000).fit(*data)
    whole = LinearBandedSVC(solver=solver, max_iter=20_000).fit(*data)
    assert model.certificate_.is_optimal
    assert model.certificate_.primal == pytest.approx(whole.certificate_.primal, rel=2e-6)


def test_warm_start_from_the_solution_takes_fewer_steps(solver):
    data = make_classification(1500, 8, n_informative=4, flip_y=0.1, random_state=0)
    model = LinearBandedSVC(solver=solver, warm_start=True, max_iter=20_000).fit(*data)
    before = model.n_iter_
    model.set_params(C1=1.01).fit(*data)
    assert model.n_iter_ < before
    assert model.certificate_.is_optimal


def test_ctrl_c_keeps_the_best_model_so_far(data, solver):
    model = LinearBandedSVC(solver=solver, warm_start=True)
    with pytest.raises(KeyboardInterrupt, match=r"interrupted .*gap \d.*kept.*warm_start=True"):
        fit_watched(model, data, AtStep(4, press_ctrl_c))
    certificate = model.certificate_
    assert certificate.status is Status.INTERRUPTED
    assert certificate.n_iter == {"newton": 3, "cd": 5}[solver]
    assert certificate.primal > certificate.dual
    assert model.score(*data) > 0.6
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert model.set_params(max_iter=20_000).fit(*data).certificate_.is_optimal


def test_ctrl_c_in_a_fit_of_several_classes(solver):
    X, y = load_iris(return_X_y=True)
    model = LinearBandedSVC(solver=solver)
    with pytest.raises(KeyboardInterrupt):
        fit_watched(model, (X, y), AtStep(2, press_ctrl_c))
    assert model.decision_function(X).shape == (150, 3)
    assert {part.status for part in model.certificate_.parts} == {Status.INTERRUPTED}
    assert all(part.primal >= part.dual for part in model.certificate_.parts)


def test_ctrl_c_while_a_point_is_evaluated_keeps_that_point(data, monkeypatch):
    """The first evaluation is cut short: what is kept is the iterate, not where the fit began."""
    pressed = []

    def press_once(executor, c, point=LocalExecutor.point):
        if not pressed:
            pressed.append(press_ctrl_c())
        check_stop()
        return point(executor, c)

    monkeypatch.setattr(LocalExecutor, "point", press_once)
    model = LinearBandedSVC(solver="newton")
    with pytest.raises(KeyboardInterrupt, match="kept"):
        model.fit(*data)
    assert model.certificate_.relative_gap < 1e-3
    assert model.coef_.any()


def test_time_limit_ends_a_fit(data, solver):
    model = LinearBandedSVC(solver=solver, time_limit=0.5)
    with pytest.warns(ConvergenceWarning, match=r"time_limit .*gap \d.*warm_start=True"):
        fit_watched(model, data, AfterEveryStep(lambda: time.sleep(0.1)))
    assert model.certificate_.status is Status.TIME_LIMIT
    assert 1 <= model.certificate_.n_iter <= 2**5  # "cd" doubles its passes between steps


def test_verbose_reports_every_step(data, solver, caplog):
    with caplog.at_level("INFO", logger="bandsvm"):
        model = LinearBandedSVC(solver=solver, C1=0.1, verbose=2, max_iter=20_000)
        model.fit(*data)
    n_lines = model.n_iter_ + 1 if solver == "newton" else 2 + math.ceil(math.log2(model.n_iter_))
    assert len(caplog.messages) == n_lines
    assert "relative gap" in caplog.messages[0]


def test_a_fit_that_fails_leaves_the_last_one(data, solver):
    X, y = data
    model = LinearBandedSVC(solver=solver, C1=0.1, max_iter=20_000).fit(X, y)
    coef = model.coef_
    with pytest.raises(ValueError, match="C1"):
        model.set_params(C1=-1.0).fit(X[:, :3], y)
    assert model.coef_ is coef
    assert model.n_features_in_ == X.shape[1]


class StopsEarly(Observer):
    """Stops a fit before its data are checked, or before its first problem."""

    def __init__(self, stage):
        self._stage = stage

    def __enter__(self):
        self._stop_at("data")
        return self

    def begin(self, run):
        self._stop_at("problem")

    def _stop_at(self, stage):
        if stage == self._stage:
            raise Stop(Status.INTERRUPTED)


@pytest.mark.parametrize("stage", ["data", "problem"])
def test_ctrl_c_before_the_first_step_leaves_nothing_fitted(data, stage):
    model = LinearBandedSVC()
    with pytest.raises(KeyboardInterrupt, match="LinearBandedSVC was interrupted before its first"):
        fit_watched(model, data, StopsEarly(stage))
    assert not hasattr(model, "n_features_in_")


class Ends(Observer):
    """Ends a fit after its second step."""

    def step(self, run):
        return Status.STOPPED if run.progress.n_iter >= 2 else None


def test_an_observer_may_end_a_fit(data, solver):
    model = LinearBandedSVC(solver=solver, tol=1e-12)
    with pytest.warns(ConvergenceWarning, match=r"stopped by a callback .*gap \d"):
        fit_watched(model, data, Ends())
    assert model.certificate_.status is Status.STOPPED
    assert model.coef_.any()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", ["newton", "cd"])
@pytest.mark.parametrize("C1", [1.0, 100.0])
@pytest.mark.parametrize("n_first", [1, 4, 8, 12])
def test_unfinished_fit_goes_on_without_loss(solver, C1, n_first):
    """Newton's method takes more steps from an unfinished point than from nothing."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 20))
    y = np.where(rng.random(3000) < 0.2, -1, 1) * np.sign(X[:, 0])
    cold = LinearBandedSVC(C1=C1, solver=solver, max_iter=40, tol=1e-9).fit(X, y)
    model = LinearBandedSVC(C1=C1, solver=solver, max_iter=n_first, tol=1e-9, warm_start=True)
    first = model.fit(X, y).certificate_
    second = model.set_params(max_iter=40).fit(X, y).certificate_
    assert second.relative_gap <= first.relative_gap
    if solver == "newton":
        assert second.is_optimal
        assert model.n_iter_ <= cold.n_iter_
