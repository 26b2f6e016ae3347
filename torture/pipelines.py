"""Pipelines whose files are damaged: columns, encoders, imputers, and estimators within others."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, RobustScaler, StandardScaler

from bandsvm import BandedSVC, BandedSVCCV


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


def numbers() -> Pipeline:
    """Return a fitted pipeline of four numbers that ends with a search."""
    X, y = load_iris(return_X_y=True)
    parts = [
        ("pca", PCA(2)),
        ("best", SelectKBest(k=2)),
        ("landmarks", Nystroem(n_components=5, random_state=0)),
        ("latent", TruncatedSVD(2, random_state=0)),
    ]
    search = BandedSVCCV(C1=[1.0], C2=[0.1], rho2=[1.5], gamma=[0.1], refine=0)
    return make_pipeline(RobustScaler(), FeatureUnion(parts), search).fit(X, y)


def words() -> Pipeline:
    """Return a fitted pipeline that takes one column of text, beside three of numbers."""
    X, y = load_iris(return_X_y=True)
    table = np.column_stack([np.array(["sepal", "petal leaf", "leaf"], dtype=object)[y], X[:, 1:]])
    steps: list[Any] = [
        ("text", TfidfVectorizer(), 0),
        ("counts", CountVectorizer(ngram_range=(1, 2)), 0),
        ("hashes", HashingVectorizer(n_features=16), 0),
        ("category", OneHotEncoder(handle_unknown="ignore"), [0]),
    ]
    return make_pipeline(ColumnTransformer(steps), BandedSVC()).fit(table, y)


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
