"""Fits and searches that the view "Your data" asks for, and what the page shows first of them."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bandsvm import BandedSVC
from bandsvm._defaults import SEARCHED
from bandsvm._workflow.code import fit_command
from bandsvm._workflow.holdout import parts_of_holdout
from bandsvm._workflow.naming import page_name
from bandsvm._workflow.pipeline import (
    SCALES,
    check_kernel_model,
    classifier_of,
    kernels_of_tables,
)
from bandsvm._workflow.search import SearchResult, search_on_page
from bandsvm._workflow.source import Choices
from bandsvm._workflow.views import overview
from bandsvm._workflow.weights import has_weights
from bandsvm.explore.server.data_session import DataSession, Result
from bandsvm.explore.server.fields import Fields
from bandsvm.explore.server.jobs import Job

MAX_COLUMNS_NAMED = 10_000
# Settings name columns one by one.
MAX_LENGTH_OF_SETTINGS = 200_000


def _degree(fields: Fields, name: str) -> float:
    number = fields.number(name)
    return int(number) if number == int(number) else number


# parameter of `BandedSVC` that the page can set -> what reads it from a request
READERS: dict[str, Callable[[Fields, str], Any]] = {
    **dict.fromkeys(("C1", "C2", "rho1", "rho2", "coef0", "tol"), Fields.number),
    "degree": _degree,
    "gamma": lambda fields, name: fields.number_or(name, ("scale", "auto")),
    "class_weight": lambda fields, name: fields.text(name) if fields.has(name) else None,
    "kernel": lambda fields, name: fields.choice(name, kernels_of_tables()),
    "loss": Fields.text,
    "fit_intercept": Fields.flag,
}


@dataclass(frozen=True)
class FitOrder:
    """A fit or a search that a page asks for, checked."""

    choices: Choices  # what becomes of the columns
    scale: str  # how features are scaled
    parameters: dict[str, Any]  # those of the classifier
    is_search: bool  # whether cross-validation chooses some of them
    settings: str  # what the page calls all this, to tell later whether it has changed

    @classmethod
    def of(cls, fields: Fields) -> FitOrder:
        """Return what the fields of a request ask for."""
        return cls(
            column_choices(fields.group("choices")),
            fields.choice("scale", SCALES),
            model_parameters(fields.group("parameters")),
            fields.flag("search"),
            fields.text("settings", MAX_LENGTH_OF_SETTINGS) if fields.has("settings") else "",
        )


def model_parameters(fields: Fields) -> dict[str, Any]:
    """Return parameters of a `BandedSVC`; raise with the rule that a value breaks."""
    parameters = {}
    for name in fields.names():
        if name not in READERS:
            raise ValueError(f"{name!r:.60} is not a parameter that the page can set.")
        parameters[name] = READERS[name](fields, name)
    check_kernel_model(parameters)
    return parameters


def column_choices(fields: Fields) -> Choices:
    """Return what a page has chosen about columns."""
    return Choices(
        fields.index("target") if fields.has("target") else None,
        fields.indices("dropped", MAX_COLUMNS_NAMED),
        fields.indices("categorical", MAX_COLUMNS_NAMED),
        fields.flag("header") if fields.has("header") else None,
        fields.indices("kept", MAX_COLUMNS_NAMED) if fields.has("kept") else (),
    )


def fit_or_search(session: DataSession, order: FitOrder, job: Job) -> Result:
    """Return the model that an order asks for, after the session has kept it."""
    source, parameters, work = session.opened(), order.parameters, job.work
    work.report({"stage": "read"})
    holdout = session.holdout(order.choices, order.scale)
    job.check()
    found: SearchResult | None = None
    if order.is_search:
        found = search_on_page(holdout, parameters, work)
        classifier, sentences = found.classifier, found.sentences
        parameters = {
            name: value
            for name, value in classifier.get_params().items()
            if name in parameters or name in SEARCHED
        }
    else:
        classifier = BandedSVC(**parameters)
        sentences = holdout.fit(classifier, work)
    job.check()
    model = holdout.model(classifier)
    folds = None if found is None or isinstance(found.folds, str) else found.folds
    result = Result(
        holdout,
        model,
        parts_of_holdout(holdout, model, folds),
        [
            *sentences,
            *(warning.render(page_name) for warning in holdout.table.warnings),
            *_about_band(classifier),
        ],
        found,
        fit_command(source, order.choices, parameters, order.scale),
        parameters,
        order.settings,
        source.left_out(order.choices),
    )
    if not session.keep(source, result):
        job.cancel()
    return result


def _about_band(classifier: BandedSVC) -> list[str]:
    if classifier.C2 != 0.0:
        return []
    return ["C2 is 0: nothing keeps samples below rho2, and extreme ones only happen to lie above."]


def summary(result: Result) -> dict[str, Any]:
    """Return what the page shows first."""
    first = next(iter(result.parts.values()))
    return {
        "sentences": result.sentences,
        "parts": list(result.parts),
        "overview": overview(first),
        "has_weights": has_weights(classifier_of(result.model)),
        "search": None if result.found is None else _about_search(result.found),
        "command": shlex.join(result.command),
        "n_train": len(result.holdout.train),
        "left_out": result.left_out,
        "paths": list(result.paths),
        "parameters": result.parameters,
        "settings": result.settings,
    }


def _about_search(found: SearchResult) -> dict[str, Any]:
    """Return the cross-validated score, which comes before all others."""
    chosen = found.chosen
    return {"score": chosen.mean, "deviation": chosen.deviation, "n_folds": chosen.n_folds}
