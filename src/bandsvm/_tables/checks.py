"""Whether a table can train a model, or be predicted by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._system.files import MAX_FEATURES
from bandsvm._system.text import short_list
from bandsvm._tables.labels import class_places
from bandsvm._tables.remarks import DataFileError, Remark
from bandsvm._tables.scratch import row_blocks
from bandsvm._tables.table import WORDS, Expected, Table
from bandsvm.persistence._classifier import MAX_LABEL_LENGTH, longest_label

# Squares of larger values, summed over the samples, overflow.
MAX_VALUE = 1e150
# Fewer samples than this may well have a class each.
MIN_DIFFERENT = 20
# More different numbers than this, with fewer samples each on average, may be measurements.
MANY_NUMBERS, FEW_SAMPLES = 30, 20


def check_size(table: Table, expected: Expected | None) -> None:
    """Raise unless a table has samples, features and, for training, labels."""
    n_samples, n_features = table.X.shape
    if n_samples == 0:
        raise DataFileError(f"{table.source} holds no samples.")
    if not 1 <= n_features <= MAX_FEATURES:
        # Why there are none is told by what was left out.
        why = " ".join(["", *map(Remark.render, table.decisions)]) if n_features == 0 else ""
        raise DataFileError(
            f"{table.source} has {n_features} features; it must have from 1 to {MAX_FEATURES}.{why}"
        )
    if expected is None and table.y is None:
        raise DataFileError(f"{table.source} holds no {WORDS[table.task]}s, which training needs.")
    if expected is None:
        return
    if expected.takes_frames and not hasattr(table.X, "columns"):
        raise DataFileError(
            f"{table.source} has no columns with names, which the model was trained on; it takes "
            "CSV or Parquet files."
        )
    if n_features != expected.n_features:
        raise DataFileError(
            f"{table.source} has {n_features} features, the model was trained on "
            f"{expected.n_features}."
        )


def check_values(table: Table, expected: Expected | None, is_svmlight: bool) -> None:
    """Raise if a value is infinite, or missing where nothing fills it in."""
    X = table.X
    if hasattr(X, "columns"):
        X = X.drop(columns=list(table.texts)).to_numpy(np.float64)
    # What svmlight files leave out is 0, so nothing in them is missing.
    may_be_missing = not (is_svmlight or sp.issparse(X))
    takes_missing = may_be_missing and (expected is None or expected.takes_missing)
    for rows in row_blocks(X):
        block = X[rows]
        values = block.data if sp.issparse(block) else block
        is_missing = np.isnan(values)
        is_bad = np.abs(values) > min(MAX_VALUE, float(np.finfo(values.dtype).max))
        if not takes_missing:
            is_bad |= is_missing
        if not is_bad.any():
            continue
        first = int(is_bad.argmax())
        n_rows, n_columns = block.shape
        starts = block.indptr if sp.issparse(block) else np.arange(n_rows + 1) * n_columns
        row = rows.start + int(np.searchsorted(starts, first, side="right")) - 1
        what, cause = "a value that is not finite, or too large to scale,", ""
        if is_missing.flat[first]:
            what = "a missing value"
            cause = "" if expected is None else "; the model was trained without any"
        raise DataFileError(
            f"{table.source} has {what} in sample {table.numbers()[row]}{cause}; replace it or "
            "leave the sample out."
        )


def check_classes(table: Table, is_sure: bool) -> list[Remark]:
    """Raise if labels are no classes; return a warning if some have a single sample.

    Numbers that may be measurements are classes only if somebody ``is_sure`` of that.
    """
    labels, counts = np.unique(table.y, return_counts=True)
    alone = labels[counts == 1].tolist()
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise DataFileError(
            f"{table.source} has a label that is not finite",
            "name the column of labels with {target}, or leave such samples out",
        )
    if not is_sure:
        _refuse_measurements(table, labels)
    if (longest := longest_label(labels)) > MAX_LABEL_LENGTH:
        raise DataFileError(
            f"{table.source} has a label of {longest} characters, and a model file takes at most "
            f"{MAX_LABEL_LENGTH}",
            "name the column of labels with {target}, or shorten the labels",
        )
    if len(labels) == 1:
        raise DataFileError(
            f"{table.source} has the single class {short_list(labels.tolist())}",
            "training needs at least two classes. Name the column of labels with {target}",
        )
    if len(alone) == len(table.y) > MIN_DIFFERENT:
        raise DataFileError(
            f"{table.source}: every sample has a label of its own",
            "a class needs several samples, so name the column of labels with {target}"
            + (", or predict numbers with {regress}" if labels.dtype.kind in "iuf" else ""),
        )
    if not alone:
        return []
    many = f"{len(alone)} classes have" if len(alone) > 1 else "a class has"
    return [
        Remark(
            f"{many} a single sample: {short_list(alone)}",
            "if these are not classes, see {header} and {target}",
        )
    ]


def _refuse_measurements(table: Table, labels: NDArray) -> None:
    """Raise if labels are numbers that may be meant to be predicted as such."""
    if labels.dtype.kind not in "iuf":
        return
    ways = (
        "predict numbers with {regress}, take each number as a class with {classify}, or name the "
        "column of labels with {target}"
    )
    if labels.dtype.kind == "f" and (labels != np.rint(labels)).any():
        some_label = labels[labels != np.rint(labels)][0]
        raise DataFileError(
            f"{table.source} has labels such as {some_label:g}, which are measurements, not "
            "classes",
            ways,
        )
    # Codes of classes count up from 0 or 1.
    are_codes = labels[0] in (0, 1) and labels[-1] - labels[0] == len(labels) - 1
    is_spread = len(labels) > MANY_NUMBERS and len(table.y) < FEW_SAMPLES * len(labels)
    if is_spread and not are_codes:
        raise DataFileError(
            f"{table.source} has {len(labels)} different numbers as labels, from {labels[0]:g} to "
            f"{labels[-1]:g}, which may be measurements or classes",
            ways,
        )


def check_numbers(table: Table) -> list[Remark]:
    """Raise if targets are not finite; return a warning if all of them are the same."""
    is_bad = ~(np.abs(table.y) <= MAX_VALUE)
    if is_bad.any():
        sample = table.numbers()[int(is_bad.argmax())]
        raise DataFileError(
            f"{table.source} has a target that is not finite, or too large, in sample {sample}",
            "replace it, leave the sample out, or name the column of targets with {target}",
        )
    if (table.y == table.y[0]).all():
        return [
            Remark(
                f"all targets are {table.y[0]:g}",
                "if these are no targets, see {header} and {target}",
            )
        ]
    return []


def with_known_labels(table: Table, expected: Expected, is_optional: bool) -> Table:
    """Return a table to predict; labels that the model does not know are refused or counted.

    Labels that a format asks for may stand for nothing: then they are ignored.
    """
    if table.y is None:
        return table
    labels = np.unique(table.y)
    unknown = labels[class_places(labels, np.array(expected.classes)) < 0].tolist()
    if len(unknown) == len(labels) and is_optional:
        decision = Remark(
            f"Its labels {short_list(unknown)} are ignored: none is a class of the model."
        )
        return replace(table, y=None, decisions=(*table.decisions, decision))
    if len(unknown) == len(labels):
        raise DataFileError(
            f"{table.source} has the labels {short_list(unknown)}, none of which the model knows: "
            f"its classes are {short_list(expected.classes)}",
            "name the column of labels with {target}",
        )
    if not unknown:
        return table
    n_unknown = int(np.isin(table.y, unknown).sum())
    warning = (
        f"{n_unknown} labels are unknown to the model and count as errors: {short_list(unknown)}."
    )
    return replace(table, warnings=(*table.warnings, Remark(warning)))
