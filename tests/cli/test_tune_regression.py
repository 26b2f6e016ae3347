"""``bandsvm tune --regress``: searches of tubes."""

import json

import numpy as np
import pytest

import bandsvm
from bandsvm import BandedSVR, BandedSVRCV
from bandsvm._tables.options import REGRESS, ReadOptions
from bandsvm._tables.reading import read_table
from bandsvm._workflow.folds import number_splits
from bandsvm.cli import main
from tests.helpers.regression_files import houses, numbers
from tests.helpers.report_pages import Page

pytestmark = pytest.mark.filterwarnings("ignore:BandedSVRCV found its best:UserWarning")
SMALL = ["--C1", "10,100", "--gamma", "0.1,1", "--epsilon", "3,10"]
TUNE = ["tune", "t.csv", "--model", "m.bsvm", "--regress"]
HOUSES = ["tune", "houses.csv", "--target", "price", "--model", "m.bsvm", "--regress"]


@pytest.fixture
def files(folder):
    """A folder with a file of numbers and one of houses, with text."""
    (folder / "t.csv").write_bytes(numbers())
    (folder / "houses.csv").write_bytes(houses())
    return folder


def failed(capsys, arguments):
    """Run a command that fails; return its only line."""
    assert main(arguments) == 1
    told = capsys.readouterr()
    assert told.err.count("\n") == 1
    return told.err


def test_it_is_the_search_of_python(files, capsys):
    assert main([*TUNE, *SMALL, "--scale", "none", "--json", "--quiet"]) == 0
    result = json.loads(capsys.readouterr().out)
    table = read_table("t.csv", ReadOptions(task=REGRESS))
    splits = number_splits(table.y, 5)
    search = BandedSVRCV([10.0, 100.0], epsilon=[3.0, 10.0], gamma=[0.1, 1.0], cv=splits)
    search.fit(table.X, table.y)
    assert result["best"] == search.best_params_
    assert result["cv_score"] == pytest.approx(search.best_score_)
    assert result["scoring"] == "r2"
    model = bandsvm.load("m.bsvm")
    assert isinstance(model, BandedSVR)
    np.testing.assert_allclose(model.dual_coef_, search.best_estimator_.dual_coef_)


def test_defaults_follow_the_spread_and_say_what_was_found(files, capsys):
    assert main([*TUNE, "--target", "price", "--folds", "3"]) == 0
    told = capsys.readouterr().out
    assert "candidates: kernel=rbf, gamma=" in told
    assert "Mean r2 in 3 folds: 0." in told
    assert "Training samples: R2" in told
    best = bandsvm.load("m.bsvm")[-1]
    assert pytest.approx(best.C2) == best.C1
    assert main(["predict", "t.csv", "--model", "m.bsvm", "--output", "p"]) == 0
    assert "R2 0." in capsys.readouterr().out


def test_unequal_costs_other_scores_and_groups(files, capsys):
    arguments = [
        "tune",
        "houses.csv",
        "--target",
        "price",
        "--model",
        "m.bsvm",
        "--regress",
        *SMALL,
    ]
    options = ["--cost-ratio", "0.2,1", "--scoring", "neg_mean_absolute_error", "--quiet", "--json"]
    assert main([*arguments, *options, "--groups", "town", "--folds", "3"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["cv_score"] < 0.0
    assert result["scoring"] == "neg_mean_absolute_error"
    told = failed(capsys, [*arguments, "--groups", "town", "--folds", "4", "--quiet"])
    assert "must not exceed the number of groups, got 4 and 3 groups" in told


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--quantile", "0.5"], "tune searches tubes, not quantiles"),
        (["--C2", "2"], "give --cost-ratio, C2 / C1"),
        (["--rho2", "2"], "--rho2 cannot be set for regression"),
        (["--rho1", "2"], "--rho1 cannot be set for regression"),
        (["--positive", "a"], "--positive names a class, and --regress predicts numbers"),
        (["--calibrate"], "--calibrate does not work with --regress"),
        (["--linear"], "--linear does not work with --regress"),
        (["--scoring", "accuracy"], "--scoring accuracy cannot score numbers"),
        (["--scoring", "roc_auc"], "--scoring roc_auc cannot score numbers: it needs classes"),
        (["--scoring", "neg_mean_error"], "did you mean neg_m"),
        (["--loss", "hinge"], "--loss must be"),
        (["--folds", "121"], "--folds must not exceed the samples, which are 120, got 121"),
    ],
)
def test_what_a_search_of_numbers_does_not_have(options, words, files, capsys):
    assert words in failed(capsys, [*TUNE, *options, "--quiet"])
    assert not (files / "m.bsvm").exists()


@pytest.mark.parametrize("option", ["--epsilon", "--cost-ratio"])
def test_options_of_regression_need_it(option, files, capsys):
    told = failed(capsys, ["tune", "t.csv", "--model", "m.bsvm", option, "1"])
    assert f"{option} is an option of regression; add --regress" in told


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_pages_and_pictures(kernel, files, capsys):
    pytest.importorskip("matplotlib")
    small = [*SMALL, "--kernel", kernel]
    arguments = [
        "tune",
        "houses.csv",
        "--target",
        "price",
        "--model",
        "m.bsvm",
        "--regress",
        *small,
    ]
    assert main([*arguments, "--report", "r.html", "--plot", "p.svg", "--quiet"]) == 0
    page = Page(files / "r.html")
    assert page.headings == [
        *("Data", "Search", "Held-out samples", "Largest errors", "Model", "Training samples"),
    ]
    assert len(page.sources) == 6
    head = page.tables[1][0]
    assert head == ["kernel", "gamma", "C1", "C2", "epsilon", "mean", "deviation", "folds"]
    picture = (files / "p.svg").read_text()
    assert "<svg" in picture


def test_ctrl_c_keeps_the_best_so_far(files, capsys, interrupted_search):
    assert main([*TUNE, *SMALL]) == 130
    told = capsys.readouterr()
    assert "BandedSVRCV was interrupted" in told.err
    assert isinstance(bandsvm.load("m.bsvm")[-1], BandedSVR)
