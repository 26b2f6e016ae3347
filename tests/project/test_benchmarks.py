"""Benchmarks and studies run, once and tiny; their pages are what the scripts write."""

import importlib
import json
import runpy
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.bench


def run_benchmark(name, monkeypatch, folder):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    monkeypatch.setattr("sys.argv", [f"{name}.py", "--smoke", "--out", str(folder)])
    runpy.run_path(str(ROOT / "benchmarks" / f"{name}.py"), run_name="__main__")


def test_benchmark_runs(capsys, monkeypatch, tmp_path):
    run_benchmark("fits", monkeypatch, tmp_path)
    assert "LIBSVM" in capsys.readouterr().out
    (result,) = tmp_path.glob("*.json")
    csvm, band, _, *at_large_costs = json.loads(result.read_text())["cases"]
    for case in (csvm, band, *at_large_costs):
        ours, theirs = case["solvers"]["bandsvm"], case["solvers"]["LIBSVM"]
        assert theirs["primal"] == pytest.approx(ours["primal"], rel=1e-4)
        assert theirs["primal"] >= ours["primal"] * (1 - 1e-9)
        assert ours["kkt_violation"] <= 1e-3
        assert case["stages"]["rows"] > 0.0


def test_benchmark_of_many_classes_runs(monkeypatch, tmp_path):
    run_benchmark("classes", monkeypatch, tmp_path)
    (case,) = json.loads((tmp_path / "classes.json").read_text())["cases"].values()
    assert case["solvers"].keys() >= {"SVC", "ovo without a band", "ovr with a band"}
    assert case["solvers"]["ovo without a band"]["n_labels_unlike_svc"] == 0


@pytest.mark.slow
def test_benchmark_of_many_cores_runs(monkeypatch, tmp_path):
    run_benchmark("cores", monkeypatch, tmp_path)
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


def test_benchmark_of_sparse_samples_runs(monkeypatch, tmp_path):
    run_benchmark("texts", monkeypatch, tmp_path)
    results = json.loads((tmp_path / "sparse.json").read_text())
    for case in results["cases"]:
        assert case["certified"]
        assert case["largest_difference"] < 5e-3
    section = importlib.import_module("report").sparse(results)
    assert section.count("hashed 2^20") == len(results["cases"])


def test_benchmark_of_linear_models_runs(capsys, monkeypatch, tmp_path):
    run_benchmark("linear", monkeypatch, tmp_path)
    assert capsys.readouterr().out.count("LIBLINEAR") == 2
    results = json.loads((tmp_path / "linear.json").read_text())
    for case in results["cases"]:
        assert case["relative_gap"] <= case["tol"]
        assert case["seconds"].keys() >= {"bandsvm"}
    section = importlib.import_module("linear_report").linear_section(results)
    assert section.count("| generated |") == len(results["cases"]) / 2


def test_benchmark_page_is_what_the_script_writes(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    report = importlib.import_module("report")
    monkeypatch.setattr(report, "DOCS", tmp_path)
    monkeypatch.setattr(report, "draw_growth", lambda *args: None)
    report.main()
    written = (tmp_path / "benchmarks.md").read_text()
    assert written == (ROOT / "docs" / "benchmarks.md").read_text()


def test_page_on_choosing_is_what_the_script_writes(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    report = importlib.import_module("choosing_report")
    monkeypatch.setattr(report, "DOCS", tmp_path)
    report.main()
    written = (tmp_path / "choosing.md").read_text()
    assert written == (ROOT / "docs" / "choosing.md").read_text()


def test_study_of_defaults_runs_and_continues(capsys, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(ROOT / "studies")
    results, page = tmp_path / "defaults.json", tmp_path / "defaults.md"
    for n_new in (2, 0):
        monkeypatch.setattr("sys.argv", ["defaults.py", "--quick", "--out", str(results)])
        runpy.run_path(str(ROOT / "studies" / "defaults.py"), run_name="__main__")
        assert capsys.readouterr().out.count(" s\n") == n_new
    wdbc, wine = json.loads(results.read_text())["sets"]
    assert min(wdbc["accuracy"] + wine["accuracy"]) > 0.8
    assert wdbc["won"][:2] == wdbc["lost"][:2] == [0, 0]
    assert "sensitivity" in wdbc.keys() - wine.keys()
    arguments = ["defaults_page.py", "--results", str(results), "--out", str(page)]
    monkeypatch.setattr("sys.argv", arguments)
    runpy.run_path(str(ROOT / "studies" / "defaults_page.py"), run_name="__main__")
    assert page.read_text().count("\n| C2 = ") + page.read_text().count("\n| **C2 = ") == 12


def test_page_on_strategies_is_what_the_script_writes(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "studies")
    strategies = importlib.import_module("strategies")
    written = strategies.page(json.loads(strategies.RESULTS.read_text()))
    assert written == strategies.PAGE.read_text()


def test_study_of_strategies_runs(capsys, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(ROOT / "studies")
    results, page = tmp_path / "strategies.json", tmp_path / "strategies.md"
    arguments = ["--quick", "--jobs", "1", "--out", str(results), "--page", str(page)]
    monkeypatch.setattr("sys.argv", ["strategies.py", *arguments])
    runpy.run_path(str(ROOT / "studies" / "strategies.py"), run_name="__main__")
    (wine,) = json.loads(results.read_text())
    assert all(case["both"] > 0.8 * case["n_test"] for case in wine["cases"])
    assert "## 1 data sets" in page.read_text()
    assert "wine" in capsys.readouterr().out


def test_trials_of_certificates_are_what_the_script_writes(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "studies")
    certificates = importlib.import_module("certificates")
    results = json.loads((ROOT / "studies" / "results" / "certificates.json").read_text())
    page = (ROOT / "docs" / "theory.md").read_text()
    assert certificates.with_section(page, certificates.section(results)) == page


def test_study_of_certificates_runs(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(ROOT / "studies")
    (tmp_path / "docs").mkdir()
    (tmp_path / "studies" / "results").mkdir(parents=True)
    shutil.copy(ROOT / "docs" / "theory.md", tmp_path / "docs")
    arguments = ["--quick", "--jobs", "1", "--out", str(tmp_path)]
    monkeypatch.setattr("sys.argv", ["certificates.py", *arguments])
    runpy.run_path(str(ROOT / "studies" / "certificates.py"), run_name="__main__")
    found = json.loads((tmp_path / "studies" / "results" / "certificates.json").read_text())
    foretold = [one for one in found["trials"] if one["is_foretold"]]
    assert sum(one["n_wrong"] for one in foretold) > 0
    assert all(one["now"] == one["n_wrong"] for one in foretold)
    assert all(one["n_beyond"] == 0 for one in found["real"])


@pytest.fixture
def defaults_page(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "studies")
    return importlib.import_module("defaults_page")


def test_page_on_defaults_is_what_the_script_writes(defaults_page):
    written = defaults_page.page(json.loads(defaults_page.RESULTS.read_text()))
    assert written == (ROOT / "docs" / "defaults.md").read_text()


def test_rule_allows_few_losers_and_prefers_what_is_simple(defaults_page):
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


def test_a_loss_within_noise_does_not_count(defaults_page):
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


def test_benchmark_of_landmarks_runs(capsys, monkeypatch, tmp_path):
    run_benchmark("landmarks", monkeypatch, tmp_path)
    assert capsys.readouterr().out.count("accuracy") == 3
    report = importlib.import_module("large_data_report")
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    assert report.section("landmarks").count("| generated, 1,125 |") == 3
    assert report.section("many").startswith("20,000 generated samples of 30 features")
