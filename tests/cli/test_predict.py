"""``bandsvm predict``: tables of predictions, and output that nobody takes."""

import csv
import io
import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from sklearn.metrics import classification_report, confusion_matrix

import bandsvm
from bandsvm._workflow.evaluation import quality_of
from bandsvm._workflow.pipeline import transformed
from bandsvm.cli import main
from tests.helpers.iris_files import FILES, SPECIES, X, Y, comma_separated, svmlight


def test_predictions_as_a_table(folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    assert main(["fit", "iris.csv", "--model", "m.bsvm", "--quiet"]) == 0
    arguments = ["predict", "iris.csv", "--model", "m.bsvm", "--output", "p.csv", "--values"]
    assert main(arguments) == 0
    assert "The predictions are in p.csv." in capsys.readouterr().out
    with open("p.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    model = bandsvm.load("m.bsvm")
    values = [[float(row[f"value {name}"]) for name in SPECIES] for row in rows]
    expected = model[-1].decision_function(transformed(model, X))
    np.testing.assert_array_equal(values, expected)
    assert [row["label"] for row in rows] == SPECIES[np.argmax(values, axis=1)].tolist()


def test_predict_against_the_band(folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    assert main(["fit", "iris.csv", "--model", "m.bsvm", "--quiet"]) == 0
    assert main(["predict", "iris.csv", "--model", "m.bsvm", "--band", "--quiet"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    model = bandsvm.load("m.bsvm")
    expected = model[-1].band_position(transformed(model, X))
    assert [row["band"] for row in rows] == expected.tolist()


def test_too_many_features_for_the_model(folder, capsys):
    (folder / "train.svm").write_bytes(b"1 1:2 2:1\n-1 1:1 2:3\n" * 5)
    (folder / "test.svm").write_bytes(b"1 3:2\n")
    assert main(["fit", "train.svm", "--model", "m.bsvm", "--quiet"]) == 0
    assert main(["predict", "test.svm", "--model", "m.bsvm"]) == 1
    assert "feature of number 3, the model was trained on 2" in capsys.readouterr().err


def shell(arguments, ending):
    """Run the command as the last of a shell's line, with what becomes of its output."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONUNBUFFERED"}
    line = f'"{sys.executable}" -m bandsvm.cli "$@" {ending}'
    command = ["bash", "-c", line, "bash", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=100)


@pytest.mark.heavy
@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is a device of Linux")
@pytest.mark.parametrize(
    ("ending", "code", "words"),
    [
        ("> /dev/full", 1, "cannot write to standard output.*No space left"),
        ("| true; exit ${PIPESTATUS[0]}", 1, "cannot write to standard output.*Broken pipe"),
        (">&-", 0, ""),
    ],
)
def test_output_that_nobody_takes(ending, code, words, tmp_path):
    bandsvm.save(bandsvm.BandedSVC().fit(X, Y), tmp_path / "model.bsvm")
    (tmp_path / "data.svm").write_bytes(svmlight(X, Y))
    ended = shell(["predict", tmp_path / "data.svm", "--model", tmp_path / "model.bsvm"], ending)
    assert ended.returncode == code, ended.stderr
    said = [line for line in ended.stderr.splitlines() if line.startswith("bandsvm: ")]
    assert len(said) == bool(words)
    assert re.search(words, "".join(said))
    assert "Traceback" not in ended.stderr
    assert "ignored" not in ended.stderr


def labelled(folder, names=("no", "yes")):
    """Write data of two hard classes and train on half of them; return labels of the rest."""
    y = np.array(names)[Y[50:] - 1]
    (folder / "train.csv").write_bytes(comma_separated(X[50::2], y[::2]))
    (folder / "test.csv").write_bytes(comma_separated(X[51::2], y[1::2]))
    assert main(["fit", "train.csv", "--model", "m.bsvm", "--quiet"]) == 0
    return y[1::2]


def test_scores_are_those_of_scikit_learn(folder, capsys):
    true = labelled(folder)
    command = ["predict", "test.csv", "--model", "m.bsvm", "--output", "p.csv"]
    assert main([*command, "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    predicted = (folder / "p.csv").read_text().split()
    np.testing.assert_array_equal(found["confusion"], confusion_matrix(true, predicted))
    expected = classification_report(true, predicted, output_dict=True)
    assert found["accuracy"] == expected["accuracy"] < 1.0
    for of_class in found["per_class"]:
        scores = expected[of_class["class"]]
        assert of_class["precision"] == scores["precision"]
        assert of_class["recall"] == scores["recall"]
        assert of_class["f1"] == pytest.approx(scores["f1-score"])
        assert of_class["n_samples"] == scores["support"]
    assert main(command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2].split() == ["class", "precision", "recall", "f1", "samples"]
    (a, b), (c, d) = found["confusion"]
    assert lines[6].split() == ["no", "yes"]
    assert lines[7].split() == ["no", str(a), str(b)]
    assert lines[8].split() == ["yes", str(c), str(d)]


def test_labels_that_the_model_does_not_know(folder, capsys):
    labelled(folder)
    y = np.array(["no", "maybe"])[Y[50:] - 1]
    (folder / "other.csv").write_bytes(comma_separated(X[50:], y))
    assert main(["predict", "other.csv", "--model", "m.bsvm", "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [of_class["class"] for of_class in found["per_class"]] == ["no", "yes", "maybe"]
    assert np.sum(found["confusion"]) == 100
    # Nobody can be right about them, and a class that does not occur has no recall.
    assert found["per_class"][2]["recall"] == 0.0
    assert found["per_class"][2]["precision"] is None
    assert found["per_class"][1]["recall"] is None


@pytest.mark.parametrize("labels", [(1.0, 2.0), (False, True), (-1, 1)])
def test_labels_of_files_and_models_may_differ_in_type(labels, folder, capsys):
    y = np.array(labels)[(Y > 0).astype(int)]
    bandsvm.save(bandsvm.BandedSVC().fit(X, y), "m.bsvm")
    (folder / "iris.csv").write_bytes(comma_separated(X, y.tolist()))
    assert main(["predict", "iris.csv", "--model", "m.bsvm", "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] == 1.0


def test_decision_values_are_computed_once(folder, capsys, after_calls):
    pytest.importorskip("matplotlib")
    labelled(folder)
    calls = []
    after_calls(bandsvm.BandedSVC, "_problem_values", calls.append)
    command = ["predict", "test.csv", "--model", "m.bsvm", "--values", "--band", "--quiet"]
    assert main([*command, "--report", "r.html"]) == 0
    assert len(calls) == 1


def test_many_classes_are_summarised(folder, capsys, rng):
    classes = np.array([f"class number {k:02}" for k in range(40)])
    y = classes[np.arange(400) % 40]
    result = quality_of(y, np.roll(y, 1), classes)
    text = result.describe()
    assert len(text.splitlines()) < 50
    assert "10 more classes" in text
    assert "class number 00  class number 39  10" in text
    assert max(map(len, text.splitlines())) <= 80
