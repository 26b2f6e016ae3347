"""Public names and signatures change on purpose only; see docs/development/stability.md."""

import importlib
import json
import re

import pytest

from tests.helpers import public_names

ADVICE = "If this is meant: python -m tests.helpers.public_names, and a line in CHANGELOG.md."
pytestmark = pytest.mark.docs


def test_public_names_and_signatures_are_those_written_down():
    pytest.importorskip("dask")
    expected = json.loads(public_names.FILE.read_text())
    found = public_names.public_names()
    assert found.keys() == expected.keys(), ADVICE
    for name, signature in found.items():
        assert signature == expected[name], f"{name}: {ADVICE}"


@pytest.mark.parametrize("name", public_names.public_modules())
def test_public_modules_say_what_is_public(name):
    if name == "bandsvm.dask":
        pytest.importorskip("dask")
    module = importlib.import_module(name)
    assert module.__all__
    assert module.__doc__
    assert all(hasattr(module, one) for one in module.__all__)


def test_version_is_the_same_everywhere(request):
    root = request.config.rootpath
    (version,) = re.findall(r'^version = "(.*)"$', (root / "pyproject.toml").read_text(), re.M)
    assert f"\nversion: {version}\n" in (root / "CITATION.cff").read_text()
    assert f"\n## {version} (" in (root / "CHANGELOG.md").read_text()
