"""Samples without a label: refused for training, ignored for prediction, skipped if wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm._system.text import some
from bandsvm._tables.bytes import DataFileError
from bandsvm._tables.columns import CodedColumn
from bandsvm._tables.expected import Expected
from bandsvm._tables.scratch import DiskMatrix, row_blocks

OPTION = "--skip-unlabelled"
# Texts that usually stand for a missing label, in lower case; "none" and "-" are often classes.
USUALLY_MISSING = frozenset(("?", "na", "n/a", "#n/a", "<na>", "nan", "null"))


class LabelColumn(NamedTuple):
    """The labels of a file.

    Parameters
    ----------
    source : str
        The file's name.
    name : str
        The column, such as "column 'y'"; "" in formats whose labels have a fixed place.
    values : CodedColumn
        What it holds.
    place : callable
        Returns where a sample is in the file, such as "line 7".
    """

    source: str
    name: str
    values: CodedColumn
    place: Callable[[int], str]


class Labelled(NamedTuple):
    """Which samples have labels, and what was decided about the others.

    Parameters
    ----------
    kept : ndarray of int or None
        The samples that stay; None: all of them.
    are_usable : bool
        Whether the labels that stay can be compared with predictions.
    n_skipped : int
        How many do not stay.
    decisions, warnings : tuple of str
        What was decided, and what may be a mistake, in sentences.
    """

    kept: NDArray[np.intp] | None = None
    n_skipped: int = 0
    are_usable: bool = True
    decisions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def labelled_samples(labels: LabelColumn, is_skipping: bool, model: Expected | None) -> Labelled:
    """Return which samples stay; raise if training lacks labels and nobody asked to skip them.

    Parameters
    ----------
    labels : LabelColumn
        The labels.
    is_skipping : bool
        Whether samples without a label are to be skipped.
    model : Expected or None
        The model that is to predict, whose classes are labels whatever they look like; None for
        training.
    """
    if labels.values.levels is None:
        return Labelled()
    levels = labels.values.levels.tolist()
    is_missing = np.array([is_missing_label(level) for level in levels], bool)
    known = () if model is None else model.classes
    seems_missing = np.array([_seems_missing(level, known) for level in levels], bool)
    usual = [level for level, seems in zip(levels, seems_missing, strict=True) if seems]
    if is_skipping:
        return _skipped(labels, (is_missing | seems_missing)[labels.values.codes], usual)
    warnings: tuple[str, ...] = ()
    if usual and model is None:
        n_usual = int(seems_missing[labels.values.codes].sum())
        warnings = (
            f"{n_usual} samples have the labels {some(usual)}, which are taken as classes; if they "
            f"stand for missing labels, skip these samples with {OPTION}.",
        )
    rows = np.flatnonzero(is_missing[labels.values.codes])
    if not len(rows):
        return Labelled(warnings=warnings)
    n_samples = len(labels.values.codes)
    where = f"{len(rows)} of {n_samples} samples"
    if model is not None:
        of_column = f" ({labels.name})" if labels.name else ""
        decision = (
            f"Labels are missing in {where}{of_column}, so labels are ignored; {OPTION} skips "
            "these samples and compares the others."
        )
        return Labelled(are_usable=False, decisions=(decision,))
    first, cure = f"first in {labels.place(int(rows[0]))}", f"or skip such samples with {OPTION}"
    if labels.name:
        first = f"{labels.name}, {first}"
        cure = f"skip such samples with {OPTION}, or name the column of labels with --target"
    raise DataFileError(
        f"{labels.source}: the label is missing in {where} ({first}); fill it in, {cure}."
    )


def require_labels_to_skip(source: str, is_skipping: bool) -> None:
    """Raise if samples are to be skipped by labels that a file does not have."""
    if is_skipping:
        raise DataFileError(
            f"{source} has no column of labels, which {OPTION} needs; name it with --target, or "
            f"leave {OPTION} out."
        )


def _skipped(labels: LabelColumn, is_unlabelled: NDArray[np.bool_], usual: list[str]) -> Labelled:
    """Return the samples that have labels; raise if there are none."""
    if not is_unlabelled.any():
        return Labelled()
    kept = np.flatnonzero(~is_unlabelled)
    if not len(kept):
        where = f" in the {labels.name}" if labels.name else ""
        raise DataFileError(
            f"no sample of {labels.source} has a label{where}; name the column of labels with "
            "--target."
        )
    texts = f" ({some(usual)})" if usual else ""
    n_skipped = len(is_unlabelled) - len(kept)
    samples = "1 sample" if n_skipped == 1 else f"{n_skipped} samples"
    return Labelled(kept, n_skipped, decisions=(f"Skipped {samples} without a label{texts}.",))


def is_missing_label(level: Any) -> bool:
    """Return whether a value can be no label: blank, or not a number."""
    return not level.strip() if isinstance(level, str) else bool(level != level)


def _seems_missing(level: Any, known: Any) -> bool:
    return (
        isinstance(level, str) and level.strip().lower() in USUALLY_MISSING and level not in known
    )


def kept_rows(X: Any, kept: NDArray[np.intp], is_on_disk: bool) -> Any:
    """Return some rows of a matrix, on disk if it is there."""
    if not is_on_disk:
        return X[kept]
    result = DiskMatrix()
    for rows in row_blocks(X):
        first, last = np.searchsorted(kept, (rows.start, rows.stop))
        result.append(X[rows][kept[first:last] - rows.start])
    return result.finished()
