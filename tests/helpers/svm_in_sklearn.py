"""A plugin for pytest: in `sklearn.svm`, our estimators take the place of those of their names.

``python -m pytest -p tests.helpers.svm_in_sklearn --pyargs sklearn.svm.tests.test_svm`` runs tests
of the installed scikit-learn. Nothing of them is copied: they import the names from `sklearn.svm`.
Outside `sklearn.svm`, tests that name none of our estimators are left out. With
``BANDSVM_OUTCOMES=FILE`` the outcome of every test is written to a file, as JSON.
"""

import inspect
import json
import os
import re
from pathlib import Path

import sklearn.svm

import bandsvm.svm

for name in bandsvm.svm.__all__:
    setattr(sklearn.svm, name, getattr(bandsvm.svm, name))

NAMED = re.compile(rf"\b({'|'.join(bandsvm.svm.__all__)})\b")
_outcomes = {}


def pytest_collection_modifyitems(config, items):
    """Keep the tests of `sklearn.svm`, and others that name an estimator of ours."""
    of_svm = [item for item in items if "sklearn/svm/" in item.path.as_posix()]
    named = [item for item in items if NAMED.search(inspect.getsource(item.function))]
    kept = of_svm or named
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


def pytest_runtest_logreport(report):
    """Note how a test ended, or that its setup failed."""
    if report.when == "call" or report.outcome != "passed":
        _outcomes[report.nodeid.split("::", 1)[1]] = report.outcome


def pytest_sessionfinish():
    """Write the outcomes."""
    if path := os.environ.get("BANDSVM_OUTCOMES"):
        Path(path).write_text(json.dumps(_outcomes))
