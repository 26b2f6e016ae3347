"""The table of samples: filtered, sorted, a page at a time, or all of it as CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._system.text import short_text
from bandsvm._workflow.holdout import TablePart
from bandsvm._workflow.page_tasks import page_task

# What spreadsheets take for the beginning of a formula.
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
# Features that the table shows, and rows that a page of it may ask for.
MAX_FEATURES_LISTED, MAX_ROWS = 12, 200


@dataclass(frozen=True)
class Query:
    """Which rows of the table, and in which order."""

    place: str = ""  # one of the task's words for places, or "" for all
    text: str = ""  # what a cell of text must contain, in any case of letters; "" for all rows
    is_wrong: bool = False  # whether only wrong predictions are wanted
    # The column to sort by; None: those to look at first, as the task says.
    sort: int | None = None
    is_descending: bool = False  # whether the largest come first


def columns(part: TablePart) -> dict[str, NDArray]:
    """Return the columns that the page shows, by name; computed once."""
    if "columns" not in part.cache:
        part.cache["columns"] = _columns(part, MAX_FEATURES_LISTED)
    return part.cache["columns"]


def page(part: TablePart, query: Query, start: int = 0, count: int = 50) -> dict[str, Any]:
    """Return rows of the table, from ``start``, as text and numbers."""
    if not 1 <= count <= MAX_ROWS:
        raise ValueError(f"count must be from 1 to {MAX_ROWS}, got {count}.")
    found, parts, task = select(part, query), columns(part), page_task(part)
    chosen = found[max(start, 0) :][:count]
    cells = [column[chosen].tolist() for column in parts.values()]
    rows = [
        [short_text(value) if isinstance(value, str) else value for value in row]
        for row in zip(*cells, strict=True)
    ]
    return {
        "role": part.role,
        "columns": [
            {
                "name": short_text(name),
                "is_number": _is_number(column),
                "is_signed": name in task.signed,
            }
            for name, column in parts.items()
        ],
        "rows": rows,
        "start": max(start, 0),
        "n_found": len(found),
        "n_samples": len(part.places),
        **task.about_samples(part),
        "is_sparse": sp.issparse(part.table.X),
        "n_features_left_out": max(part.table.X.shape[1] - MAX_FEATURES_LISTED, 0),
    }


def select(part: TablePart, query: Query) -> NDArray[np.intp]:
    """Return which rows a query finds, in its order; equal ones stay in the order of the file."""
    parts, task = columns(part), page_task(part)
    is_found = np.ones(len(part.places), dtype=bool)
    if query.place:
        if query.place not in task.places:
            words = ", ".join(task.places)
            raise ValueError(f"place must be one of {words}, got {query.place!r:.60}.")
        if "place" in parts:
            is_found &= parts["place"] == query.place
    if query.is_wrong and (is_wrong := task.is_wrong(part)) is not None:
        is_found &= is_wrong
    if query.text:
        wanted = query.text.casefold()
        texts = [column for column in parts.values() if not _is_number(column)]
        holds = [_contains(column, wanted) for column in texts]
        is_found &= np.any(holds, axis=0)
    found = np.flatnonzero(is_found)
    keys: NDArray
    if query.sort is None:
        keys, is_descending = task.order(part, query.place), False
    elif 0 <= query.sort < len(parts):
        keys, is_descending = list(parts.values())[query.sort], query.is_descending
    else:
        raise ValueError(f"sort must be a column from 0 to {len(parts) - 1}, got {query.sort}.")
    keys = _ranks(keys[found])
    return found[np.argsort(-keys if is_descending else keys, kind="stable")]


def as_csv(part: TablePart, query: Query) -> str:
    """Return all rows that a query finds as CSV that no spreadsheet takes for formulas.

    It has all features, but for those of sparse samples.
    """
    found, parts = select(part, query), _columns(part, part.table.X.shape[1])
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow([harmless(name) for name in parts])
    cells = [column[found].tolist() for column in parts.values()]
    writer.writerows([harmless(value) for value in row] for row in zip(*cells, strict=True))
    return text.getvalue()


def harmless(value: Any) -> Any:
    """Return a cell that a spreadsheet shows instead of computing it: text gets a quote mark."""
    if isinstance(value, str) and value.lstrip(" \n").startswith(FORMULAS):
        return f"'{value}"
    return value


def _columns(part: TablePart, n_features: int) -> dict[str, NDArray]:
    places = part.places
    parts: dict[str, NDArray] = {"sample": places + 1, **page_task(part).columns(part)}
    for name, column in part.table.ids.items():
        parts[_unused_name(name, parts)] = column[places]
    for k, name in enumerate(part.feature_names[:n_features]):
        parts[_unused_name(name, parts)] = part.feature(k)
    return parts


def _unused_name(name: str, parts: dict[str, NDArray]) -> str:
    """Return a name that no column has yet."""
    while name in parts:
        name += " (file)"
    return name


def _is_number(column: NDArray) -> bool:
    return column.dtype.kind in "biuf"


def _contains(column: NDArray, wanted: str) -> NDArray[np.bool_]:
    """Return which cells contain a text; equal cells are looked at once."""
    texts, codes = np.unique(column.astype(str), return_inverse=True)
    return np.array([wanted in text.casefold() for text in texts.tolist()], dtype=bool)[codes]


def _ranks(keys: NDArray) -> NDArray[np.intp]:
    """Return the rank of each key, equal for equal ones; nan is the largest."""
    if not _is_number(keys):
        keys = keys.astype(str)
    return np.unique(keys, return_inverse=True)[1]
