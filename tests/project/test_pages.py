"""docs/theory.md, docs/algorithms.md and docs/crosswalk.md: numbers, names and coverage."""

import importlib
import re
from pathlib import Path

import numpy as np
import pytest

from bandsvm import BandedSVC
from bandsvm._problem.band_problem import band_problem
from bandsvm.datasets import make_paper_clusters
from bandsvm.metrics import sensitivity_curve
from tests.helpers.optimality import primal_value
from tests.helpers.statements import STATED

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.docs
PAGES = {name: (ROOT / "docs" / f"{name}.md").read_text() for name in ("theory", "algorithms")}
CROSSWALK = (ROOT / "docs" / "crosswalk.md").read_text()
PREFIXES = {"theory": "", "algorithms": "A"}
# Test modules that state the pages' equations.
STATING = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for name in ("theory", "algorithms")
    for path in sorted((ROOT / "tests").rglob(f"test_{name}*.py"))
]
# Labels of the paper's equations and figures.
LABELS = {
    *("eq0", "1", "1a", "2", "figure1", "eq3a", "3", "4", "4a", "5", "6", "7", "8", "eq1", "eq2"),
    *("eq3", "eq4", "eq4a", "8a", "eq4b", "eq4c", "eq4ca", "eq4cb", "eq4d", "prop_eq1"),
    *("prop_eq2", "prop_eq3", "9", "eq5", "figure2", "figure3", "figure4", "sen_eq1", "sen_eq2"),
}
PAPER = ROOT.parent / "shared" / "paper.tex"


def tags(page):
    """Return the numbers of a page's equations, in order."""
    return re.findall(r"\\tag\{(\w+)\}", PAGES[page])


@pytest.mark.parametrize("page", PAGES)
def test_equations_are_numbered_in_order(page):
    found = tags(page)
    assert found == [f"{PREFIXES[page]}{k}" for k in range(1, len(found) + 1)]


@pytest.mark.parametrize("text", [*PAGES.values(), CROSSWALK], ids=[*PAGES, "crosswalk"])
def test_equations_that_are_referred_to_exist(text):
    known = {*tags("theory"), *tags("algorithms")}
    referred = set(re.findall(r"(?<![\w\]])\((A?\d{1,3})\)", text))
    assert referred <= known
    assert len(referred) > 5


def test_every_equation_is_stated_by_a_test():
    for module in STATING:
        importlib.import_module(module)
    assert {*tags("theory"), *tags("algorithms")} == STATED.keys()


@pytest.mark.parametrize("text", [*PAGES.values(), CROSSWALK], ids=[*PAGES, "crosswalk"])
def test_functions_that_are_named_exist(text):
    rows = re.findall(r"`([\w/]+\.(?:py|hpp))`:((?: `\w+`,?)+)", text)
    assert len(rows) >= 10
    for file, names in rows:
        sources = [path for path in (ROOT / file, ROOT / "src" / "bandsvm" / file) if path.exists()]
        assert sources, file
        for name in re.findall(r"`(\w+)`", names):
            pattern = rf"(?:def|class) {name}\b|\b{name}\(|^{name} ="
            assert re.search(pattern, sources[0].read_text(), re.MULTILINE), (file, name)


def test_crosswalk_has_every_label_of_the_paper():
    listed = set()
    for row in re.findall(r"^\| (`[^|]*`) \|", CROSSWALK, re.MULTILINE):
        listed.update(re.findall(r"`(\w+)`", row))
    assert listed == LABELS
    if PAPER.exists():
        assert set(re.findall(r"\\label\{(\w+)\}", PAPER.read_text())) == LABELS


def test_crosswalk_names_tests_that_exist():
    tests = "".join(path.read_text() for path in (ROOT / "tests").rglob("test_*.py"))
    named = re.findall(r"`(test_\w+)` \|", CROSSWALK)
    assert len(named) > 15
    for name in named:
        assert f"def {name}(" in tests, name


def test_symbols_have_one_meaning():
    """Each symbol has one line in the tables of notation."""
    symbols = []
    for page in PAGES.values():
        table = page[page.index("## Notation") : page.index("\n## 1.")]
        for line in re.findall(r"^\| (\$.*?\$) \| ", table, re.MULTILINE):
            symbols += re.split(r", ", re.sub(r"\$", "", line))
    assert len(symbols) > 50
    assert len(set(symbols)) == len(symbols)


def test_paper_dual_may_have_several_solutions():
    """Two equal samples of one class: half of the multiplier each, or not; K is singular."""
    K, y = np.ones((3, 3)), np.array([1.0, 1.0, -1.0])
    K[2, :2] = K[:2, 2] = 0.2
    model = BandedSVC(1.0, 1.0, kernel="precomputed", tol=1e-10).fit(K, y)
    assert model.certificate_.is_optimal
    shared = model.alpha_[:2].sum()
    values = []
    for share in (0.5, 0.6):
        alpha = np.array([share * shared, (1 - share) * shared, model.alpha_[2]])
        assert (alpha <= 1.0).all()
        values.append(alpha.sum() - 0.5 * (y * alpha) @ K @ (y * alpha))
    assert values == pytest.approx([model.certificate_.dual] * 2, rel=1e-9)
    assert np.linalg.eigvalsh(K)[0] == pytest.approx(0.0, abs=1e-12)


def test_paper_objective_is_not_strictly_convex_in_the_intercept():
    """At a low cost both samples lie below their band, and many intercepts are optimal."""
    K, y = np.eye(2), np.array([1.0, -1.0])
    model = BandedSVC(0.1, 0.0, kernel="precomputed", tol=1e-10).fit(K, y)
    lower, upper = model.certificate_.intercept_interval
    assert (lower, upper) == pytest.approx((-0.9, 0.9))
    problem = band_problem(y, 1.0, 1.5, 0.1, 0.0)
    c = y * model.alpha_
    values = [primal_value(problem, c, K @ c, b) for b in (-0.9, 0.0, 0.5, 0.9)]
    assert values == pytest.approx([model.certificate_.dual] * 4, rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_paper_bound_cannot_be_strict_where_a_theta_support_vector_exists(seed):
    X, y = make_paper_clusters(20, random_state=seed)
    model = BandedSVC(10, 100, 1.0, 1.5, gamma=1.0, tol=1e-8).fit(X, y)
    signed = y * model.decision_function(X)
    assert len(model.theta_support_) > 0
    assert (signed[model.theta_support_] >= 1.5 - 1e-7).all()


def test_without_upper_cost_the_margin_is_rho1():
    """C2 = 0 alone does not make the C-SVM: values scale with rho1, at costs that do as well."""
    X, y = make_paper_clusters(10, random_state=0)
    settings = {"gamma": 1.0, "tol": 1e-9}
    one = BandedSVC(1.0, 0.0, 1.0, 9.0, **settings).fit(X, y)
    two = BandedSVC(1.0, 0.0, 2.0, 9.0, **settings).fit(X, y)
    scaled = BandedSVC(2.0, 0.0, 2.0, 9.0, **settings).fit(X, y)
    assert np.abs(two.decision_function(X) - one.decision_function(X)).max() > 0.1
    np.testing.assert_allclose(scaled.decision_function(X), 2 * one.decision_function(X), atol=1e-6)


def test_sensitivity_is_the_accuracy_at_zero_only():
    y, g = np.array([1, 1, -1, -1]), np.array([0.5, 2.0, -0.1, 0.3])
    _, reached = sensitivity_curve(y, g)
    assert reached[0] == np.mean(np.sign(g) == y) == 0.75
    assert reached[-1] == 0.25
