"""What a fit shows while it runs: lines, the log, a bar, scikit-learn's callbacks."""

import logging
import math
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification

from bandsvm import BandedSVC, LinearBandedSVC
from bandsvm._fitting import progress
from bandsvm._fitting.progress import ProgressBar, ProgressLines, progress_shower, share_done
from bandsvm._fitting.run import FitRun


def samples(n_classes):
    X, y = load_iris(return_X_y=True)
    return X[y < n_classes], np.array(["ant", "bee", "eel"])[y[y < n_classes]]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_lines_go_to_standard_error(n_classes, capsys, monkeypatch, nobody_listens):
    X, y = samples(n_classes)
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", np.inf)
    printed = []
    for verbose in (0, 1, 2):
        model = BandedSVC(verbose=verbose, multi_class="ovr").fit(X, y)
        streams = capsys.readouterr()
        assert streams.out == ""
        printed.append(streams.err.splitlines())
    n_problems = len(model.intercept_)
    # Nothing, then the end of each problem, then the start and every step.
    lengths = [0, n_problems, model.certificate_.n_iter + n_problems]
    assert [len(lines) for lines in printed] == lengths
    assert all("violation" in line for line in printed[1] + printed[2])
    assert sum("'eel' against the rest" in line for line in printed[1]) == (n_classes == 3)


def test_many_problems_share_a_bar_and_few_have_lines(
    capsys, monkeypatch, nobody_listens, open_terminal
):
    X, y = make_classification(120, n_informative=6, n_classes=6, random_state=0)
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", np.inf)
    BandedSVC(verbose=1, multi_class="ovo", n_jobs=1).fit(X, y)
    first, last = capsys.readouterr().err.splitlines()
    assert "class 0 against 1" in first
    assert "class 4 against 5" in last
    BandedSVC(verbose=1, multi_class="ovo", n_jobs=2).fit(X, y)  # in any order
    assert len(capsys.readouterr().err.splitlines()) == 2
    pytest.importorskip("rich")
    terminal = open_terminal()
    BandedSVC(verbose=1, multi_class="ovo").fit(X, y)
    drawn = terminal.getvalue()
    assert "problem 15 of 15" in drawn
    assert "against" not in drawn


def test_last_line_counts_both_kinds_of_support_vectors(capsys, nobody_listens):
    X, y = make_classification(1500, random_state=0)
    model = BandedSVC(verbose=2).fit(X, y)
    last = capsys.readouterr().err.splitlines()[-1]
    assert f"{len(model.alpha_support_)} + {len(model.theta_support_)} support vectors" in last


def test_lines_can_be_captured_by_logging(caplog, capsys):
    X, y = samples(2)
    with caplog.at_level(logging.INFO, logger="bandsvm"):
        BandedSVC(verbose=2).fit(X, y)
    assert {record.name for record in caplog.records} == {"bandsvm"}
    assert "violation" in caplog.text
    assert capsys.readouterr().err == ""


def test_a_bar_on_a_terminal_only(monkeypatch, nobody_listens, open_terminal):
    pytest.importorskip("rich")
    assert isinstance(progress_shower(1), ProgressLines)
    open_terminal()
    assert isinstance(progress_shower(1), ProgressBar)
    assert isinstance(progress_shower(2), ProgressLines)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    assert isinstance(progress_shower(1), ProgressLines)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(("kind", "figure"), [(BandedSVC, "SVs"), (LinearBandedSVC, "gap")])
def test_bar_ends_full(kind, figure, n_classes, monkeypatch, nobody_listens, open_terminal):
    pytest.importorskip("rich")
    X, y = samples(n_classes)
    terminal = open_terminal()
    bars = []
    monkeypatch.setattr(progress, "ProgressBar", lambda: bars.append(ProgressBar()) or bars[0])
    model = kind(verbose=1).fit(X, y)
    tasks = bars[0]._bar.tasks
    assert [task.completed for task in tasks] == [1.0] * len(model.intercept_)
    assert figure in terminal.getvalue()
    assert bars[0]._bar.finished


