"""Docstrings, examples and pages say what is true."""

import doctest
import importlib
import inspect
import json
import re
import runpy
from pathlib import Path

import pytest
from numpydoc.validate import validate

import bandsvm
from tests.helpers.public_names import FILE

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
    "bandsvm.LinearBandedSVR",
    "bandsvm.LinearBandedSVR.band_position",
    "bandsvm.LinearBandedSVR.certify",
    "bandsvm.LinearBandedSVR.fit",
    "bandsvm.LinearBandedSVR.predict",
    "bandsvm.LinearBandedSVR.score",
    "bandsvm.BandedSVCCV",
    "bandsvm.BandedSVCCV.fit",
    "bandsvm.BandedSVCCV.predict",
    "bandsvm.BandedSVCCV.decision_function",
    "bandsvm.BandedSVRCV",
    "bandsvm.BandedSVRCV.fit",
    "bandsvm.BandedSVRCV.predict",
    "bandsvm.BandedSVRCV.score",
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
    "bandsvm.load_liblinear",
    "bandsvm.load_libsvm",
    "bandsvm.to_onnx",
    "bandsvm.persistence.onnx.register_converter",
    "bandsvm.datasets.make_paper_clusters",
    "bandsvm.svm.SVC",
    "bandsvm.svm.SVC.fit",
    "bandsvm.svm.SVC.predict",
    "bandsvm.svm.SVC.decision_function",
    "bandsvm.svm.SVC.to_banded",
    "bandsvm.svm.SVC.certify",
    "bandsvm.svm.SVR",
    "bandsvm.svm.SVR.predict",
    "bandsvm.svm.NuSVR",
    "bandsvm.svm.NuSVR.fit",
    "bandsvm.svm.OneClassSVM",
    "bandsvm.svm.OneClassSVM.score_samples",
    "bandsvm.svm.LinearSVC",
    "bandsvm.svm.LinearSVC.predict",
    "bandsvm.svm.LinearSVR",
    "bandsvm.svm.LinearSVR.predict",
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
    "bandsvm.plotting.QuantileFanDisplay",
    "bandsvm.plotting.ResidualsDisplay",
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
# A scorer is an object without words of its own.
WITHOUT_EXAMPLES = {"bandsvm.metrics.sensitivity_area_scorer"}
WITH_EXAMPLES = sorted(json.loads(FILE.read_text()).keys() - WITHOUT_EXAMPLES)
pytestmark = pytest.mark.docs


@pytest.fixture
def plt():
    """Matplotlib without windows; its figures are closed afterwards."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    yield pyplot
    pyplot.close("all")


@pytest.mark.parametrize("name", PUBLIC)
def test_docstring_follows_numpydoc(name):
    errors = [error for error in validate(name)["errors"] if error[0] not in OPTIONAL]
    assert not errors


def test_every_public_name_has_a_docstring():
    for name in bandsvm.__all__:
        assert inspect.getdoc(getattr(bandsvm, name))


@pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")
@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_of_public_names_run(name, plt):
    """Those of a name and of its methods; the reference shows them."""
    module, _, own = name.rpartition(".")
    if module == "bandsvm.dask":
        pytest.importorskip("distributed")
    documented = getattr(importlib.import_module(module), own)
    home = vars(importlib.import_module(documented.__module__))
    examples = doctest.DocTestFinder().find(documented, own, globs=home.copy())
    runner = doctest.DocTestRunner(optionflags=doctest.FAIL_FAST)
    assert any(example.examples for example in examples)
    for example in examples:
        runner.run(example)
    assert runner.summarize(verbose=False).failed == 0


def test_readme_example_runs(capsys):
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    exec(compile(code.group(1), "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert re.match(r"accuracy 0\.9\d\d\n", printed)
    assert "converged" in printed


def test_examples_of_the_exchange_page_run(folder):
    page = (ROOT / "docs" / "exchange.md").read_text()
    names: dict = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(code, "exchange.md", "exec"), names)
    written = {file.name for file in folder.iterdir()}
    classes = {"wine.model", *(f"wine.{k}.model" for k in range(3))}
    suffixes = ("model", "model.range", "liblinear", "onnx", "pkl", "skops")
    cancer = {f"cancer.{suffix}" for suffix in suffixes}
    assert written == cancer | classes | {"radius.model", "radius.model.range"}


def test_examples_of_the_page_for_users_of_svc_run():
    page = (ROOT / "docs" / "from_svc.md").read_text()
    names: dict = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(code, "from_svc.md", "exec"), names)
    assert {"ours", "model"} <= names.keys()


nothing_to_show = pytest.mark.filterwarnings("ignore:FigureCanvasAgg is non-interactive")


@nothing_to_show
@pytest.mark.parametrize("example", sorted((ROOT / "examples").rglob("*.py")), ids=lambda p: p.stem)
def test_example_draws_something(example, plt):
    runpy.run_path(str(example), run_name="__main__")
    assert all(ax.has_data() for ax in plt.gcf().axes)


@nothing_to_show
@pytest.mark.parametrize("name", ["band_path", "breast_cancer", "abstaining"])
def test_the_band_acts_in_pictures_about_it(name, plt):
    (example,) = (ROOT / "examples").rglob(f"plot_{name}.py")
    names = runpy.run_path(str(example), run_name="__main__")
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
