"""Fits of all pairs of classes: threads, observers, time limits and Ctrl-C."""

import os
import signal
import threading

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from bandsvm import BandedSVC
from bandsvm._fitting.fit import fit_model
from bandsvm._fitting.rows import OwnRows
from bandsvm._fitting.run import Observer
from bandsvm._problem import Status
from tests.helpers.many_classes import FOUR, IRIS, NAMES, SETS, generated


class Watching(Observer):
    """Keeps the titles of problems and, after some step, a model; may end the fit."""

    def __init__(self, last_step=None):
        self.titles, self.n_steps, self.last_step = [], 0, last_step
        self.model = None

    def begin(self, run):
        self.titles.append(run.titles[run.index])

    def step(self, run):
        self.n_steps += 1
        if self.n_steps == self.last_step:
            self.model = run.model()
            return Status.TIME_LIMIT
        return None


@pytest.mark.parametrize("name", ["seven classes", "beyond exact solutions"])
def test_results_do_not_depend_on_threads(name, monkeypatch, side_by_side):
    X, y = SETS[name]()
    threads = set()
    original = OwnRows.of

    def noted(rows, index):
        threads.add(threading.get_ident())
        return original(rows, index)

    monkeypatch.setattr(OwnRows, "of", noted)
    one, many = (BandedSVC(multi_class="ovo", n_jobs=n).fit(X, y) for n in (1, 2))
    assert len(threads) > 1  # pairs are solved in threads of their own ...
    threads.clear()
    watched = BandedSVC(multi_class="ovo", n_jobs=2)
    fit_model(watched, X, y, None, Watching())
    assert len(threads) == 1  # ... unless somebody watches
    for other in (many, watched):
        np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)
        np.testing.assert_array_equal(one.intercept_, other.intercept_)
        np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))


def test_threads_share_the_memory():
    X, y = SETS["seven classes"]()
    small = BandedSVC(multi_class="ovo", n_jobs=2, cache_size=0.5).fit(X, y)
    large = BandedSVC(multi_class="ovo", n_jobs=2).fit(X, y)
    np.testing.assert_allclose(small.decision_function(X), large.decision_function(X), atol=1e-6)


def test_an_error_in_a_thread_is_raised():
    X, y = FOUR
    with pytest.raises(ValueError, match=r"cannot be separated .*class 0 against 1\)"):
        BandedSVC(multi_class="ovo", kernel="linear", C1=np.inf, n_jobs=2).fit(X, y)


def test_titles_name_both_classes():
    watching = Watching()
    fit_model(BandedSVC(multi_class="ovo"), IRIS[0], NAMES[IRIS[1]], None, watching)
    assert watching.titles == [
        "class 'ant' against 'bee':",
        "class 'ant' against 'cat':",
        "class 'bee' against 'cat':",
    ]


def test_a_model_of_the_current_state_has_all_pairs():
    X, y = FOUR
    watching = Watching(last_step=6)
    model = BandedSVC(multi_class="ovo", tol=1e-6)
    fit_model(model, X, y, None, watching)
    assert len(watching.model.certificate_.parts) == len(model.certificate_.parts) == 6
    assert not watching.model.certificate_.is_optimal
    assert watching.model.decision_function(X).shape == (len(y), 4)


def test_a_time_limit_keeps_the_pairs_so_far():
    X, y = generated(6, 9, n_samples=6000)
    model = BandedSVC(multi_class="ovo", time_limit=0.02, tol=1e-9, C1=1e3)
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        model.fit(X, y)
    assert model.certificate_.status is Status.TIME_LIMIT
    assert model.decision_function(X).shape == (len(y), 6)
    assert len(model.certificate_.parts) == 15


def test_ctrl_c_keeps_all_pairs_while_threads_solve_them():
    X, y = generated(6, 9, n_samples=6000)
    model = BandedSVC(multi_class="ovo", tol=1e-10, C1=1e4, C2=1e4, n_jobs=2)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt, match=r"interrupted .*gap \d.*kept.*warm_start=True"):
        model.fit(X, y)
    assert model.certificate_.status is Status.INTERRUPTED
    assert len(model.certificate_.parts) == 15
    assert np.isfinite(model.decision_function(X)).all()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
