"""Answers for the view "Your data"."""

from __future__ import annotations

import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bandsvm import BandedSVC
from bandsvm.cli._models import classifier_of, write_model
from bandsvm.explore.analysis.card import is_model
from bandsvm.explore.analysis.code import python_code
from bandsvm.explore.analysis.findings import Findings, of_trial, overview
from bandsvm.explore.analysis.parameters import (
    SCALES,
    as_options,
    model_parameters,
    tables_kernels,
)
from bandsvm.explore.analysis.path import VARIED_ON_PAGE, path
from bandsvm.explore.analysis.search import search
from bandsvm.explore.analysis.source import LARGEST_FILE, Choices, Source, check_size
from bandsvm.explore.analysis.trial import StoppedTooSoonError
from bandsvm.explore.analysis.weights import feature_weights, has_weights
from bandsvm.explore.server.data_session import DataSession, Result
from bandsvm.explore.server.data_views import LARGEST_PLACE, VIEWS, csv_of, view_of
from bandsvm.explore.server.frames import Answer
from bandsvm.explore.server.jobs import Job
from bandsvm.explore.server.requests import Fields
from bandsvm.explore.server.wishes import Wish

MAX_PLACES = 10_000
# Settings name columns one by one.
LONGEST_SETTINGS = 200_000


def check(wish: Wish) -> Answer:
    """Refuse a file that is too large, before it is sent."""
    check_size(wish.fields.text("name"), wish.fields.whole("size", 0, 2**53))
    return Answer()


def open_file(wish: Wish) -> Answer:
    """Open a file and return its columns, with what came of it if it was open before.

    It is an uploaded one, the one that this page has open, or the one named at the shell.
    """
    session, fields = DataSession.of(wish), wish.fields
    about: dict[str, Any] = {"largest": LARGEST_FILE, "kernels": tables_kernels(), "file": None}
    source: Source | None
    if fields.has("upload"):
        source = Source.of_bytes(*wish.session["uploads"].take(fields.text("upload")))
    else:
        source = session.source or _named_at_the_shell(wish)
    if source is None:
        return Answer(about)
    if is_model(source.file.content):
        return Answer(about | {"is_model": True})
    header = fields.flag("header") if fields.has("header") else None
    about["file"] = source.describe(header)
    if source is session.source:
        result, job = session.result, session.job
        about["kept"] = {
            "result": None if result is None else _about(result),
            "work": job.name if job is not None and job.is_under_way else None,
        }
    else:
        session.open(source)
    return Answer(about)


def _named_at_the_shell(wish: Wish) -> Source | None:
    name = wish.session.get("file")
    return None if name is None else Source.of_path(name)


@dataclass(frozen=True)
class Order:
    """A fit or a search that a page asks for, checked.

    Parameters
    ----------
    choices : Choices
        What becomes of the columns.
    scale : str
        How features are scaled.
    parameters : dict
        Those of the classifier.
    is_search : bool
        Whether cross-validation chooses some of them.
    settings : str
        What the page calls all this, to tell later whether it has changed.
    """

    choices: Choices
    scale: str
    parameters: dict[str, Any]
    is_search: bool
    settings: str

    @classmethod
    def of(cls, fields: Fields) -> Order:
        """Return what the fields of a request ask for."""
        return cls(
            _choices(fields.group("choices")),
            fields.choice("scale", SCALES),
            model_parameters(fields.raw("parameters")),
            fields.flag("search"),
            fields.text("settings", LONGEST_SETTINGS) if fields.has("settings") else "",
        )


def fit(wish: Wish) -> Answer:
    """Fit a model, or search for one; report the progress, and keep what came of it."""
    session, order = DataSession.of(wish), Order.of(wish.fields)
    session.opened()
    job = session.start("fit", lambda job: Answer(_about(_fitted(session, order, job))))
    return job.watch(wish)


def watch(wish: Wish) -> Answer:
    """Return the answer of the last work, which a page began before it was reloaded."""
    job = DataSession.of(wish).job
    if job is None:
        raise ValueError("Nothing is being computed; press Fit.")
    return job.watch(wish)


