"""What a model does to the columns of a table before it classifies."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, StandardScaler

from bandsvm._system.text import shown, some
from bandsvm._tables.scratch import row_blocks
from bandsvm._tables.table import Table
from bandsvm._tables.uninformative import rare_below

Steps = list[tuple[str, Any]]


def preparation(table: Table, scale: str) -> Steps:
    """Return the steps of a pipeline before the classifier.

    Parameters
    ----------
    table : Table
        The training set.
    scale : {"standard", "maxabs", "none"}
        How numbers are scaled.
    """
    if table.texts:
        return [("columns", _by_column(table, scale))]
    is_sparse = sp.issparse(table.X)
    has_missing = not is_sparse and any(
        np.isnan(table.X[rows]).any() for rows in row_blocks(table.X)
    )
    return [*(_imputer() if has_missing else []), *_scaler(scale, is_sparse)]


def _by_column(table: Table, scale: str) -> ColumnTransformer:
    """Return what fills in and scales numbers, and encodes text."""
    numbers = [name for name in table.names or [] if name not in set(table.texts)]
    # A level that is unknown when the model predicts is as good as a rare one.
    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist", min_frequency=rare_below(len(table.X))
    )
    parts: list[tuple[str, Any, list[str]]] = [("categories", encoder, list(table.texts))]
    if numbers:
        # Values may be missing when the model predicts, even if none are here.
        parts.insert(0, ("numbers", Pipeline([*_imputer(), *_scaler(scale, False)]), numbers))
    return ColumnTransformer(parts)


def _imputer() -> Steps:
    return [("impute", SimpleImputer(strategy="median", add_indicator=True))]


def _scaler(scale: str, is_sparse: bool) -> Steps:
    """Return what scales features; zeros of sparse ones stay zeros."""
    if scale == "standard":
        return [("scale", StandardScaler(with_mean=not is_sparse))]
    return [("scale", MaxAbsScaler())] if scale == "maxabs" else []


def unseen_categories(model: Any, table: Table) -> list[str]:
    """Return a sentence for each column that has categories which the model does not know."""
    first = model[0] if isinstance(model, Pipeline) else model
    if not isinstance(first, ColumnTransformer):
        return []
    said = []
    for _, step, names in first.transformers_:
        if not isinstance(step, OneHotEncoder):
            continue
        for name, known in zip(names, step.categories_, strict=True):
            is_new = ~table.X[name].isin(known)
            if is_new.any():
                new = dict.fromkeys(table.X[name][is_new].tolist())
                said.append(
                    f"{is_new.sum()} of {len(is_new)} values of {shown(repr(name))} were never "
                    f"seen in training and count as rare ones: {some(new)}."
                )
    return said


def describe_preparation(pipeline: Pipeline) -> str:
    """Return what a model does to features before it classifies them, in sentences."""
    steps = dict(pipeline.steps[:-1])
    said = []
    if isinstance(by_column := steps.get("columns"), ColumnTransformer):
        parts = by_column.named_transformers_
        steps = dict(parts["numbers"].steps) if "numbers" in parts else {}
        n_encoded = len(parts["categories"].get_feature_names_out())
        said.append(f"It encodes categories as {n_encoded} features of 0 and 1.")
    if "impute" in steps:
        n_missing = len(steps["impute"].indicator_.features_)
        if n_missing:
            columns = "1 column" if n_missing == 1 else f"{n_missing} columns"
            said.insert(0, f"It fills in missing numbers in {columns} by the median.")
    return " ".join([_describe_scaling(steps.get("scale")), *said])


def _describe_scaling(scaler: Any) -> str:
    if isinstance(scaler, StandardScaler):
        centred = "mean 0 and " if scaler.with_mean else ""
        return (
            f"The model scales every feature to {centred}variance 1 before it classifies "
            "(--scale none leaves features as they are)."
        )
    if isinstance(scaler, MaxAbsScaler):
        return "The model scales every feature to at most 1 in size before it classifies."
    return "The model takes the features as they are."
