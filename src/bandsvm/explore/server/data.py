"""Answers for the view "Your data"."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from bandsvm._workflow.code import python_code
from bandsvm._workflow.description import is_model
from bandsvm._workflow.holdout import StoppedTooSoonError, TablePart
from bandsvm._workflow.parameters import tables_kernels
from bandsvm._workflow.path import VARIED, band_path_on_page
from bandsvm._workflow.pipeline import classifier_of, write_model
from bandsvm._workflow.search_report import holdout_page
from bandsvm._workflow.source import MAX_FILE_BYTES, Source, check_size
from bandsvm._workflow.views import class_scores
from bandsvm._workflow.weights import weight_bars
from bandsvm.explore.server.data_fits import Order, about, column_choices, fitted
from bandsvm.explore.server.data_session import DataSession, Result
from bandsvm.explore.server.data_views import VIEWS, csv_of, view_of
from bandsvm.explore.server.frames import Answer
from bandsvm.explore.server.jobs import Job
from bandsvm.explore.server.requests import Fields
from bandsvm.explore.server.wishes import Wish


def check(wish: Wish) -> Answer:
    """Refuse a file that is too large, before it is sent."""
    check_size(wish.fields.text("name"), wish.fields.whole("size", 0, 2**53))
    return Answer()


def open_file(wish: Wish) -> Answer:
    """Open a file and return its columns, with what came of it if it was open before.

    It is an uploaded one, the one that this page has open, or the one named at the shell.
    """
    session, fields = DataSession.of(wish), wish.fields
    opened: dict[str, Any] = {"largest": MAX_FILE_BYTES, "kernels": tables_kernels(), "file": None}
    source: Source | None
    if fields.has("upload"):
        source = Source.of_bytes(*wish.session["uploads"].take(fields.text("upload")))
    else:
        source = session.source or _named_at_the_shell(wish)
    if source is None:
        return Answer(opened)
    if is_model(source.file.content):
        return Answer(opened | {"is_model": True})
    header = fields.flag("header") if fields.has("header") else None
    opened["file"] = source.describe(header)
    if source is session.source:
        result, job = session.result, session.job
        opened["kept"] = {
            "result": None if result is None else about(result),
            "work": job.name if job is not None and job.is_under_way else None,
        }
    else:
        session.open(source)
    return Answer(opened)


def _named_at_the_shell(wish: Wish) -> Source | None:
    name = wish.session.get("file")
    return None if name is None else Source.of_path(name)


def columns(wish: Wish) -> Answer:
    """Return which columns are left out, after the whole file was read."""
    choices = column_choices(wish.fields.group("choices"))
    return Answer({"left_out": DataSession.of(wish).opened().left_out(choices)})


def fit(wish: Wish) -> Answer:
    """Fit a model, or search for one; report the progress, and keep what came of it."""
    session, order = DataSession.of(wish), Order.of(wish.fields)
    session.opened()
    job = session.start("fit", lambda job: Answer(about(fitted(session, order, job))))
    return job.watch(wish)


def watch(wish: Wish) -> Answer:
    """Return the answer of the last work, which a page began before it was reloaded."""
    job = DataSession.of(wish).job
    if job is None:
        raise ValueError("Nothing is being computed; press Fit.")
    return job.watch(wish)


def stop(wish: Wish) -> Answer:
    """End the work that is under way, with the best result so far."""
    DataSession.of(wish).stop()
    return Answer()


def view(wish: Wish) -> Answer:
    """Return what a tab shows: of the model, or of a part of the samples."""
    result, fields = DataSession.of(wish).fitted(), wish.fields
    name = fields.choice("view", (*VIEWS_OF_MODEL, *VIEWS))
    if name in VIEWS_OF_MODEL:
        return Answer(VIEWS_OF_MODEL[name](result, fields))
    return view_of(_part(result, fields), fields)


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
    return about | {"parts": {name: class_scores(result.parts[name]) for name in names}}


def _path(result: Result, fields: Fields) -> dict[str, Any]:
    vary = fields.choice("vary", VARIED)
    if vary not in result.paths:
        raise ValueError(f"There is no path along {vary} yet; compute it first.")
    return result.paths[vary]


VIEWS_OF_MODEL = {"weights": _weights, "search": _search, "path": _path}


def along(wish: Wish) -> Answer:
    """Return a path of models along C2 or rho2."""
    session = DataSession.of(wish)
    result, vary = session.fitted(), wish.fields.choice("vary", VARIED)

    def found(job: Job) -> Answer:
        try:
            classifier = classifier_of(result.model)
            result.paths[vary] = band_path_on_page(result.holdout, classifier, vary, job.work)
        except StoppedTooSoonError:
            job.check()
            raise
        return Answer(result.paths[vary])

    return session.start("path", found).watch(wish)


def as_csv(wish: Wish) -> Answer:
    """Return the rows of the table of samples that a query finds, as CSV."""
    return csv_of(_part(DataSession.of(wish).fitted(), wish.fields), wish.fields)


def code(wish: Wish) -> Answer:
    """Return Python code that fits the same model."""
    session = DataSession.of(wish)
    result = session.fitted()
    text = python_code(session.opened(), result.holdout, classifier_of(result.model))
    return Answer({"code": text})


def model_file(wish: Wish) -> Answer:
    """Return the fitted model as a file that `load` reads."""
    result = DataSession.of(wish).fitted()
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "model.bsvm"
        write_model(result.model, result.holdout.table, target)
        content = target.read_bytes()
    return Answer({"name": "model.bsvm"}, {"content": np.frombuffer(content, np.uint8)})


def report_file(wish: Wish) -> Answer:
    """Return a page about the fit or the search, as the command line writes it."""
    result = DataSession.of(wish).fitted()
    content = holdout_page(result.model, result.parts, result.found, result.sentences)
    return Answer({"name": "report.html"}, {"content": np.frombuffer(content, np.uint8)})
