"""The reference: a list of all public names, made from `__all__` of the public modules."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from typing import Any

import bandsvm

OUT = Path(__file__).parents[1] / "reference"
# Modules that are commands or pages, not for import.
NOT_LISTED = {"bandsvm.cli", "bandsvm.explore", "bandsvm.paper"}
HEAD = """# Reference

All public names. What is not listed here may change without notice;
[Stability](../development/stability.md) says how these are kept.
"""


def public_modules() -> list[str]:
    """Return the names of public modules that say what is public in them."""
    found = ["bandsvm"]
    for module in pkgutil.iter_modules(bandsvm.__path__, "bandsvm."):
        name = module.name
        if name.rpartition(".")[2].startswith("_") or name in NOT_LISTED:
            continue
        if hasattr(importlib.import_module(name), "__all__"):
            found.append(name)
    return found


def own_names(name: str) -> tuple[list[str], list[str]]:
    """Return a module's public names, classes first, and those that `bandsvm` offers as well."""
    module = importlib.import_module(name)
    names = sorted(module.__all__, key=lambda n: (not inspect.isclass(getattr(module, n)), n))
    again = [
        one
        for one in names
        if name != "bandsvm" and getattr(bandsvm, one, None) is getattr(module, one)
    ]
    return [one for one in names if one not in again], again


def section(name: str) -> str:
    """Return the part of the list that a module has."""
    module = importlib.import_module(name)
    first = inspect.getdoc(module).split("\n\n")[0].replace("\n", " ")
    names, again = own_names(name)
    if not names:
        return ""
    return "\n".join(
        [
            f"## {name}\n",
            first + "\n",
            "```{eval-rst}",
            f".. currentmodule:: {name}",
            "",
            ".. autosummary::",
            "   :toctree: generated",
            "",
            *(f"   {one}" for one in names),
            "```\n",
            *([f"Also here: {', '.join(f'`bandsvm.{one}`' for one in again)}.\n"] if again else []),
        ]
    )


def write(app: Any, config: Any) -> None:
    """Write the list, if it changed."""
    text = "\n".join([HEAD, *map(section, public_modules())])
    page = OUT / "index.md"
    OUT.mkdir(exist_ok=True)
    listed = {f"{module}.{one}" for module in public_modules() for one in own_names(module)[0]}
    for old in (OUT / "generated").glob("*.rst"):
        if old.stem not in listed:
            old.unlink()
    if not page.exists() or page.read_text() != text:
        page.write_text(text)


def mend(app: Any, what: str, name: str, entry: Any, options: Any, lines: list[str]) -> None:
    """Link pages that a docstring names; take out labels of other projects and false links."""
    for k, line in enumerate(lines):
        line = re.sub(r"docs/(\w+)\.md", r":doc:`/\1`", line)
        line = re.sub(r":ref:`([^<`]*?)\s*<[^>]*>`", r"\1", line)
        lines[k] = re.sub(r"\(n_features_in_,\)", r"(n_features_in\\_,)", line)


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx; autosummary looks for names after the configuration."""
    app.connect("config-inited", write)
    app.connect("autodoc-process-docstring", mend, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
