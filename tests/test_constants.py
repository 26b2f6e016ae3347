"""Every number has one home: no constant is defined in two places, nor in Python and the core."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from bandsvm import _core
from bandsvm.engines import sizes
from bandsvm.kernels import _packing, packed

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "bandsvm"
# Names that several modules give to numbers of their own, and why.
SHARED_NAMES = {
    "ROUNDING": "the rounding errors of each module's own sums",
    "LABELS_PER_BYTE": "each reader of tables bounds its own format",
    "BYTES_PER_CHARACTER": "each reader of tables bounds its own format",
    "MOST_CLASSES": "how many each description shows",
}
# Numbers that Python and the core write down each for itself, and why.
ON_BOTH_SIDES = {"SMALLEST_CURVATURE": "the reference solver shares no line with the others"}


def constants(path):
    """Yield the names of a module's constants whose values are written down as numbers."""
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            targets = [node.target]
        elif isinstance(node, ast.Assign):
            targets = [
                name for target in node.targets for name in getattr(target, "elts", [target])
            ]
        else:
            continue
        kinds = {
            type(part.value) for part in ast.walk(node.value) if isinstance(part, ast.Constant)
        }
        if kinds & {int, float} and not kinds & {str, bytes}:
            yield from (name.id for name in targets if isinstance(name, ast.Name))


def homes_in_python():
    """Return the modules that define each constant."""
    homes = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        for name in constants(path):
            if name.isupper():
                homes[name.lstrip("_")].append(path.relative_to(PACKAGE).as_posix())
    return homes


def homes_in_core():
    """Return the files that define each top-level constant of the core, by Python's names."""
    homes = defaultdict(set)
    for path in (ROOT / "core").glob("*pp"):
        for name in re.findall(r"^constexpr [^=]*=.*$", path.read_text(), re.MULTILINE):
            for constant in re.findall(r"\bk([A-Z]\w+)\s*=", name):
                homes[re.sub(r"(?<=[a-z])(?=[A-Z])", "_", constant).upper()].add(path.name)
    return homes


def test_no_constant_has_two_homes():
    twice = {name: found for name, found in homes_in_python().items() if len(found) > 1}
    assert {name: found for name, found in twice.items() if name not in SHARED_NAMES} == {}
    assert {name: found for name, found in homes_in_core().items() if len(found) > 1} == {}


def test_no_constant_of_the_core_is_written_down_in_python():
    python, core = homes_in_python(), homes_in_core()
    assert {"PANEL", "TILE_ROWS", "ROWS_OF_GROUP"} <= set(core)
    assert {"LARGEST_BLOCK", "COST_OF_SPARSE", "OF_TERMS"} <= set(python)
    assert set(python) & set(core) == set(ON_BOTH_SIDES)


def test_python_asks_the_core():
    assert sizes.PANEL == _core.Samples32.panel == 2 * _core.Samples64.panel
    assert _packing.ROWS_OF_GROUP == _core.ROWS_OF_GROUP
    # A block of whole panels has no idle lanes; the memory for padding suffices in any precision.
    assert sizes.LARGEST_BLOCK % sizes.PANEL == 0
    assert packed.PADDING >= sizes.PANEL


@pytest.mark.parametrize(("cost", "is_sparse"), [(0.5, True), (3.0, False)])
def test_cost_of_sparse_values_decides_how_dense_samples_are_stored(rng, cost, is_sparse):
    """Half of the values are common ones: in tiles of four samples, hardly a feature is skipped."""
    X = rng.normal(size=(200, 30)) * (rng.random((200, 30)) < 0.5)
    samples = _core.pack_64(X, np.zeros(30), 1.0, cost, 1)
    assert samples.is_sparse is is_sparse
    assert samples.n_products == pytest.approx(cost * 15 if is_sparse else 28, rel=0.05)
