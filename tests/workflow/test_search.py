"""Searches on the page."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm._workflow.holdout import parts_of_holdout
from bandsvm._workflow.samples import Query, page
from bandsvm._workflow.search import SearchProgress, search_on_page
from bandsvm._workflow.work import Work
from tests.helpers.workflow_tables import holdout_of, text_table


@pytest.mark.heavy
def test_a_search_reports_every_score(iris):
    holdout, _ = iris
    reports = []
    found = search_on_page(holdout, {"kernel": "linear", "C1": 5.0}, Work(reports.append))
    surfaces = [report["surface"] for report in reports if "surface" in report]
    assert len(surfaces) > 2
    sizes = [len(each["score"]) for each in surfaces]
    assert sizes == sorted(sizes)
    assert found.surface["score"] == surfaces[-1]["score"]
    best = found.surface["best"]
    assert found.surface["C1"][best] == found.estimator.C1
    assert found.surface["C2"][best] == found.estimator.C2
    assert f"Best of {sizes[-1]} candidates" in found.sentences[0]
    assert found.estimator.certificate_.is_optimal
    assert any(report["stage"] == "fit" for report in reports)


@pytest.mark.heavy
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_progress_of_a_search_has_an_end(kernel, iris):
    holdout, _ = iris
    reports = []
    progress = SearchProgress(reports.append, min_seconds=0.0)
    found = search_on_page(holdout, {"kernel": kernel}, Work(reports.append), progress)
    n_tried = len(found.search.cv_results_["params"])
    progress = [report["progress"] for report in reports if "progress" in report]
    assert [each["n_done"] for each in progress] == sorted(each["n_done"] for each in progress)
    assert progress[-1]["n_done"] == 5 * n_tried
    for each in progress:
        # The refined candidates are fewer where the best one is at the end of a grid.
        assert n_tried <= each["n_candidates"] <= n_tried + 9
        assert each["n_all"] == 5 * each["n_candidates"]
        assert each["seconds_left"] >= 0.0
    assert progress[-1]["share"] > 0.95


@pytest.mark.heavy
def test_folds_are_predicted_by_models_of_the_others(iris):
    holdout, _ = iris
    found = search_on_page(holdout, {"kernel": "linear"}, Work())
    parts = parts_of_holdout(holdout, holdout.model(found.estimator), found.folds)
    assert list(parts) == ["held out", "folds", "train", "all"]
    folds, X, y = parts["folds"], holdout.table.X[holdout.train], holdout.y_train
    right = np.zeros(len(y), dtype=bool)
    for k, (train, rest) in enumerate(found.search.cv):
        model = make_pipeline(StandardScaler(), clone(found.estimator)).fit(X[train], y[train])
        right[rest] = model.predict(X[rest]) == y[rest]
        assert found.chosen.scores[k] == pytest.approx(right[rest].mean())
    assert folds.predictions.quality.n_right == right.sum()
    assert page(folds, Query())["n_found"] == len(y)


def test_a_stopped_search_keeps_the_best_so_far(cancer):
    holdout, _ = cancer
    work = Work()

    def stop_at_third(report):
        surfaces.append(report) if "surface" in report else None
        if len(surfaces) == 3:
            work.stop()

    surfaces = []
    work.report = stop_at_third
    found = search_on_page(holdout, {}, work)
    assert found.sentences[0].startswith("Stopped: the best so far of")
    assert found.estimator.certificate_.is_optimal
    assert found.estimator.time_limit is None
    assert found.folds == "the search was stopped"


def small_table(n_samples):
    rows = [[k, k % 7, k % 2] for k in range(n_samples)] + [[1, 2, 9]]
    return holdout_of("s.csv", text_table("aby", rows))


def test_searches_of_small_tables():
    with pytest.raises(ValueError, match=r"at least 5 training samples.*the largest has 4"):
        search_on_page(small_table(10), {}, Work())
    found = search_on_page(small_table(40), {"kernel": "linear"}, Work())
    # The class of a single sample is in no fold but one.
    assert any("least populated class" in text for text in found.sentences)


def test_a_search_that_is_stopped_at_once_has_no_model(cancer):
    work = Work()
    work.stop()
    with pytest.raises(ValueError, match="before any candidate"):
        search_on_page(cancer[0], {}, work)
