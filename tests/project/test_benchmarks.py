"""Benchmarks and studies run, once and tiny; their pages are what the scripts write."""

import importlib
import json
import re
import runpy
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.helpers import fake_cupy

ROOT = Path(__file__).parents[2]
RESULTS = [
    file
    for folder in ("benchmarks", "studies")
    for file in sorted((ROOT / folder / "results").rglob("*.json*"))
]
pytestmark = pytest.mark.bench


def run_script(name, *arguments):
    """Run a script of benchmarks or studies."""
    importlib.import_module(name).main([str(argument) for argument in arguments])


def run_benchmark(name, folder):
    run_script(name, "--smoke", "--out", folder)


def test_benchmark_runs(capsys, tmp_path):
    run_benchmark("fits", tmp_path)
    assert "LIBSVM" in capsys.readouterr().out
    (result,) = tmp_path.glob("*.json")
    csvm, band, _, *at_large_costs = json.loads(result.read_text())["cases"]
    for case in (csvm, band, *at_large_costs):
        ours, theirs = case["solvers"]["bandsvm"], case["solvers"]["LIBSVM"]
        assert theirs["primal"] == pytest.approx(ours["primal"], rel=1e-4)
        assert theirs["primal"] >= ours["primal"] * (1 - 1e-9)
        assert ours["kkt_violation"] <= 1e-3
        assert case["stages"]["rows"] + case["stages"]["small problems"] > 0.0


def test_benchmark_runs_in_double_precision(tmp_path):
    run_script("fits", "--smoke", "--dtype", "float64", "--out", tmp_path)
    (result,) = tmp_path.glob("*.json")
    results = json.loads(result.read_text())
    assert [case["model"] for case in results["cases"]] == ["C-SVM", "band"]
    assert {case["dtype"] for case in results["cases"]} == {"float64"}
    report = importlib.import_module("fits_report")
    (section,) = report.double_precision([results])
    assert results["circumstances"]["commit"] in section
    (row,) = re.findall(r"^\| paper clusters .*$", section, re.MULTILINE)
    seconds = [case["solvers"]["bandsvm"]["seconds"] for case in results["cases"]]
    assert [row.split(" | ")[k] for k in (2, 5)] == [f"{took:.3f}" for took in seconds]
    assert report.double_precision([]) == []


@pytest.mark.parametrize("file", RESULTS, ids=lambda file: file.name)
def test_every_file_of_results_names_its_commit(file):
    assert re.search(r'"commit": ?"[0-9a-f]{7}', file.read_text())


def test_benchmark_of_many_classes_runs(tmp_path):
    run_benchmark("classes", tmp_path)
    (case,) = json.loads((tmp_path / "classes.json").read_text())["cases"].values()
    assert case["solvers"].keys() >= {"SVC", "ovo without a band", "ovr with a band"}
    assert case["solvers"]["ovo without a band"]["n_labels_unlike_svc"] == 0


def test_benchmark_of_small_fits_runs(capsys, tmp_path):
    run_benchmark("small", tmp_path)
    assert capsys.readouterr().out.count("SVC") >= 14
    results = json.loads((tmp_path / "small.json").read_text())
    for case in results["two_classes"]:
        assert case["certified"]
        assert case["largest_difference"] < 5e-3
    for case in results["many_classes"]:
        assert case["certified"]
        assert case["same_labels"] >= 0.99
    section = importlib.import_module("small_report").small_section(results)
    assert section.count("| iris |") == 2


def test_benchmark_of_devices_runs(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy.module())
    run_benchmark("gpu", tmp_path)
    csvm, band = json.loads((tmp_path / "gpu.json").read_text())["cases"]
    for case in (csvm, band):
        assert case["cuda"]["is_optimal"]
        assert case["cpu"]["is_optimal"]
        assert case["cuda"]["objective"] == pytest.approx(case["cpu"]["objective"], rel=1e-3)
    page = tmp_path / "gpu.md"
    shutil.copy(ROOT / "docs" / "guide" / "gpu.md", page)
    run_script("gpu_report", "--results", tmp_path / "gpu.json", "--page", page)
    assert page.read_text().count("| smoke | 1,200 x 20 |") == 2
    assert "commit" in page.read_text()


def test_table_of_devices_is_that_of_the_results(tmp_path):
    page = tmp_path / "gpu.md"
    shutil.copy(ROOT / "docs" / "guide" / "gpu.md", page)
    run_script("gpu_report", "--page", page)
    assert page.read_text() == (ROOT / "docs" / "guide" / "gpu.md").read_text()


def test_benchmark_of_regression_runs(tmp_path):
    run_benchmark("regression", tmp_path)
    results = json.loads((tmp_path / "regression.json").read_text())
    for case in (*results["regressions"], *results["one_class"]):
        assert case["certified"]
        objectives = case["objectives"]
        assert objectives["LIBSVM"] == pytest.approx(objectives["bandsvm"], rel=0.02)
        assert objectives["LIBSVM"] >= objectives["bandsvm"] - 1e-9 * abs(objectives["bandsvm"])
    for case in results["equality"]:
        assert max(case["regression"], case["one_class"]) < 1e-5
    section = importlib.import_module("regression_report").regression_section(results)
    assert section.count("| generated |") == 2


