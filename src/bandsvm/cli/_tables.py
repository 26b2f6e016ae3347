"""Data files as tables of samples, labels and names; errors name the file and the line."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm.cli import _csv, _svmlight
from bandsvm.cli._bytes import DataFileError, content_of, reason, suffix_of

# A column of one of these names holds the labels, unless --target says otherwise.
TARGET_NAMES = ("target", "label", "class", "y")


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

    def describe(self) -> str:
        """Return what was read, in a sentence."""
        n_samples, n_features = self.X.shape
        kind = "sparse " if sp.issparse(self.X) else ""
        text = f"Read {n_samples} samples with {n_features} {kind}features from {self.source}"
        if self.y is None:
            return f"{text}, without labels."
        labels, counts = np.unique(self.y, return_counts=True)
        shown = [f"{label}: {n}" for label, n in zip(labels.tolist()[:5], counts, strict=False)]
        more = ", ..." if len(labels) > len(shown) else ""
        return f"{text}; {len(labels)} classes ({', '.join(shown)}{more})."

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
    source = "standard input" if path == "-" else path
    kind = options.format or suffix_of(path)
    n_features = None if model is None else model.n_features_in_
    names = getattr(model, "feature_names_in_", None)
    wanted = None if names is None else names.tolist()
    content = content_of(path)
    X: Any
    y: Any
    if kind == "svmlight":
        X, y = _svmlight.read(content, source, n_features, options.zero_based)
        table = Table(source, X, y)
    elif kind == "npz":
        X, y = _npz(content, source)
        table = Table(source, X, y)
    elif kind == "parquet":
        table = _parquet(content, source, options.target, wanted, n_features)
    else:
        table = _from_csv(content, source, options, wanted, n_features)
    _check(table, model)
    y = None if table.y is None else tidy_labels(table.y)
    return replace(table, y=y)


def _check(table: Table, model: Any) -> None:
    """Raise unless a table can be trained on, or predicted."""
    n_samples, n_features = table.X.shape
    if n_samples == 0:
        raise DataFileError(f"{table.source} holds no samples.")
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
        return labels.astype(str)
    whole = np.isfinite(numbers).all() and (np.abs(numbers) < 2**53).all()
    if whole and (numbers == np.rint(numbers)).all():
        return numbers.astype(np.int64)
    return numbers


def choose_columns(
    columns: Columns, target: str | None, wanted: list[str] | None, n_features: int | None
) -> tuple[list[int], int | None]:
    """Return the columns of features, in the order the model wants, and that of the labels."""
    at = None if target is None else _position(columns, target)
    if n_features is None:
        at = _default_target(columns) if at is None else at
        return [k for k in range(columns.n_columns) if k != at], at
    if wanted is not None and columns.names is not None:
        missing = [name for name in wanted if name not in columns.names]
        if missing:
            raise DataFileError(f"{columns.source} lacks the columns {missing} of the model.")
        features = [columns.names.index(name) for name in wanted]
        others = [k for k in range(columns.n_columns) if k not in features]
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


def _position(columns: Columns, target: str) -> int:
    """Return the column that --target names or counts."""
    if columns.names is not None and target in columns.names:
        return columns.names.index(target)
    number = int(target) if target.isdecimal() else 0
    if not 1 <= number <= columns.n_columns:
        known = f" Its columns are {columns.names}." if columns.names else ""
        raise DataFileError(
            f"{columns.source} has no column {target!r}: --target takes a name, or a number from 1 "
            f"to {columns.n_columns}.{known}"
        )
    return number - 1


def _from_csv(
    content: bytes,
    source: str,
    options: argparse.Namespace,
    wanted: list[str] | None,
    n_features: int | None,
) -> Table:
    """Read a CSV file."""
    text = _csv.Text(content, source, options.header)
    columns = Columns(source, text.names, text.n_columns)
    features, target = choose_columns(columns, options.target, wanted, n_features)
    names = [text.names[k] for k in features] if text.names else None
    y = None if target is None else text.strings(target)
    return Table(source, text.numbers(features), y, names)


def _parquet(
    content: bytes,
    source: str,
    target: str | None,
    wanted: list[str] | None,
    n_features: int | None,
) -> Table:
    """Read a Parquet file."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ImportError(
            "Parquet files need pyarrow: install the extra 'bandsvm[parquet]'."
        ) from None
    try:
        # Threads of pyarrow that are still busy when the command ends can abort the process.
        file = pq.ParquetFile(pa.BufferReader(content), pre_buffer=False)
        stored = file.read(use_threads=False)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataFileError(
            f"{source} is not a Parquet file that can be read: {reason(error)}."
        ) from None
    columns = Columns(source, stored.column_names, stored.num_columns)
    features, at = choose_columns(columns, target, wanted, n_features)
    arrays = []
    for k in features:
        column = stored.column(k)
        if not (
            pa.types.is_integer(column.type)
            or pa.types.is_floating(column.type)
            or pa.types.is_boolean(column.type)
        ):
            raise DataFileError(
                f"{source} holds {column.type} in its column {stored.column_names[k]!r}; features "
                "must be numbers, so encode or drop it."
            )
        arrays.append(column.to_numpy().astype(_float_type(column.to_numpy().dtype)))
    X = np.column_stack(arrays) if arrays else np.empty((stored.num_rows, 0))
    y = None
    if at is not None:
        labels = stored.column(at).to_pylist()
        if None in labels:
            raise DataFileError(f"{source} lacks the label of sample {labels.index(None) + 1}.")
        y = np.array(labels)
    return Table(source, X, y, [stored.column_names[k] for k in features])


def _float_type(dtype: Any) -> Any:
    return np.float32 if dtype == np.float32 else np.float64


def _npz(content: bytes, source: str) -> tuple[Any, NDArray | None]:
    """Read X (or the parts of a CSR matrix) and y from an NPZ archive."""
    from bandsvm.cli._npz import read_arrays

    arrays = read_arrays(content, source)
    y = arrays.get("y")
    if "X" in arrays:
        X = arrays["X"]
    elif {"data", "indices", "indptr", "shape"} <= arrays.keys():
        try:
            parts = (arrays["data"], arrays["indices"], arrays["indptr"])
            X = sp.csr_matrix(parts, shape=tuple(arrays["shape"].tolist()))
            X.check_format(full_check=True)
        except (ValueError, TypeError) as error:
            raise DataFileError(f"{source} holds no CSR matrix: {reason(error)}.") from None
    else:
        raise DataFileError(
            f"{source} must hold the array X, or data, indices, indptr and shape of a CSR matrix; "
            f"it holds {sorted(arrays)}."
        )
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise DataFileError(
            f"{source} must hold X as a matrix of numbers, not {X.ndim}-dimensional {X.dtype}."
        )
    if y is not None and y.shape != (X.shape[0],):
        raise DataFileError(f"{source} holds {X.shape[0]} samples, but y is of shape {y.shape}.")
    return X.astype(_float_type(X.dtype), copy=False), y
