"""Pipelines whose files are damaged: columns, encoders, imputers, and estimators within others."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

from bandsvm import BandedSVC


def columns() -> Pipeline:
    """Return a fitted pipeline that takes four numbers, some of them categories or missing."""
    X, y = load_iris(return_X_y=True)
    X = np.round(X)
    X[::7, 1] = np.nan
    rare = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=20)
    steps: list[Any] = [
        ("rare", rare, [0]),
        ("dropped", OneHotEncoder(handle_unknown="ignore", drop="first"), [3]),
        ("ordinal", _ordinal(), [1, 2]),
        ("numbers", make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), [1]),
    ]
    return make_pipeline(ColumnTransformer(steps, remainder="passthrough"), BandedSVC()).fit(X, y)


def _ordinal() -> OrdinalEncoder:
    return OrdinalEncoder(
        handle_unknown="use_encoded_value",
        unknown_value=-1,
        encoded_missing_value=-2,
        min_frequency=5,
    )


def estimators(tree: Any) -> list[dict[str, Any]]:
    """Return the descriptions of all estimators of a header, those within others too."""
    found = []
    if isinstance(tree, dict):
        found += [tree] if "class" in tree else []
        tree = list(tree.values())
    if isinstance(tree, list):
        found += [inner for item in tree for inner in estimators(item)]
    return found
