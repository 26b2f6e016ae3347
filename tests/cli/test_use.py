"""The command used wrongly, its help and its exit codes."""

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import bandsvm
from bandsvm._fitting import progress
from bandsvm._kernels import available_kernels
from bandsvm.cli import main
from bandsvm.cli._output import Output
from tests.helpers.iris_files import FILES
from tests.helpers.report_pages import Page


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit", "none.svm", "--model", "m"], "cannot open none.svm: No such file"),
        (
            ["fit", "iris.csv", "--model", "no/m"],
            "--model no/m: the folder .*no does not exist; make it",
        ),
        (["fit", "iris.csv", "--model", "m", "--resume"], "neither m nor m.checkpoint; leave"),
        (["fit", "iris.csv", "--model", "m", "--target", "x"], "has no column 'x'.*'species'"),
        (["fit", "iris.csv", "--model", "m", "--target", "9"], "number from 1 to 5"),
        (["fit", "iris.csv", "--model", "m", "--rho1", "4"], "--rho2 must not be less than --rho1"),
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
        (["fit", "x", "--model", "m", "--kernel", "cosine"], "must be one of linear, rbf, "),
        (["tune", "x", "--model", "m", "--folds", "1"], "at least 2, got '1'"),
        (["tune", "x", "--model", "m", "--C1", "0"], "greater than 0"),
        (["tune", "x", "--model", "m", "--C1", "1:2"], "must be FROM:TO:HOW_MANY"),
        (["tune", "x", "--model", "m", "--C1", "1:2:1000000000"], "2 to 100 values"),
        (["tune", "x", "--model", "m", "--gamma", "10:1:3"], "from a lower to a higher value"),
        (["tune", "x", "--model", "m", "--gamma", "1," * 200 + "1"], "at most 100 values"),
        (["tune", "x", "--model", "m", "--rho2", "1,,2"], "must be a number, got ''"),
        (["fit", "x", "--model", "m", "--jobs", "0"], "greater than 0"),
        (["frobnicate"], "invalid choice"),
    ],
)
def test_wrong_use_is_told_apart(arguments, words, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert words in capsys.readouterr().err


def test_interrupted_before_the_fit(folder, capsys, ctrl_c_after):
    ctrl_c_after(Output, "__init__", 1)
    assert main(["fit", "x", "--model", "m"]) == 130
    assert "interrupted; written so far: nothing" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["fit", "predict", "inspect", "export", "tune", "reproduce"])
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


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit", "d.csv", "--model", "no/m"], "--model no/m: the folder no does not exist"),
        (["fit", "d.csv", "--model", "d.csv/m"], "the folder .*d.csv is a file"),
        (["fit", "d.csv", "--model", "."], "--model must name a file, got the folder"),
        (["fit", "d.csv", "--model", "d.csv"], "would replace d.csv, which is read"),
        (["fit", "d.csv", "--model", "link"], "would replace d.csv, which is read"),
        (["tune", "d.csv", "--model", "no/m"], "the folder .*no does not exist"),
        (["tune", "d.csv", "--model", "m", "--plot", "no/p.png"], "--plot no/p.png: the folder"),
        (["tune", "d.csv", "--model", "m", "--plot", "p.bmp"], "--plot writes .png"),
        (["tune", "d.csv", "--model", "m.png", "--plot", "m.png"], "replace what --model writes"),
        (["tune", "d.csv", "--model", "m", "--scoring", "acuracy"], "mean accuracy"),
        (["tune", "d.csv", "--model", "m", "--scoring", "?"], "accuracy and f1_macro are two"),
        (["tune", "d.csv", "--model", "m", "--positive", "a"], "goes with --scoring f1, prec"),
        (["fit", "d.csv", "--model", "m", "--rho1", "4"], "--rho2 must not be less than --rho1"),
        (["tune", "d.csv", "--model", "m", "--rho2", "2,.9"], "--rho1=1.0 and --rho2=0.9"),
        (["predict", "d.csv", "--model", "m", "--output", "no/p"], "--output no/p: the folder"),
        (["predict", "d.csv", "--model", "m", "--output", "m"], "replace m, which is read"),
        (["reproduce", "--out", "d.csv"], "--out must name a folder, got the file d.csv"),
        (["reproduce", "--out", "d.csv/x"], "the folder d.csv is a file"),
    ],
)
def test_options_are_checked_before_the_work(arguments, words, folder, capsys):
    """Had the data been read before, the message would be that they are empty."""
    (folder / "d.csv").touch()
    (folder / "link").symlink_to("d.csv")
    (folder / "m").touch()
    assert main([*arguments, "--quiet"]) == 1
    told = capsys.readouterr().err
    assert len(told.splitlines()) == 1
    assert re.search(words, told), told
    assert set(os.listdir(folder)) == {"d.csv", "link", "m"}


def test_folders_that_cannot_be_written_are_named(folder, capsys, monkeypatch):
    def refuse(dir):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    for arguments in (["fit", "d.csv", "--model", "m"], ["reproduce", "--out", "new"]):
        assert main(arguments) == 1
        assert re.search(
            "--(model m|out new): cannot write to the folder .* \\(Permission denied\\); choose",
            capsys.readouterr().err,
        )


