"""Tables of columns: which of them are used, and as what."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._system.text import shown, some
from bandsvm._tables.arff import as_csv
from bandsvm._tables.blocks import TextOnDisk
from bandsvm._tables.bytes import DataFile, DataFileError
from bandsvm._tables.choice import ColumnRoles, Columns, choose_for_model, choose_for_training
from bandsvm._tables.columns import MAX_LEVELS, CodedColumn
from bandsvm._tables.csv import Text
from bandsvm._tables.expected import Expected, Notes
from bandsvm._tables.labels import labels_of, tidy_labels
from bandsvm._tables.large import LargeFile
from bandsvm._tables.options import ReadOptions
from bandsvm._tables.parquet import Parquet
from bandsvm._tables.scratch import mapped_rows
from bandsvm._tables.unlabelled import (
    LabelColumn,
    Labelled,
    is_missing_label,
    kept_rows,
    labelled_samples,
    require_labels_to_skip,
)
from bandsvm._tables.useless import DATES, NUMBERS_THE_ROWS, left_out, useless_numbers, useless_text


def read_columns(
    file: DataFile, kind: str, options: ReadOptions, model: Expected | None
) -> dict[str, Any]:
    """Return the fields of a `Table` that a file of columns makes.

    Parameters
    ----------
    file : DataFile
        The file.
    kind : str
        Its format.
    options : ReadOptions
        How to read it.
    model : Expected or None
        The model that is to predict; None for training.
    """
    stored = open_columns(file, kind, options.header, model)
    columns = Columns(file.source, stored.names, stored.n_columns, stored.kinds)
    choice = (
        choose_for_training(columns, options)
        if model is None
        else choose_for_model(columns, options, model)
    )
    if choice.texts and isinstance(file, LargeFile):
        texts_are = some(columns.name(k) for k in sorted(choice.texts))
        raise file.needs_memory(f"has categories in the columns {texts_are} (see --drop)")
    numbers = [k for k in choice.features if k not in choice.texts]
    coded: dict[int, int | None] = dict.fromkeys(
        choice.texts, MAX_LEVELS if model is None else None
    )
    coded |= dict.fromkeys(choice.ids)
    if choice.groups is not None:
        coded[choice.groups] = None
    if choice.target is not None:
        coded[choice.target] = MAX_LEVELS
    X, texts = stored.read(numbers, coded, choice.target)
    labelled = _labelled(stored, columns, choice, texts, options, model)
    if labelled.kept is not None:
        X = kept_rows(X, labelled.kept, isinstance(file, LargeFile))
        texts = {k: column.rows(labelled.kept) for k, column in texts.items()}
    y, about_labels = _labels(file, columns, choice, texts, model, labelled)
    decisions = [*_about_names(stored, kind), *stored.notes]
    decisions += [*_about_disguises(columns, stored.disguises, numbers), *about_labels]
    own = [columns.name(k) for k in choice.features]
    # A table without names has its columns in the model's order.
    names = own if model is None or model.names is None else model.names
    name = dict(zip(choice.features, names, strict=True))
    frame = {name[k]: texts[k] for k in choice.features if k in choice.texts}
    reasons: dict[str, str] = {}
    if model is None:
        kept = {columns.name(k) for k in choice.kept}
        X, frame, names, reasons = _useful(
            X, frame, names, [name[k] for k in numbers], kept, stored.names is not None
        )
        reasons |= {columns.name(k): DATES for k in choice.dates}
        if reasons:
            decisions.append(left_out(reasons))
    is_frame = bool(frame) or (model is not None and model.takes_frames)
    if frame and model is None:
        decisions.append(_about_texts(frame))
    by_number = [name for name in names if name not in frame]
    notes = Notes(
        None if choice.target is None else columns.name(choice.target),
        tuple(columns.name(k) for k in choice.ids),
    )
    return {
        "X": _data_frame(X, by_number, frame, names) if is_frame else X,
        "y": y,
        "names": names if stored.names is not None or is_frame else None,
        "texts": tuple(frame),
        "ids": {columns.name(k): texts[k].values() for k in choice.ids},
        "decisions": tuple(decisions),
        "warnings": labelled.warnings,
        "left_out": reasons,
        "notes": notes,
        "groups": None if choice.groups is None else texts[choice.groups].values(),
        "kept": labelled.kept,
        "n_skipped": labelled.n_skipped,
    }


def open_columns(
    file: DataFile, kind: str, has_header: bool | None, model: Expected | None = None
) -> Any:
    """Return the reader of a file of columns."""
    if kind == "parquet":
        return Parquet(file)
    if kind == "arff":
        return Text(as_csv(file), has_header=True)
    expected = None if model is None else model.names
    if isinstance(file, LargeFile):
        return TextOnDisk(file, has_header, expected)
    return Text(file, has_header, expected)


def _about_names(stored: Any, kind: str) -> list[str]:
    """Return whether the first line of a CSV file was taken for names, in a sentence."""
    if kind != "csv":
        return []
    return ["The first line holds names." if stored.names else "The columns have no names."]


def _about_disguises(columns: Columns, disguises: dict[int, str], numbers: list[int]) -> list[str]:
    """Return which texts were read as numbers, with an example of each column, in a sentence."""
    examples = [
        f"{columns.quoted_name(k)} ({shown(disguises[k])})" for k in numbers if k in disguises
    ]
    more = f" and {len(examples) - 5} more" if len(examples) > 5 else ""
    return [f"Read as numbers: {', '.join(examples[:5])}{more}."] if examples else []


def _labelled(
    stored: Any,
    columns: Columns,
    choice: ColumnRoles,
    texts: dict[int, CodedColumn],
    options: ReadOptions,
    model: Expected | None,
) -> Labelled:
    """Return which samples have labels."""
    is_skipping = options.skip_unlabelled
    if choice.target is None or _is_wrong_guess(choice, texts[choice.target], model):
        require_labels_to_skip(columns.source, is_skipping)
        return Labelled()
    where = columns.quoted_name(choice.target)
    name = f"column {where}" if columns.names else where
    labels = LabelColumn(columns.source, name, texts[choice.target], stored.place)
    return labelled_samples(labels, is_skipping, model)


def _labels(
    file: DataFile,
    columns: Columns,
    choice: ColumnRoles,
    texts: dict[int, CodedColumn],
    model: Expected | None,
    labelled: Labelled,
) -> tuple[NDArray | None, list[str]]:
    """Return the labels, and what was decided about columns, in sentences.

    A column that only seems to hold labels is ignored where it holds what a model does not know.
    """
    unused = choice.unused
    said = [f"The model does not use the columns {some(unused)}."] if unused else []
    if choice.target is None:
        return None, said
    said = [*labelled.decisions, *said]
    if not labelled.are_usable:
        return None, said
    column, where = texts[choice.target], columns.quoted_name(choice.target)
    if _is_wrong_guess(choice, column, model):
        return None, [f"The model does not know the values in {where} as classes.", *said]
    labels = labels_of(file, columns.name(choice.target), column)
    return labels, [f"The labels are in {where}.", *said]


def _is_wrong_guess(choice: ColumnRoles, column: CodedColumn, model: Expected | None) -> bool:
    """Return whether a column was guessed to hold labels, but a model does not know its values."""
    if model is None or choice.is_sure:
        return False
    if column.levels is None:
        return True
    labels = [level for level in column.levels.tolist() if not is_missing_label(level)]
    found = tidy_labels(np.array(labels, column.levels.dtype))
    return not set(model.classes).issuperset(map(str, found.tolist()))


def _useful(
    X: NDArray,
    frame: dict[str, CodedColumn],
    names: list[str],
    by_number: list[str],
    kept: set[str],
    has_names: bool,
) -> tuple[NDArray, dict[str, CodedColumn], list[str], dict[str, str]]:
    """Return the table without columns that tell nothing, and why they were left out.

    Without names, numbers stay: constants do no harm, and positions tell columns apart.
    """
    reasons = {name: why for name, column in frame.items() if (why := useless_text(column))}
    if has_names and len(X):
        found = {
            k: why
            for k, why in useless_numbers(X, by_number).items()
            if not (why == NUMBERS_THE_ROWS and by_number[k] in kept)
        }
        reasons |= {by_number[k]: why for k, why in found.items()}
        if found and isinstance(X, np.memmap):
            X = mapped_rows(X, lambda rows: np.delete(rows, list(found), axis=1))
        elif found:
            X = np.delete(X, list(found), axis=1)
    names = [name for name in names if name not in reasons]
    frame = {name: column for name, column in frame.items() if name not in reasons}
    return X, frame, names, reasons


def _about_texts(frame: dict[str, CodedColumn]) -> str:
    """Return which columns are categories, in a sentence."""
    parts = [
        f"{shown(repr(name))} ({len(column.levels)})"
        for name, column in frame.items()
        if column.levels is not None
    ]
    more = f" and {len(parts) - 5} more" if len(parts) > 5 else ""
    return f"Categories, with their number of values: {', '.join(parts[:5])}{more}."


def _data_frame(
    X: NDArray, by_number: list[str], frame: dict[str, CodedColumn], names: list[str]
) -> Any:
    """Return a data frame of numbers and text, its columns in order."""
    try:
        import pandas as pd
    except ImportError:
        raise DataFileError(
            f"Columns of text need pandas: install the extra 'bandsvm[cli]', or leave them out "
            f"with --drop: {', '.join(shown(repr(name)) for name in list(frame)[:5])}."
        ) from None
    columns: dict[str, Any] = {name: X[:, k] for k, name in enumerate(by_number)}
    for name, column in frame.items():
        assert column.levels is not None
        levels = np.array([str(level) for level in column.levels.tolist()], dtype=object)
        columns[name] = pd.Series(levels[column.codes], dtype=object)
    return pd.DataFrame({name: columns[name] for name in names})
