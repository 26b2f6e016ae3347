"""The paper's experiment, its claims and its report."""

import json
import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import bandsvm.paper
from bandsvm.cli import main
from bandsvm.paper.claims import CLAIMS, judge
from bandsvm.paper.experiment import largest_eigenvalue_of_hessian, measure, run_experiment

SCHEMA = json.loads((Path(bandsvm.paper.__file__).parent / "claims.schema.json").read_text())
FILES = {
    "report.html",
    "claims.json",
    *(f"figure{k}.{kind}" for k in range(1, 5) for kind in ("png", "svg")),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("reproduced")
    (out / "mine.txt").write_text("kept")
    assert main(["reproduce", "--out", str(out), "--seeds", "1", "--n-per-cluster", "20"]) == 0
    return out


class Page(HTMLParser):
    """Checks that tags match and collects what a browser would fetch."""

    EMPTY = ("meta", "img", "br", "link")

    def __init__(self):
        super().__init__()
        self.open, self.addresses, self.text = [], [], ""

    def handle_starttag(self, tag, attrs):
        self.addresses += [v for k, v in attrs if k in ("src", "href") and v]
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_everything_is_written_and_nothing_else_touched(folder):
    assert {path.name for path in folder.iterdir()} == FILES | {"mine.txt"}
    assert (folder / "mine.txt").read_text() == "kept"
    for path in folder.glob("*.png"):
        assert path.read_bytes().startswith(b"\x89PNG")


def test_report_is_one_page_without_a_network(folder):
    text = (folder / "report.html").read_text()
    page = Page()
    page.feed(text)
    assert text.startswith("<!DOCTYPE html>")
    assert page.open == []
    assert len(page.addresses) == 4
    assert all(address.startswith("data:image/png;base64,") for address in page.addresses)
    assert "http" not in page.text
    for claim in CLAIMS:
        assert claim.text in page.text


def test_claims_follow_their_schema(folder):
    content = json.loads((folder / "claims.json").read_text())
    jsonschema.validate(content, SCHEMA)
    assert [claim["key"] for claim in content["claims"]] == [claim.key for claim in CLAIMS]


def test_second_run_writes_the_same_verdicts(folder):
    before = json.loads((folder / "claims.json").read_text())
    assert main(["reproduce", "--out", str(folder), "--seeds", "1", "--n-per-cluster", "20",
                 "--quiet"]) == 0  # fmt: skip
    after = json.loads((folder / "claims.json").read_text())
    assert [c["verdict"] for c in before["claims"]] == [c["verdict"] for c in after["claims"]]
    assert {path.name for path in folder.iterdir()} == FILES | {"mine.txt"}


def test_what_mathematics_proves_holds():
    draws = [measure(run_experiment(seed, n_per_cluster=15)) for seed in range(2)]
    verdicts = {verdict.key: verdict.verdict for verdict in judge(draws)}
    for key in ("strong_duality", "special_case", "concavity", "leave_one_out"):
        assert verdicts[key] == "holds"


def test_verdicts_count_seeds():
    claim = next(claim for claim in CLAIMS if claim.key == "concavity")
    draws = [{"largest_eigenvalue": value} for value in (0.0, 1.0)]
    assert claim.judge(draws).verdict == "holds in 1 of 2 seeds"
    assert claim.judge(draws[:1]).verdict == "holds"
    assert claim.judge(draws[1:]).verdict == "does not hold"


def test_hessian_of_an_indefinite_kernel_would_be_seen(rng, monkeypatch):
    monkeypatch.setattr("bandsvm.paper.experiment.rbf_kernel", lambda X, gamma: -np.eye(len(X)))
    assert largest_eigenvalue_of_hessian(rng.normal(size=(5, 2)), np.ones(5)) == pytest.approx(2.0)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_folder_that_cannot_be_written(tmp_path, capsys):
    tmp_path.chmod(0o500)
    assert main(["reproduce", "--out", str(tmp_path / "out"), "--seeds", "1"]) == 1
    assert "cannot write" in capsys.readouterr().err


def test_file_in_the_place_of_the_folder(tmp_path, capsys):
    (tmp_path / "out").write_text("a file")
    assert main(["reproduce", "--out", str(tmp_path / "out"), "--seeds", "1"]) == 1
    assert "File exists" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["--seeds", "0"], ["--seeds", "x"], ["--n-per-cluster", "-1"]]
)
def test_wrong_use(arguments, capsys):
    with pytest.raises(SystemExit) as exit_info:
        main(["reproduce", *arguments])
    assert exit_info.value.code == 2
    assert "greater than 0" in capsys.readouterr().err


def test_help_does_not_wait_for_scikit_learn():
    code = (
        "import sys; from bandsvm.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit: pass\n"
        "assert 'sklearn' not in sys.modules and 'numpy' not in sys.modules"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert len(shown.stdout.splitlines()) <= 24
    assert "reproduce" in shown.stdout