def test_share_of_the_way_is_logarithmic():
    assert share_done(1.0, 1.0, 1e-4) == 0.0
    assert share_done(1.0, 1e-2, 1e-4) == pytest.approx(0.5)
    assert share_done(1.0, 1e-5, 1e-4) == 1.0
    assert share_done(1.0, 2.0, 1e-4) == 0.0
    assert share_done(np.inf, np.inf, 1e-4) == 0.0


class Recorder:
    """A callback of scikit-learn that remembers what it was told."""

    def __init__(self, stop_after=np.inf):
        self.begun, self.scores, self.stop_after = [], [], stop_after
        self.log = []

    def setup(self, estimator, context):
        self.log.append("setup")

    def on_fit_task_begin(self, estimator, context):
        self.begun.append(context.task_name)

    def on_fit_task_end(self, estimator, context, *, X, y, fitted_estimator):
        if fitted_estimator is not None and context.task_name.startswith("step"):
            self.scores.append(fitted_estimator.score(X, y))
        return len(self.scores) >= self.stop_after

    def teardown(self, estimator, context):
        self.log.append("teardown")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_callbacks_of_scikit_learn_see_every_step(n_classes):
    pytest.importorskip("sklearn.callback")
    X, y = samples(n_classes)
    recorder = Recorder()
    model = BandedSVC(tol=1e-6, C1=100).set_callbacks(recorder).fit(X, y)
    n_problems = len(model.intercept_)
    steps = [name for name in recorder.begun if name.startswith("step")]
    assert len(steps) == model.certificate_.n_iter + n_problems
    assert len(recorder.begun) - len(steps) == (1 if n_problems == 1 else 1 + n_problems)
    assert recorder.scores[-1] == model.score(X, y)
    assert recorder.log == ["setup", "teardown"]


def test_callback_of_scikit_learn_may_end_the_fit():
    pytest.importorskip("sklearn.callback")
    X, y = make_classification(3000, flip_y=0.2, random_state=0)
    with pytest.warns(UserWarning, match=r"stopped by a callback .* gap .*warm_start"):
        BandedSVC().set_callbacks(Recorder(stop_after=2)).fit(X, y)


def test_callbacks_are_torn_down_after_a_failure():
    pytest.importorskip("sklearn.callback")
    recorder = Recorder(stop_after=0)
    recorder.on_fit_task_begin = lambda estimator, context: 1 / 0
    model = BandedSVC().set_callbacks(recorder)
    with pytest.raises(ZeroDivisionError):
        model.fit(*samples(2))
    assert recorder.log == ["setup", "teardown"]
    assert not hasattr(model, "classes_")


def test_progress_bar_of_scikit_learn(capsys):
    callback = pytest.importorskip("sklearn.callback")
    pytest.importorskip("rich")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = samples(3)
    model = make_pipeline(StandardScaler(), BandedSVC(multi_class="ovr"))
    model.set_callbacks(callback.ProgressBar(max_propagation_depth=None))
    assert model.fit(X, y).score(X, y) > 0.9
    assert "'eel' against the rest" in capsys.readouterr().out


class FarFromDone(FitRun):
    """A run at some distance from its end."""

    distance = math.inf
    titles = ()

    def figures(self):
        return f"violation {self.distance:.1e}, tol {self.progress.tol:.0e}, 999999 SVs"


@pytest.mark.parametrize("columns", [80, 100, 200])
@pytest.mark.parametrize("title", ["fit", "class 'a rather long name of a class' against the rest"])
def test_bar_fits_the_terminal(columns, title, open_terminal):
    """Bar, violation and time are all there, in one line each."""
    pytest.importorskip("rich")
    open_terminal(columns)
    shown = ProgressBar()
    run = FarFromDone([])
    run.titles = [title]
    run.progress = SimpleNamespace(tol=8e-4)
    shown.begin(run)
    for run.distance in (1.234, 0.03):
        shown.step(run)
    with shown._bar.console.capture() as capture:
        shown._bar.console.print(shown._bar.get_renderable())
    (line,) = re.sub(r"\x1b\[[0-9;]*m", "", capture.get()).splitlines()
    assert len(line) <= columns
    assert "violation 3.0e-02, tol 8e-04, 999999 SVs" in line
    assert re.search(r"\d:\d\d:\d\d", line)
    assert line.count("━") >= 8
