"""Data files as tables of samples, labels and names; errors name the file and the line."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm.cli import _npz, _svmlight
from bandsvm.cli._bytes import DataFileError, read_file, suffix_of
from bandsvm.cli._csv import Text
from bandsvm.cli._parquet import Parquet
from bandsvm.system.files import MOST_FEATURES
from bandsvm.system.text import shown, some

# A column of one of these names holds the labels, unless --target says otherwise.
TARGET_NAMES = ("target", "label", "class", "y")
# What the description of a table shows.
MOST_CLASSES = 5


@dataclass(frozen=True)
class Columns:
    """A file of columns as it was read: cells are numbers, those of the target may be text."""

    source: str
    names: list[str] | None
    n_columns: int


@dataclass(frozen=True)
class Table:
    """Samples and, where the file has them, labels."""

    source: str
    X: Any
    y: Any
    names: list[str] | None = None
    groups: Any = None

    def describe(self) -> str:
        """Return what was read, in a sentence."""
        n_samples, n_features = self.X.shape
        kind = "sparse " if sp.issparse(self.X) else ""
        text = f"Read {n_samples} samples with {n_features} {kind}features from {self.source}"
        if self.y is None:
            return f"{text}, without labels."
        labels, counts = np.unique(self.y, return_counts=True)
        few = zip(labels[:MOST_CLASSES].tolist(), counts, strict=False)
        parts = [f"{shown(label)}: {n}" for label, n in few]
        more = ["..."] if len(labels) > MOST_CLASSES else []
        return f"{text}; {len(labels)} classes ({', '.join(parts + more)})."

    def describe_scaling(self, pipeline: Any) -> str:
        """Return what the model does to the features before it classifies them, in a sentence."""
        scaler = type(pipeline[0]).__name__
        if scaler == "StandardScaler":
            centred = "mean 0 and " if pipeline[0].with_mean else ""
            return (
                f"The model scales every feature to {centred}variance 1 before it classifies "
                "(--scale none leaves features as they are)."
            )
        if scaler == "MaxAbsScaler":
            return "The model scales every feature to at most 1 in size before it classifies."
        return "The model takes the features as they are."


def read_table(path: str, options: argparse.Namespace, model: Any = None) -> Table:
    """Read a data file for training or, with a model, for prediction.

    Parameters
    ----------
    path : str
        A file, or "-" for standard input.
    options : Namespace
        `format`, `target`, `header`, `zero_based`.
    model : estimator, default=None
        The model that is to predict: it knows how many features there are, and perhaps their
        names. Without it the file must have labels.

    Returns
    -------
    Table
        Finite samples; labels as integers where they all are.
    """
    kind = options.format or suffix_of(path)
    n_features = None if model is None else model.n_features_in_
    file = read_file(path)
    groups = getattr(options, "groups", None)
    if groups is not None and kind in ("svmlight", "npz"):
        raise DataFileError(
            f"--groups names a column, but {file.source} is of the format {kind}, which has none; "
            "use CSV or Parquet."
        )
    X: Any
    y: Any
    if kind == "svmlight":
        X, y = _svmlight.read(file, n_features, options.zero_based)
        table = Table(file.source, X, y)
    elif kind == "npz":
        X, y = _npz.read(file)
        table = Table(file.source, X, y)
    else:
        stored: Any = Parquet(file) if kind == "parquet" else Text(file, options.header)
        names = getattr(model, "feature_names_in_", None)
        wanted = None if names is None else names.tolist()
        columns = Columns(file.source, stored.names, stored.n_columns)
        features, target = choose_columns(columns, options.target, wanted, n_features)
        if groups is not None:
            together = _position(columns, groups, "--groups")
            if together == target:
                raise DataFileError(
                    f"--groups names the column of labels of {file.source}; name another one with "
                    "--target."
                )
            features.remove(together)
            groups = stored.read([], together)[1]
        kept = [stored.names[k] for k in features] if stored.names else None
        X, y = stored.read(features, target)
        table = Table(file.source, X, y, kept, groups)
    _check(table, model)
    y = None if table.y is None else tidy_labels(table.y)
    return replace(table, y=y)


def _check(table: Table, model: Any) -> None:
    """Raise unless a table can be trained on, or predicted."""
    n_samples, n_features = table.X.shape
    if n_samples == 0:
        raise DataFileError(f"{table.source} holds no samples.")
    if not 1 <= n_features <= MOST_FEATURES:
        raise DataFileError(
            f"{table.source} has {n_features} features; it must have from 1 to {MOST_FEATURES}."
        )
    if model is None and table.y is None:
        raise DataFileError(f"{table.source} holds no labels, which training needs.")
    if model is not None and n_features != model.n_features_in_:
        raise DataFileError(
            f"{table.source} has {n_features} features, the model was trained on "
            f"{model.n_features_in_}."
        )
    values = table.X.data if sp.issparse(table.X) else table.X
    if not np.isfinite(values).all():
        bad = int(np.flatnonzero(~np.isfinite(values.reshape(-1)))[0])
        starts = table.X.indptr if sp.issparse(table.X) else np.arange(n_samples + 1) * n_features
        row = int(np.searchsorted(starts, bad, side="right")) - 1
        raise DataFileError(
            f"{table.source} has a value that is missing or not finite in sample {row + 1}; fill "
            "it in or leave the sample out."
        )


def tidy_labels(labels: NDArray) -> NDArray:
    """Return labels as whole numbers where they all are, else as numbers, else as text."""
    if labels.dtype.kind in "biu":
        return labels
    try:
        numbers = labels.astype(np.float64)
    except ValueError:
        return labels.astype(str, copy=False)
    whole = np.isfinite(numbers).all() and (np.abs(numbers) < 2**53).all()
    if whole and (numbers == np.rint(numbers)).all():
        return numbers.astype(np.int64)
    return numbers


def choose_columns(
    columns: Columns, target: str | None, wanted: list[str] | None, n_features: int | None
) -> tuple[list[int], int | None]:
    """Return the columns of features, in the order the model wants, and that of the labels."""
    at = None if target is None else _position(columns, target, "--target")
    if n_features is None:
        at = _default_target(columns) if at is None else at
        return [k for k in range(columns.n_columns) if k != at], at
    if wanted is not None and columns.names is not None:
        place = {name: k for k, name in enumerate(columns.names)}
        missing = [name for name in wanted if name not in place]
        if missing:
            raise DataFileError(f"{columns.source} lacks the columns {some(missing)} of the model.")
        features = [place[name] for name in wanted]
        others = sorted(set(range(columns.n_columns)).difference(features))
        if at is None and len(others) == 1:
            at = others[0]
        return features, at
    if at is None and columns.n_columns == n_features + 1:
        at = _default_target(columns)
    return [k for k in range(columns.n_columns) if k != at], at


def _default_target(columns: Columns) -> int:
    """Return the column whose name says that it holds labels, else the last one."""
    named = [k for k, name in enumerate(columns.names or []) if name.lower() in TARGET_NAMES]
    return named[0] if len(named) == 1 else columns.n_columns - 1


def _position(columns: Columns, target: str, option: str) -> int:
    """Return the column that an option names or counts."""
    if columns.names is not None and target in columns.names:
        return columns.names.index(target)
    number = int(target) if target.isdecimal() else 0
    if not 1 <= number <= columns.n_columns:
        known = f" Its columns are {some(columns.names)}." if columns.names else ""
        raise DataFileError(
            f"{columns.source} has no column {shown(repr(target))}: {option} takes a name, or a "
            f"number from 1 to {columns.n_columns}.{known}"
        )
    return number - 1
