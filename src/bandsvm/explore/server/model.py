"""Answers for the view "A model"."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bandsvm._system.text import shown
from bandsvm._workflow.description import ModelDescription, is_model
from bandsvm._workflow.holdout import TablePart, whole_table
from bandsvm._workflow.naming import page_name
from bandsvm._workflow.pipeline import check_takes_tables
from bandsvm._workflow.source import MAX_FILE_BYTES, Source, check_size
from bandsvm._workflow.views import overview
from bandsvm.explore.server.data_views import csv_of, view_of
from bandsvm.explore.server.frames import Answer
from bandsvm.explore.server.uploads import Upload
from bandsvm.explore.server.wishes import Wish
from bandsvm.persistence._container import MAGIC
from bandsvm.persistence.native import load_with_notes


@dataclass
class ModelSession:
    """What the server keeps for the view "A model" of one page.

    Parameters
    ----------
    model : object
        The model.
    notes : object
        What its file remembers of the training data.
    about : dict
        What the page shows of it.
    part : TablePart or None
        What it says of a data file.
    about_data : dict or None
        What the page shows first of that.
    """

    model: Any
    notes: Any
    about: dict[str, Any]
    part: TablePart | None = None
    about_data: dict[str, Any] | None = None

    @classmethod
    def of(cls, wish: Wish) -> ModelSession:
        """Return that of the page that sent a request."""
        if "model" not in wish.session:
            raise ValueError("No model is open; choose one first.")
        return wish.session["model"]


def open_file(wish: Wish) -> Answer:
    """Describe an uploaded model file, the one that this page has open, or the shell's."""
    fields, session = wish.fields, wish.session
    if fields.has("upload"):
        upload = session["uploads"].take(fields.text("upload"))
        _check_is_model(upload)
        _open(wish, upload.content, upload.name)
    elif "model" not in session and (path := named_model(session.get("file"))) is not None:
        check_size(path.name, path.stat().st_size)
        _open(wish, path.read_bytes(), path.name)
    about: dict[str, Any] = {"largest": MAX_FILE_BYTES, "model": None, "data": None}
    if "model" in session:
        kept = ModelSession.of(wish)
        about |= {"model": kept.about, "data": kept.about_data}
    return Answer(about)


def _open(wish: Wish, content: bytes, name: str) -> None:
    """Read a model file, and keep the model for data to come."""
    check_size(name, len(content))
    model, notes = load_with_notes(content, shown(name))
    described = ModelDescription(model, shown(name), len(content))
    wish.session["model"] = ModelSession(model, notes, described.page_values())


def judge(wish: Wish) -> Answer:
    """Open a data file and let the model predict its samples."""
    session = ModelSession.of(wish)
    check_takes_tables(session.model)
    upload = wish.session["uploads"].take(wish.fields.text("upload"))
    table = Source.of_bytes(*upload).table_for(session.model, session.notes)
    session.part = whole_table(session.model, table)
    session.about_data = {
        "name": shown(upload.name),
        "parts": ["all"],
        "overview": overview(session.part),
        "decisions": [decision.render(page_name) for decision in table.decisions],
        "sentences": [warning.render(page_name) for warning in table.warnings],
        "has_labels": table.y is not None,
    }
    return Answer(session.about_data)


def _part(wish: Wish) -> TablePart:
    part = ModelSession.of(wish).part
    if part is None:
        raise ValueError("No data file is open; choose one first.")
    return part


def view(wish: Wish) -> Answer:
    """Return what a tab shows of the samples of a data file."""
    return view_of(_part(wish), wish.fields)


def as_csv(wish: Wish) -> Answer:
    """Return the rows of the table of samples that a query finds, as CSV."""
    return csv_of(_part(wish), wish.fields)


def named_model(name: str | None) -> Path | None:
    """Return the path of a file if it is a model, else None."""
    if name is None:
        return None
    with Path(name).open("rb") as file:
        return Path(name) if is_model(file.read(len(MAGIC))) else None


def _check_is_model(upload: Upload) -> None:
    """Refuse files that are not models."""
    if not is_model(upload.content):
        raise ValueError(
            f"{shown(upload.name)} is no model file of bandsvm; those end in .bsvm and come from "
            "bandsvm fit, bandsvm tune or bandsvm.save. Data files belong to the view “Your data”."
        )
