"""Answers for the view "Your data"."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bandsvm._workflow import samples
from bandsvm._workflow.class_views import abstention, distribution
from bandsvm._workflow.code import python_code
from bandsvm._workflow.description import is_model
from bandsvm._workflow.holdout import TablePart
from bandsvm._workflow.number_views import errors, quantile_scores
from bandsvm._workflow.page_tasks import page_task
from bandsvm._workflow.path import PATHS, band_path_on_page
from bandsvm._workflow.pipeline import estimator_of, kernels_of_tables, write_model
from bandsvm._workflow.search_report import holdout_page
from bandsvm._workflow.source import Source, check_size
from bandsvm._workflow.views import overview, project
from bandsvm._workflow.weights import weight_bars
from bandsvm.explore.server.data_fits import FitOrder, column_choices, fit_or_search, summary
from bandsvm.explore.server.data_session import Result
from bandsvm.explore.server.fields import Fields
from bandsvm.explore.server.jobs import Job
from bandsvm.explore.server.requests import Request
from bandsvm.explore.server.responses import Response, file_response


def check(request: Request) -> Response:
    """Refuse a file that is too large, before it is sent."""
    fields, settings = request.fields, request.session.settings
    check_size(fields.text("name"), fields.whole("size", 0, 2**53), settings.max_file_size)
    return Response()


def open_file(request: Request) -> Response:
    """Open a file and return its columns, with what came of it if it was open before.

    It is an uploaded one, the one that this page has open, or the one named at the shell.
    """
    session, fields = request.session.data, request.fields
    opened: dict[str, Any] = {"kernels": kernels_of_tables(), "file": None}
    max_size = request.session.settings.max_file_size
    source: Source | None
    if fields.has("upload"):
        upload = request.session.uploads.take(fields.text("upload"))
        source = Source.of_bytes(*upload, max_size)
    else:
        source = session.source
        if source is None and (named := request.session.settings.file) is not None:
            source = Source.of_path(named, max_size)
    if source is None:
        return Response(opened)
    if is_model(source.file.content):
        return Response(opened | {"is_model": True})
    header = fields.flag("header") if fields.has("header") else None
    opened["file"] = source.describe(header)
    if source is session.source:
        result, job = session.result, session.job
        opened["kept"] = {
            "result": None if result is None else summary(result),
            "work": job.name if job is not None and job.is_under_way else None,
        }
    else:
        session.open(source)
    return Response(opened)


def columns(request: Request) -> Response:
    """Return which columns are left out, after the whole file was read."""
    choices = column_choices(request.fields.group("choices"))
    return Response({"left_out": request.session.data.opened().left_out(choices)})


def fit(request: Request) -> Response:
    """Fit a model, or search for one; report the progress, and keep what came of it."""
    session, order = request.session.data, FitOrder.of(request.fields)
    session.opened()
    job = session.start("fit", lambda job: Response(summary(fit_or_search(session, order, job))))
    return job.watch(request)


def watch(request: Request) -> Response:
    """Return the answer of the last work, which a page began before it was reloaded."""
    job = request.session.data.job
    if job is None:
        raise ValueError("Nothing is being computed; press Fit.")
    return job.watch(request)


def stop(request: Request) -> Response:
    """End the work that is under way, with the best result so far."""
    request.session.data.stop()
    return Response()


def view(request: Request) -> Response:
    """Return what a tab shows: of the model, or of a part of the samples."""
    result, fields = request.session.data.fitted(), request.fields
    name = fields.choice("view", (*VIEWS_OF_MODEL, *VIEWS_OF_SAMPLES))
    if name in VIEWS_OF_MODEL:
        return Response(VIEWS_OF_MODEL[name](result, fields))
    return samples_view(_part(result, fields), fields)


def _part(result: Result, fields: Fields) -> TablePart:
    return result.parts[fields.choice("part", tuple(result.parts))]


def _weights(result: Result, fields: Fields) -> dict[str, Any]:
    weights = weight_bars(result.model, result.holdout.table.names)
    if weights is None:
        raise ValueError("Only linear kernels have a weight per feature.")
    return weights


def _search(result: Result, fields: Fields) -> dict[str, Any]:
    """Return scores and candidates of a search, then figures from the most honest to the least."""
    if result.found is None:
        raise ValueError("These parameters were not searched for; press Search.")
    names = [name for name in ("folds", "held out", "train") if name in result.parts]
    about = result.found.describe()
    return about | {"parts": {name: _scores(result.parts[name]) for name in names}}


def _scores(part: TablePart) -> dict[str, Any]:
    return page_task(part).scores(part)


def _varied(result: Result, fields: Fields) -> str:
    return fields.choice("vary", tuple(PATHS[result.holdout.table.task].values))


def _path(result: Result, fields: Fields) -> dict[str, Any]:
    vary = _varied(result, fields)
    if vary not in result.paths:
        raise ValueError(f"There is no path along {vary} yet; compute it first.")
    return result.paths[vary]


VIEWS_OF_MODEL = {"weights": _weights, "search": _search, "path": _path}


def compute_path(request: Request) -> Response:
    """Return a path of models along a parameter."""
    session = request.session.data
    result = session.fitted()
    vary = _varied(result, request.fields)

    def found(job: Job) -> Response:
        estimator = estimator_of(result.model)
        result.paths[vary] = band_path_on_page(result.holdout, estimator, vary, job.work)
        return Response(result.paths[vary])

    return session.start("path", found).watch(request)


def samples_file(request: Request) -> Response:
    """Return the rows of the table of samples that a query finds, as CSV."""
    part = _part(request.session.data.fitted(), request.fields)
    return samples_csv(part, request.fields)


def code(request: Request) -> Response:
    """Return Python code that fits the same model."""
    session = request.session.data
    result = session.fitted()
    text = python_code(session.opened(), result.holdout, estimator_of(result.model))
    return Response({"code": text})


def model_file(request: Request) -> Response:
    """Return the fitted model as a file that `load` reads."""
    result = request.session.data.fitted()
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "model.bsvm"
        write_model(result.model, result.holdout.table, target)
        return file_response("model.bsvm", target.read_bytes())


def report_file(request: Request) -> Response:
    """Return a page about the fit or the search, as the command line writes it."""
    result = request.session.data.fitted()
    content = holdout_page(result.model, result.parts, result.found, result.sentences)
    return file_response("report.html", content)


# Tabs that show samples; the view "A model" has them too.


def samples_view(part: TablePart, fields: Fields) -> Response:
    """Return what the tab that a page asks for shows of some samples."""
    name = fields.choice("view", page_task(part).views)
    return Response(VIEWS_OF_SAMPLES[name](part, fields))


def samples_csv(part: TablePart, fields: Fields) -> Response:
    """Return the rows of the table of samples that a query finds, as CSV."""
    content = samples.as_csv(part, _query(fields)).encode()
    return file_response("samples.csv", content)


VIEWS_OF_SAMPLES: dict[str, Callable[[TablePart, Fields], dict[str, Any]]] = {
    "overview": lambda part, fields: overview(part),
    "abstention": lambda part, fields: abstention(part),
    "errors": lambda part, fields: errors(part),
    "quantiles": lambda part, fields: quantile_scores(part),
    "distribution": lambda part, fields: distribution(part, fields.index("class")),
    "projection": lambda part, fields: project(part, fields.index("x"), fields.index("y")),
    "samples": lambda part, fields: samples.page(
        part, _query(fields), fields.index("start"), fields.index("count")
    ),
}


def _query(fields: Fields) -> samples.Query:
    return samples.Query(
        fields.text("place"),
        fields.text("text"),
        fields.flag("wrong"),
        fields.index("sort") if fields.has("sort") else None,
        fields.flag("descending"),
    )
