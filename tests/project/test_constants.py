"""Every number has one home, and a script that tells what it is worth."""

import ast
import importlib
import json
import re
from collections import defaultdict
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import make_classification

from bandsvm import BandedSVC, _core
from bandsvm._kernels import packed, packing, sizes

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "bandsvm"
# Names that modules of a room give to numbers of their own, and why.
OF_EACH_MODULE = {
    "ROUNDING": "the rounding errors of each module's own sums",
    "MAX_CLASSES": "how many each description shows",
}
# Numbers that are equal and mean different things, and what they mean.
SAME_BY_CHANCE = {**OF_EACH_MODULE, "SEED": "any seed will do"}
# Numbers that Python and the core write down each for itself, and why.
ON_BOTH_SIDES = {"MIN_CURVATURE": "the reference solver shares no line with the others"}


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


def value_of(home, name):
    """Return the value of a constant; its name may begin with an underscore."""
    module = importlib.import_module("bandsvm." + home.removesuffix(".py").replace("/", "."))
    return vars(module)[name if hasattr(module, name) else f"_{name}"]


def homes_in_core():
    """Return the files that define each top-level constant of the core, by Python's names."""
    homes = defaultdict(set)
    for path in (ROOT / "core").glob("*pp"):
        for name in re.findall(r"^constexpr [^=]*=.*$", path.read_text(), re.MULTILINE):
            for constant in re.findall(r"\bk([A-Z]\w+)\s*=", name):
                homes[re.sub(r"(?<=[a-z])(?=[A-Z])", "_", constant).upper()].add(path.name)
    return homes


def test_no_room_defines_a_constant_twice():
    """Modules of a room import a number that they share; other rooms may use its name."""
    twice = {
        name: found
        for name, found in homes_in_python().items()
        if name not in OF_EACH_MODULE and len({Path(home).parent for home in found}) < len(found)
    }
    assert twice == {}
    assert {name: found for name, found in homes_in_core().items() if len(found) > 1} == {}


def test_a_number_that_rooms_share_has_one_home():
    """A name with the same value in two rooms is one number that is written down twice."""
    copies = {}
    for name, found in homes_in_python().items():
        values = [repr(value_of(home, name)) for home in found]
        if len(set(values)) < len(values) and name not in SAME_BY_CHANCE:
            copies[name] = found
    assert copies == {}


def test_no_constant_of_the_core_is_written_down_in_python():
    python, core = homes_in_python(), homes_in_core()
    assert {"PANEL", "TILE_ROWS", "ROWS_OF_GROUP"} <= set(core)
    assert {"MAX_BLOCK", "COST_OF_SPARSE", "OF_TERMS"} <= set(python)
    assert set(python) & set(core) == set(ON_BOTH_SIDES)


def test_python_asks_the_core():
    assert sizes.PANEL == _core.Samples32.panel == 2 * _core.Samples64.panel
    assert packing.ROWS_OF_GROUP == _core.ROWS_OF_GROUP
    # A block of whole panels has no idle lanes; the memory for padding suffices in any precision.
    assert sizes.MAX_BLOCK % sizes.PANEL == 0
    assert packed.PADDING >= sizes.PANEL


@pytest.mark.parametrize(("cost", "is_sparse"), [(0.5, True), (3.0, False)])
def test_cost_of_sparse_values_decides_how_dense_samples_are_stored(rng, cost, is_sparse):
    """Half of the values are common ones: in tiles of four samples, hardly a feature is skipped."""
    X = rng.normal(size=(200, 30)) * (rng.random((200, 30)) < 0.5)
    samples = _core.pack_64(X, np.zeros(30), 1.0, cost, 1)
    assert samples.is_sparse is is_sparse
    assert samples.n_products == pytest.approx(cost * 15 if is_sparse else 28, rel=0.05)


@pytest.fixture
def sweeps():
    return importlib.import_module("sweeps")


def test_the_first_holder_of_a_constant_is_its_home(sweeps):
    homes = homes_in_python()
    for sweep in sweeps.SWEEPS:
        if hasattr(_core, sweep.name):
            continue  # Python asks the core
        module = sweeps.holders(sweep.name)[0].__name__.removeprefix("bandsvm.")
        assert f"{module.replace('.', '/')}.py" in homes[sweep.name]


