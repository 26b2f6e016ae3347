"""Code that repeats a fit of the page: in Python, and as a command for the shell."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from bandsvm._estimators.kernel import BandedSVC
from bandsvm._estimators.quantiles import BandedQuantileSVR
from bandsvm._estimators.regression import BandedSVR
from bandsvm._tables.csv_lines import SPACE, Lines
from bandsvm._tables.options import CLASSIFY, REGRESS
from bandsvm._tables.table import Table
from bandsvm._workflow.holdout import ONE_HELD_OUT_IN, SEED, Holdout
from bandsvm._workflow.naming import shell_name
from bandsvm._workflow.pipeline import Estimator
from bandsvm._workflow.source import Choices, Source

TEMPLATE = """\
import numpy as np
import pandas as pd
{imports}

table = pd.{reader}({arguments})
y = table[{target}].to_numpy({type_of_targets})
X = table.drop(columns={dropped}).to_numpy(float)

{holding_out}

model = {model}
model.fit(X[~is_held_out], y[~is_held_out])
print("{score} on held-out samples:", model.score(X[is_held_out], y[is_held_out]))
print(model[-1].certificate_)
"""
_OF_EACH_CLASS = """\
# One sample in {held_out} of each class is held out.
generator = np.random.default_rng({seed})
is_held_out = np.zeros(len(y), dtype=bool)
for label in np.unique(y):
    own = generator.permutation(np.flatnonzero(y == label))
    is_held_out[own[: len(own) // {held_out}]] = True"""
_OF_ALL = """\
# One sample in {held_out} is held out.
generator = np.random.default_rng({seed})
is_held_out = np.zeros(len(y), dtype=bool)
is_held_out[generator.permutation(len(y))[: len(y) // {held_out}]] = True"""
# The first release of pandas that reads numbers exactly unless told otherwise, and finds separators
# at the same time.
EXACT_PANDAS = (3, 1)
HOLDING_OUT = {CLASSIFY: _OF_EACH_CLASS, REGRESS: _OF_ALL}
# What `score` returns.
SCORES: dict[type, str] = {
    BandedSVC: "accuracy",
    BandedSVR: "R^2",
    BandedQuantileSVR: "D^2 (pinball)",
}


def python_code(source: Source, holdout: Holdout, estimator: Estimator) -> str:
    """Return code that fits the same model to the same samples.

    It is for tables of numbers that pandas reads alike, which is checked: code that gives another
    model would be worse than none.
    """
    table = holdout.table
    is_plain = source.kind in ("csv", "parquet") and not (table.texts or sp.issparse(table.X))
    if not is_plain or not len(holdout.held_out):
        raise ValueError(
            "Python code is written for CSV and Parquet files whose features are numbers; use the "
            "command for this one."
        )
    has_names = table.names is not None
    target: Any = table.notes.target
    if not has_names:
        target = int(str(target).removeprefix("column ")) - 1
    arguments: dict[str, Any] = {}
    if source.kind == "csv":
        arguments = _exact_csv(source) | ({} if has_names else {"header": None})
    reader = "read_csv" if source.kind == "csv" else "read_parquet"
    dropped = _dropped(source, table, reader, arguments, target)
    steps = [(name, clone(step)) for name, step in holdout.preparation.steps[:-1]]
    model = Pipeline([*steps, (table.task, clone(estimator))])
    given = [repr(source.file.source), *(f"{name}={value!r}" for name, value in arguments.items())]
    return TEMPLATE.format(
        imports="\n".join(_imports([model, *model])),
        reader=reader,
        arguments=", ".join(given),
        target=repr(target),
        type_of_targets=_type_of_targets(table),
        dropped=repr(dropped),
        holding_out=HOLDING_OUT[table.task].format(held_out=ONE_HELD_OUT_IN, seed=SEED),
        score=SCORES[type(estimator)],
        model=repr(model),
    )


def _exact_csv(source: Source) -> dict[str, Any]:
    """Return arguments with which pandas reads each number as the closest one there is."""
    import pandas as pd

    release = tuple(int(part) for part in pd.__version__.split(".")[:2])
    if release >= EXACT_PANDAS:
        return {"sep": None, "engine": "python"}
    delimiter = Lines(source.file).delimiter
    return {"sep": r"\s+" if delimiter == SPACE else delimiter, "float_precision": "round_trip"}


def _type_of_targets(table: Table) -> str:
    """Return the type to which pandas shall convert targets; "" if it reads them alike."""
    if table.task == REGRESS:
        return "float"
    return "str" if table.y.dtype.kind == "U" else ""


def _dropped(
    source: Source, table: Table, reader: str, arguments: dict[str, Any], target: Any
) -> list[Any]:
    """Return the columns that are no features; raise unless pandas reads the rest alike."""
    import pandas as pd

    dropped = [target]
    try:
        read = getattr(pd, reader)(io.BytesIO(source.file.content), **arguments)
        if table.names is not None:
            dropped = [name for name in read.columns if name not in set(table.names)]
        X = read.drop(columns=dropped).to_numpy(float)
        y = read[target].to_numpy(str if table.y.dtype.kind == "U" else None)
        is_same = np.array_equal(X, table.X, equal_nan=True) and np.array_equal(y, table.y)
    except (ValueError, TypeError, KeyError, ImportError):
        is_same = False
    if not is_same:
        raise ValueError(
            "pandas reads this file in another way than bandsvm, so that Python code would give "
            "another model; use the command."
        )
    return dropped


def _imports(objects: Iterable[Any]) -> list[str]:
    """Return the lines that import the classes of some estimators from where they are public."""
    places: dict[str, set[str]] = {}
    for each in objects:
        parts = type(each).__module__.split(".")
        public = [part for part in parts if not part.startswith("_")]
        place = "bandsvm" if parts[0] == "bandsvm" else ".".join(public)
        places.setdefault(place, set()).add(type(each).__name__)
    lines = [f"from {place} import {', '.join(sorted(names))}" for place, names in places.items()]
    return sorted(lines, key=lambda line: (line.startswith("from bandsvm"), line))


def fit_command(
    source: Source, choices: Choices, parameters: Mapping[str, Any], scale: str
) -> list[str]:
    """Return the words of a command that reads the same samples and fits the same parameters."""
    options = source.read_options(choices)
    words = ["bandsvm", "fit", source.file.source]
    for name in ("drop", "keep", "categorical"):
        words += [word for column in getattr(options, name) for word in (f"--{name}", column)]
    if options.target is not None:
        words += ["--target", options.target]
    if options.task is not None:
        words.append(shell_name(options.task))
    if options.header is not None:
        words.append("--header" if options.header else "--no-header")
    return [*words, "--model", "model.bsvm", *model_options(parameters, scale)]


def model_options(parameters: Mapping[str, Any], scale: str) -> list[str]:
    """Return parameters as options of ``bandsvm fit``, without those that have their default."""
    words = []
    for name, value in parameters.items():
        if name == "fit_intercept":
            words += [] if value else [shell_name(name)]
        elif value is not None:
            words += [shell_name(name), _option_text(value)]
    return [*words, *(["--scale", scale] if scale != "standard" else [])]


def _option_text(value: Any) -> str:
    """Return the value of an option; several numbers have commas between them."""
    if isinstance(value, str):
        return value
    numbers = value if isinstance(value, Sequence) else [value]
    return ",".join(f"{number:.12g}" for number in numbers)
