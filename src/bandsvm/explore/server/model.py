"""Answers for the view "A model"."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from bandsvm.explore.analysis.card import card, is_model
from bandsvm.explore.analysis.source import LARGEST_FILE
from bandsvm.explore.server.frames import Answer
from bandsvm.explore.server.uploads import Upload
from bandsvm.explore.server.wishes import Wish
from bandsvm.persistence._container import MAGIC
from bandsvm.system.text import shown


def open_file(wish: Wish) -> Answer:
    """Describe an uploaded model file, or the one named at the shell."""
    about: dict[str, Any] = {"largest": LARGEST_FILE, "model": None}
    fields = wish.fields
    if fields.has("upload"):
        upload = wish.session["uploads"].take(fields.text("upload"))
        about["model"] = _of_upload(upload)
    elif (path := named_model(wish.session.get("file"))) is not None:
        about["model"] = card(path)
    return Answer(about)


def named_model(name: str | None) -> Path | None:
    """Return the path of a file if it is a model, else None."""
    if name is None:
        return None
    with Path(name).open("rb") as file:
        return Path(name) if is_model(file.read(len(MAGIC))) else None


def _of_upload(upload: Upload) -> dict[str, Any]:
    if not is_model(upload.content):
        raise ValueError(
            f"{shown(upload.name)} is no model file of bandsvm; those end in .bsvm and come from "
            "bandsvm fit, bandsvm tune or bandsvm.save. Data files belong to the view “Your data”."
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.bsvm"
        path.write_bytes(upload.content)
        return card(path, upload.name)
