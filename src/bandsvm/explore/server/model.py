"""Answers for the view "A model"."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bandsvm._system.text import shown
from bandsvm._workflow.card import card, is_model
from bandsvm._workflow.findings import Findings, of_model, overview
from bandsvm._workflow.models import check_takes_tables
from bandsvm._workflow.source import Source
from bandsvm.explore.server.data import samples_csv, samples_view
from bandsvm.explore.server.requests import Request
from bandsvm.explore.server.responses import Response
from bandsvm.explore.server.uploads import Upload
from bandsvm.persistence._container import MAGIC
from bandsvm.persistence.native import load_with_notes


@dataclass
class OpenModel:
    """The model that a page has open.

    Parameters
    ----------
    model : object
        The model.
    notes : object
        What its file remembers of the training data.
    description : dict
        What the page shows of it.
    findings : Findings or None
        What it says of a data file.
    about_data : dict or None
        What the page shows first of that.
    """

    model: Any
    notes: Any
    description: dict[str, Any]
    findings: Findings | None = None
    about_data: dict[str, Any] | None = None


def open_file(request: Request) -> Response:
    """Describe an uploaded model file, the one that this page has open, or the shell's."""
    fields, session = request.fields, request.session
    if fields.has("upload"):
        upload = session.uploads.take(fields.text("upload"))
        with tempfile.TemporaryDirectory() as folder:
            session.model = _read(_written(upload, Path(folder)), upload.name)
    elif session.model is None and (path := named_model(session.settings.file)) is not None:
        session.model = _read(path, path.name)
    about: dict[str, Any] = {"model": None, "data": None}
    if session.model is not None:
        about |= {"model": session.model.description, "data": session.model.about_data}
    return Response(about)


def _read(path: Path, name: str) -> OpenModel:
    description = card(path, name)
    return OpenModel(*load_with_notes(path), description)


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
    opened.findings = of_model(opened.model, table)
    opened.about_data = {
        "name": shown(upload.name),
        "parts": ["all"],
        "overview": overview(opened.findings),
        "decisions": table.decisions,
        "sentences": table.doubts,
        "has_labels": table.y is not None,
    }
    return Response(opened.about_data)


def _findings(request: Request) -> Findings:
    findings = _opened(request).findings
    if findings is None:
        raise ValueError("No data file is open; choose one first.")
    return findings


def view(request: Request) -> Response:
    """Return what a tab shows of the samples of a data file."""
    return samples_view(_findings(request), request.fields)


def samples_file(request: Request) -> Response:
    """Return the rows of the table of samples that a query finds, as CSV."""
    return samples_csv(_findings(request), request.fields)


def named_model(name: str | None) -> Path | None:
    """Return the path of a file if it is a model, else None."""
    if name is None:
        return None
    with Path(name).open("rb") as file:
        return Path(name) if is_model(file.read(len(MAGIC))) else None


def _written(upload: Upload, folder: Path) -> Path:
    """Write an uploaded model file, and return where; refuse other files."""
    if not is_model(upload.content):
        raise ValueError(
            f"{shown(upload.name)} is no model file of bandsvm; those end in .bsvm and come from "
            "bandsvm fit, bandsvm tune or bandsvm.save. Data files belong to the view “Your data”."
        )
    path = folder / "model.bsvm"
    path.write_bytes(upload.content)
    return path