def _fitted(session: DataSession, order: Order, job: Job) -> Result:
    """Return the model that an order asks for, after the session has kept it."""
    source, parameters, work = session.opened(), order.parameters, job.work
    work.report({"stage": "read"})
    trial = session.trial(order.choices, order.scale)
    job.check()
    try:
        if order.is_search:
            found = search(trial, parameters, work)
            classifier, sentences, surface = found.classifier, found.sentences, found.surface
            parameters = {
                name: value
                for name, value in classifier.get_params().items()
                if name in parameters or name in ("C1", "C2", "rho2", "gamma")
            }
        else:
            classifier, surface = BandedSVC(**parameters), None
            sentences = trial.fit(classifier, work)
    except StoppedTooSoonError:
        job.check()
        raise
    job.check()
    model = trial.model(classifier)
    words = ["bandsvm", "fit", *source.command(order.choices), "--model", "model.bsvm"]
    result = Result(
        trial,
        model,
        of_trial(trial, model),
        [*sentences, *trial.table.doubts, *_about_band(classifier)],
        surface,
        [*words, *as_options(parameters, order.scale)],
        parameters,
        order.settings,
    )
    if not session.keep(source, result):
        job.cancel()
    return result


def _about_band(classifier: BandedSVC) -> list[str]:
    if classifier.C2 != 0.0:
        return []
    return ["C2 is 0: nothing keeps samples below rho2, and extreme ones only happen to lie above."]


def _about(result: Result) -> dict[str, Any]:
    """Return what the page shows first."""
    first = next(iter(result.parts.values()))
    return {
        "sentences": result.sentences,
        "parts": list(result.parts),
        "overview": overview(first),
        "has_weights": has_weights(classifier_of(result.model)),
        "has_surface": result.surface is not None,
        "command": shlex.join(result.command),
        "n_train": len(result.trial.train),
        "paths": list(result.paths),
        "parameters": result.parameters,
        "settings": result.settings,
    }


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


def _part(result: Result, fields: Fields) -> Findings:
    return result.parts[fields.choice("part", tuple(result.parts))]


def _weights(result: Result, fields: Fields) -> dict[str, Any]:
    weights = feature_weights(result.model, result.trial.table.names)
    if weights is None:
        raise ValueError("Only linear kernels have a weight per feature.")
    return weights


def _surface(result: Result, fields: Fields) -> dict[str, Any]:
    if result.surface is None:
        raise ValueError("These parameters were not searched for; press Search.")
    return result.surface


def _path(result: Result, fields: Fields) -> dict[str, Any]:
    vary = fields.choice("vary", VARIED_ON_PAGE)
    if vary not in result.paths:
        raise ValueError(f"There is no path along {vary} yet; compute it first.")
    return result.paths[vary]


VIEWS_OF_MODEL = {"weights": _weights, "surface": _surface, "path": _path}


def along(wish: Wish) -> Answer:
    """Return a path of models along C2 or rho2."""
    session = DataSession.of(wish)
    result, vary = session.fitted(), wish.fields.choice("vary", VARIED_ON_PAGE)

    def found(job: Job) -> Answer:
        try:
            result.paths[vary] = path(result.trial, classifier_of(result.model), vary, job.work)
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
    text = python_code(session.opened(), result.trial, classifier_of(result.model))
    return Answer({"code": text})


def model_file(wish: Wish) -> Answer:
    """Return the fitted model as a file that `load` reads."""
    result = DataSession.of(wish).fitted()
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "model.bsvm"
        write_model(result.model, result.trial.table, target)
        content = target.read_bytes()
    return Answer({"name": "model.bsvm"}, {"content": np.frombuffer(content, np.uint8)})


def _choices(fields: Fields) -> Choices:
    return Choices(
        fields.whole("target", 0, LARGEST_PLACE) if fields.has("target") else None,
        fields.wholes("dropped", 0, LARGEST_PLACE, MAX_PLACES),
        fields.wholes("categorical", 0, LARGEST_PLACE, MAX_PLACES),
        fields.flag("header") if fields.has("header") else None,
    )
