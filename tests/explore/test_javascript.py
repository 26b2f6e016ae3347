"""What the page computes: its own tests in Node, and comparisons with Python."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from bandsvm import BandedSVC
from bandsvm.datasets import make_paper_clusters
from bandsvm.explore.server.app import PAGE

ROOT = Path(__file__).parents[2]
OLDEST_NODE = 20


@pytest.fixture(scope="module")
def node():
    """Return the command of Node, or skip."""
    path = shutil.which("node")
    if path is None:
        pytest.skip("needs Node")
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    if int(re.match(r"v(\d+)", version)[1]) < OLDEST_NODE:
        pytest.skip(f"needs Node {OLDEST_NODE} or later, found {version.strip()}")
    return path


def evaluated(node, module, expression, values):
    """Return an expression of a module's functions (as ``page``) and of ``values``, by Node."""
    program = f"""
        const page = await import({json.dumps((PAGE / module).as_uri())});
        let text = "";
        for await (const piece of process.stdin) text += piece;
        const values = JSON.parse(text);
        console.log(JSON.stringify({expression}));
    """
    command = [node, "--input-type=module", "--eval", program]
    run = subprocess.run(
        command, input=json.dumps(values), capture_output=True, text=True, check=True, timeout=60
    )
    return json.loads(run.stdout)


def test_tests_in_node(node):
    folder = Path("tests", "explore", "javascript")
    files = sorted(path.relative_to(ROOT) for path in (ROOT / folder).glob("*.test.js"))
    run = subprocess.run([node, "--test", *files], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert int(re.search(r"^\S+ pass (\d+)$", run.stdout, re.MULTILINE)[1]) > 40


def test_contours_are_those_of_contourpy(node, rng):
    contourpy = pytest.importorskip("contourpy")
    rows, columns, levels = 12, 15, (-0.3, 0.0, 0.4)
    grids = [rng.normal(size=(rows, columns)) for _ in levels]
    values = [
        {"values": grid.ravel().tolist(), "level": level}
        for grid, level in zip(grids, levels, strict=True)
    ]
    drawn = f"values.map((one) => page.contour(one.values, {columns}, {rows}, one.level))"
    contours = evaluated(node, "plots/contours.js", drawn, values)
    for grid, level, found in zip(grids, levels, contours, strict=True):
        points = np.column_stack([np.array(found[name], float) for name in ("xs", "ys")])
        expected = contourpy.contour_generator(z=grid).lines(level)
        corners = np.concatenate(expected)
        steps = np.hypot(*np.diff(points, axis=0).T)
        assert np.nansum(steps) == pytest.approx(
            sum(np.hypot(*np.diff(line, axis=0).T).sum() for line in expected)
        )
        assert np.isnan(points[:, 0]).sum() == len(expected)
        present = points[~np.isnan(points[:, 0])]
        distances = np.hypot(*(corners[:, None] - present[None]).transpose(2, 0, 1))
        assert distances.min(axis=1).max() < 1e-9


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_penalty_is_what_the_objective_charges(node, loss):
    X, y = make_paper_clusters(30, 0.2, 0.2, random_state=0)
    settings = {"C1": 3.0, "C2": 2.0, "rho1": 0.8, "rho2": 1.2, "loss": loss}
    model = BandedSVC(**settings, gamma=2.0, tol=1e-9).fit(X, y)
    values = {"settings": settings, "zs": (y * model.decision_function(X)).tolist()}
    charged = "values.zs.map((z) => page.penalty(values.settings, z))"
    penalties = evaluated(node, "views/play/curves.js", charged, values)
    coefficients = model.dual_coef_[0]
    kernel = rbf_kernel(model.support_vectors_, gamma=2.0)
    norm = 0.5 * coefficients @ kernel @ coefficients
    assert norm + sum(penalties) == pytest.approx(model.certificate_.primal, rel=1e-9)
