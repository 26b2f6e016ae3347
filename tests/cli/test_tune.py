"""``bandsvm tune``: searches and their pictures."""

import json
import os
import re
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import get_scorer, get_scorer_names, recall_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bandsvm
from bandsvm import BandedSVC
from bandsvm.cli import main, tune
from bandsvm.cli._preflight import SCORES_OF_ONE_CLASS, scorer_of
from tests.helpers.iris_files import FILES, NAMES, SPECIES, X, Y, comma_separated
from tests.helpers.report_pages import Page


@pytest.mark.filterwarnings("default:BandedSVCCV found its best:UserWarning")
def test_tune(folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    command = ["tune", "iris.csv", "--model", "m.bsvm", "--folds", "3", "--multi-class", "ovr"]
    assert main(command) == 0
    streams = capsys.readouterr()
    assert re.search(r"Best of \d+ candidates: kernel=rbf, gamma=", streams.out)
    assert "Mean accuracy in 3 folds: 0.9" in streams.out
    assert bandsvm.load("m.bsvm")[-1].certificate_.is_optimal
    # Warnings are sentences too.
    assert main([*command, "--C1", "0.001,0.01,0.1", "--C2", "0", "--quiet"]) == 0
    assert "bandsvm: BandedSVCCV found its best C1=0.1 at the edge" in capsys.readouterr().err


@pytest.mark.heavy
@pytest.mark.filterwarnings("default:BandedSVCCV found its best:UserWarning")
@pytest.mark.parametrize("kernel", ["rbf", "linear"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_tune_draws_what_it_found(kernel, n_classes, folder, capsys):
    some = n_classes > Y
    (folder / "iris.csv").write_bytes(comma_separated(X[some], SPECIES[Y[some]]))
    arguments = ["tune", "iris.csv", "--model", "m.bsvm", "--folds", "3", "--kernel", kernel]
    assert main([*arguments, "--plot", "t.svg", "--json", "--quiet", "--scoring", "accuracy"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["best"]["kernel"] == kernel
    assert "Coefficients along C2" in (folder / "t.svg").read_text()
    assert main([*arguments, "--plot", "t.bmp", "--quiet"]) == 1
    assert "--plot writes .png, .svg, .pdf files" in capsys.readouterr().err


def two_species(folder, groups=None, name="two.csv"):
    """Write versicolor and virginica, which are hard to tell apart, with a column of groups."""
    rows = [[*NAMES, "species", *(["patient"] if groups is not None else [])]]
    for k, (x, y) in enumerate(zip(X[50:], Y[50:], strict=True)):
        rows.append([*x, SPECIES[y], *([f"p{groups[k]}"] if groups is not None else [])])
    (folder / name).write_text("\n".join(",".join(map(str, row)) for row in rows))
    return ["tune", name, "--model", "m.bsvm", "--folds", "3", "--json", "--quiet"]


@pytest.mark.filterwarnings("default:BandedSVCCV found its best:UserWarning")
def test_grids(folder, searches, capsys):
    arguments = [*two_species(folder), "--C1", "0.1:1000:9", "--C2", "0.5, 2", "--rho2", "1.5"]
    assert main([*arguments, "--gamma", "scale,0.25"]) == 0
    (search,) = searches
    np.testing.assert_allclose(search.C1, np.geomspace(0.1, 1000, 9), rtol=1e-12)
    assert (search.C1[0], search.C1[-1]) == (0.1, 1000.0)
    assert search.C2 == [0.5, 2.0]
    assert search.rho2 == [1.5]
    assert search.gamma == ["scale", 0.25]
    tried = search.cv_results_
    assert set(tried["param_rho2"]) == {1.5}
    assert {0.0, 0.5, 2.0} <= set(tried["param_C2"])


def test_groups_stay_in_one_fold(folder, searches, capsys, rng):
    groups = rng.integers(10, size=100)
    arguments = [*two_species(folder, groups), "--groups", "patient", "--target", "species"]
    small = ["--C1", "1", "--gamma", "0.3", "--C2", "0"]
    assert main([*arguments, *small]) == 0
    splits = searches[0].cv
    assert sorted(np.concatenate([rest for _, rest in splits])) == list(range(100))
    for train, rest in splits:
        assert not set(groups[train]) & set(groups[rest])
    # The column is not a feature.
    assert bandsvm.load("m.bsvm").feature_names_in_.tolist() == NAMES
    capsys.readouterr()
    for wrong, words in (
        (["--groups", "doctor"], "has no column 'doctor'; --groups takes"),
        (["--groups", "species"], "--groups names the column of labels"),
        (["--folds", "11"], "--folds must not exceed the number of groups, got 11 and 10"),
    ):
        assert main([*arguments, *small, *wrong]) == 1
        assert words in capsys.readouterr().err
    (folder / "iris.svm").write_bytes(FILES["iris.svm"]())
    assert main(["tune", "iris.svm", "--model", "m", "--groups", "1"]) == 1
    assert "format svmlight, which has none; use CSV or Parquet" in capsys.readouterr().err


@pytest.mark.parametrize("scoring", ["f1", "precision", "recall", "jaccard", "average_precision"])
@pytest.mark.parametrize("positive", ["versicolor", "virginica"])
def test_scores_of_one_class(scoring, positive, folder, capsys):
    """The score is that of scikit-learn for labels that are 1 where they are positive."""
    arguments = [*two_species(folder), "--C1", "1", "--gamma", "0.3", "--C2", "0"]
    assert main([*arguments, "--scoring", scoring, "--positive", positive]) == 0
    found = json.loads(capsys.readouterr().out)
    y = SPECIES[Y[50:]]
    expected = cross_val_score(
        make_pipeline(StandardScaler(), BandedSVC(C1=1, C2=0, gamma=0.3)),
        X[50:],
        (y == positive).astype(int),
        cv=list(StratifiedKFold(3, shuffle=True, random_state=0).split(y, y)),
        scoring=scoring,
    )
    assert found["cv_score"] == pytest.approx(expected.mean())
    assert found["scoring"] == scoring


def test_scores_of_one_class_need_to_know_it(folder, capsys):
    arguments = [*two_species(folder), "--scoring", "f1"]
    for more, words in (
        ([], "--scoring f1 needs --positive, .* one of .*versicolor.*; it is missing"),
        (["--positive", "setosa"], "one of .*virginica.*; got 'setosa'"),
    ):
        assert main([*arguments, *more]) == 1
        assert re.search(words, capsys.readouterr().err)
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    assert main(["tune", "iris.csv", "--model", "m", "--scoring", "f1"]) == 1
    assert "is for two classes, and there are 3; choose a score for more, such as f1_macro" in (
        capsys.readouterr().err
    )
    # Labels 0 and 1 need no help.
    (folder / "numbers.csv").write_bytes(comma_separated(X[:100], Y[:100]))
    arguments = ["tune", "numbers.csv", "--model", "m", "--scoring", "f1", "--C1", "1"]
    assert main([*arguments, "--gamma", "0.1", "--C2", "0", "--quiet"]) == 0


@pytest.mark.parametrize(
    ("scoring", "words"),
    [
        ("r2", "cannot score the labels .*versicolor.*Choose another score, such as balanced_acc"),
        ("neg_log_loss", "it needs probabilities, which these models do not have"),
    ],
)
def test_scores_that_cannot_be_had_are_refused_before_the_search(
    scoring, words, folder, capsys, searches
):
    assert main([*two_species(folder), "--scoring", scoring]) == 1
    assert re.search(words, capsys.readouterr().err)
    assert searches == []


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_that_can_be_had(n_classes):
    """Every score that works with BandedSVC on such labels passes; others do not work there."""
    chosen = n_classes > Y
    model = BandedSVC().fit(X[chosen], SPECIES[Y[chosen]])
    for name in get_scorer_names():
        if name in SCORES_OF_ONE_CLASS:
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                get_scorer(name)(model, X[chosen], SPECIES[Y[chosen]])
        except (ValueError, AttributeError, TypeError):
            with pytest.raises(ValueError, match="--scoring"):
                scorer_of(name, None, model.classes_)
        else:
            assert scorer_of(name, None, model.classes_) == name


def test_too_many_folds(folder, capsys):
    assert main([*two_species(folder), "--folds", "51"]) == 1
    assert "largest class, which are 50, got 51" in capsys.readouterr().err


@pytest.mark.heavy
@pytest.mark.usefixtures("interrupted_search")
def test_ctrl_c_finishes_the_model_and_shows_what_there_is(folder, capsys):
    pytest.importorskip("matplotlib")
    arguments = [*two_species(folder), "--plot", "p.svg", "--report", "r.html"]
    assert main(arguments) == 130
    told = capsys.readouterr()
    assert "was interrupted" in told.err
    assert set(os.listdir(folder)) == {"two.csv", "m.bsvm", "p.svg", "r.html"}
    assert bandsvm.load("m.bsvm")[-1].certificate_.is_optimal
    assert "left out: there was no time left" in (folder / "p.svg").read_text()
    report = (folder / "r.html").read_text()
    assert "The search was interrupted: other candidates may be better." in report
    assert "No sample was predicted by a model without it: there was no time left." in report


@pytest.mark.usefixtures("interrupted_search")
def test_ctrl_c_says_how_to_go_on_with_a_model_that_takes_long(folder, capsys, monkeypatch):
    monkeypatch.setattr(tune, "SECONDS_TO_FINISH", 1e-9)
    assert main([*two_species(folder), "--tol", "1e-9", "--C1", "100,1000"]) == 130
    advice = re.search(r"go on with bandsvm (fit .* --resume)\.", capsys.readouterr().err)
    assert not bandsvm.load("m.bsvm")[-1].certificate_.is_optimal
    assert main([*advice[1].split(), "--quiet"]) == 0
    assert bandsvm.load("m.bsvm")[-1].certificate_.is_optimal


@pytest.mark.heavy
@pytest.mark.filterwarnings("default::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("default:BandedSVCCV found its best:UserWarning")
def test_time_limit_includes_pictures(folder, capsys, after_calls):
    pytest.importorskip("matplotlib")
    limits = []
    after_calls(BandedSVC, "fit", lambda model: limits.append(model.time_limit))
    arguments = [*two_species(folder), "--C1", "1", "--gamma", "0.3", "--plot", "p.svg"]
    assert main([*arguments, "--time-limit", "100"]) == 0
    assert len(limits) >= 4  # the refit, and the three folds
    assert max(limits) <= 100
    assert main([*arguments, "--time-limit", "0.001", "--report", "r.html"]) in (0, 3)
    assert "there was no time left" in (folder / "r.html").read_text()


@pytest.mark.heavy
@pytest.mark.filterwarnings("default:BandedSVCCV found its best:UserWarning")
def test_report_shows_the_search_first(folder, searches, capsys):
    pytest.importorskip("matplotlib")
    grid = ["--C1", "0.001,1,100", "--gamma", "0.1,1", "--C2", "0.1,10", "--rho2", "1.5,2"]
    assert main([*two_species(folder), *grid, "--report", "r.html"]) == 0
    (search,) = searches
    page = Page(folder / "r.html")
    assert page.headings[:3] == ["Data", "Search", "Held-out samples"]
    assert page.headings[-1] == "Training samples"
    folds, candidates, unseen = page.tables[:3]
    results, best = search.cv_results_, search.best_index_
    scores = [results[f"split{k}_test_score"][best] for k in range(3)]
    assert [row[1] for row in folds[1:]] == [f"{score:.4f}" for score in scores]
    assert candidates[1][-3] == f"{search.best_score_:.4f}"
    assert len(candidates) - 1 == min(20, len(results["params"]))
    # Held-out figures are those of scikit-learn.
    y = SPECIES[Y[50:]]
    pipeline = make_pipeline(StandardScaler(), clone(search.best_estimator_))
    predicted = cross_val_predict(pipeline, X[50:], y, cv=search.cv)
    recall = recall_score(y, predicted, average=None)
    assert [row[2] for row in unseen[1:]] == [f"{value:.4f}" for value in recall]
