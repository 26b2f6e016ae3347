"""A newcomer finds the room of any line."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text()
PACKAGE = ROOT / "src" / "bandsvm"


def mentioned(text):
    """Return the files and folders that a page names."""
    names = re.findall(r"`([\w./]+(?:/|\.\w{1,4}))`", text) + re.findall(r"\]\((docs/.*?)\)", text)
    return {name for name in names if not name.startswith(".")}


def test_architecture_names_every_room():
    rooms = {
        path.name if path.is_file() else f"src/bandsvm/{path.name}/"
        for path in PACKAGE.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert rooms - {"__init__.py"} - mentioned(ARCHITECTURE) == set()


def test_architecture_names_every_file_of_the_core():
    files = {path.name + "/" * path.is_dir() for path in (ROOT / "core").iterdir()}
    assert files - mentioned(ARCHITECTURE.partition("## The core")[2]) == set()


def test_architecture_names_nothing_that_is_missing():
    folders = (
        "src/bandsvm",
        "core",
        "tests",
        "torture",
        "benchmarks",
        "studies",
        "docs",
        "examples",
        "release",
    )
    paths = [path for folder in folders for path in [ROOT / folder, *(ROOT / folder).rglob("*")]]
    there = [f"/{path.relative_to(ROOT).as_posix()}" + "/" * path.is_dir() for path in paths]
    named = mentioned(ARCHITECTURE)
    assert len(named) > 60
    missing = {name for name in named if not any(path.endswith(f"/{name}") for path in there)}
    assert missing == set()


@pytest.mark.parametrize(
    "room",
    sorted(PACKAGE.glob("*/__init__.py")),
    ids=lambda path: path.parent.name,
)
def test_every_room_introduces_its_modules(room):
    text = ast.get_docstring(ast.parse(room.read_text()))
    for module in room.parent.glob("*.py"):
        assert module == room or f"`{module.stem}`" in text, module


def imported_names(path):
    """Yield the full names of all that a module imports."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


@pytest.mark.parametrize("folder", ["src", "tests", "torture", "benchmarks", "studies", "examples"])
def test_only_one_module_may_know_what_is_private_in_scikit_learn(folder):
    for path in (ROOT / folder).rglob("*.py"):
        if path.name != "_compat.py":
            names = [name for name in imported_names(path) if name.startswith("sklearn.")]
            assert [name for name in names if "._" in name] == [], path


def test_no_module_is_too_long():
    for path in [*PACKAGE.rglob("*.py"), *(ROOT / "core").glob("*pp")]:
        assert len(path.read_text().splitlines()) <= 400, path