def test_race_of_the_names_of_sklearn_runs(capsys, tmp_path):
    run_benchmark("switching", tmp_path)
    assert "slower in" in capsys.readouterr().out
    for case in json.loads((tmp_path / "switching.json").read_text())["cases"]:
        assert case["certified"]
        assert case["same_labels"] >= 0.99


def test_twenty_programs_answer_the_same(tmp_path):
    pytest.importorskip("polars")
    shutil.copy(ROOT / "docs" / "switching.md", tmp_path / "page.md")
    paths = ["--out", tmp_path / "switching.json", "--page", tmp_path / "page.md"]
    # The names of this study and of the benchmark are the same.
    study = runpy.run_path(str(ROOT / "studies" / "switching.py"))
    study["main"]([str(part) for part in ("--turns", 1, *paths)])
    found = json.loads((tmp_path / "switching.json").read_text())
    assert len(found) == 20
    for one in found:
        assert one["at_optimum"]["is_same"], one
        # Where scikit-learn's answers at its own `tol` are others, its fits are not optimal.
        assert one["at_defaults"]["is_same"] or one["above_optimum"] > 1e-6, one
    assert (tmp_path / "page.md").read_text().count("| Voting |") == 1


@pytest.mark.parametrize(
    ("ours", "is_same"),
    [([0, 1], True), ([0, 0], False), ([0, 1, 1], False), (["0", "1"], False), ([0.0, 1.0], False)],
)
def test_labels_of_programs_are_compared(ours, is_same):
    compared = runpy.run_path(str(ROOT / "studies" / "switching.py"))["compared"]
    assert compared(np.array([0, 1]), np.array(ours))["is_same"] is is_same


@pytest.mark.parametrize(("difference", "is_same"), [(1e-7, True), (1e-4, False), (np.nan, False)])
def test_numbers_of_programs_are_compared(difference, is_same):
    compared = runpy.run_path(str(ROOT / "studies" / "switching.py"))["compared"]
    assert compared(np.zeros(2), np.array([0.0, difference]))["is_same"] is is_same


@pytest.mark.slow
def test_benchmark_of_many_cores_runs(tmp_path):
    run_benchmark("cores", tmp_path)
    results = json.loads((tmp_path / "cores.json").read_text())
    for run in results["runs"]:
        for case in run["cases"]:
            assert case["relative_gap"] < 1e-9
            parts = [took for stage, took in case["stages"].items() if stage != "total"]
            assert sum(parts) == pytest.approx(case["stages"]["total"])
    report = importlib.import_module("cores_report")
    section = report.cores_section(results)
    assert section.count("| paper clusters, ") == 2
    report.draw_cores(results, tmp_path / "cores.svg")
    assert (tmp_path / "cores.svg").stat().st_size > 1000


def test_benchmark_of_sparse_samples_runs(tmp_path):
    run_benchmark("texts", tmp_path)
    results = json.loads((tmp_path / "sparse.json").read_text())
    for case in results["cases"]:
        assert case["certified"]
        assert case["largest_difference"] < 5e-3
    section = importlib.import_module("report").sparse(results)
    assert section.count("hashed 2^20") == len(results["cases"])


def test_benchmark_of_linear_models_runs(capsys, tmp_path):
    run_benchmark("linear", tmp_path)
    assert capsys.readouterr().out.count("LIBLINEAR") == 2
    results = json.loads((tmp_path / "linear.json").read_text())
    for case in results["cases"]:
        assert case["relative_gap"] <= case["tol"]
        assert case["seconds"].keys() >= {"bandsvm"}
    section = importlib.import_module("linear_report").linear_section(results)
    assert section.count("| generated |") == len(results["cases"]) / 2


def test_benchmark_page_is_what_the_script_writes(tmp_path):
    importlib.import_module("report").main(tmp_path)
    for name in ("benchmarks.md", "benchmarks_fits.csv", "development/measurements.md"):
        assert (tmp_path / name).read_text() == (ROOT / "docs" / name).read_text()


def test_page_on_choosing_is_what_the_script_writes(tmp_path):
    importlib.import_module("choosing_report").main(tmp_path)
    written = (tmp_path / "choosing.md").read_text()
    assert written == (ROOT / "docs" / "choosing.md").read_text()


def test_study_of_defaults_runs_and_continues(capsys, tmp_path):
    results, page = tmp_path / "defaults.json", tmp_path / "defaults.md"
    for n_new in (2, 0):
        run_script("defaults", "--quick", "--out", results)
        assert capsys.readouterr().out.count(" s\n") == n_new
    wdbc, wine = json.loads(results.read_text())["sets"]
    assert min(wdbc["accuracy"] + wine["accuracy"]) > 0.8
    assert wdbc["won"][:2] == wdbc["lost"][:2] == [0, 0]
    assert "sensitivity" in wdbc.keys() - wine.keys()
    run_script("defaults_page", "--results", results, "--out", page)
    assert page.read_text().count("\n| C2 = ") + page.read_text().count("\n| **C2 = ") == 12


