"""The paper's experiment, its claims and its report."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import bandsvm.paper
from bandsvm.cli import main
from bandsvm.paper.claims import CLAIMS, verdicts_on
from bandsvm.paper.experiment import (
    largest_eigenvalue_of_hessian,
    measure,
    measure_part,
    run_experiment,
)
from tests.helpers.report_pages import Page

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


@pytest.mark.heavy
def test_everything_is_written_and_nothing_else_touched(folder):
    assert {path.name for path in folder.iterdir()} == FILES | {"mine.txt"}
    assert (folder / "mine.txt").read_text() == "kept"
    for path in folder.glob("*.png"):
        assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.heavy
def test_report_is_one_page_without_a_network(folder):
    text = (folder / "report.html").read_text()
    page = Page(folder / "report.html")
    assert text.startswith("<!DOCTYPE html>")
    assert len(page.sources) == 4
    assert all(address.startswith("data:image/png;base64,") for address in page.sources)
    assert "http" not in page.text
    for claim in CLAIMS:
        assert claim.text in page.text


@pytest.mark.heavy
def test_claims_follow_their_schema(folder):
    content = json.loads((folder / "claims.json").read_text())
    jsonschema.validate(content, SCHEMA)
    assert [claim["key"] for claim in content["claims"]] == [claim.key for claim in CLAIMS]


@pytest.mark.slow
def test_second_run_writes_the_same_verdicts(folder):
    before = json.loads((folder / "claims.json").read_text())
    assert main(["reproduce", "--out", str(folder), "--seeds", "1", "--n-per-cluster", "20",
                 "--quiet"]) == 0  # fmt: skip
    after = json.loads((folder / "claims.json").read_text())
    assert [c["verdict"] for c in before["claims"]] == [c["verdict"] for c in after["claims"]]
    assert {path.name for path in folder.iterdir()} == FILES | {"mine.txt"}


@pytest.mark.heavy
def test_what_mathematics_proves_holds():
    draws = [measure(run_experiment(seed, n_per_cluster=15)) for seed in range(2)]
    verdicts = {verdict.key: verdict.verdict for verdict in verdicts_on(draws)}
    for key in ("strong_duality", "special_case", "concavity", "leave_one_out"):
        assert verdicts[key] == "holds"


def test_verdicts_count_seeds():
    claim = next(claim for claim in CLAIMS if claim.key == "concavity")
    draws = [{"largest_eigenvalue": value} for value in (0.0, 1.0)]
    assert claim.verdict_on(draws).verdict == "holds in 1 of 2 seeds"
    assert claim.verdict_on(draws[:1]).verdict == "holds"
    assert claim.verdict_on(draws[1:]).verdict == "does not hold"


def test_hessian_of_an_indefinite_kernel_would_be_seen():
    assert largest_eigenvalue_of_hessian(-np.eye(5), np.ones(5)) == pytest.approx(2.0)


def claim_of(key):
    """Return a claim by its key."""
    return next(claim for claim in CLAIMS if claim.key == key)


@pytest.mark.heavy
def test_every_claim_says_who_makes_it_and_where(folder):
    written = json.loads((folder / "claims.json").read_text())["claims"]
    page = (folder / "report.html").read_text()
    for claim in written:
        assert (claim["source"] == "ours") or claim["place"]
        assert claim["source"] == "ours" or claim["place"] in page
    assert {claim["source"] for claim in written} == {"stated", "implied", "ours"}
    assert "fresh points" not in " ".join(c["claim"] for c in written if c["source"] == "stated")


def test_interior_is_asked_of_each_class():
    claim = claim_of("interior")
    deep = {"alpha_positive": 0.1, "theta_positive": 0.4, "alpha_negative": 0.1}
    assert claim.verdict_on([{"distance": {**deep, "theta_negative": 0.2}}]).verdict == "holds"
    shallow = claim.verdict_on([{"distance": {**deep, "theta_negative": 0.05}}])
    assert shallow.verdict == "does not hold"
    assert "class -1: 0.1 and 0.05" in shallow.measured


def test_where_sensitivity_fails_is_told():
    claim = claim_of("sensitivity_train")
    area = {"area": {"csvm": 0.4, "bsvm": 0.6}}
    good = {"share_of_thresholds": 1.0, "worse_at": [], **area}
    bad = {"share_of_thresholds": 0.9, "worse_at": [0.0, 100 / 49, 200 / 49, 98.0], **area}
    verdict = claim.verdict_on([{"train": good}, {"train": bad}])
    assert verdict.verdict == "holds in 1 of 2 seeds"
    assert (
        "worse at thresholds of 0 to 4 % and 98 % of the range, at threshold 0 in 1 of 2"
        in verdict.measured
    )
    assert "nowhere worse" in claim.verdict_on([{"train": good}]).measured


def test_measures_of_both_models_by_hand():
    y = np.repeat([1, -1], [5, 4])
    clusters = np.arange(9)
    steady = y * 1.2
    wild = steady.copy()
    wild[0], wild[8], wild[1] = 0.3, -4.8, -0.1
    found = measure_part({"csvm": wild, "bsvm": steady}, y, clusters)
    assert found["inside"] == {"csvm": pytest.approx(6 / 9), "bsvm": 1.0}
    assert found["balance"]["csvm"] == pytest.approx(0.3 / 0.925)
    assert found["evenness_positive"] == {"csvm": pytest.approx(0.1 / 1.2), "bsvm": 1.0}
    assert found["evenness_negative"] == {"csvm": pytest.approx(0.25), "bsvm": 1.0}
    assert found["worse_at"] == []
    back = measure_part({"csvm": steady, "bsvm": wild}, y, clusters)
    assert back["worse_at"][0] == 0.0
    assert back["worse_at"][-1] > 90


def test_page_has_the_claims_as_they_are():
    """``python studies/paper_page.py`` writes the table; its numbers are those of its last run."""
    text = (Path(__file__).parents[2] / "docs" / "paper.md").read_text()
    table = text[text.index("<!-- claims -->") : text.index("<!-- end of claims -->")]
    rows = [line.replace("\\|", "/").split(" | ") for line in table.splitlines()[4:] if line]
    assert len(rows) == len(CLAIMS)
    for row, claim in zip(rows, CLAIMS, strict=True):
        assert row[0] == "| " + claim.text.replace("|", "/")
        assert row[1].removesuffix(" (implied)") in (claim.place, "not in the paper")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_folder_that_cannot_be_written(tmp_path, capsys):
    tmp_path.chmod(0o500)
    assert main(["reproduce", "--out", str(tmp_path / "out"), "--seeds", "1"]) == 1
    assert "cannot write" in capsys.readouterr().err


def test_file_in_the_place_of_the_folder(tmp_path, capsys):
    (tmp_path / "out").write_text("a file")
    assert main(["reproduce", "--out", str(tmp_path / "out"), "--seeds", "1"]) == 1
    assert "--out must name a folder, got the file" in capsys.readouterr().err


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
