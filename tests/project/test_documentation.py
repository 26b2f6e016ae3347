"""Docstrings, examples and pages say what is true."""

import ast
import doctest
import importlib
import inspect
import json
import re
import runpy
import shutil
from pathlib import Path

import pytest
from numpydoc.validate import validate

import bandsvm

ROOT = Path(__file__).parents[2]
PUBLIC = [
    "bandsvm.BandedSVC",
    "bandsvm.BandedSVC.fit",
    "bandsvm.BandedSVC.predict",
    "bandsvm.BandedSVC.decision_function",
    "bandsvm.BandedSVC.band_position",
    "bandsvm.BandedSVC.certify",
    "bandsvm.LinearBandedSVC",
    "bandsvm.LinearBandedSVC.fit",
    "bandsvm.LinearBandedSVC.predict",
    "bandsvm.LinearBandedSVC.decision_function",
    "bandsvm.BandedSVCCV",
    "bandsvm.BandedSVCCV.fit",
    "bandsvm.BandedSVCCV.predict",
    "bandsvm.BandedSVCCV.decision_function",
    "bandsvm.model_selection.band_path",
    "bandsvm.plotting.BandPathDisplay",
    "bandsvm.plotting.BandPathDisplay.from_path",
    "bandsvm.plotting.BandPathDisplay.from_estimator",
    "bandsvm.SelectiveClassifier",
    "bandsvm.SelectiveClassifier.accepts",
    "bandsvm.SelectiveClassifier.fit",
    "bandsvm.SelectiveClassifier.predict",
    "bandsvm.SelectiveClassifier.predict_or_abstain",
    "bandsvm._certificate.certify",
    "bandsvm.load",
    "bandsvm.save",
    "bandsvm.export_liblinear",
    "bandsvm.export_libsvm",
    "bandsvm.load_libsvm",
    "bandsvm.to_onnx",
    "bandsvm.persistence.onnx.register_converter",
    "bandsvm.datasets.make_paper_clusters",
    "bandsvm.metrics.band_coverage",
    "bandsvm.metrics.cluster_balance",
    "bandsvm.metrics.risk_coverage_area",
    "bandsvm.metrics.risk_coverage_curve",
    "bandsvm.metrics.sensitivity_area",
    "bandsvm.metrics.sensitivity_curve",
    "bandsvm.model_selection.leave_one_out",
    "bandsvm.multipliers.slack_multipliers",
    "bandsvm.model_selection.leave_one_out_bound",
    "bandsvm.plotting.DecisionMapDisplay",
    "bandsvm.plotting.DecisionMapDisplay.from_estimator",
    "bandsvm.plotting.DecisionValuesDisplay",
    "bandsvm.plotting.DecisionValuesDisplay.from_predictions",
    "bandsvm.plotting.DualCoefficientsDisplay",
    "bandsvm.plotting.PenaltyDisplay",
    "bandsvm.plotting.RiskCoverageDisplay",
    "bandsvm.plotting.RiskCoverageDisplay.from_estimator",
    "bandsvm.plotting.RiskCoverageDisplay.from_predictions",
    "bandsvm.plotting.SensitivityCurveDisplay",
    "bandsvm.plotting.SensitivityCurveDisplay.from_predictions",
    "bandsvm.plotting.SupportVectorsDisplay",
    "bandsvm._problem.band_problem.band_problem",
    "bandsvm._estimators.selective.prediction_score",
    "bandsvm._solvers.solve",
]
# Not every method needs a second paragraph, a relative or an example of its own.
OPTIONAL = {"ES01", "SA01", "EX01"}
SOURCES = sorted((ROOT / "src" / "bandsvm").rglob("*.py"))


@pytest.mark.parametrize("name", PUBLIC)
def test_docstring_follows_numpydoc(name):
    errors = [error for error in validate(name)["errors"] if error[0] not in OPTIONAL]
    assert not errors


def test_every_public_name_has_a_docstring():
    for name in bandsvm.__all__:
        assert inspect.getdoc(getattr(bandsvm, name))


@pytest.mark.parametrize(
    "module",
    [
        "bandsvm._estimators.kernel",
        "bandsvm.datasets",
        "bandsvm.metrics",
        "bandsvm.multipliers",
        "bandsvm.persistence.liblinear",
        "bandsvm.persistence.libsvm",
        "bandsvm.persistence.onnx",
        "bandsvm.model_selection._bound",
        "bandsvm.model_selection._cv",
        "bandsvm.model_selection._path",
        "bandsvm.model_selection._leave_one_out",
        "bandsvm._estimators.selective",
    ],
)
def test_docstring_examples_run(module):
    results = doctest.testmod(importlib.import_module(module))
    assert results.attempted > 0
    assert results.failed == 0


