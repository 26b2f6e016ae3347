"""Data files as tables of samples, labels and names; errors name the file and the line."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._system.files import MAX_FEATURES
from bandsvm._system.text import shown, some
from bandsvm._tables import blocks as blocks_module
from bandsvm._tables import npz as npz_module
from bandsvm._tables import svmlight as svmlight_module
from bandsvm._tables.bytes import DataFile, DataFileError, kind_by_name, read_file
from bandsvm._tables.columns import CodedColumn
from bandsvm._tables.expected import Expected, Notes
from bandsvm._tables.frames import read_columns
from bandsvm._tables.labels import class_places, tidy_labels
from bandsvm._tables.large import LargeFile, NeedsMemoryError, check_disk, open_large
from bandsvm._tables.options import WITHOUT_COLUMNS, ReadOptions
from bandsvm._tables.scratch import row_blocks
from bandsvm._tables.sniff import kind_by_content, require_data
from bandsvm._tables.unlabelled import (
    LabelColumn,
    kept_rows,
    labelled_samples,
    require_labels_to_skip,
)
from bandsvm.persistence._classifier import LONGEST_LABEL, longest_label

# What samples are called that have no ids.
NUMBERED = "sample"
# What the description of a table shows.
MAX_CLASSES = 5
# Squares of larger values, summed over the samples, overflow.
LARGEST = 1e150
# Fewer samples than this may well have a class each.
MIN_DIFFERENT = 20


@dataclass(frozen=True)
class Table:
    """Samples and, where the file has them, labels.

    Parameters
    ----------
    source : str
        The file's name.
    X : ndarray, CSR matrix or DataFrame
        The samples: a data frame where some features are text. Missing numbers are nan.
    y : ndarray or None
        The labels.
    names : list of str or None
        Names of the features.
    texts : tuple of str
        Features that are text.
    ids : dict of {str: ndarray}
        Columns that predictions repeat.
    decisions : tuple of str
        What was decided about the file, in sentences.
    warnings : tuple of str
        What may be a mistake, in sentences.
    notes : Notes
        What the model's file is to remember.
    left_out : dict of {str: str}
        Columns that cannot help a model, each with the reason.
    groups : ndarray or None
        Groups of samples that a search keeps together.
    is_on_disk : bool
        Whether X is in temporary files.
    kept : ndarray of int or None
        The samples of the file that are here, if some were skipped.
    n_skipped : int
        How many were skipped.
    """

    source: str
    X: Any
    y: Any
    names: list[str] | None = None
    texts: tuple[str, ...] = ()
    ids: dict[str, NDArray] = field(default_factory=dict)
    decisions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    notes: Notes = field(default_factory=Notes)
    left_out: dict[str, str] = field(default_factory=dict)
    groups: NDArray | None = None
    is_on_disk: bool = False
    kept: NDArray[np.intp] | None = None
    n_skipped: int = 0

    def numbers(self) -> NDArray[np.intp]:
        """Return the number of every sample in the file, from 1."""
        return (np.arange(self.X.shape[0]) if self.kept is None else self.kept) + 1

    def sample_names(self) -> tuple[str, NDArray]:
        """Return what the names of samples are, and these: the first ids, or else numbers."""
        return next(iter(self.ids.items())) if self.ids else (NUMBERED, self.numbers())

    def skipped(self, options: ReadOptions) -> dict[str, int]:
        """Return for machines how many samples were skipped, if that was asked for."""
        return {"n_skipped": self.n_skipped} if options.skip_unlabelled else {}

    def describe(self) -> str:
        """Return what was read, in a line."""
        n_samples, n_features = self.X.shape
        kind = "sparse " if sp.issparse(self.X) else ""
        text = f"Read {n_samples} samples with {n_features} {kind}features from {self.source}"
        if self.y is None:
            return " ".join([f"{text}, without labels.", *self.decisions])
        labels, counts = np.unique(self.y, return_counts=True)
        few = zip(labels[:MAX_CLASSES].tolist(), counts, strict=False)
        parts = [f"{shown(label)}: {n}" for label, n in few]
        more = ["..."] if len(labels) > MAX_CLASSES else []
        text = f"{text}; {len(labels)} classes ({', '.join(parts + more)})."
        return " ".join([text, *self.decisions])


def read_table(
    path: str,
    options: ReadOptions | None = None,
    expected: Expected | None = None,
    may_use_disk: bool = False,
) -> Table:
    """Read a data file for training or, for a model, for prediction.

    Parameters
    ----------
    path : str
        A file, or "-" for standard input.
    options : ReadOptions
        How to read it; by default as its name and content suggest.
    expected : Expected, default=None
        What the model that is to predict expects. Without it the file must have labels.
    may_use_disk : bool, default=False
        Whether a file that is too large for memory may be read in blocks, into matrices on disk.

    Returns
    -------
    Table
        Samples without infinite values; labels as integers where they all are.
    """
    options = options or ReadOptions()
    if options.format is None:
        require_data(path)
    is_asked = options.on_disk
    large = None
    if may_use_disk:
        large = open_large(path, options.format or kind_by_name(path), is_asked)
    if large is not None:
        try:
            return table_of(large, options, expected)
        except NeedsMemoryError:
            if is_asked:
                raise
    return table_of(read_file(path), options, expected)


def table_of(file: DataFile, options: ReadOptions, expected: Expected | None = None) -> Table:
    """Return the table that an opened file holds, as `read_table` does."""
    kind = kind_of_file(file, options)
    table = _read(file, kind, options, expected)
    _check_size(table, expected)
    _check_values(table, expected, is_svmlight=kind == "svmlight")
    if expected is None:
        return replace(table, warnings=(*table.warnings, *_check_classes(table)))
    return _with_known_labels(table, expected, is_optional=kind in WITHOUT_COLUMNS)


def _read(file: DataFile, kind: str, options: ReadOptions, expected: Expected | None) -> Table:
    """Return the table of a file."""
    if options.groups is not None and kind in WITHOUT_COLUMNS:
        raise DataFileError(
            f"--groups names a column, but {file.source} is of the format {kind}, which has none; "
            "use CSV or Parquet."
        )
    where = (check_disk(file, kind),) if isinstance(file, LargeFile) else ()
    if kind in WITHOUT_COLUMNS:
        if kind == "svmlight":
            table = _read_svmlight(file, options, expected)
        else:
            table = Table(file.source, *npz_module.read(file))
        is_skipping = options.skip_unlabelled
        table = _with_labels(table, is_skipping, expected, is_on_disk=bool(where))
    else:
        table = Table(file.source, **read_columns(file, kind, options, expected))
    return replace(table, decisions=(*table.decisions, *where), is_on_disk=bool(where))


def kind_of_file(file: DataFile, options: ReadOptions) -> str:
    """Return the format of a file: the one that was asked for, else by its name or its content."""
    return options.format or kind_by_name(file.source) or kind_by_content(file)


def _read_svmlight(file: DataFile, options: ReadOptions, expected: Expected | None) -> Table:
    """Read an svmlight file; a feature 0 tells that features count from 0."""
    n_features = expected.n_features if expected else None
    known = options.zero_based or (expected is not None and expected.notes.is_zero_based)
    if isinstance(file, LargeFile):
        from_zero = known or (expected is None and blocks_module.counts_from_zero(file))
        X, y = blocks_module.read_svmlight(file, n_features, from_zero)
    else:
        from_zero = known or (expected is None and svmlight_module.has_zero(file.content))
        X, y = svmlight_module.read(file, n_features, from_zero)
    is_news = from_zero and not options.zero_based
    decisions = ("Features count from 0.",) if is_news else ()
    notes = Notes(is_zero_based=from_zero)
    return Table(file.source, X, y, decisions=decisions, notes=notes)


def _with_labels(
    table: Table, is_skipping: bool, model: Expected | None, is_on_disk: bool
) -> Table:
    """Return a table without samples that lack labels, or without labels; see `Labelled`."""
    if table.y is None:
        require_labels_to_skip(table.source, is_skipping)
        return table
    levels, codes = np.unique(table.y, return_inverse=True)
    labels = LabelColumn(
        table.source,
        "",
        CodedColumn(codes.astype(np.int32), levels),
        lambda sample: f"sample {sample + 1}",
    )
    found = labelled_samples(labels, is_skipping, model)
    X, y = table.X, table.y
    if found.kept is not None:
        X, y = kept_rows(X, found.kept, is_on_disk), y[found.kept]
    return replace(
        table,
        X=X,
        y=tidy_labels(y) if found.are_usable else None,
        decisions=(*table.decisions, *found.decisions),
        warnings=(*table.warnings, *found.warnings),
        kept=found.kept,
        n_skipped=found.n_skipped,
    )


def _check_size(table: Table, model: Expected | None) -> None:
    """Raise unless a table has samples, features and, for training, labels."""
    n_samples, n_features = table.X.shape
    if n_samples == 0:
        raise DataFileError(f"{table.source} holds no samples.")
    if not 1 <= n_features <= MAX_FEATURES:
        # Why there are none is told by what was left out.
        why = " ".join(["", *table.decisions]) if n_features == 0 else ""
        raise DataFileError(
            f"{table.source} has {n_features} features; it must have from 1 to {MAX_FEATURES}.{why}"
        )
    if model is None and table.y is None:
        raise DataFileError(f"{table.source} holds no labels, which training needs.")
    if model is None:
        return
    if model.takes_frames and not hasattr(table.X, "columns"):
        raise DataFileError(
            f"{table.source} has no columns with names, which the model was trained on; it takes "
            "CSV or Parquet files."
        )
    if n_features != model.n_features:
        raise DataFileError(
            f"{table.source} has {n_features} features, the model was trained on "
            f"{model.n_features}."
        )


def _check_values(table: Table, model: Expected | None, is_svmlight: bool) -> None:
    """Raise if a value is infinite, or missing where nothing fills it in."""
    X = table.X
    if hasattr(X, "columns"):
        X = X.drop(columns=list(table.texts)).to_numpy(np.float64)
    # What svmlight files leave out is 0, so nothing in them is missing.
    takes_missing = (model is None or model.takes_missing) and not (is_svmlight or sp.issparse(X))
    for rows in row_blocks(X):
        block = X[rows]
        values = block.data if sp.issparse(block) else block
        is_missing = np.isnan(values)
        is_bad = np.abs(values) > min(LARGEST, float(np.finfo(values.dtype).max))
        if not takes_missing:
            is_bad |= is_missing
        if is_bad.any():
            raise _bad_value(table, model, rows.start, block, is_bad, is_missing)


def _bad_value(
    table: Table,
    model: Expected | None,
    start: int,
    block: Any,
    is_bad: NDArray,
    is_missing: NDArray,
) -> DataFileError:
    """Return the error of the first value of a block of rows that is bad."""
    first = int(np.flatnonzero(is_bad.reshape(-1))[0])
    n_rows, n_columns = block.shape
    starts = block.indptr if sp.issparse(block) else np.arange(n_rows + 1) * n_columns
    row = start + int(np.searchsorted(starts, first, side="right")) - 1
    number = int(table.numbers()[row])
    lacks = bool(is_missing.reshape(-1)[first])
    what = "a missing value" if lacks else "a value that is not finite, or too large to scale,"
    cause = "; the model was trained without any" if lacks and model is not None else ""
    return DataFileError(
        f"{table.source} has {what} in sample {number}{cause}; replace it or leave the sample out."
    )


def _check_classes(table: Table) -> list[str]:
    """Raise if labels are no classes; return a warning if some have a single sample."""
    labels, counts = np.unique(table.y, return_counts=True)
    alone = labels[counts == 1].tolist()
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise DataFileError(
            f"{table.source} has a label that is not finite; name the column of labels with "
            "--target, or leave such samples out."
        )
    if labels.dtype.kind == "f" and (labels != np.rint(labels)).any():
        some_label = labels[labels != np.rint(labels)][0]
        raise DataFileError(
            f"{table.source} has labels such as {some_label:g}, which are measurements, not "
            "classes; name the column of labels with --target."
        )
    if (longest := longest_label(labels)) > LONGEST_LABEL:
        raise DataFileError(
            f"{table.source} has a label of {longest} characters, and a model file takes at most "
            f"{LONGEST_LABEL}; name the column of labels with --target, or shorten the labels."
        )
    if len(labels) == 1:
        raise DataFileError(
            f"{table.source} has the single class {some(labels.tolist())}; training needs at least "
            "two classes. Name the column of labels with --target."
        )
    if len(alone) == len(table.y) > MIN_DIFFERENT:
        raise DataFileError(
            f"{table.source}: every sample has a label of its own; a class needs several samples, "
            "so name the column of labels with --target."
        )
    if not alone:
        return []
    many = f"{len(alone)} classes have" if len(alone) > 1 else "a class has"
    return [
        f"{many} a single sample: {some(alone)}. If these are no classes, see --header and "
        "--target."
    ]


def _with_known_labels(table: Table, model: Expected, is_optional: bool) -> Table:
    """Return a table to predict; labels that the model does not know are refused or counted.

    Labels that a format asks for may stand for nothing: then they are ignored.
    """
    if table.y is None:
        return table
    labels = np.unique(table.y)
    unknown = labels[class_places(labels, np.array(model.classes)) < 0].tolist()
    if len(unknown) == len(labels) and is_optional:
        decision = f"Its labels {some(unknown)} are ignored: none is a class of the model."
        return replace(table, y=None, decisions=(*table.decisions, decision))
    if len(unknown) == len(labels):
        raise DataFileError(
            f"{table.source} has the labels {some(unknown)}, none of which the model knows: its "
            f"classes are {some(model.classes)}; name the column of labels with --target."
        )
    if not unknown:
        return table
    n_unknown = int(np.isin(table.y, unknown).sum())
    warning = f"{n_unknown} labels are unknown to the model and count as errors: {some(unknown)}."
    return replace(table, warnings=(*table.warnings, warning))