@pytest.mark.parametrize(
    "arguments", [["tune", "d.csv", "--model", "m", "--plot", "p.png"], ["reproduce"]]
)
@pytest.mark.usefixtures("no_matplotlib")
def test_missing_matplotlib_is_found_before_the_work(arguments, folder, capsys):
    assert main(arguments) == 1
    assert "needs matplotlib; install it with: pip install" in capsys.readouterr().err
    assert os.listdir(folder) == []


def test_outputs_may_be_devices(folder):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    assert main(["fit", "iris.csv", "--model", os.devnull, "--quiet"]) == 0


def test_kernels_of_the_command_are_those_of_the_library(capsys):
    """A new kernel needs no line here."""
    with pytest.raises(SystemExit) as ending:
        main(["fit", "--kernel", "list"])
    assert ending.value.code == 0
    assert capsys.readouterr().out.split() == list(available_kernels())
    with pytest.raises(SystemExit):
        main(["fit", "x", "--model", "m", "--kernel", "none"])
    assert f"must be one of {', '.join(available_kernels())}, got" in capsys.readouterr().err


def test_exit_codes_are_documented(capsys):
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
    with pytest.raises(SystemExit):
        main(["--help"])
    helped = " ".join(capsys.readouterr().out.split())
    for text in (" ".join(page.split()), helped):
        for code, words in ((0, "done"), (1, "failed"), (2, "wrong use"), (130, "interrupted")):
            assert f"{code} {words}" in text
        assert "3 a model was written, but it is not optimal to tol" in text.replace("`", "")


def test_what_was_written_is_said_when_something_fails_later(folder, capsys, monkeypatch):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    for error, code, words in (
        (KeyboardInterrupt(), 130, "interrupted; written so far: m."),
        (OSError(28, "No space left", "p.png"), 1, "No space left. Written before that: m."),
    ):

        def fail(*_, error=error):
            raise error

        monkeypatch.setattr("bandsvm.cli.tune.draw_search", fail)
        arguments = ["tune", "iris.csv", "--model", "m", "--C1", "1", "--gamma", "0.1"]
        assert main([*arguments, "--C2", "0", "--plot", "p.png", "--quiet"]) == code
        assert words in capsys.readouterr().err


@pytest.mark.heavy
def test_a_reader_that_leaves_early_gets_a_model(folder):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    command = f"{sys.executable} -m bandsvm.cli fit iris.csv --model m.bsvm | head -1"
    ended = subprocess.run(
        ["bash", "-c", f"{command}; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr
    assert bandsvm.load("m.bsvm")[-1].certificate_.is_optimal


@pytest.mark.parametrize(("given", "meant"), [("SPECIES", "species"), ("specie", "species")])
def test_names_of_columns_are_suggested(given, meant, folder, capsys):
    (folder / "iris.csv").write_bytes(FILES["iris.csv"]())
    assert main(["fit", "iris.csv", "--model", "m", "--target", given]) == 1
    assert f"Did you mean '{meant}'?" in capsys.readouterr().err


def test_several_columns_are_dropped_at_once(folder):
    (folder / "t.csv").write_text("a,b,c,y\n" + "1,2,3,0\n2,1,5,1\n" * 10)
    assert main(["fit", "t.csv", "--model", "m", "--drop", "a, c", "--quiet"]) == 0
    assert bandsvm.load("m").feature_names_in_.tolist() == ["b"]


@pytest.mark.heavy
def test_reports_name_samples_by_their_ids(folder):
    pytest.importorskip("matplotlib")
    rows = [f"p{k},{k % 7},{k % 5},{(k % 7 > 3) ^ (k % 11 == 0)}" for k in range(60)]
    (folder / "t.csv").write_text("\n".join(["patient,a,b,y", *rows]))
    assert main(["fit", "t.csv", "--model", "m", "--id", "patient", "--quiet"]) == 0
    assert main(["predict", "t.csv", "--model", "m", "--quiet", "--report", "r.html"]) == 0
    mistakes = Page(folder / "r.html").tables[-1]
    assert mistakes[0][0] == "patient"
    assert {row[0] for row in mistakes[1:]} <= {f"p{k}" for k in range(60)}


def test_categories_that_were_never_seen_are_counted(folder, capsys):
    pytest.importorskip("pandas")
    rows = [f"{'red' if k % 2 else 'blue'},{k % 7},{k % 3 == 0}" for k in range(60)]
    (folder / "t.csv").write_text("\n".join(["colour,a,y", *rows]))
    (folder / "p.csv").write_text("colour,a\nred,1\nmauve,2\npink,3\nmauve,3\n")
    assert main(["fit", "t.csv", "--model", "m", "--quiet"]) == 0
    assert main(["predict", "p.csv", "--model", "m", "--quiet"]) == 0
    told = capsys.readouterr().err
    assert "3 of 4 values of 'colour' were never seen in training" in told
    assert "['mauve', 'pink']" in told


def test_lines_of_threads_do_not_run_into_each_other(capfd):
    lines = [f"line {k} " + "x" * 50 for k in range(200)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(progress.report, lines))
    assert sorted(capfd.readouterr().err.splitlines()) == sorted(f"[bandsvm] {x}" for x in lines)
