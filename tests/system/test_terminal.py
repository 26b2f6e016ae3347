"""What comes from files does not reach a terminal raw."""

import json
from contextlib import redirect_stdout

import numpy as np
import pytest
from sklearn.datasets import load_iris

import bandsvm
from bandsvm import BandedSVC
from bandsvm._system.text import printable, short_list, short_text
from bandsvm.cli import main
from tests.helpers.terminal import Terminal

X, Y = load_iris(return_X_y=True)
EVIL = "\x1b]0;owned\x07\x9b2J\x7f\u202e\u2066\r\nbandsvm: all is well"


def evil_table():
    labels = np.array([EVIL, "fine"])[(Y > 0).astype(int)]
    rows = [",".join(map(str, x)) + f',"{label}"' for x, label in zip(X, labels, strict=True)]
    names = ["a\x1b[31m", "b", "c\u202e", "d", "label"]
    return "\n".join([",".join(names), *rows]).encode()


def assert_harmless(text):
    assert all(line.isprintable() for line in text.split("\n")), text
    assert not any(line.startswith("bandsvm: all is well") for line in text.split("\n"))


def test_what_is_printable():
    assert printable("plain, été, 漢字 ½") == "plain, été, 漢字 ½"
    assert printable("\x1b[0m\x9b\x7f\u202e\ud800\n") == r"\x1b[0m\x9b\x7f\u202e\ud800" + r"\n"
    assert printable("a\nb\t", kept="\n") == "a\nb\\t"
    assert len(short_text("x" * 10**6)) < 200
    assert short_list(iter(range(10**9))) == "[0, 1, 2, 3, 4, 5, ...]"


def test_labels_and_names_of_a_data_file(folder, capsys):
    (folder / "evil.csv").write_bytes(evil_table())
    assert main(["fit", "evil.csv", "--model", "m.bsvm"]) == 0
    assert main(["inspect", "m.bsvm"]) == 0
    assert main(["predict", "evil.csv", "--model", "m.bsvm", "--output", "p.csv"]) == 0
    said = capsys.readouterr()
    assert_harmless(said.out)
    assert_harmless(said.err)
    assert r"\x1b]0;owned" in said.out
    # Files get what the model holds.
    assert EVIL.split("\r")[0] in (folder / "p.csv").read_bytes().decode()
    assert main(["inspect", "m.bsvm", "--json", "--quiet"]) == 0
    told = capsys.readouterr().out
    assert_harmless(told)
    assert json.loads(told)["classes"] == [EVIL, "fine"]


def test_predictions_on_a_terminal_and_in_a_pipe(folder, capsys):
    (folder / "evil.csv").write_bytes(evil_table())
    assert main(["fit", "evil.csv", "--model", "m.bsvm", "--quiet"]) == 0
    command = ["predict", "evil.csv", "--model", "m.bsvm", "--quiet"]
    assert main(command) == 0
    assert "\x1b]0;owned\x07" in capsys.readouterr().out
    terminal = Terminal()
    with redirect_stdout(terminal):
        assert main(command) == 0
    assert "\x1b" not in terminal.getvalue()
    assert r"\x1b]0;owned\x07" in terminal.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("evil.csv", b"a,y\n1,0\n\x1b[31mx,1\n"),
        ("evil.csv", "a\u202e,y\n1,0\nx,1\n".encode()),
        ("evil.svm", b"1 1:2\n\x1b[31m 1:2\n"),
        ("evil\x1b[31m.svm", b"1 1:2\nx\n"),
        ("evil.bsvm", b"BANDSVM\n"),
        ("evil.npz", b"hello"),
    ],
)
def test_errors(name, content, folder, capsys):
    (folder / name).write_bytes(content)
    assert main(["fit", name, "--model", "m.bsvm"]) == 1
    said = capsys.readouterr().err
    assert_harmless(said)
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("labels", "is_formula"),
    [(["=1+1", "b"], True), (["@x", "b"], True), (["a", "b=1"], False), ([-1, 1], False)],
)
def test_labels_that_spreadsheets_compute(labels, is_formula, folder, capsys):
    np.savez(folder / "d.npz", X=X)
    bandsvm.save(BandedSVC().fit(X, np.array(labels)[(Y > 0).astype(int)]), "m.bsvm")
    assert main(["predict", "d.npz", "--model", "m.bsvm", "--quiet", "--output", "p.csv"]) == 0
    assert ("look like formulas" in capsys.readouterr().err) is is_formula
    assert (folder / "p.csv").read_text().splitlines()[0] == str(labels[0])


def test_a_label_in_brackets_is_no_style():
    pytest.importorskip("rich")
    from bandsvm._fitting.progress import ProgressBar

    bar = ProgressBar()._bar
    task = bar.add_task("class '[red]x[/red]' against the rest", figures="")
    column = bar.columns[0]
    assert "[red]" in column.render(bar.tasks[task]).plain
