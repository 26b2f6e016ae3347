"""The tests that scikit-learn ships, with our estimators in place of those of `sklearn.svm`."""

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "switching.md"
pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

# What cannot be the same: the first column of the table in docs/switching.md, and those of
# scikit-learn's tests (as patterns) that expect scikit-learn's way.
DIFFERENCES = {
    "`penalty='l1'`, `multi_class='crammer_singer'`": (
        r"test_bounds::test_l1_min_c\[.*-squared_hinge-.*",
        r"test_svm::test_linearsvc_parameters\[.*False-l1-squared_hinge\]",
        r"test_svm::test_linearsvc\[.*",
        r"test_svm::test_linearsvm_liblinear_sample_weight\[.*params0\]",
        r"test_svm::test_dense_liblinear_intercept_handling",
        r"test_sparse::test_sparse_liblinear_intercept_handling",
        r"test_svm::test_linearsvc_crammer_singer\[.*",
        r"test_svm::test_crammer_singer_binary\[.*",
    ),
    "`max_iter`, `n_iter_`": (
        r"test_svm::test_libsvm_convergence_warnings\[.*",
        r"test_svm::test_linear_svm_convergence_warnings\[.*",
        r"test_sparse::test_timeout\[.*",
    ),
    "private attributes": (
        r"test_svm::test_tweak_params",
        r"test_svm::test_svc_raises_error_internal_representation",
    ),
    "kernels that return a matrix of a wrong shape": (r"test_svm::test_svr_errors",),
    "which samples are support vectors": (
        r"test_sparse::test_sparse_oneclasssvm\[.*-linear-X_train2-.*",
    ),
    "how exact a fit is": (r"test_sgd::test_sgd_oneclass_vs_linear_oneclass_offsets_match\[0.9\]",),
}
OF_SVM = ["svm.tests.test_svm", "svm.tests.test_sparse", "svm.tests.test_bounds"]
# All other modules whose tests name estimators of `sklearn.svm`.
OTHERS = [
    "ensemble.tests.test_bagging",
    "ensemble.tests.test_common",
    "ensemble.tests.test_forest",
    "ensemble.tests.test_stacking",
    "ensemble.tests.test_voting",
    "ensemble.tests.test_weight_boosting",
    "feature_extraction.tests.test_text",
    "feature_selection.tests.test_from_model",
    "feature_selection.tests.test_rfe",
    "linear_model.tests.test_common",
    "linear_model.tests.test_sgd",
    "metrics._plot.tests.test_confusion_matrix_display",
    "metrics.tests.test_classification",
    "metrics.tests.test_ranking",
    "metrics.tests.test_score_objects",
    "model_selection.tests.test_classification_threshold",
    "model_selection.tests.test_search",
    "model_selection.tests.test_split",
    "model_selection.tests.test_successive_halving",
    "model_selection.tests.test_validation",
    "preprocessing.tests.test_data",
    "semi_supervised.tests.test_self_training",
    "tests.test_base",
    "tests.test_calibration",
    "tests.test_multiclass",
    "tests.test_multioutput",
    "tests.test_pipeline",
    "utils._repr_html.tests.test_estimator",
    "utils.tests.test_estimator_checks",
    "utils.tests.test_multiclass",
    "utils.tests.test_validation",
]


def outcomes_of(module, folder):
    """Return how the tests of a module ended, run in a process of their own."""
    found = find_spec(f"sklearn.{module}")
    if found is None:
        pytest.skip(f"this version of scikit-learn has no {module}")
    path = folder / "outcomes.json"
    command = [sys.executable, "-m", "pytest", "-p", "tests.helpers.svm_in_sklearn", "-q"]
    options = ["-c", os.devnull, "-p", "no:cacheprovider", "--tb=short", found.origin]
    environment = {**os.environ, "BANDSVM_OUTCOMES": str(path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*command, *options], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert path.exists(), done.stdout + done.stderr
    return json.loads(path.read_text()), done.stdout


def is_expected(name):
    return any(re.fullmatch(test, name) for tests in DIFFERENCES.values() for test in tests)


@pytest.mark.parametrize("module", [*OF_SVM, *OTHERS])
def test_tests_of_sklearn_pass(module, tmp_path):
    outcomes, report = outcomes_of(module, tmp_path)
    assert outcomes
    failed = {name for name, outcome in outcomes.items() if outcome == "failed"}
    of = module.rpartition(".")[2]
    expected = {name for name in outcomes if is_expected(f"{of}::{name}")}
    assert failed == expected, report


def test_page_lists_every_difference():
    table = PAGE.read_text().split("## What cannot be the same")[1].split("\n## ")[0]
    assert all(f"| {difference} |" in table for difference in DIFFERENCES)
