"""Estimators of scikit-learn that hold others, in a model file."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.pipeline import FeatureUnion, Pipeline

from bandsvm.persistence import _rules as rule
from bandsvm.persistence._rules import FEATURES, Parts, Rule, Schema, require


def _transformer(value: Any, _: Parts) -> bool:
    return isinstance(value, BaseEstimator) and hasattr(value, "transform")


def _slice(value: Any, _: Parts) -> bool:
    ends = (value.start, value.stop, value.step) if isinstance(value, slice) else ((),)
    return all(end is None or type(end) in (int, str) for end in ends)


# Columns of a dense result that nothing in the file stands for, 8 MB for a sample.
MAX_DENSE_HASHES = 2**20
_STEP = rule.either(rule.one_of("drop", "passthrough"), _transformer)
_COLUMNS = rule.either(
    rule.text,
    rule.whole(),
    _slice,
    rule.list_of(rule.either(rule.text, rule.whole(), rule.flag)),
    rule.array("biUO"),
)


def _named(*rules: Rule) -> Rule:
    """Return a rule for lists of tuples that begin with a name of their own."""
    is_list = rule.list_of(rule.tuple_of(rule.text, *rules))
    return lambda value, parts: (
        is_list(value, parts) and len({item[0] for item in value}) == len(value)
    )


def _hashed(step: Any) -> int:
    """Return the largest number of features that texts are hashed to, in a step or within it."""
    if isinstance(step, HashingVectorizer):
        return step.n_features
    inner = [getattr(step, name, ()) for name in ("steps", "transformer_list", "transformers_")]
    return max((_hashed(item[1]) for items in inner for item in items), default=0)


def _check_columns(parts: Parts) -> None:
    """Check that a ColumnTransformer's columns are there, and that each name is there once."""
    attributes = parts.attributes
    names = [name for name, _, _ in attributes["transformers_"]]
    given = [name for name, _, _ in parts.model.transformers]
    require(names[: len(given)] == given and {*names[len(given) :]} <= {"remainder"})
    indices = attributes["_transformer_to_input_indices"]
    require({*names} <= indices.keys() and attributes["output_indices_"].keys() >= {*names})
    require(all(0 <= at < parts.n_features for places in indices.values() for at in places))
    require(len(attributes["_columns"]) == len(given))
    hashed = max((_hashed(step) for _, step, _ in attributes["transformers_"]), default=0)
    require(attributes["sparse_output_"] or hashed <= MAX_DENSE_HASHES)
    for name, step, columns in attributes["transformers_"]:
        if not isinstance(step, str) and indices[name]:
            # One column by its name, not in a list, is handed on without its axis.
            is_one = isinstance(columns, (str, int))
            n_inputs = getattr(step, "n_features_in_", len(indices[name]))
            require(is_one or n_inputs == len(indices[name]))


def _column_width(model: ColumnTransformer) -> int:
    return max((part.stop for part in model.output_indices_.values()), default=0)


COMPOSITES = [
    Schema(
        ColumnTransformer,
        {
            "transformers": _named(_STEP, _COLUMNS),
            "remainder": _STEP,
            "sparse_threshold": rule.finite,
            "n_jobs": rule.jobs,
            "transformer_weights": rule.optional(rule.mapping_of(rule.text, rule.number)),
            "verbose": rule.flag,
            "verbose_feature_names_out": rule.either(rule.flag, rule.text),
            "force_int_remainder_cols": rule.either(rule.flag, rule.one_of("deprecated")),
        },
        {
            "transformers_": _named(_STEP, _COLUMNS),
            "_columns": rule.list_of(_COLUMNS),
            "_transformer_to_input_indices": rule.mapping_of(
                rule.text, rule.list_of(rule.whole(0))
            ),
            "_remainder": rule.tuple_of(rule.one_of("remainder"), _STEP, _COLUMNS),
            "output_indices_": rule.mapping_of(rule.text, _slice),
            "sparse_output_": rule.flag,
        },
        {"_transformers_feature_names_out": rule.array("O"), **FEATURES},
        _check_columns,
        _column_width,
    ),
    Schema(
        Pipeline,
        {
            "steps": _named(_STEP),
            "memory": rule.nothing,
            "verbose": rule.flag,
            "transform_input": rule.optional(rule.list_of(rule.text)),
        },
        {},
        {"_sklearn_output_config": FEATURES["_sklearn_output_config"]},
        lambda parts: require(parts.model.steps),
    ),
    Schema(
        FeatureUnion,
        {
            "transformer_list": _named(_STEP),
            "n_jobs": rule.jobs,
            "transformer_weights": rule.optional(rule.mapping_of(rule.text, rule.number)),
            "verbose": rule.flag,
            "verbose_feature_names_out": rule.flag,
        },
        {},
        {"_sklearn_output_config": FEATURES["_sklearn_output_config"]},
        lambda parts: require(parts.model.transformer_list),
    ),
]
