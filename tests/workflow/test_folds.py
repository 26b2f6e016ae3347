"""Folds of a search: what their training parts learn stays apart from what they predict."""

import json

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import Pipeline

from bandsvm import BandedSVC
from bandsvm._tables.table import Table
from bandsvm._workflow.folds import PreparedFolds, stratified_splits
from bandsvm._workflow.holdout import Holdout
from bandsvm._workflow.pipeline import fitted_samples, new_pipeline
from bandsvm._workflow.search import search_on_page
from bandsvm._workflow.source import Choices, Source
from bandsvm._workflow.tasks import held_out_predictions
from bandsvm._workflow.work import Work
from bandsvm.cli import main
from tests.helpers.workflow_tables import text_table

pytestmark = pytest.mark.filterwarnings("ignore:BandedSVCCV found its best:UserWarning")
CANDIDATE = {"C1": 10.0, "C2": 0.0, "rho2": 2.0, "gamma": 0.3}


def leaky_table():
    """A table with an outlier, by which the column that tells the classes apart is scaled.

    Only the fold that holds it out can tell them apart. A quarter of the other values is missing,
    and some categories are in one fold only.
    """
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 3))
    X[:, 0] += 3.0 * y
    X[7, 0] = 1e6
    is_missing = rng.random(X.shape) < [0.0, 0.25, 0.25]
    colours = rng.choice(["red", "green", "blue", *"abcdefghij"], 120)
    rows = [
        [*("" if gone else f"{value:.6f}" for value, gone in zip(*row, strict=True)), colour, label]
        for *row, colour, label in zip(X, is_missing, colours, y, strict=True)
    ]
    return text_table(["a", "b", "c", "colour", "y"], rows)


@pytest.fixture
def table():
    return Source.of_bytes("leaky.csv", leaky_table()).table(Choices())


def test_tune_scores_pipelines_as_grid_search_does(table, folder, capsys):
    (folder / "leaky.csv").write_bytes(leaky_table())
    grid = [word for name, value in CANDIDATE.items() for word in (f"--{name}", str(value))]
    command = ["tune", "leaky.csv", "--model", "m.bsvm", *grid, "--json", "--quiet"]
    assert main(command) == 0
    found = json.loads(capsys.readouterr().out)
    pipeline = new_pipeline(table, "standard", BandedSVC())
    best = {f"classify__{name}": [found["best"][name]] for name in CANDIDATE}
    splits = stratified_splits(table.y, 5)
    theirs = GridSearchCV(pipeline, best, cv=splits).fit(table.X, table.y)
    assert found["cv_score"] == pytest.approx(theirs.best_score_)
    # Steps that had seen all samples would give another score.
    X = pipeline[:-1].fit_transform(table.X)
    leaky = GridSearchCV(
        BandedSVC(), {name: [found["best"][name]] for name in CANDIDATE}, cv=splits
    )
    assert leaky.fit(X, table.y).best_score_ != pytest.approx(theirs.best_score_)


@pytest.mark.heavy
def test_the_page_scores_pipelines_as_grid_search_does(table):
    holdout = Holdout(table)
    found = search_on_page(holdout, {"kernel": "linear"}, Work())
    X, y = table.X.iloc[holdout.train], holdout.y_train
    pipeline = holdout.model(found.estimator)
    for fold, (train, rest) in enumerate(found.search.cv):
        own = clone(pipeline).fit(X.iloc[train], y[train])
        assert found.chosen.scores[fold] == pytest.approx(own.score(X.iloc[rest], y[rest]))


def prepared(table, scale):
    pipeline = new_pipeline(table, scale, BandedSVC())
    X, splits = fitted_samples(pipeline, table), stratified_splits(table.y, 5)
    return PreparedFolds.of(pipeline, X, table.X, table.y, splits), pipeline


def test_held_out_predictions_are_those_of_pipelines(table):
    folds, pipeline = prepared(table, "standard")
    model = BandedSVC(C1=10.0)
    values = held_out_predictions(folds, model, np.inf).values
    whole = Pipeline([*clone(pipeline).steps[:-1], ("classify", model)])
    expected = cross_val_predict(
        whole, table.X, table.y, cv=folds.splits, method="decision_function"
    )
    np.testing.assert_allclose(values, expected, atol=1e-6)


def test_a_column_that_is_empty_in_a_training_part_is_left_out_there():
    y = np.arange(40) % 2
    X = np.column_stack([np.arange(40.0), np.full(40, np.nan)])
    X[stratified_splits(y, 5)[2][1], 1] = 1.0 + np.arange(8)
    by_fold = prepared(Table("t", X, y), "standard")[0].by_fold
    # A number, a number that may be missing, and whether it is.
    assert [part.shape[1] for part in by_fold] == [3, 3, 2, 3, 3]


def test_folds_share_samples_that_need_no_preparation():
    content = text_table("aby", [[k, k % 7, k % 2] for k in range(40)])
    table = Source.of_bytes("numbers.csv", content).table(Choices())
    assert prepared(table, "none")[0].by_fold is None
    assert len(prepared(table, "standard")[0].by_fold) == 5