def test_page_on_strategies_is_what_the_script_writes():
    strategies = importlib.import_module("strategies")
    written = strategies.page(json.loads(strategies.RESULTS.read_text()))
    assert written == strategies.PAGE.read_text()


def test_study_of_strategies_runs(capsys, tmp_path):
    results, page = tmp_path / "strategies.json", tmp_path / "strategies.md"
    run_script("strategies", "--quick", "--jobs", 1, "--out", results, "--page", page)
    (wine,) = json.loads(results.read_text())
    assert all(case["both"] > 0.8 * case["n_test"] for case in wine["cases"])
    assert "## 1 data sets" in page.read_text()
    assert "wine" in capsys.readouterr().out


def test_trials_of_certificates_are_what_the_script_writes():
    certificates = importlib.import_module("certificates")
    results = json.loads((ROOT / "studies" / "results" / "certificates.json").read_text())
    page = (ROOT / "docs" / "theory.md").read_text()
    assert certificates.with_section(page, certificates.section(results)) == page


def test_study_of_certificates_runs(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "studies" / "results").mkdir(parents=True)
    shutil.copy(ROOT / "docs" / "theory.md", tmp_path / "docs")
    run_script("certificates", "--quick", "--jobs", 1, "--out", tmp_path)
    found = json.loads((tmp_path / "studies" / "results" / "certificates.json").read_text())
    foretold = [one for one in found["trials"] if one["is_foretold"]]
    assert sum(one["n_wrong"] for one in foretold) > 0
    assert all(one["now"] == one["n_wrong"] for one in foretold)
    assert all(one["n_beyond"] == 0 for one in found["real"])


def test_page_on_defaults_is_what_the_script_writes():
    defaults_page = importlib.import_module("defaults_page")
    written = defaults_page.page(json.loads(defaults_page.RESULTS.read_text()))
    assert written == (ROOT / "docs" / "defaults.md").read_text()


def test_rule_allows_few_losers_and_prefers_what_is_simple():
    rule = importlib.import_module("defaults_rule")

    def one(C2, follows, rho2, n_losers, bound, cost):
        losers = ["set"] * n_losers
        band = rule.Band(C2, follows, rho2)
        return rule.Verdict(band, losers, 0, 0, 0, 0.0, (0.0, "set"), 0.0, bound, cost)

    strong = one(1.0, False, 1.5, 3, 0.5, 1.6)
    idle = one(1.0, False, 9.0, 0, 1.0, 1.0)
    assert rule.choose([strong, idle]) is None
    odd, whole = one(0.3, False, 2.5, 2, 0.84, 1.0), one(1.0, False, 3.0, 2, 0.85, 1.1)
    follower, weak = one(1.0, True, 3.0, 0, 0.82, 1.0), one(1.0, False, 4.0, 0, 0.89, 1.0)
    assert rule.choose([strong, idle, odd, follower, weak, whole]) is whole
    assert rule.choose([strong, idle, odd, follower, weak]) is odd


def test_a_loss_within_noise_does_not_count():
    rule = importlib.import_module("defaults_rule")
    settings = {"C1": [1.0], "C2": [1.0], "rho2": [2.0]}
    band = rule.Band(1.0, False, 2.0)
    assert rule.fits(settings) == [(1.0, 0.0, 1.0), (1.0, 1.0, 2.0)]
    one = {"name": "set", "n_test": 100, "n_splits": 1, "accuracy": [0.9, 0.88]}
    one |= {"largest": [4.0, 2.0], "pair_steps": [9, 19]}
    for won, lost, loses in ((0, 2, False), (0, 5, True), (20, 22, False)):
        accuracy = [0.9, 0.9 + (won - lost) / 100]
        counted = {**one, "won": [0, won], "lost": [0, lost], "accuracy": accuracy}
        assert rule.Comparison(counted, band, settings).loses is loses
    found = rule.verdict(band, {"settings": settings, "sets": [counted]})
    assert (found.bound, found.cost, found.n_lower) == (0.5, 2.0, 1)


def test_study_of_tables_runs(capsys):
    study = runpy.run_path(str(ROOT / "studies" / "tables.py"))  # benchmarks has tables.py, too
    study["main"](["--rows", "200"])
    rows = capsys.readouterr().out.splitlines()[-2:]
    assert [row.split("|")[1].strip() for row in rows] == ["census", "passengers"]


def test_benchmark_of_landmarks_runs(capsys, tmp_path):
    run_benchmark("landmarks", tmp_path)
    assert capsys.readouterr().out.count("accuracy") == 3
    section = importlib.import_module("large_data_report").section
    assert section("landmarks", tmp_path).count("| generated, 1,125 |") == 3
    assert section("many", tmp_path).startswith("20,000 generated samples of 30 features")
