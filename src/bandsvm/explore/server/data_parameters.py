"""Parameters of models that the view "Your data" sets, each read from a request and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bandsvm._tables.options import CLASSIFY, REGRESS
from bandsvm._workflow.page_tasks import PAGE_TASKS
from bandsvm._workflow.pipeline import kernels_of_tables
from bandsvm.explore.server.fields import Fields

MAX_QUANTILES_ASKED = 20

Reader = Callable[[Fields, str], Any]


def _degree(fields: Fields, name: str) -> float:
    number = fields.number(name)
    return int(number) if number == int(number) else number


# parameter -> what reads it from a request
OF_ALL: dict[str, Reader] = {
    **dict.fromkeys(("coef0", "tol"), Fields.number),
    "degree": _degree,
    "gamma": lambda fields, name: fields.number_or(name, ("scale", "auto")),
    "kernel": lambda fields, name: fields.choice(name, kernels_of_tables()),
    "fit_intercept": Fields.flag,
}
OF_CLASSIFIERS: dict[str, Reader] = {
    **OF_ALL,
    **dict.fromkeys(("C1", "C2", "rho1", "rho2"), Fields.number),
    "class_weight": lambda fields, name: fields.text(name) if fields.has(name) else None,
    "loss": Fields.text,
}
OF_TUBES: dict[str, Reader] = {
    **OF_ALL,
    **dict.fromkeys(("C1", "C2", "epsilon"), Fields.number),
    "loss": Fields.text,
}
OF_QUANTILES: dict[str, Reader] = {
    **OF_ALL,
    "C": Fields.number,
    "quantile": lambda fields, name: fields.numbers(name, MAX_QUANTILES_ASKED),
}
READERS: dict[str, Callable[[Fields], Mapping[str, Reader]]] = {
    CLASSIFY: lambda fields: OF_CLASSIFIERS,
    REGRESS: lambda fields: OF_QUANTILES if fields.has("quantile") else OF_TUBES,
}


def model_parameters(fields: Fields, task: str = CLASSIFY) -> dict[str, Any]:
    """Return parameters of an estimator of a task; raise with the rule that a value breaks."""
    parameters, readers = {}, READERS[task](fields)
    for name in fields.names():
        if name not in readers:
            raise ValueError(f"{name!r:.60} is not a parameter that the page can set.")
        parameters[name] = readers[name](fields, name)
    PAGE_TASKS[task].check(parameters)
    return parameters
