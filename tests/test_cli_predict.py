"""``bandsvm predict``: tables of predictions, and output that nobody takes."""

import csv
import io
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import bandsvm
from bandsvm.cli import main
from bandsvm.cli._models import transformed
from iris_files import FILES, SPECIES, X, Y, svmlight


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
