"""Searches and paths that end early keep what they have; searches say where they are."""

import pickle
import signal
import threading
from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

import bandsvm
from bandsvm import BandedSVC, BandedSVCCV
from bandsvm._fitting import limits, progress
from bandsvm._fitting.limits import Limits
from bandsvm._problem import Status
from bandsvm.cli import main
from bandsvm.model_selection import (
    PathInterrupted,
    _folds,
    _reporting,
    _score_pool,
    _search,
    band_path,
)
from bandsvm.model_selection._bands import BandCandidate
from bandsvm.model_selection._folds import Scores
from bandsvm.model_selection._standings import Standings

X, Y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)
pytestmark = pytest.mark.filterwarnings("ignore:BandedSVCCV found its best:UserWarning")
GRID = {"C1": [0.1, 1.0, 10.0], "gamma": [0.01, 0.03, 0.1], "refine": 0}


@pytest.fixture
def end_in_fit(monkeypatch):
    """Return a function that lets a limit be met in a fit of a search, and from then on."""
    score_of = _folds.FoldSolver.score_of

    def end(number, status):
        n_fits = []

        def counted(self, candidate):
            n_fits.append(candidate)
            return score_of(self, candidate)

        class Limited(Limits):
            def reason(self):
                return status if len(n_fits) >= number else None

        monkeypatch.setattr(_folds.FoldSolver, "score_of", counted)
        monkeypatch.setattr(_search, "Limits", Limited)
        return n_fits

    return end


def scored(rows):
    values = np.array(rows, dtype=float)
    standings = Standings(values.shape[1])
    candidates = [BandCandidate("rbf", 1.0, float(k + 1), 0.0, 1.5) for k in range(len(values))]
    standings.add(candidates, Scores(values, np.zeros(values.shape), 0, 0, None))
    return standings


def test_candidates_are_compared_on_the_folds_that_they_share():
    nan = np.nan
    standings = scored(
        [
            [0.9, 0.7, 0.7, 0.7],  # has the most folds: 0.75 on average
            [0.8, 0.6, 0.8, nan],  # its mean is 0.73; on shared folds it is 0.03 behind
            [0.8, 0.8, nan, nan],  # as good on shared folds, although its mean is 0.8
            [1.0, nan, nan, nan],  # too few folds
            [nan, nan, nan, nan],
        ]
    )
    compared = standings.on_shared_folds()
    np.testing.assert_allclose(compared[:3], [0.75, 0.75 - 0.1 / 3, 0.75])
    assert np.isnan(compared[3:]).all()
    assert standings.mean_so_far(2) == pytest.approx(0.8)
    assert standings.results(compared)["rank_test_score"].tolist() == [1, 3, 1, 4, 4]


def test_with_all_folds_everywhere_means_are_compared():
    standings = scored([[0.9, 0.7], [0.85, 0.8], [0.6, 0.7]])
    np.testing.assert_allclose(standings.on_shared_folds(), standings.means())


@pytest.mark.parametrize("number", [2, 4, 8])
def test_time_limit_before_any_candidate_has_all_folds(number, end_in_fit):
    fits = end_in_fit(number, Status.TIME_LIMIT)
    with pytest.warns(ConvergenceWarning, match=r"ended early \(time limit\).*in \d of 5 folds"):
        search = BandedSVCCV(**GRID, time_limit=1000.0, n_jobs=1).fit(X, Y)
    assert len(fits) == number
    results = search.cv_results_
    assert np.isnan(results["mean_test_score"]).all()
    splits = np.array([results[f"split{k}_test_score"] for k in range(5)]).T
    assert np.isfinite(splits).sum() == number - 1
    assert search.best_score_ == np.nanmean(splits[search.best_index_])
    assert results["rank_test_score"][search.best_index_] == 1
    assert search.best_estimator_.certificate_.is_optimal
    assert search.best_estimator_.time_limit is None


def test_time_limit_before_anything_is_scored_takes_the_middle():
    with pytest.warns(
        ConvergenceWarning, match="before any candidate was scored.*Raise time_limit"
    ):
        search = BandedSVCCV(time_limit=1e-9, refit=False).fit(X, Y)
    assert np.isnan(search.best_score_)
    assert search.best_params_["C1"] == 10.0
    assert search.best_params_["gamma"] == pytest.approx(0.3 / (X.shape[1] * X.var()))


