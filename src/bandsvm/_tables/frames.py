"""Files of columns as tables: numbers become a matrix, numbers and text a data frame."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm._system.advice import literal
from bandsvm._system.text import short_list, short_text
from bandsvm._tables.arff import as_csv
from bandsvm._tables.columns import MAX_LEVELS, CodedColumn, Columns
from bandsvm._tables.csv_columns import CsvColumns
from bandsvm._tables.data_file import DataFile
from bandsvm._tables.labels import (
    LabelColumn,
    Labelled,
    labelled_samples,
    require_labels_to_skip,
)
from bandsvm._tables.large import LargeFile
from bandsvm._tables.options import REGRESS, ReadOptions
from bandsvm._tables.parquet import ParquetColumns
from bandsvm._tables.remarks import DataFileError, Remark
from bandsvm._tables.roles import ColumnRoles, roles_for_model, roles_for_training
from bandsvm._tables.scratch import kept_rows, mapped_rows
from bandsvm._tables.table import WORDS, Expected, Notes, Table
from bandsvm._tables.targets import Targets
from bandsvm._tables.uninformative import (
    DATES,
    NUMBERS_THE_ROWS,
    left_out,
    uninformative_numbers,
    uninformative_text,
)

# Columns of a kind that a sentence names.
MAX_NAMED = 5


def read_columns(
    file: DataFile, kind: str, options: ReadOptions, expected: Expected | None, targets: Targets
) -> Table:
    """Return the table that a file of columns holds, for training or for a model."""
    columns = open_columns(file, kind, options.header, expected)
    if expected is None:
        roles = roles_for_training(columns, options)
    else:
        roles = roles_for_model(columns, options, expected)
    roles = targets.usable_roles(columns, roles, expected)
    X, coded = _read(file, columns, roles, targets, is_for_training=expected is None)
    target, word = roles.target, WORDS[targets.task]
    # A column that only seems to hold labels is ignored where a model does not know its values.
    is_wrong_guess = (
        target is not None
        and expected is not None
        and not roles.is_sure
        and targets.is_wrong_guess(coded[target], expected)
    )
    labelled, y, about_labels = Labelled(), None, []
    if target is None or is_wrong_guess:
        require_labels_to_skip(columns.source, options.skip_unlabelled)
    else:
        name = ("column " if columns.names else "") + columns.quoted_name(target)
        labels = LabelColumn(columns.source, name, coded[target], columns.place, word)
        labelled = labelled_samples(labels, options.skip_unlabelled, expected)
    if labelled.kept is not None:
        X = kept_rows(X, labelled.kept, isinstance(file, LargeFile))
        coded = {k: column.rows(labelled.kept) for k, column in coded.items()}
    if target is not None and is_wrong_guess:
        where = columns.quoted_name(target)
        about_labels = [Remark(f"The model does not know the values in {where} as classes.")]
    elif target is not None and labelled.are_usable:
        y = targets.values(file, columns.name(target), coded[target])
        about_labels = [Remark(f"The {word}s are in {columns.quoted_name(target)}.")]
    about_labels += labelled.decisions
    if roles.unused:
        unused = short_list(columns.name(k) for k in roles.unused)
        about_labels.append(Remark(f"The model does not use the columns {unused}."))
    features = _features(columns, roles, X, coded, expected)
    is_frame = bool(features.texts) or (expected is not None and expected.takes_frames)
    return Table(
        file.source,
        X=_data_frame(features) if is_frame else features.X,
        y=y,
        names=features.names if columns.names is not None or is_frame else None,
        texts=tuple(features.texts),
        ids={columns.name(k): coded[k].values() for k in roles.ids},
        decisions=(
            *map(Remark, _about_file(columns, kind, _numbers(roles, targets))),
            *about_labels,
            *map(Remark, _about_features(features, is_for_training=expected is None)),
        ),
        warnings=labelled.warnings,
        left_out=features.left_out,
        notes=Notes(
            None if target is None else columns.name(target),
            tuple(columns.name(k) for k in roles.ids),
        ),
        groups=None if roles.groups is None else coded[roles.groups].values(),
        kept=labelled.kept,
        n_skipped=labelled.n_skipped,
        task=targets.task,
    )


def open_columns(
    file: DataFile, kind: str, has_header: bool | None, expected: Expected | None = None
) -> Columns:
    """Return the reader of a file of columns."""
    if kind == "parquet":
        return ParquetColumns(file)
    if kind == "arff":
        return CsvColumns(as_csv(file), has_header=True)
    return CsvColumns(file, has_header, None if expected is None else expected.names)


def _read(
    file: DataFile,
    columns: Columns,
    roles: ColumnRoles,
    targets: Targets,
    is_for_training: bool,
) -> tuple[NDArray, dict[int, CodedColumn]]:
    """Return the numbers among the features, and other columns that are used, as codes."""
    if roles.texts and isinstance(file, LargeFile):
        names = short_list(columns.name(k) for k in sorted(roles.texts))
        raise file.needs_memory(
            f"has categories in the columns {names}", or_else="leave these out with {drop}, or "
        )
    max_levels = MAX_LEVELS if is_for_training else None
    coded: dict[int, int | None] = dict.fromkeys(roles.texts, max_levels)
    coded |= dict.fromkeys(roles.ids)
    if roles.groups is not None:
        coded[roles.groups] = None
    return targets.read(columns, roles, coded)


def _numbers(roles: ColumnRoles, targets: Targets) -> list[int]:
    """Return the columns that are read as numbers."""
    if targets.task != REGRESS or roles.target is None:
        return roles.numbers
    return [*roles.numbers, roles.target]


def _about_file(columns: Columns, kind: str, numbers: list[int]) -> list[str]:
    """Return what was decided about names and numbers, in sentences."""
    said = []
    if kind == "csv":
        has_names = columns.names is not None
        said = ["The first line holds names." if has_names else "The columns have no names."]
    said += columns.notes
    examples = columns.styled_examples
    styled = [
        f"{columns.quoted_name(k)} ({short_text(examples[k])})" for k in numbers if k in examples
    ]
    return [*said, f"Read as numbers: {_first(styled)}."] if styled else said


def _first(texts: Iterable[str]) -> str:
    """Return the first of some texts in a list, and how many more there are."""
    texts = list(texts)
    more = f" and {len(texts) - MAX_NAMED} more" if len(texts) > MAX_NAMED else ""
    return ", ".join(texts[:MAX_NAMED]) + more


class _Features(NamedTuple):
    """Numbers in a matrix and texts by name; the names of all in order; what was left out, why."""

    X: NDArray
    texts: dict[str, CodedColumn]
    names: list[str]
    left_out: dict[str, str]

    @property
    def numbers(self) -> list[str]:
        """Names of the columns of the matrix."""
        return [name for name in self.names if name not in self.texts]


def _features(
    columns: Columns,
    roles: ColumnRoles,
    X: NDArray,
    coded: dict[int, CodedColumn],
    expected: Expected | None,
) -> _Features:
    """Return the features of a table; those for training without columns that tell nothing."""
    # A table without names has its columns in the model's order.
    names: list[str] = []
    if expected is not None and expected.names is not None:
        names = expected.names
    elif columns.names is not None or roles.texts or (expected and expected.takes_frames):
        names = [columns.name(k) for k in roles.features]
    pairs = zip(roles.features, names, strict=True) if roles.texts else ()
    features = _Features(X, {name: coded[k] for k, name in pairs if k in roles.texts}, names, {})
    if expected is not None:
        return features
    # Without names, numbers stay: constants do no harm, and positions tell columns apart.
    found = {}
    if columns.names is not None and len(X):
        kept = {columns.name(k) for k in roles.kept}
        found = {
            k: why
            for k, why in uninformative_numbers(X, features.numbers).items()
            if not (why == NUMBERS_THE_ROWS and features.numbers[k] in kept)
        }
    if found and isinstance(X, np.memmap):
        X = mapped_rows(X, lambda rows: np.delete(rows, list(found), axis=1))
    elif found:
        X = np.delete(X, list(found), axis=1)
    texts = features.texts.items()
    reasons = {name: why for name, column in texts if (why := uninformative_text(column))}
    reasons |= {features.numbers[k]: why for k, why in found.items()}
    return _Features(
        X,
        {name: column for name, column in texts if name not in reasons},
        [name for name in names if name not in reasons],
        reasons | {columns.name(k): DATES for k in roles.dates},
    )


def _about_features(features: _Features, is_for_training: bool) -> list[str]:
    """Return which columns were left out, and which are categories, in sentences."""
    said = [left_out(features.left_out)] if features.left_out else []
    if features.texts and is_for_training:
        parts = (
            f"{short_text(repr(name))} ({len(column.levels)})"
            for name, column in features.texts.items()
            if column.levels is not None
        )
        said.append(f"Categories, with their number of values: {_first(parts)}.")
    return said


def _data_frame(features: _Features) -> Any:
    """Return a data frame of numbers and text, its columns in order."""
    try:
        import pandas as pd
    except ImportError:
        names = ", ".join(short_text(repr(name)) for name in list(features.texts)[:MAX_NAMED])
        raise DataFileError(
            "Columns of text need pandas",
            f"install the extra 'bandsvm[cli]', or leave them out with {{drop}}: {literal(names)}",
        ) from None
    columns: dict[str, Any] = {name: features.X[:, k] for k, name in enumerate(features.numbers)}
    for name, column in features.texts.items():
        assert column.levels is not None
        levels = np.array([str(level) for level in column.levels.tolist()], dtype=object)
        columns[name] = pd.Series(levels[column.codes], dtype=object)
    return pd.DataFrame({name: columns[name] for name in features.names})
