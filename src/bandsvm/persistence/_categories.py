"""Encoders and imputers of scikit-learn in a model file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from bandsvm._compat import SKLEARN_VERSION
from bandsvm.persistence import _rules as rule
from bandsvm.persistence._rules import FEATURES, Parts, Schema, require


def _distinct(categories: NDArray) -> bool:
    """Return whether categories are distinct and, if they are numbers, sorted.

    Numbers are searched for by bisection, whose answers index a sparse matrix.
    """
    if categories.dtype.kind == "O":
        entries = categories.tolist()
        distinct = {entry for entry in entries if entry == entry}  # only nan differs from itself
        n_nan = sum(entry != entry for entry in entries)
        return n_nan <= 1 and len(distinct) + n_nan == len(entries)
    if categories.dtype.kind == "U":
        return len(np.unique(categories)) == len(categories)
    is_nan = categories != categories
    known = categories[: -1 if is_nan[-1] else None]
    return bool((known[1:] > known[:-1]).all() and not is_nan[:-1].any())


def _categories(value: Any, parts: Parts) -> bool:
    """Return whether there is an array of distinct categories for each feature."""
    is_array = rule.array("biufUO")
    return len(value) == parts.n_features and all(
        is_array(item, parts) and len(item) > 0 and _distinct(item) for item in value
    )


def _groups(parts: Parts) -> list[int]:
    """Return how many categories each feature has after rare ones are grouped."""
    attributes = parts.attributes
    sizes = [len(categories) for categories in attributes["categories_"]]
    missing = attributes.get("_missing_indices", {})
    require(all(0 <= k < len(sizes) and 0 <= at < sizes[k] for k, at in missing.items()))
    if not attributes["_infrequent_enabled"]:
        return sizes
    grouped = [attributes[name] for name in _RARE]
    groups = []
    for k, (indices, mapping, size) in enumerate(zip(*grouped, sizes, strict=True)):
        require((indices is None) == (mapping is None))
        size -= k in missing
        if indices is not None:
            require(
                rule.indices_below(size, indices) and len(np.unique(indices)) == len(indices) > 0
            )
            require(mapping.shape == (size,))
            size -= len(indices) - 1
            require(rule.indices_below(size, mapping))
        groups.append(size)
    return groups


def _check_one_hot(parts: Parts) -> None:
    """Check that all indices of a OneHotEncoder stay within the width that it promises."""
    attributes = parts.attributes
    groups = _groups(parts)
    dropped = attributes["_drop_idx_after_grouping"]
    dropped = [None] * len(groups) if dropped is None else dropped.tolist()
    for at, size in zip(dropped, groups, strict=True):
        require(at is None or (type(at) is int and 0 <= at < size))
    widths = [size - (at is not None) for at, size in zip(dropped, groups, strict=True)]
    require(attributes["_n_features_outs"] == widths)


def _check_imputer(parts: Parts) -> None:
    """Check an imputer's fill values, and that its indicator looks at the same features."""
    values = parts.attributes["statistics_"].tolist()
    fill_dtype = parts.attributes.get("_fill_dtype", parts.attributes["_fit_dtype"])
    is_object = np.dtype(fill_dtype).kind == "O"
    require(is_object or not any(value is None or isinstance(value, str) for value in values))
    indicator = parts.attributes["indicator_"]
    require((indicator is not None) == parts.model.add_indicator)
    if indicator is not None:
        require(indicator._precomputed and indicator._n_features == parts.n_features)


def _indicated(value: Any, parts: Parts) -> bool:
    """Return whether an array holds features; an indicator within an imputer counts its own."""
    return rule.indices_below(parts.attributes["_n_features"], value)


def _imputed_width(model: SimpleImputer) -> int:
    """Return how many features an imputer returns: those that have values, and indicators."""
    statistics = model.statistics_.tolist()
    is_kept = [model.keep_empty_features or value == value for value in statistics]
    return sum(is_kept) + (0 if model.indicator_ is None else len(model.indicator_.features_))


_CATEGORIES = rule.either(
    rule.one_of("auto"), rule.list_of(rule.either(rule.array("biufUO"), rule.list_of(rule.scalar)))
)
_FREQUENCIES = {
    "min_frequency": rule.optional(rule.number),
    "max_categories": rule.optional(rule.whole(1)),
}
_RARE = {
    "_infrequent_indices": rule.list_of(rule.optional(rule.array("i"))),
    "_default_to_infrequent_mappings": rule.list_of(rule.optional(rule.array("i"))),
}

# Since version 1.8 imputers have a dtype of their own for what they fill in.
_FILLS = {"_fill_dtype": rule.dtype_of("biufO")}

CATEGORIES = [
    Schema(
        OneHotEncoder,
        {
            "categories": _CATEGORIES,
            "drop": rule.either(rule.one_of("first", "if_binary", None), rule.array("biufUO")),
            "sparse_output": rule.flag,
            "dtype": rule.dtype_of("biuf"),
            "handle_unknown": rule.one_of("error", "ignore", "infrequent_if_exist", "warn"),
            **_FREQUENCIES,
            "feature_name_combiner": rule.one_of("concat"),
        },
        {
            "categories_": _categories,
            "drop_idx_": rule.optional(rule.per_feature("O")),
            "_drop_idx_after_grouping": rule.optional(rule.per_feature("O")),
            "_infrequent_enabled": rule.flag,
            "_n_features_outs": rule.list_of(rule.whole(0)),
        },
        {**_RARE, **FEATURES},
        _check_one_hot,
        lambda model: sum(model._n_features_outs),
    ),
    Schema(
        OrdinalEncoder,
        {
            "categories": _CATEGORIES,
            "dtype": rule.dtype_of("iuf"),
            "handle_unknown": rule.one_of("error", "use_encoded_value"),
            "unknown_value": rule.optional(rule.number),
            "encoded_missing_value": rule.number,
            **_FREQUENCIES,
        },
        {
            "categories_": _categories,
            "_missing_indices": rule.mapping_of(rule.whole(0), rule.whole(0)),
            "_infrequent_enabled": rule.flag,
        },
        {**_RARE, **FEATURES},
        lambda parts: require(_groups(parts)),
    ),
    Schema(
        SimpleImputer,
        {
            "missing_values": rule.scalar,
            "strategy": rule.one_of("mean", "median", "most_frequent", "constant"),
            "fill_value": rule.scalar,
            **dict.fromkeys(("copy", "add_indicator", "keep_empty_features"), rule.flag),
        },
        {
            "statistics_": rule.per_feature("biufO"),
            "indicator_": rule.optional(rule.instance_of(MissingIndicator)),
            "_fit_dtype": rule.dtype_of("biufO"),
            **(_FILLS if SKLEARN_VERSION >= (1, 8) else {}),
        },
        {**_FILLS, **FEATURES},
        _check_imputer,
        _imputed_width,
    ),
    Schema(
        MissingIndicator,
        {
            "missing_values": rule.scalar,
            "features": rule.one_of("missing-only", "all"),
            "sparse": rule.either(rule.one_of("auto"), rule.flag),
            "error_on_new": rule.flag,
        },
        {"_precomputed": rule.flag, "_n_features": rule.whole(1), "features_": _indicated},
        width=lambda model: len(model.features_),
    ),
]
