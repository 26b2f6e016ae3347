"""Regressors in the workflow: figures against scikit-learn, held-out samples, pages."""

import numpy as np
import pytest
from sklearn.metrics import (
    d2_pinball_score,
    mean_absolute_error,
    mean_pinball_loss,
    r2_score,
    root_mean_squared_error,
)
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bandsvm
from bandsvm import BandedQuantileSVR, BandedSVR
from bandsvm._tables.options import REGRESS, ReadOptions
from bandsvm._tables.reading import read_table
from bandsvm._workflow import number_report
from bandsvm._workflow.description import ModelDescription
from bandsvm._workflow.folds import SEED_OF_FOLDS, PreparedFolds, number_splits
from bandsvm._workflow.holdout import Holdout, parts_of_holdout, whole_table
from bandsvm._workflow.numbers import NumberPredictions, regressor_defaults
from bandsvm._workflow.pipeline import fitted_samples, new_pipeline, task_of
from bandsvm._workflow.tasks import TASKS, held_out_predictions
from bandsvm._workflow.work import Work
from bandsvm.cli import main
from tests.helpers.regression_files import TOWNS, X, Y, houses, numbers
from tests.helpers.report_pages import Page
from tests.helpers.workflow_tables import HOSTILE, text_table

THREE = (0.9, 0.1, 0.5)


def table_of(folder, content, name="t.csv"):
    """Return the table of a file whose targets are numbers."""
    (folder / name).write_bytes(content)
    return read_table(str(folder / name), ReadOptions(task=REGRESS))


def test_figures_are_those_of_scikit_learn():
    model = BandedSVR(epsilon=(0.1, 0.3)).fit(X, Y)
    predictions = NumberPredictions(model, X, Y)
    predicted, quality = model.predict(X), predictions.quality
    assert quality.errors.r2 == pytest.approx(r2_score(Y, predicted))
    assert quality.errors.mae == pytest.approx(mean_absolute_error(Y, predicted))
    assert quality.errors.rmse == pytest.approx(root_mean_squared_error(Y, predicted))
    assert predictions.position.tolist() == model.band_position(X, Y).tolist()
    model = BandedQuantileSVR(THREE).fit(X, Y)
    quality = NumberPredictions(model, X, Y).quality
    for score, column in zip(quality.scores, model.predict(X).T, strict=True):
        alpha = score.quantile
        assert score.pinball == pytest.approx(mean_pinball_loss(Y, column, alpha=alpha))
        assert score.d2 == pytest.approx(d2_pinball_score(Y, column, alpha=alpha))
    wanted, covered, _ = quality.interval
    low, high = model.predict(X)[:, [1, 0]].T
    assert wanted == pytest.approx(0.8)
    assert covered == pytest.approx(np.mean((low <= Y) & (high >= Y)))


def test_constant_targets_have_no_r2():
    model = BandedSVR().fit(X, np.full(len(X), 3.0))
    quality = NumberPredictions(model, X, np.full(len(X), 3.0)).quality
    assert np.isnan(quality.errors.r2)
    assert quality.describe().startswith("Mean absolute error 0")
    assert regressor_defaults(BandedSVR, np.full(5, 3.0), {}) == {
        "C1": 1.0,
        "C2": 1.0,
        "epsilon": 0.1,
    }


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_defaults_give_the_same_model_in_any_unit(size):
    usual, other = (
        BandedSVR(**regressor_defaults(BandedSVR, y, {})).fit(X, y) for y in (Y, size * Y)
    )
    np.testing.assert_allclose(other.predict(X), size * usual.predict(X), rtol=0, atol=1e-6 * size)


@pytest.mark.parametrize("model", [BandedSVR(0.5), BandedQuantileSVR(THREE)], ids=str)
def test_held_out_folds_are_those_of_scikit_learn(model, tmp_path):
    table = table_of(tmp_path, numbers())
    pipeline = new_pipeline(table, None, model)
    folds = PreparedFolds.of(
        pipeline, fitted_samples(pipeline, table), table.X, table.y, number_splits(table.y, 5)
    )
    found = held_out_predictions(folds, model, np.inf)
    cv = KFold(5, shuffle=True, random_state=SEED_OF_FOLDS)
    expected = cross_val_predict(make_pipeline(StandardScaler(), model), table.X, table.y, cv=cv)
    np.testing.assert_allclose(found.values, expected.reshape(len(table.y), -1), atol=1e-6)
    assert held_out_predictions(folds, model, -np.inf) == "there was no time left"


def test_groups_stay_together(tmp_path):
    groups = np.arange(120) % 7
    for train, rest in number_splits(Y, 3, groups):
        assert not {*groups[train]} & {*groups[rest]}


@pytest.mark.parametrize("estimator", [BandedSVR(20.0), BandedQuantileSVR(THREE)], ids=str)
def test_a_holdout_and_its_parts(estimator, tmp_path):
    holdout = Holdout(table_of(tmp_path, houses()))
    assert len(holdout.held_out) == 30
    holdout.fit(estimator, Work())
    model = holdout.model(estimator)
    assert task_of(model[-1]) == model.steps[-1][0] == REGRESS
    parts = parts_of_holdout(holdout, model)
    assert list(parts) == ["held out", "train", "all"]
    assert "1 in 4, at random" in parts["held out"].role
    for part in parts.values():
        own = model.predict(holdout.table.X.iloc[part.places])
        values = part.predictions.values
        np.testing.assert_array_equal(values, own.reshape(values.shape))
        assert part.predictions.quality is not None
    assert whole_table(model, holdout.table).predictions.quality is not None


