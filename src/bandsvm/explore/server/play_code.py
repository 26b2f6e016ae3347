"""Code that reproduces what the Play view shows, in Python and at the shell."""

from __future__ import annotations

import json
from typing import Any

from bandsvm import BandedSVC
from bandsvm.explore.server.play import parameters
from bandsvm.explore.server.play_data import Recipe
from bandsvm.explore.server.requests import Request
from bandsvm.explore.server.responses import Response


def code(request: Request) -> Response:
    """Return the code for a request with the fields ``data`` and ``model`` of `play.fit`."""
    recipe = Recipe.of(request.fields.group("data"))
    chosen = parameters(request.fields.group("model"))
    return Response({"python": python(recipe, chosen), "command": command(recipe, chosen)})


def python(recipe: Recipe, chosen: dict[str, Any]) -> str:
    """Return a Python program that fits the model."""
    imports, lines = recipe.python()
    settings = ",\n".join(
        f"    {name}={json.dumps(value) if isinstance(value, str) else repr(value)}"
        for name, value in _changed(chosen).items()
    )
    model = f"BandedSVC(\n{settings},\n)" if settings else "BandedSVC()"
    return (
        "\n".join(_sorted_imports([*imports, "from bandsvm import BandedSVC"]))
        + f"\n\n{lines}\nmodel = {model}.fit(X, y)\n"
        "print(model.certificate_)\n"
        'print(f"objective {model.certificate_.primal:.12g}, accuracy {model.score(X, y):.4f}")\n'
    )


def command(recipe: Recipe, chosen: dict[str, Any]) -> str:
    """Return shell commands that write the samples to a file and fit the model to it."""
    imports, lines = recipe.python()
    options = ["--target 3", "--no-header", "--scale none"]
    for name, value in _changed(chosen).items():
        if name == "fit_intercept":
            options.append("--no-intercept")
        else:
            options.append(f"--{name} {value}")
    imports = _sorted_imports(["import numpy as np", *imports])
    return (
        "python - <<'END'\n"
        + "\n".join(imports)
        + f"\n\n{lines}\n"
        + 'np.savetxt("play.csv", np.column_stack([X, y]), fmt="%.17g", delimiter=",")\n'
        "END\n"
        f"bandsvm fit play.csv --model play.bsvm \\\n    {' '.join(options)}\n"
    )


def _changed(chosen: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that differ from the defaults of BandedSVC."""
    usual = BandedSVC().get_params()
    return {name: value for name, value in chosen.items() if value != usual[name]}


def _sorted_imports(imports: list[str]) -> list[str]:
    """Return import statements without repetitions, plain ones first."""
    return sorted(set(imports), key=lambda line: (line.startswith("from"), line))
