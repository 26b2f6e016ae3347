"""The command used wrongly, its help and its exit codes."""

import os
import re
import subprocess
import sys

import pytest

from bandsvm import cli
from bandsvm.cli import main
from iris_files import FILES


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit", "none.svm", "--model", "m"], "cannot open none.svm: No such file"),
        (["fit", "iris.csv", "--model", "no/m"], "cannot open no"),
        (["fit", "iris.csv", "--model", "m", "--resume"], "m: No such file"),
        (["fit", "iris.csv", "--model", "m", "--target", "x"], "has no column 'x'.*'species'"),
        (["fit", "iris.csv", "--model", "m", "--target", "9"], "number from 1 to 5"),
        (["fit", "iris.csv", "--model", "m", "--rho1", "2"], "rho2 must not be less than rho1"),
        (["predict", "iris.csv", "--model", "iris.csv"], "iris.csv is not a model file"),
        (["inspect", "none"], "none: No such file"),
    ],
)
def test_work_that_fails_gets_one_sentence(arguments, words, folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    assert main([*arguments, "--quiet"]) == 1
    told = capsys.readouterr().err
    assert len(told.splitlines()) == 1
    assert re.search(words, told)
    assert os.listdir(folder) == ["iris.csv"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "COMMAND"),
        (["fit"], "TRAIN"),
        (["fit", "x"], "--model"),
        (["fit", "x", "--model", "m", "--C1", "0"], "greater than 0"),
        (["fit", "x", "--model", "m", "--C2", "-1"], "at least 0"),
        (["fit", "x", "--model", "m", "--gamma", "big"], "must be a number"),
        (["fit", "x", "--model", "m", "--kernel", "cosine"], "invalid choice"),
        (["fit", "x", "--model", "m", "--jobs", "0"], "greater than 0"),
        (["frobnicate"], "invalid choice"),
    ],
)
def test_wrong_use_is_told_apart(arguments, words, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert words in capsys.readouterr().err


def test_interrupted_before_the_fit(folder, capsys, monkeypatch):
    def interrupt(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli.fit, "run", interrupt)
    assert main(["fit", "x", "--model", "m"]) == 130
    assert "interrupted" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["fit", "predict", "inspect", "tune", "reproduce"])
def test_help_fits_a_screen_and_does_not_wait_for_scikit_learn(command):
    code = (
        "import sys; from bandsvm.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit: pass\n"
        "assert 'sklearn' not in sys.modules and 'numpy' not in sys.modules"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code, command, "--help"], capture_output=True, text=True, check=True
    )
    assert 5 < len(shown.stdout.splitlines()) <= 50
