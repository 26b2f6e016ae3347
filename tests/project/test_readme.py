"""The figures of the first screen are those of the results."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.docs
readme = importlib.import_module("readme")


@pytest.mark.parametrize("file", readme.TEXTS)
def test_figures_are_those_of_the_results(file):
    assert readme.written(file) == (ROOT / file).read_text()


def test_claims_of_the_first_screen_hold():
    """What the words around the figures say."""
    assert readme.ratios("LIBSVM").min() > 1.0
    assert readme.ratios("oneDAL").min() > 1.0
    assert readme.small().min() > 1.0


def test_model_that_a_certificate_caught_is_that_of_the_guide():
    said = re.search(r"were (\d+) times above", (ROOT / "README.md").read_text())
    assert f"{said[1]} times the optimum" in (ROOT / "docs/guide/certificates.md").read_text()


def test_picture_is_reproducible(tmp_path):
    pytest.importorskip("matplotlib")
    for name in ("first", "second"):
        readme.draw(tmp_path / f"{name}.svg")
    first, second = ((tmp_path / f"{name}.svg").read_text() for name in ("first", "second"))
    assert first == second
    assert first.count("scikit-learn-intelex") == 1
