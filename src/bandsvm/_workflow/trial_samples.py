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
from bandsvm._workflow.findings import MAX_CLASSES, WORDS, Findings
from bandsvm._workflow.trial import rows_of
from bandsvm.cli.predict import FORMULAS

# Features that the table shows, and rows that a page of it may ask for.
MAX_FEATURES_LISTED, MAX_ROWS = 12, 200
DECISION_VALUE = "decision value"


@dataclass(frozen=True)
class Query:
    """Which rows of the table, and in which order.

    Parameters
    ----------
    place : str
        "doubtful", "typical", "extreme" or "" for all.
    text : str
        What a cell of text must contain, in any case of letters; "" for all rows.
    is_wrong : bool
        Whether only wrong predictions are wanted.
    sort : int or None
        The column to sort by; None: the most doubtful first, or of extreme samples the most
        extreme.
    is_descending : bool
        Whether the largest come first.
    """

    place: str = ""
    text: str = ""
    is_wrong: bool = False
    sort: int | None = None
    is_descending: bool = False


def columns(findings: Findings) -> dict[str, NDArray]:
    """Return the columns that the page shows, by name; computed once."""
    if "columns" not in findings.kept:
        findings.kept["columns"] = _columns(findings, MAX_FEATURES_LISTED)
    return findings.kept["columns"]


def page(findings: Findings, query: Query, start: int = 0, count: int = 50) -> dict[str, Any]:
    """Return rows of the table, from ``start``, as text and numbers."""
    if not 1 <= count <= MAX_ROWS:
        raise ValueError(f"count must be from 1 to {MAX_ROWS}, got {count}.")
    found, parts = select(findings, query), columns(findings)
    chosen = found[max(start, 0) :][:count]
    cells = [column[chosen].tolist() for column in parts.values()]
    rows = [[_cell(value) for value in row] for row in zip(*cells, strict=True)]
    return {
        "role": findings.role,
        "columns": [
            {
                "name": short_text(name),
                "is_number": _is_number(column),
                "is_signed": name == DECISION_VALUE,
            }
            for name, column in parts.items()
        ],
        "rows": rows,
        "start": max(start, 0),
        "n_found": len(found),
        "n_samples": len(findings.places),
        "classes": findings.classes[:MAX_CLASSES],
        "is_sparse": sp.issparse(findings.table.X),
        "n_features_left_out": max(_n_features(findings) - MAX_FEATURES_LISTED, 0),
    }


def select(findings: Findings, query: Query) -> NDArray[np.intp]:
    """Return which rows a query finds, in its order; equal ones stay in the order of the file."""
    parts, judged = columns(findings), findings.judged
    is_found = np.ones(len(findings.places), dtype=bool)
    if query.place:
        if query.place not in WORDS.values():
            words = ", ".join(WORDS.values())
            raise ValueError(f"place must be one of {words}, got {query.place!r:.60}.")
        is_found &= parts["place"] == query.place
    if query.is_wrong and judged.true is not None:
        is_found &= judged.true != judged.given
    if query.text:
        wanted = query.text.casefold()
        texts = [column for column in parts.values() if not _is_number(column)]
        holds = [_contains(column, wanted) for column in texts]
        is_found &= np.any(holds, axis=0)
    found = np.flatnonzero(is_found)
    keys: NDArray
    if query.sort is None:
        keys, is_descending = findings.score, query.place == "extreme"
    elif 0 <= query.sort < len(parts):
        keys, is_descending = list(parts.values())[query.sort], query.is_descending
    else:
        raise ValueError(f"sort must be a column from 0 to {len(parts) - 1}, got {query.sort}.")
    keys = _ranks(keys[found])
    return found[np.argsort(-keys if is_descending else keys, kind="stable")]


def as_csv(findings: Findings, query: Query) -> str:
    """Return all rows that a query finds as CSV that no spreadsheet takes for formulas.

    It has all features, but for those of sparse samples.
    """
    found, parts = select(findings, query), _columns(findings, _n_features(findings))
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


def _columns(findings: Findings, n_features: int) -> dict[str, NDArray]:
    judged, places = findings.judged, findings.places
    parts: dict[str, NDArray] = {"sample": places + 1}
    if judged.y is not None:
        parts["label"] = judged.y if judged.y.dtype.kind in "biuf" else judged.y.astype(object)
    parts["predicted"] = judged.predicted
    if judged.true is not None:
        parts["is right"] = np.where(judged.true == judged.given, "yes", "no")
    parts["place"] = np.array([WORDS[place] for place in judged.position.tolist()])
    parts[DECISION_VALUE] = judged.decision.astype(np.float64)
    if len(findings.classes) > 2:
        parts["lead"] = findings.score
    for name, column in findings.table.ids.items():
        parts[_new(name, parts)] = column[places]
    for name, column in _features(findings, n_features).items():
        parts[_new(name, parts)] = column
    return parts


def _features(findings: Findings, number: int) -> dict[str, NDArray]:
    """Return the first features as they are in the file; of sparse samples none."""
    X, table = findings.table.X, findings.table
    if sp.issparse(X):
        return {}
    rows = rows_of(X, findings.places)
    names = table.names or [f"column {k + 1}" for k in range(X.shape[1])]
    if hasattr(rows, "columns"):
        return {name: rows[name].to_numpy() for name in names[:number]}
    return {name: rows[:, k] for k, name in enumerate(names[:number])}


def _n_features(findings: Findings) -> int:
    return findings.table.X.shape[1]


def _new(name: str, parts: dict[str, NDArray]) -> str:
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


def _cell(value: Any) -> Any:
    """Return a cell for the page: a number, or text of bounded length."""
    return short_text(value) if isinstance(value, str) else value