def test_descriptions():
    described = ModelDescription(BandedSVR(epsilon=(0.1, 0.3)).fit(X, Y), "m.bsvm")
    lines = list(described.lines())
    assert "  tube            0.1 below to 0.3 above the target" in lines
    counts = dict(described.histogram)
    assert counts["in the tube"] == np.sum(described.estimator.band_position(X, Y) == "inside")
    assert sum(counts.values()) == len(X)
    described = ModelDescription(BandedQuantileSVR(THREE, kernel="linear").fit(X, Y), "m.bsvm")
    assert described.histogram == []
    assert [each.label for each in described.weights] == [f"quantile {q:g}" for q in THREE]
    assert described.values()["predictions"] == [f"quantile {q:g}" for q in THREE]


def test_every_task_has_all_parts():
    assert all(None not in task for task in TASKS.values())


@pytest.fixture
def _pictures():
    pytest.importorskip("matplotlib")


@pytest.mark.usefixtures("_pictures")
@pytest.mark.parametrize("quantiles", [None, "0.5", "0.05,0.5,0.95", "0.1,0.2,0.3,0.4,0.6,0.9"])
def test_pages(quantiles, folder):
    (folder / "houses.csv").write_bytes(houses(names=("a", "b", HOSTILE, "price $")))
    options = [] if quantiles is None else ["--quantile", quantiles]
    command = ["fit", "houses.csv", "--target", "4", "--regress", "--model", "m.bsvm", "--quiet"]
    assert main([*command, *options, "--report", "r.html"]) == 0
    assert main(["predict", "houses.csv", "--model", "m.bsvm", "--quiet", "--output", "p",
                 "--report", "p.html"]) == 0  # fmt: skip
    page, of_predictions = Page(folder / "r.html"), Page(folder / "p.html")
    n_pictures = 3 if quantiles is not None and "," in quantiles else 2
    assert page.headings == [
        *("Data", "Held-out samples", "Largest errors", "Model", "Training samples"),
        "Largest errors",
    ]
    assert len(page.sources) == 2 * n_pictures
    assert of_predictions.headings == ["Data", "Model", "Predictions", "Largest errors"]
    assert len(of_predictions.sources) == n_pictures
    assert "Certificate" in page.text
    assert "Each sample was predicted by a model of the same parameters" in page.text
    assert "script" not in page.tags
    assert HOSTILE not in (folder / "r.html").read_text()
    worst = of_predictions.tables[-1]
    model = bandsvm.load("m.bsvm")
    table = read_table("houses.csv", ReadOptions(target="4", task=REGRESS))
    predictions = whole_table(model, table).predictions
    expected = np.argsort(-np.abs(predictions.residuals), kind="stable")[:20] + 1
    assert [int(row[0]) for row in worst[1:]] == expected.tolist()


@pytest.mark.usefixtures("_pictures")
def test_pages_without_targets(folder):
    (folder / "t.csv").write_bytes(numbers())
    (folder / "new.csv").write_bytes(numbers(has_targets=False))
    assert main(["fit", "t.csv", "--regress", "--model", "m.bsvm", "--quiet"]) == 0
    command = ["predict", "new.csv", "--model", "m.bsvm", "--quiet", "--output", "p"]
    assert main([*command, "--report", "r.html"]) == 0
    page = Page(folder / "r.html")
    assert len(page.sources) == 1
    assert page.headings == ["Data", "Model", "Predictions"]


@pytest.mark.usefixtures("_pictures")
def test_a_curve_over_the_only_feature(folder, monkeypatch):
    rows = zip(X[:, 0], 100.0 + 10.0 * Y, TOWNS, strict=True)
    (folder / "t.csv").write_bytes(text_table(["width $", "price", "town"], rows))
    figures, render = [], number_report.rendered
    monkeypatch.setattr(
        number_report,
        "rendered",
        lambda figure, kind: figures.append(figure) or render(figure, kind),
    )
    command = ["fit", "t.csv", "--target", "price", "--drop", "town", "--regress", "--quiet"]
    for options in ([], ["--quantile", "0.1,0.9"]):
        figures.clear()
        assert main([*command, *options, "--model", "m.bsvm", "--report", "r.html"]) == 0
        names = [(ax.get_xlabel(), ax.get_ylabel()) for figure in figures for ax in figure.axes]
        assert names.count((r"width \$", "target")) == 1  # of training samples alone


@pytest.mark.usefixtures("_pictures")
def test_large_tables_are_drawn_in_part(monkeypatch):
    monkeypatch.setattr("bandsvm._workflow.evaluation.MAX_POINTS_DRAWN", 50)
    model = BandedSVR().fit(X, Y)
    pictures = number_report.draw_pictures(NumberPredictions(model, X, Y), ["a", "b"])
    collections = [len(c.get_offsets()) for c in pictures[0][0].axes[0].collections]
    assert sum(collections[-2:]) == 50


@pytest.mark.parametrize("n_samples", [1, 2, 3])
def test_few_samples(n_samples, folder):
    pytest.importorskip("matplotlib")
    (folder / "t.csv").write_bytes(numbers(n_samples))
    command = ["fit", "t.csv", "--regress", "--model", "m.bsvm", "--quiet", "--no-header"]
    (folder / "t.csv").write_text("\n".join(f"{k},{k * k % 5},{k + 0.5}" for k in range(n_samples)))
    assert main([*command, "--report", "r.html"]) == 0
    assert ("Held-out samples" in Page(folder / "r.html").headings) == (n_samples > 1)
