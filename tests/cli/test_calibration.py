"""``fit --calibrate`` and ``predict --proba``: the calibration of scikit-learn."""

import csv

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import bandsvm
from bandsvm import BandedSVC, LinearBandedSVC
from bandsvm.cli import main
from tests.helpers.report_pages import Page


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
    assert "--proba needs a model of fit or tune with --calibrate" in capsys.readouterr().err


def test_rare_classes_are_refused_before_the_fit(tmp_path, capsys):
    X, y = load_iris(return_X_y=True)
    data, model = write(tmp_path / "a.csv", X[:103], y[:103]), tmp_path / "m.bsvm"
    assert main(["fit", data, "--model", str(model), "--calibrate"]) == 1
    told = capsys.readouterr()
    assert "at least 5 samples of every class, one for each fold, got 3 of class 2" in told.err
    assert len(told.out.splitlines()) == 1  # about the data
    assert not model.exists()


@pytest.mark.heavy
@pytest.mark.parametrize("loader", [load_breast_cancer, load_iris])
@pytest.mark.parametrize("command", ["fit", "tune"])
def test_one_path_from_training_to_export(command, loader, folder, capsys):
    """Train, load in Python, predict, describe, report, export: the same probabilities."""
    pytest.importorskip("matplotlib")
    onnxruntime = pytest.importorskip("onnxruntime")
    X, y = loader(return_X_y=True)
    train, test = write(folder / "a.csv", X[::2], y[::2]), write(folder / "b.csv", X[1::2], y[1::2])
    grid = ["--C1", "1", "--C2", "0.1", "--gamma", "0.05"] if command == "tune" else []
    arguments = [command, train, "--model", "m.bsvm", "--calibrate", "--report", "r.html", *grid]
    assert main([*arguments, "--quiet"]) == 0
    expected = bandsvm.load("m.bsvm").predict_proba(X[1::2])
    predict = ["predict", test, "--model", "m.bsvm", "--proba", "--output", "p.csv"]
    assert main([*predict, "--report", "p.html", "--quiet"]) == 0
    with (folder / "p.csv").open() as file:
        rows = [list(map(float, row[1:])) for row in list(csv.reader(file))[1:]]
    np.testing.assert_allclose(rows, expected, atol=1e-12)
    for name, n_samples in (("r.html", len(X[::2])), ("p.html", len(expected))):
        page = Page(folder / name)
        assert "Probabilities" in page.headings
        (bins,) = (table for table in page.tables if table[0][0] == "probability")
        assert sum(int(row[1]) for row in bins[1:]) == n_samples
    assert f"Log loss {log_loss(y[1::2], expected):.4f}" in (folder / "p.html").read_text()
    capsys.readouterr()
    assert main(["inspect", "m.bsvm"]) == 0
    assert "probabilities   calibrated" in capsys.readouterr().out
    assert main(["export", "m.bsvm", "--to", "onnx", "--output", "m.onnx"]) == 0
    session = onnxruntime.InferenceSession("m.onnx")
    found = session.run(["probabilities"], {"X": X[1::2].astype(np.float32)})[0]
    np.testing.assert_allclose(found, expected, atol=1e-4)