@pytest.mark.bench
def test_every_swept_constant_is_read_when_it_is_used(sweeps):
    """One that is bound at import, in a default or in another constant, could not be set."""
    swept = {sweep.name for sweep in sweeps.SWEEPS}
    assert len(swept) == len(sweeps.SWEEPS)
    read = set()
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text())
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        bodies = {id(part) for f in functions for line in f.body for part in ast.walk(line)}
        for node in ast.walk(tree):
            is_read = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
            if is_read and node.id in swept:
                assert id(node) in bodies, f"{path.name}, line {node.lineno}: {node.id}"
                read.add(node.id)
    assert read == swept


@pytest.mark.bench
def test_constants_are_set_wherever_they_are_held_and_restored(sweeps):
    modules = sweeps.holders("MAX_BLOCK")
    assert {"bandsvm._kernels.sizes", "bandsvm._kernels.packed", "bandsvm._solvers.block"} <= {
        module.__name__ for module in modules
    }
    before = sizes.MAX_BLOCK
    with suppress(KeyError), sweeps.setting("MAX_BLOCK", 96):
        assert {module.MAX_BLOCK for module in modules} == {96}
        raise KeyError
    assert {module.MAX_BLOCK for module in modules} == {before}
    with pytest.raises(ValueError, match="no module of bandsvm has a constant MIN_WHALE"):
        sweeps.holders("MIN_WHALE")


@pytest.mark.bench
def test_smaller_blocks_take_more_outer_steps_to_the_same_solution(sweeps):
    X, y = make_classification(1500, 10, flip_y=0.1, random_state=0)
    usual = BandedSVC(rho2=1.5).fit(X, y)
    with sweeps.setting("MAX_BLOCK", 96):
        other = BandedSVC(rho2=1.5).fit(X, y)
    assert other.certificate_.n_iter > 2 * usual.certificate_.n_iter
    assert other.certificate_.is_optimal
    assert other.certificate_.primal == pytest.approx(usual.certificate_.primal, rel=1e-4)


@pytest.mark.bench
def test_values_that_are_tried_make_sense(sweeps):
    for sweep in sweeps.SWEEPS:
        values = sweep.values()
        assert sweep.value in values
        assert len(values) == len(set(values)) > 1
        assert min(values) > 0
        if "SHARE" in sweep.name:
            assert max(values) <= 1


@pytest.mark.bench
def test_compiled_constants_exist(sweeps):
    core = "".join(path.read_text() for path in (ROOT / "core").glob("*pp"))
    for name in sweeps.COMPILED:
        assert re.search(rf"constexpr [^;]*\b{name}\b", core), name


@pytest.mark.bench
def test_benchmark_of_constants_runs(tmp_path):
    names = ["MAX_BLOCK", "WARM_SHARE", "GRADIENT_STEPS", "AIM", "POLISHING_STEPS_PER_VARIABLE"]
    benchmark = importlib.import_module("constants")
    benchmark.main(["--quick", "--only", *names, "--out", str(tmp_path)])
    results = json.loads((tmp_path / "constants.json").read_text())
    assert {constant["name"] for constant in results["constants"]} == set(names)
    for constant in results["constants"]:
        other, present = constant["values"]
        assert present["value"] == constant["present"] != other["value"]
        assert [present[key] for key in ("seconds", "cpu_seconds", "rows", "pair_steps")] == [
            1.0
        ] * 4
        assert all(entry["certified"] == entry["runs"] > 0 for entry in constant["values"])
    (block,) = (found for found in results["constants"] if found["name"] == "MAX_BLOCK")
    assert block["values"][0]["outer_steps"] > 1.1
    section = importlib.import_module("constants_report").constants_section(results)
    assert all(f"`{name}`" in section for name in names)


@pytest.mark.bench
def test_noise_of_times_is_told_by_values_that_change_no_count():
    report = importlib.import_module("constants_report")
    same = {"rows": 1.0, "pair_steps": 1.0, "outer_steps": 1.0}
    values = [
        *({"value": k, "seconds": 1.0 + 0.01 * k, **same} for k in range(11)),
        {"value": 11, "seconds": 7.0, **same, "rows": 1.2},
    ]
    results = {"constants": [{"present": 0, "values": values}]}
    assert report.noise(results, "seconds") == pytest.approx(0.091)
    assert report.noise({"constants": []}, "seconds") == 0.0


@pytest.mark.bench
def test_benchmark_of_constants_refuses_other_names(capsys):
    with pytest.raises(SystemExit):
        importlib.import_module("constants").main(["--only", "TILE_ROWS"])
    assert "--only must name constants that are swept, got TILE_ROWS" in capsys.readouterr().err
