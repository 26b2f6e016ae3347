"""Estimators of scikit-learn that hold others, in a model file."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from bandsvm.persistence._rules import (
    FEATURES,
    Kind,
    Parts,
    array,
    either,
    finite,
    flag,
    list_of,
    mapping_of,
    nothing,
    number,
    one_of,
    optional,
    require,
    text,
    whole,
)


def _estimator(value: Any, _: Parts) -> bool:
    return isinstance(value, BaseEstimator)


def _slice(value: Any, _: Parts) -> bool:
    ends = (value.start, value.stop, value.step) if isinstance(value, slice) else ((),)
    return all(end is None or type(end) in (int, str) for end in ends)


_STEP = either(one_of("drop", "passthrough", None), _estimator)
_COLUMNS = either(text, whole(), _slice, list_of(either(text, whole(), flag)), array("biUO"))


def _named(*rules: Any) -> Any:
    """Return a rule for lists of tuples: a name, and what keeps the other rules."""
    return list_of(
        lambda value, parts: (
            type(value) is tuple
            and len(value) == 1 + len(rules)
            and text(value[0], parts)
            and all(rule(item, parts) for rule, item in zip(rules, value[1:], strict=True))
        )
    )


def _check_columns(parts: Parts) -> None:
    """Check that a ColumnTransformer's columns are there, and that each name is there once."""
    attributes = parts.attributes
    names = [name for name, _, _ in attributes["transformers_"]]
    given = [name for name, _, _ in parts.model.transformers]
    require(len(set(names)) == len(names) and names[: len(given)] == given)
    require(set(names[len(given) :]) <= {"remainder"})
    indices = attributes["_transformer_to_input_indices"]
    require({*names} <= indices.keys() and attributes["output_indices_"].keys() >= {*names})
    require(all(0 <= at < parts.n_features for places in indices.values() for at in places))
    require(len(attributes["_columns"]) == len(given))
    for name, step, columns in attributes["transformers_"]:
        if not isinstance(step, str) and indices[name]:
            # One column by its name, not in a list, is handed on without its axis.
            is_one = isinstance(columns, (str, int))
            n_inputs = getattr(step, "n_features_in_", len(indices[name]))
            require(is_one or n_inputs == len(indices[name]))


def _check_remainder(value: Any, parts: Parts) -> bool:
    return (
        type(value) is tuple
        and len(value) == 3
        and value[0] == "remainder"
        and _STEP(value[1], parts)
        and _COLUMNS(value[2], parts)
    )


def _column_width(model: ColumnTransformer) -> int:
    return max((part.stop for part in model.output_indices_.values()), default=0)


COMPOSITES = [
    Kind(
        ColumnTransformer,
        {
            "transformers": _named(_STEP, _COLUMNS),
            "remainder": _STEP,
            "sparse_threshold": finite,
            "n_jobs": optional(whole()),
            "transformer_weights": optional(mapping_of(text, number)),
            "verbose": flag,
            "verbose_feature_names_out": either(flag, text),
            "force_int_remainder_cols": either(flag, one_of("deprecated")),
        },
        {
            "transformers_": _named(_STEP, _COLUMNS),
            "_columns": list_of(_COLUMNS),
            "_transformer_to_input_indices": mapping_of(text, list_of(whole(0))),
            "_remainder": _check_remainder,
            "output_indices_": mapping_of(text, _slice),
            "sparse_output_": flag,
        },
        {"_transformers_feature_names_out": array("O"), **FEATURES},
        _check_columns,
        _column_width,
    ),
    Kind(
        Pipeline,
        {
            "steps": _named(_STEP),
            "memory": nothing,
            "verbose": flag,
            "transform_input": optional(list_of(text)),
        },
        {},
        {"_sklearn_output_config": FEATURES["_sklearn_output_config"]},
    ),
]
