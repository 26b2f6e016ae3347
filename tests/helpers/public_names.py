"""Public names and signatures: `python -m tests.helpers.public_names` writes them down anew."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import re
from pathlib import Path
from typing import Any

import bandsvm

FILE = Path(__file__).parents[1] / "project" / "public_names.json"
# Commands, pages and the paper's experiment: not for import.
NOT_FOR_IMPORT = {"bandsvm.cli", "bandsvm.explore", "bandsvm.paper"}


def signature(function: Any) -> str:
    """Return names and defaults of parameters; annotations may change."""
    try:
        found = inspect.signature(function)
    except (TypeError, ValueError):
        return ""
    empty = inspect.Parameter.empty
    plain = [one.replace(annotation=empty) for one in found.parameters.values()]
    return str(inspect.Signature(plain))


def of_class(kind: type) -> dict[str, str]:
    """Return constructor, public methods and properties, inherited ones of the package included."""
    found = {"()": signature(kind)}
    for name, value in inspect.getmembers(kind):
        is_own = any(
            name in vars(base) and base.__module__.startswith("bandsvm") for base in kind.__mro__
        )
        # Requests of metadata are scikit-learn's, and so are their defaults.
        if is_own and not re.match(r"_|set_\w+_request$", name):
            found[name] = signature(value) if callable(value) else "value"
    return found


def public_modules() -> list[str]:
    """Return the modules that users import from."""
    names = [module.name for module in pkgutil.iter_modules(bandsvm.__path__, "bandsvm.")]
    own = [name for name in names if "._" not in name and name not in NOT_FOR_IMPORT]
    return ["bandsvm", *own]


def public_names() -> dict[str, Any]:
    """Return all public names of the package with their signatures."""
    found: dict[str, Any] = {}
    for module in map(importlib.import_module, public_modules()):
        for name in sorted(getattr(module, "__all__", ())):
            value = getattr(module, name)
            is_class = inspect.isclass(value)
            found[f"{module.__name__}.{name}"] = of_class(value) if is_class else signature(value)
    return found


if __name__ == "__main__":
    FILE.write_text(json.dumps(public_names(), indent=1) + "\n")
