"""Data files as tables of samples, labels and names; errors name the file and the line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bandsvm._system.advice import ParameterError, literal
from bandsvm._tables import npz, svmlight
from bandsvm._tables.checks import check_size, check_values
from bandsvm._tables.columns import CodedColumn
from bandsvm._tables.data_file import DataFile, read_file
from bandsvm._tables.formats import format_by_name, format_of, require_data
from bandsvm._tables.frames import read_columns
from bandsvm._tables.labels import (
    LabelColumn,
    labelled_samples,
    require_labels_to_skip,
)
from bandsvm._tables.large import LargeFile, NeedsMemoryError, check_disk, open_large
from bandsvm._tables.options import WITHOUT_COLUMNS, ReadOptions
from bandsvm._tables.remarks import Remark
from bandsvm._tables.scratch import kept_rows
from bandsvm._tables.table import WORDS, Expected, Notes, Table
from bandsvm._tables.targets import Targets, targets_for


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
        large = open_large(path, options.format or format_by_name(path), is_asked)
    if large is not None:
        try:
            return table_of(large, options, expected)
        except NeedsMemoryError:
            if is_asked:
                raise
    return table_of(read_file(path), options, expected)


def table_of(file: DataFile, options: ReadOptions, expected: Expected | None = None) -> Table:
    """Return the table that an opened file holds, as `read_table` does."""
    kind = format_of(file, options.format)
    targets = targets_for(options, expected)
    table = _read(file, kind, options, expected, targets)
    check_size(table, expected)
    check_values(table, expected, is_svmlight=kind == "svmlight")
    if expected is None:
        return targets.checked(table)
    return targets.known(table, expected, is_optional=kind in WITHOUT_COLUMNS)


def _read(
    file: DataFile,
    kind: str,
    options: ReadOptions,
    expected: Expected | None,
    targets: Targets,
) -> Table:
    """Return the table of a file."""
    if options.groups is not None and kind in WITHOUT_COLUMNS:
        rule = f"names a column, but {file.source} is of the format {kind}, which has none"
        raise ParameterError("groups", literal(rule), cure="use CSV or Parquet")
    where = (check_disk(file, kind),) if isinstance(file, LargeFile) else ()
    if kind in WITHOUT_COLUMNS:
        if kind == "svmlight":
            table = _read_svmlight(file, options, expected)
        else:
            table = Table(file.source, *npz.read(file))
        is_skipping = options.skip_unlabelled
        table = _with_labels(table, is_skipping, expected, targets, is_on_disk=bool(where))
    else:
        table = read_columns(file, kind, options, expected, targets)
    return replace(table, decisions=(*table.decisions, *where), is_on_disk=bool(where))


def _read_svmlight(file: DataFile, options: ReadOptions, expected: Expected | None) -> Table:
    """Read an svmlight file; a feature 0 tells that features count from 0."""
    n_features = expected.n_features if expected else None
    from_zero = options.zero_based or (
        svmlight.counts_from_zero(file) if expected is None else expected.notes.is_zero_based
    )
    X, y = svmlight.read(file, n_features, from_zero)
    is_news = from_zero and not options.zero_based
    decisions = (Remark("Features count from 0."),) if is_news else ()
    notes = Notes(is_zero_based=from_zero)
    return Table(file.source, X, y, decisions=decisions, notes=notes)


def _with_labels(
    table: Table, is_skipping: bool, model: Expected | None, targets: Targets, is_on_disk: bool
) -> Table:
    """Return a table without samples that lack labels, or without labels; see `Labelled`."""
    table = replace(table, task=targets.task)
    if table.y is None:
        require_labels_to_skip(table.source, is_skipping)
        return table
    levels, codes = np.unique(table.y, return_inverse=True)
    labels = LabelColumn(
        table.source,
        "",
        CodedColumn(codes.astype(np.int32), levels),
        lambda sample: f"sample {sample + 1}",
        WORDS[targets.task],
    )
    found = labelled_samples(labels, is_skipping, model)
    X, y = table.X, table.y
    if found.kept is not None:
        X, y = kept_rows(X, found.kept, is_on_disk), y[found.kept]
    return replace(
        table,
        X=X,
        y=targets.from_array(table.source, y) if found.are_usable else None,
        decisions=(*table.decisions, *found.decisions),
        warnings=(*table.warnings, *found.warnings),
        kept=found.kept,
        n_skipped=found.n_skipped,
    )
