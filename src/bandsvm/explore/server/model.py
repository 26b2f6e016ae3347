"""Answers for the view "A model"."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bandsvm._estimators.banded import as_banded
from bandsvm._system.text import short_text
from bandsvm._workflow.description import ModelDescription, is_model
from bandsvm._workflow.holdout import TablePart, whole_table
from bandsvm._workflow.naming import page_name
from bandsvm._workflow.pipeline import check_takes_tables
from bandsvm._workflow.source import Source, check_size
from bandsvm._workflow.views import overview
from bandsvm.explore.server.data import samples_csv, samples_view
from bandsvm.explore.server.requests import Request
from bandsvm.explore.server.responses import Response
from bandsvm.persistence._container import MAGIC
from bandsvm.persistence.native import load_with_notes


@dataclass
class OpenModel:
    """The model that a page has open."""

    model: Any  # the model
    notes: Any  # what its file remembers of the training data
    description: dict[str, Any]  # what the page shows of it
    part: TablePart | None = None  # the samples of a data file, with what the model says of them
    about_data: dict[str, Any] | None = None  # what the page shows first of that


def open_file(request: Request) -> Response:
    """Describe an uploaded model file, the one that this page has open, or the shell's."""
    fields, session = request.fields, request.session
    if fields.has("upload"):
        upload = session.uploads.take(fields.text("upload"))
        if not is_model(upload.content):
            raise ValueError(
                f"{short_text(upload.name)} is not a model file of bandsvm; those end in .bsvm and "
                "come from bandsvm fit, bandsvm tune or bandsvm.save. Data files belong to the "
                "view “Your data”."
            )
        session.model = _read(upload.content, upload.name, session.settings.max_file_size)
    elif session.model is None and (path := named_model(session.settings.file)) is not None:
        check_size(path.name, path.stat().st_size, session.settings.max_file_size)
        session.model = _read(path.read_bytes(), path.name, session.settings.max_file_size)
    about: dict[str, Any] = {"model": None, "data": None}
    if session.model is not None:
        about |= {"model": session.model.description, "data": session.model.about_data}
    return Response(about)


def _read(content: bytes, name: str, max_size: int) -> OpenModel:
    """Return the model that a file holds, with its description."""
    check_size(name, len(content), max_size)
    model, notes = load_with_notes(content, short_text(name))
    model = as_banded(model)
    description = ModelDescription(model, short_text(name), len(content))
    return OpenModel(model, notes, description.page_values())


def _opened(request: Request) -> OpenModel:
    if request.session.model is None:
        raise ValueError("No model is open; choose one first.")
    return request.session.model


def predict_file(request: Request) -> Response:
    """Open a data file and let the model predict its samples."""
    opened = _opened(request)
    check_takes_tables(opened.model)
    upload = request.session.uploads.take(request.fields.text("upload"))
    max_size = request.session.settings.max_file_size
    table = Source.of_bytes(*upload, max_size).table_for(opened.model, opened.notes)
    opened.part = whole_table(opened.model, table)
    opened.about_data = {
        "name": short_text(upload.name),
        "parts": ["all"],
        "overview": overview(opened.part),
        "decisions": [decision.render(page_name) for decision in table.decisions],
        "sentences": [warning.render(page_name) for warning in table.warnings],
        "has_labels": table.y is not None,
    }
    return Response(opened.about_data)


def _part(request: Request) -> TablePart:
    part = _opened(request).part
    if part is None:
        raise ValueError("No data file is open; choose one first.")
    return part


def view(request: Request) -> Response:
    """Return what a tab shows of the samples of a data file."""
    return samples_view(_part(request), request.fields)


def samples_file(request: Request) -> Response:
    """Return the rows of the table of samples that a query finds, as CSV."""
    return samples_csv(_part(request), request.fields)


def named_model(name: str | None) -> Path | None:
    """Return the path of a file if it is a model, else None."""
    if name is None:
        return None
    with Path(name).open("rb") as file:
        return Path(name) if is_model(file.read(len(MAGIC))) else None