@pytest.mark.heavy
def test_refit_gets_what_is_left(monkeypatch, end_in_fit):
    clock = iter(np.arange(0.0, 1e6, 0.25))
    given = []
    fit = BandedSVC.fit

    def noted(self, *data):
        given.append(self.time_limit)
        return fit(self.set_params(time_limit=None), *data)

    monkeypatch.setattr(BandedSVC, "fit", noted)
    monkeypatch.setattr("bandsvm.model_selection._searching.time.monotonic", lambda: next(clock))
    BandedSVCCV(**GRID, time_limit=1e5).fit(X, Y)
    BandedSVCCV(**GRID).fit(X, Y)
    assert 9e4 < given[0] < 1e5
    assert given[1] is None
    end_in_fit(4, Status.TIME_LIMIT)
    clock = iter([0.0, *np.arange(200.0, 1e6)])
    with pytest.warns(ConvergenceWarning, match="ended early"):
        BandedSVCCV(**GRID, time_limit=100.0).fit(X, Y)
    assert given[2] == 5.0


def test_search_ends_before_the_time_is_up_to_leave_some_for_the_refit(monkeypatch):
    seconds = []

    class Noted(Limits):
        def __init__(self, time_limit=None):
            seconds.append(time_limit)
            super().__init__(time_limit)

    monkeypatch.setattr(_search, "Limits", Noted)
    for refit in (True, False):
        BandedSVCCV(C1=1.0, gamma=0.03, C2=0.0, refine=0, time_limit=100.0, refit=refit).fit(X, Y)
    assert seconds == [80.0, 100.0]


@pytest.mark.parametrize("number", [3, 25])
def test_ctrl_c_stores_what_was_found_and_raises(number, end_in_fit):
    end_in_fit(number, Status.INTERRUPTED)
    search = BandedSVCCV(**GRID, n_jobs=1)
    with pytest.raises(KeyboardInterrupt, match="keeps the best so far"):
        search.fit(X, Y)
    assert search.best_score_ > 0.8
    assert search.best_params_ == search.cv_results_["params"][search.best_index_]
    assert search.best_estimator_.certificate_.is_optimal
    assert search.score(X, Y) > 0.9
    assert search.n_features_in_ == 30


def test_ctrl_c_before_anything_is_scored_changes_nothing(end_in_fit):
    search = BandedSVCCV(**GRID).fit(X, Y)
    expected = dict(vars(search))
    end_in_fit(1, Status.INTERRUPTED)
    with pytest.raises(KeyboardInterrupt, match="before any candidate"):
        search.fit(X, Y)
    assert vars(search) == expected


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_real_ctrl_c(n_jobs, monkeypatch):
    samples, labels = make_classification(2000, flip_y=0.2, random_state=0)
    pressed = []

    def press(self, candidates, fold, scores):
        if fold == 1 and not pressed:
            pressed.append(1)
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)

    monkeypatch.setattr(_reporting.Watch, "fold", press)
    search = BandedSVCCV(C1=[1.0, 10.0], n_jobs=n_jobs)
    with pytest.raises(KeyboardInterrupt):
        search.fit(samples, labels)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert search.n_splits_ == 5
    assert np.isfinite(search.best_score_)
    assert search.predict(samples).shape == (2000,)


def test_an_error_in_one_thread_ends_the_others(monkeypatch):
    n_begun = []
    score_of = _folds.FoldSolver.score_of

    def failing(self, candidate):
        n_begun.append(1)
        if candidate.gamma == 0.03:
            raise RuntimeError("no more")
        return score_of(self, candidate)

    monkeypatch.setattr(_folds.FoldSolver, "score_of", failing)
    search = BandedSVCCV(C1=np.geomspace(0.1, 10.0, 20), gamma=[0.01, 0.03, 0.1], give_up=False)
    with pytest.raises(RuntimeError, match="no more"):
        search.set_params(n_jobs=1).fit(X, Y)
    assert len(n_begun) == 20 * 5 + 1  # the longest group, then the one that fails


def test_interrupted_command_writes_the_model_it_has(tmp_path, capsys, end_in_fit):
    table = tmp_path / "table.csv"
    np.savetxt(table, np.column_stack([X[:, :5], Y]), delimiter=",")
    end_in_fit(9, Status.INTERRUPTED)
    written = tmp_path / "best.bsvm"
    assert main(["tune", str(table), "--model", str(written), "--quiet"]) == 130
    assert "interrupted after" in capsys.readouterr().err
    assert bandsvm.load(written).score(X[:, :5], Y) > 0.8


@pytest.fixture
def line_every(monkeypatch):
    """Return a function that sets how many seconds lie between lines."""
    return partial(monkeypatch.setattr, _reporting, "SECONDS_BETWEEN_LINES")


@pytest.fixture
def lines(monkeypatch):
    """Return the lines that a search says, with the threads that say them."""
    said = []
    monkeypatch.setattr(
        _reporting, "report", lambda line: said.append((line, threading.get_ident()))
    )
    return said


