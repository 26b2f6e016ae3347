"""A plugin for pytest: in `sklearn.svm`, our estimators take the place of those of their names.

``python -m pytest -p tests.helpers.svm_in_sklearn --pyargs sklearn.svm.tests.test_svm`` runs tests
of the installed scikit-learn. Nothing of them is copied: they import the names from `sklearn.svm`.
Outside `sklearn.svm`, tests that name none of our estimators are left out. With
``BANDSVM_OUTCOMES=FILE`` the outcome of every test is written to a file, as JSON.
"""

import ast
import functools
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
    """Keep the tests of `sklearn.svm`, and others that name an estimator, or whose helpers do."""
    kept = [item for item in items if _is_concerned(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept


def _is_concerned(item):
    if "sklearn/svm/" in item.path.as_posix() or NAMED.search(inspect.getsource(item.function)):
        return True
    return _has_helpers(item.path)


@functools.cache
def _has_helpers(path):
    """Return whether something else than tests and imports names an estimator of ours."""
    nodes = ast.parse(path.read_text()).body
    skipped = (ast.Import, ast.ImportFrom)
    helpers = [node for node in nodes if not isinstance(node, skipped) and not _is_test(node)]
    return any(NAMED.search(ast.unparse(node)) for node in helpers)


def _is_test(node):
    return isinstance(node, ast.FunctionDef) and node.name.startswith("test")


def pytest_runtest_logreport(report):
    """Note how a test ended, or that its setup failed."""
    if report.when == "call" or report.outcome != "passed":
        _outcomes[report.nodeid.split("::", 1)[1]] = report.outcome


def pytest_sessionfinish():
    """Write the outcomes."""
    if path := os.environ.get("BANDSVM_OUTCOMES"):
        Path(path).write_text(json.dumps(_outcomes))