def test_readme_example_runs(capsys):
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    exec(compile(code.group(1), "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert re.match(r"accuracy 0\.9\d\d\n", printed)
    assert "converged" in printed


def test_examples_of_the_exchange_page_run(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "exchange.md").read_text()
    names: dict = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(code, "exchange.md", "exec"), names)
    written = {file.name for file in tmp_path.iterdir()}
    classes = {"wine.model", *(f"wine.{k}.model" for k in range(3))}
    suffixes = ("model", "model.range", "liblinear", "onnx", "pkl", "skops")
    cancer = {f"cancer.{suffix}" for suffix in suffixes}
    assert written == cancer | classes


def test_examples_of_the_page_for_users_of_svc_run():
    page = (ROOT / "docs" / "from_svc.md").read_text()
    names: dict = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(code, "from_svc.md", "exec"), names)
    assert {"ours", "model"} <= names.keys()


def test_page_on_model_selection_prints_what_it_says(capsys):
    text = (ROOT / "docs" / "model_selection.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == text.count("```python") == 6
    names = {}
    for code, expected in blocks:
        exec(compile(code, "model_selection.md", "exec"), names)
        assert capsys.readouterr().out == expected


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.stem)
def test_example_draws_something(example, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    monkeypatch.setattr(plt, "show", lambda: None)
    runpy.run_path(str(example), run_name="__main__")
    assert all(ax.has_data() for ax in plt.gcf().axes)
    plt.close("all")


@pytest.mark.parametrize("name", ["band_path", "breast_cancer", "abstaining"])
def test_the_band_acts_in_pictures_about_it(name, monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    plt.switch_backend("Agg")
    monkeypatch.setattr(plt, "show", lambda: None)
    names = runpy.run_path(str(ROOT / "examples" / f"plot_{name}.py"), run_name="__main__")
    ax = plt.gcf().axes[-1]
    if name == "band_path":
        assert names["path"].n_theta.max() > 100
    else:
        curves = {
            line.get_label().split(" (area")[0]: line.get_ydata().tolist()
            for line in ax.get_lines()
            if " (area" in line.get_label()
        }
        assert set(curves) == {"C-SVM", "B-SVM"}
        assert curves["C-SVM"] != curves["B-SVM"]
    plt.close("all")


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


def test_architecture_names_every_module():
    """A newcomer finds the room of any line."""
    text = (ROOT / "ARCHITECTURE.md").read_text()
    for path in [*SOURCES, *(ROOT / "core").iterdir()]:
        if path.name in ("__init__.py", "_core.pyi"):
            continue
        folder = path.parent.relative_to(ROOT).as_posix() + "/"
        assert path.name in text or f"`{folder}`" in text, path


@pytest.mark.parametrize(
    "room",
    sorted((ROOT / "src" / "bandsvm").glob("*/__init__.py")),
    ids=lambda path: path.parent.name,
)
def test_every_room_introduces_its_modules(room):
    text = ast.get_docstring(ast.parse(room.read_text()))
    for module in room.parent.glob("*.py"):
        assert module == room or f"`{module.stem}`" in text, module


def imported_names(path):
    """Yield the full names of all that a module imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


@pytest.mark.parametrize("folder", ["src", "tests", "torture", "benchmarks", "studies", "examples"])
def test_only_one_module_may_know_what_is_private_in_scikit_learn(folder):
    for path in (ROOT / folder).rglob("*.py"):
        if path.name != "_compat.py":
            names = [name for name in imported_names(path) if name.startswith("sklearn.")]
            assert [name for name in names if "._" in name] == [], path


def test_no_module_is_too_long():
    for path in [*SOURCES, *(ROOT / "core").glob("*pp")]:
        assert len(path.read_text().splitlines()) <= 400, path


def test_benchmark_of_landmarks_runs(capsys, monkeypatch, tmp_path):
    run_benchmark("landmarks", monkeypatch, tmp_path)
    assert capsys.readouterr().out.count("accuracy") == 3
    report = importlib.import_module("large_data_report")
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    assert report.section("landmarks").count("| generated, 1,125 |") == 3
    assert report.section("many").startswith("20,000 generated samples of 30 features")
