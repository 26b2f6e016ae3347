"""Labels: as numbers or text, as classes of a model, and samples that have none.

Targets of regressions are columns of numbers, of which some may be missing in the same way.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm._system.advice import ParameterError, literal
from bandsvm._system.text import short_list, short_text
from bandsvm._tables.columns import MAX_LEVELS, CodedColumn
from bandsvm._tables.data_file import ALWAYS_FINE, DataFile
from bandsvm._tables.remarks import DataFileError, Remark
from bandsvm._tables.table import Expected

# Labels of all samples take as much memory as the longest; this many times the file at most.
LABELS_PER_BYTE = 16
BYTES_PER_CHARACTER = 4
# Numbers as they are usually written: 007 and 1_000 are names.
NUMBER = re.compile(r"\s*[+-]?(0|[1-9][0-9]*)(\.[0-9]+)?(e[+-]?[0-9]+)?\s*", re.IGNORECASE)
# Texts that usually stand for a missing label, in lower case; "none" and "-" are often classes.
USUALLY_MISSING = frozenset(("?", "na", "n/a", "#n/a", "<na>", "nan", "null"))


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
    where = f"{file.source}: the labels in column {short_text(repr(name))}"
    if column.levels is None or len(column.levels) > MAX_LEVELS:
        raise DataFileError(
            f"{where} have more than {MAX_LEVELS} different values",
            "a class needs several samples, so name the column of labels with {target}, or predict "
            "numbers with {regress}",
        )
    levels = tidy_labels(column.levels)
    if levels.dtype.kind == "U":
        longest = levels.dtype.itemsize // BYTES_PER_CHARACTER
        most = max(ALWAYS_FINE, LABELS_PER_BYTE * max(len(file.content), file.n_stored))
        if BYTES_PER_CHARACTER * longest * max(len(column.codes), len(levels)) > most:
            raise DataFileError(
                f"{where} have up to {longest} characters and take too much memory",
                "shorten them, or name the column of labels with {target}",
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


class LabelColumn(NamedTuple):
    """The labels of a file."""

    source: str  # the file's name
    name: str  # the column, such as "column 'y'"; "" in formats whose labels have a fixed place
    values: CodedColumn  # what it holds
    place: Callable[[int], str]  # returns where a sample is in the file, such as "line 7"
    word: str = "label"  # what one of them is called


class Labelled(NamedTuple):
    """Which samples have labels, and what was decided about the others."""

    kept: NDArray[np.intp] | None = None  # the samples that stay; None: all of them
    n_skipped: int = 0  # how many do not stay
    are_usable: bool = True  # whether the labels that stay can be compared with predictions
    # What was decided, and what may be a mistake.
    decisions: tuple[Remark, ...] = ()
    warnings: tuple[Remark, ...] = ()


def labelled_samples(labels: LabelColumn, is_skipping: bool, model: Expected | None) -> Labelled:
    """Return which samples stay; raise if training lacks labels and nobody asked to skip them.

    The classes of the model that is to predict are labels, whatever they look like.
    """
    if labels.values.levels is None:
        return Labelled()
    levels = labels.values.levels.tolist()
    is_missing = np.array([is_missing_label(level) for level in levels], bool)
    known = () if model is None else model.classes
    usual = [level for level in levels if _usually_missing(level) and level not in known]
    seems_missing = np.array([level in usual for level in levels], bool)
    if is_skipping:
        return _skipped(labels, (is_missing | seems_missing)[labels.values.codes], usual)
    warnings: tuple[Remark, ...] = ()
    if usual and model is None:
        n_usual = int(seems_missing[labels.values.codes].sum())
        warnings = (
            Remark(
                f"{n_usual} samples have the labels {short_list(usual)}, which are taken "
                "as classes",
                "if they stand for missing labels, skip these samples with {skip_unlabelled}",
            ),
        )
    rows = np.flatnonzero(is_missing[labels.values.codes])
    if not len(rows):
        return Labelled(warnings=warnings)
    n_samples, word = len(labels.values.codes), labels.word
    where = f"{len(rows)} of {n_samples} samples"
    if model is not None:
        of_column = f" ({labels.name})" if labels.name else ""
        decision = Remark(
            f"{word.capitalize()}s are missing in {where}{of_column}, so {word}s are ignored",
            "{skip_unlabelled} skips these samples and compares the others",
        )
        return Labelled(are_usable=False, decisions=(decision,))
    first = f"first in {labels.place(int(rows[0]))}"
    cure = "or skip such samples with {skip_unlabelled}"
    if labels.name:
        first = f"{labels.name}, {first}"
        cure = (
            f"skip such samples with {{skip_unlabelled}}, or name the column of {word}s with "
            "{target}"
        )
    raise DataFileError(
        f"{labels.source}: the {word} is missing in {where} ({first})", f"fill it in, {cure}"
    )


def require_labels_to_skip(source: str, is_skipping: bool) -> None:
    """Raise if samples are to be skipped by labels that a file does not have."""
    if is_skipping:
        raise ParameterError(
            "skip_unlabelled",
            literal(f"needs a column of labels, which {source} does not have"),
            cure="name it with {target}, or leave {skip_unlabelled} out",
        )


def _skipped(labels: LabelColumn, is_unlabelled: NDArray[np.bool_], usual: list[str]) -> Labelled:
    """Return the samples that have labels; raise if there are none."""
    if not is_unlabelled.any():
        return Labelled()
    kept = np.flatnonzero(~is_unlabelled)
    if not len(kept):
        where = f" in the {labels.name}" if labels.name else ""
        raise DataFileError(
            f"no sample of {labels.source} has a {labels.word}{where}",
            f"name the column of {labels.word}s with {{target}}",
        )
    texts = f" ({short_list(usual)})" if usual else ""
    n_skipped = len(is_unlabelled) - len(kept)
    samples = "1 sample" if n_skipped == 1 else f"{n_skipped} samples"
    return Labelled(
        kept,
        n_skipped,
        decisions=(Remark(f"Skipped {samples} without a {labels.word}{texts}."),),
    )


def is_missing_label(level: Any) -> bool:
    """Return whether a value can be no label: blank, or not a number."""
    return not level.strip() if isinstance(level, str) else bool(level != level)


def _usually_missing(level: Any) -> bool:
    return isinstance(level, str) and level.strip().lower() in USUALLY_MISSING
