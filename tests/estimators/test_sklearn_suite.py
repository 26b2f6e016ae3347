"""The tests of SVC that scikit-learn ships, run on BandedSVC with SVC's signature."""

import inspect
import re
from pathlib import Path

import pytest

from tests.helpers import svc_adapter

PAGE = Path(__file__).parents[2] / "docs" / "from_svc.md"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


def collect():
    """Make all tests that name SVC tests of this module."""
    for module_name in ("test_svm", "test_sparse"):
        for name, test in vars(svc_adapter.tests_of_sklearn(module_name)).items():
            if name.startswith("test_") and inspect.isfunction(test):
                source = inspect.getsource(test)
                if re.search(r"\bsvm\.SVC\b", source):
                    yield f"{name}{'__sparse' if module_name == 'test_sparse' else ''}", test


globals().update(collect())


@pytest.fixture
def global_random_seed():
    """What scikit-learn's own runs begin with."""
    return 42


@pytest.fixture(autouse=True)
def _expected(request):
    """Expect a failure where we differ by design."""
    name = request.node.name.replace("__sparse", "")
    for difference, tests in svc_adapter.DIFFERENCES.items():
        if any(re.match(re.escape(test) + r"(?!\w)", name) for test in tests):
            request.applymarker(pytest.mark.xfail(reason=difference, strict=True))


def test_page_lists_every_difference():
    table = PAGE.read_text().split("## Differences")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (.*?) \|", table, re.MULTILINE)
    assert rows[1:] == list(svc_adapter.DIFFERENCES)


def test_many_tests_apply():
    assert len(list(collect())) >= 30
