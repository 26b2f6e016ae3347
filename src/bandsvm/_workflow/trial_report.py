"""The report of a fit or a search on the page, as ``--report`` of the command line writes it."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from sklearn.pipeline import Pipeline

from bandsvm._tables.table import NUMBERED, Table
from bandsvm._workflow.findings import Findings
from bandsvm._workflow.report import prediction_parts, sample_parts, write_report
from bandsvm._workflow.search_report import write_search_report
from bandsvm._workflow.trial_search import Found
from bandsvm.plotting._page import heading, paragraph


def report(
    model: Pipeline, parts: Mapping[str, Findings], found: Found | None, sentences: list[str]
) -> bytes:
    """Return a page about a model: for a search cross-validated scores first, training ones last.

    Parameters
    ----------
    model : Pipeline
        The fitted model.
    parts : mapping of str to Findings
        What it says of the parts of its table, the most honest part first.
    found : Found or None
        The search that chose its parameters.
    sentences : list of str
        What is worth knowing.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        if found is None:
            first = next(iter(parts.values()))
            write_report(path, model, _table(first), first.judged, f"From {first.role}")
        else:
            _write_search(path, model, parts, found, sentences)
        return path.read_bytes()


def _write_search(
    path: Path,
    model: Pipeline,
    parts: Mapping[str, Findings],
    found: Found,
    sentences: list[str],
) -> None:
    trained = parts["train"]
    write_search_report(
        path,
        found.chooser,
        model,
        _table(trained),
        trained.judged,
        parts["folds"].judged if "folds" in parts else str(found.folds),
        sentences,
        _parts_of_held_out(parts.get("held out")),
    )


def _parts_of_held_out(part: Findings | None) -> list[str]:
    """Return what the report says of samples that the search has not seen."""
    if part is None:
        return []
    return [
        heading("Samples that the search has not seen"),
        paragraph(f"From {part.role}"),
        *prediction_parts(part.judged, with_map=False),
        *sample_parts(part.judged, _table(part).sample_names()),
    ]


def _table(part: Findings) -> Table:
    """Return the table, with the ids of a part of its samples, or their numbers in the file."""
    ids = {name: column[part.places] for name, column in part.table.ids.items()}
    return replace(part.table, ids=ids or {NUMBERED: part.table.numbers()[part.places]})
