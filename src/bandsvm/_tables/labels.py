"""Labels: numbers or text, and which classes of a model they are."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from bandsvm._system.text import shown
from bandsvm._tables.bytes import ALWAYS_FINE, DataFile, DataFileError
from bandsvm._tables.columns import MAX_LEVELS, CodedColumn

# Labels of all samples take as much memory as the longest; this many times the file at most.
LABELS_PER_BYTE = 16
BYTES_PER_CHARACTER = 4
# Numbers as they are usually written: 007 and 1_000 are names.
NUMBER = re.compile(r"\s*[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?(e[+-]?[0-9]+)?\s*", re.IGNORECASE)


def tidy_labels(labels: NDArray) -> NDArray:
    """Return labels as whole numbers where they all are, else as numbers, else as text."""
    if labels.dtype.kind in "biu":
        return labels
    texts = [label for label in labels.tolist() if isinstance(label, str)]
    if not all(map(NUMBER.fullmatch, texts)):
        return labels.astype(str, copy=False)
    numbers = labels.astype(np.float64)
    whole = np.isfinite(numbers).all() and (np.abs(numbers) < 2**53).all()
    if whole and (numbers == np.rint(numbers)).all():
        return numbers.astype(np.int64)
    return numbers


def labels_of(file: DataFile, name: str, column: CodedColumn) -> NDArray:
    """Return the labels that a column holds; raise if they are too many, or too long for all."""
    where = f"{file.source}: the labels in column {shown(repr(name))}"
    if column.levels is None or len(column.levels) > MAX_LEVELS:
        raise DataFileError(
            f"{where} have more than {MAX_LEVELS} different values; a class needs several "
            "samples, so name the column of labels with --target."
        )
    levels = tidy_labels(column.levels)
    if levels.dtype.kind == "U":
        longest = levels.dtype.itemsize // BYTES_PER_CHARACTER
        most = max(ALWAYS_FINE, LABELS_PER_BYTE * max(len(file.content), file.n_stored))
        if BYTES_PER_CHARACTER * longest * max(len(column.codes), len(levels)) > most:
            raise DataFileError(
                f"{where} have up to {longest} characters and take too much memory; shorten them, "
                "or name the column of labels with --target."
            )
    return levels[column.codes]


def class_places(labels: NDArray, classes: NDArray) -> NDArray[np.intp]:
    """Return the places of labels among classes; -1 for labels that are none of these.

    They are compared as numbers where all of them are: a file holds 1 where a model has 1.0.
    """
    try:
        wanted, known = labels.astype(np.float64), classes.astype(np.float64)
    except ValueError:
        wanted, known = labels.astype(str), classes.astype(str)
    order = np.argsort(known, kind="stable")
    found = order[np.minimum(np.searchsorted(known[order], wanted), len(known) - 1)]
    return np.where(known[found] == wanted, found, -1)
