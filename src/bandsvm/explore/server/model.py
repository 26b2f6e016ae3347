"""Answers for the view "A model"."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from bandsvm.cli._models import check_takes_tables
from bandsvm.explore.analysis.card import card, is_model
from bandsvm.explore.analysis.findings import Findings, of_model, overview
from bandsvm.explore.analysis.source import LARGEST_FILE, Source
from bandsvm.explore.server.data_views import csv_of, view_of
from bandsvm.explore.server.frames import Answer
from bandsvm.explore.server.uploads import Upload
from bandsvm.explore.server.wishes import Wish
from bandsvm.persistence._container import MAGIC
from bandsvm.persistence.native import load_with_notes
from bandsvm.system.text import shown


def open_file(wish: Wish) -> Answer:
    """Describe an uploaded model file, or the one named at the shell."""
    about: dict[str, Any] = {"largest": LARGEST_FILE, "model": None}
    fields = wish.fields
    if fields.has("upload"):
        upload = wish.session["uploads"].take(fields.text("upload"))
        with tempfile.TemporaryDirectory() as folder:
            about["model"] = _opened(wish, _written(upload, Path(folder)), upload.name)
    elif (path := named_model(wish.session.get("file"))) is not None:
        about["model"] = _opened(wish, path, path.name)
    return Answer(about)


def _opened(wish: Wish, path: Path, name: str) -> dict[str, Any]:
    """Describe a model file, and keep the model for data to come."""
    described = card(path, name)
    wish.session["model"] = load_with_notes(path)
    wish.session.pop("model findings", None)
    return described


def judge(wish: Wish) -> Answer:
    """Open a data file and let the model predict its samples."""
    model, notes = wish.session.get("model", (None, None))
    if model is None:
        raise ValueError("No model is open; choose one first.")
    check_takes_tables(model)
    upload = wish.session["uploads"].take(wish.fields.text("upload"))
    table = Source.of_bytes(*upload).table_for(model, notes)
    findings = of_model(model, table)
    answer = Answer(
        {
            "parts": ["all"],
            "overview": overview(findings),
            "decisions": table.decisions,
            "sentences": table.doubts,
            "has_labels": table.y is not None,
        }
    )
    wish.session["model findings"] = findings
    return answer


def _findings(wish: Wish) -> Findings:
    findings = wish.session.get("model findings")
    if findings is None:
        raise ValueError("No data file is open; choose one first.")
    return findings


def view(wish: Wish) -> Answer:
    """Return what a tab shows of the samples of a data file."""
    return view_of(_findings(wish), wish.fields)


def as_csv(wish: Wish) -> Answer:
    """Return the rows of the table of samples that a query finds, as CSV."""
    return csv_of(_findings(wish), wish.fields)


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
