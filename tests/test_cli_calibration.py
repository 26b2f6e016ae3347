"""``fit --calibrate`` and ``predict --proba``: the calibration of scikit-learn."""

import csv

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVC, LinearBandedSVC
from bandsvm.cli import main
from bandsvm.cli._trained import Notes


def write(path, X, y):
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    return str(path)


@pytest.mark.parametrize("loader", [load_breast_cancer, load_iris])
@pytest.mark.parametrize(("options", "kind"), [([], BandedSVC), (["--linear"], LinearBandedSVC)])
def test_probabilities_are_those_of_scikit_learn(loader, options, kind, tmp_path):
    X, y = loader(return_X_y=True)
    train, test = write(tmp_path / "a.csv", X[::2], y[::2]), write(tmp_path / "b.csv", X, y)
    model, predicted = str(tmp_path / "m.bsvm"), tmp_path / "p.csv"
    assert main(["fit", train, "--model", model, "--calibrate", "--quiet", *options]) == 0
    assert main(["predict", test, "--model", model, "--proba", "--output", str(predicted)]) == 0
    with predicted.open() as file:
        rows = list(csv.DictReader(file))
    names = [f"probability of {label}" for label in np.unique(y)]
    ours = np.array([[float(row[name]) for name in names] for row in rows])
    judge = CalibratedClassifierCV(
        make_pipeline(StandardScaler(), kind()), ensemble=False, cv=StratifiedKFold(5)
    )
    theirs = judge.fit(X[::2], y[::2]).predict_proba(X)
    np.testing.assert_allclose(ours, theirs, atol=1e-4)
    np.testing.assert_allclose(ours.sum(axis=1), 1.0)


def test_models_without_calibration_have_no_probabilities(tmp_path, capsys):
    X, y = load_iris(return_X_y=True)
    data, model = write(tmp_path / "a.csv", X, y), str(tmp_path / "m.bsvm")
    assert main(["fit", data, "--model", model, "--quiet"]) == 0
    assert main(["predict", data, "--model", model, "--proba"]) == 1
    assert "--proba needs a model of fit --calibrate" in capsys.readouterr().err


def test_rare_classes_are_refused_before_the_fit(tmp_path, capsys, monkeypatch):
    X, y = load_iris(return_X_y=True)
    data, model = write(tmp_path / "a.csv", X[:103], y[:103]), tmp_path / "m.bsvm"
    monkeypatch.setattr("bandsvm.cli._models.train", lambda *_: pytest.fail("it was fitted"))
    assert main(["fit", data, "--model", str(model), "--calibrate"]) == 1
    assert "at least 5 samples of every class, got 3 of class 2" in capsys.readouterr().err
    assert not model.exists()


@pytest.mark.parametrize(
    "held", [[[1.0]], [["1", 2.0]], [[1.0, float("inf")]], {"a": 1}, [[True, 1.0]], "text", [None]]
)
def test_notes_that_are_no_sigmoids_are_ignored(held):
    assert Notes.from_json({"sigmoids": held}).sigmoids == ()
    assert Notes.from_json({"sigmoids": [[1.0, 2.0]]}).sigmoids == ((1.0, 2.0),)
