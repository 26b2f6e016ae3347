"""Fits and searches that the view "Your data" asks for, and what the page shows first of them."""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from bandsvm._tables.options import CLASSIFY
from bandsvm._workflow.code import fit_command
from bandsvm._workflow.holdout import parts_of_holdout
from bandsvm._workflow.naming import page_name
from bandsvm._workflow.page_tasks import PAGE_TASKS
from bandsvm._workflow.pipeline import SCALES, estimator_of
from bandsvm._workflow.search import KINDS, SearchResult, search_on_page
from bandsvm._workflow.source import Choices
from bandsvm._workflow.views import overview
from bandsvm._workflow.weights import has_weights
from bandsvm.explore.server.data_parameters import model_parameters
from bandsvm.explore.server.data_session import DataSession, Result
from bandsvm.explore.server.fields import Fields
from bandsvm.explore.server.jobs import Job

MAX_COLUMNS_NAMED = 10_000
# Settings name columns one by one.
MAX_LENGTH_OF_SETTINGS = 200_000


@dataclass(frozen=True)
class FitOrder:
    """A fit or a search that a page asks for, checked."""

    choices: Choices  # what targets are, and what becomes of the columns
    scale: str  # how features are scaled
    parameters: dict[str, Any]  # those of the estimator
    is_search: bool  # whether cross-validation chooses some of them
    settings: str  # what the page calls all this, to tell later whether it has changed

    @classmethod
    def of(cls, fields: Fields) -> FitOrder:
        """Return what the fields of a request ask for."""
        choices = column_choices(fields.group("choices"))
        return cls(
            choices,
            fields.choice("scale", SCALES),
            model_parameters(fields.group("parameters"), choices.task or CLASSIFY),
            fields.flag("search"),
            fields.text("settings", MAX_LENGTH_OF_SETTINGS) if fields.has("settings") else "",
        )


def column_choices(fields: Fields) -> Choices:
    """Return what a page has chosen about targets and columns."""
    return Choices(
        fields.index("target") if fields.has("target") else None,
        fields.indices("dropped", MAX_COLUMNS_NAMED),
        fields.indices("categorical", MAX_COLUMNS_NAMED),
        fields.flag("header") if fields.has("header") else None,
        fields.indices("kept", MAX_COLUMNS_NAMED) if fields.has("kept") else (),
        fields.choice("task", tuple(PAGE_TASKS)) if fields.has("task") else None,
    )


def fit_or_search(session: DataSession, order: FitOrder, job: Job) -> Result:
    """Return the model that an order asks for, after the session has kept it."""
    source, parameters, work = session.opened(), dict(order.parameters), job.work
    work.report({"stage": "read"})
    holdout = session.holdout(order.choices, order.scale)
    job.check()
    task = PAGE_TASKS[holdout.table.task]
    found: SearchResult | None = None
    chosen: Collection[str] = ()  # parameters that the page did not set
    if order.is_search:
        found = search_on_page(holdout, parameters, work)
        estimator, sentences = found.estimator, found.sentences
        chosen = KINDS[holdout.table.task].chosen
    else:
        estimator, said = task.new_estimator(parameters, holdout.y_train)
        sentences = [*holdout.fit(estimator, work), *said]
        chosen = task.chosen
    values = estimator.get_params()
    parameters |= {name: values[name] for name in chosen if name in values}
    job.check()
    model = holdout.model(estimator)
    folds = None if found is None or isinstance(found.folds, str) else found.folds
    result = Result(
        holdout,
        model,
        parts_of_holdout(holdout, model, folds),
        [
            *sentences,
            *(warning.render(page_name) for warning in holdout.table.warnings),
            *task.remarks(estimator),
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


def summary(result: Result) -> dict[str, Any]:
    """Return what the page shows first."""
    first = next(iter(result.parts.values()))
    return {
        "task": result.holdout.table.task,
        "sentences": result.sentences,
        "parts": list(result.parts),
        "overview": overview(first),
        "has_weights": has_weights(estimator_of(result.model)),
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