def test_search_says_at_once_what_it_tries(lines, monkeypatch):
    begun = []
    cross_validate = _score_pool.cross_validate

    def noted(*arguments):
        begun.append(len(lines))
        return cross_validate(*arguments)

    monkeypatch.setattr(_score_pool, "cross_validate", noted)
    BandedSVCCV(**GRID, verbose=1, refit=False).fit(X, Y)
    assert lines[0][0].startswith("569 samples, 5 folds: 9 candidates without a band, then bands")
    assert begun[0] == 1


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_slow_search_says_a_line_for_every_fold(n_jobs, lines, line_every):
    line_every(0.0)
    BandedSVCCV(**GRID, C2=0.0, verbose=1, refit=False, give_up=False, n_jobs=n_jobs).fit(X, Y)
    for gamma in GRID["gamma"]:
        for fold in range(1, 6):
            start = f"rbf, gamma={gamma}, fold {fold} of 5: 3 candidates; the best in this fold"
            assert sum(line.startswith(start) for line, _ in lines) == 1
        assert sum(line.startswith(f"rbf, gamma={gamma}: 3 candidates") for line, _ in lines) == 1
    if n_jobs == 2:
        assert threading.get_ident() not in {who for line, who in lines if "fold 1 of" in line}


def test_long_fits_say_where_they_are(lines, line_every):
    line_every(0.0)
    options = {"C1": 1.0, "gamma": 0.03, "C2": 0.0, "refine": 0, "refit": False, "verbose": 1}
    BandedSVCCV(**options).fit(X, Y)
    steps = [line for line, _ in lines if ": step " in line]
    assert steps[0].startswith("rbf, gamma=0.03, C1=1, C2=0, rho2=3, fold 1 of 5: step 0, ")
    lines.clear()
    line_every(1e9)
    BandedSVCCV(**options).fit(X, Y)
    assert not [line for line, _ in lines if ": step " in line]
    lines.clear()
    BandedSVCCV(**{**options, "verbose": 0}).fit(X, Y)
    assert not lines


def test_quick_search_says_a_line_per_second(lines, line_every):
    line_every(1e6)
    BandedSVCCV(**GRID, C2=0.0, verbose=1, refit=False).fit(X, Y)
    assert [line.partition(":")[0] for line, _ in lines] == ["569 samples, 5 folds"]


def test_lines_go_to_standard_error(capsys, monkeypatch, line_every):
    monkeypatch.setattr(progress.logger, "propagate", False)
    line_every(0.0)
    BandedSVCCV(C1=[1.0, 10.0], gamma=[0.01, 0.03], verbose=1, refine=0).fit(X, Y)
    told = capsys.readouterr().err
    assert "gamma=0.03: 2 candidates; the best of" in told


@pytest.fixture
def end_path_at(monkeypatch):
    """Return a function that lets a limit be met in an outer step of a path."""

    def end(number, status):
        steps = []

        def reason(self):
            steps.append(1)
            return status if len(steps) >= number else None

        monkeypatch.setattr(limits.Limits, "reason", reason)
        return steps

    return end


def test_interrupted_path_has_its_points(end_path_at):
    samples, labels = make_classification(300, flip_y=0.1, random_state=0)
    whole = band_path(samples, labels)
    end_path_at(40, Status.INTERRUPTED)
    with pytest.raises(KeyboardInterrupt) as caught:
        band_path(samples, labels)
    interrupt = caught.value
    assert isinstance(interrupt, PathInterrupted)
    n_points = len(interrupt.path.values)
    assert 0 < n_points < 50
    assert f"after {n_points} of 50 points" in str(interrupt)
    np.testing.assert_array_equal(interrupt.path.values, whole.values[:n_points])
    np.testing.assert_array_equal(interrupt.path.intercepts, whole.intercepts[:n_points])
    assert all(certificate.is_optimal for certificate in interrupt.path.certificates)


@pytest.mark.parametrize("status", [Status.INTERRUPTED, Status.TIME_LIMIT])
def test_path_without_a_point(status, end_path_at):
    end_path_at(1, status)
    if status is Status.INTERRUPTED:
        with pytest.raises(PathInterrupted, match="after 0 of 50 points") as caught:
            band_path(X, Y)
        path = caught.value.path
    else:
        with pytest.warns(ConvergenceWarning, match=r"\(time limit\) after 0 of 50 points"):
            path = band_path(X, Y)
    assert len(path.values) == len(path.certificates) == len(path.n_alpha) == 0
    assert path.intercepts.shape == (0, 1)
    assert path.coefficients[0].shape == (0, len(Y))


def test_path_whose_time_is_up_at_its_end_is_whole(end_path_at):
    steps = end_path_at(np.inf, Status.TIME_LIMIT)
    band_path(X, Y, values=[0.0, 1.0])
    end_path_at(len(steps) + 1, Status.TIME_LIMIT)
    assert len(band_path(X, Y, values=[0.0, 1.0]).values) == 2


def test_interruption_of_a_path_can_be_pickled(end_path_at):
    end_path_at(1, Status.INTERRUPTED)
    with pytest.raises(PathInterrupted) as caught:
        band_path(X, Y)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert len(again.path.values) == 0
