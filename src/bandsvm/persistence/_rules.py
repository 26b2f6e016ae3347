"""What the parameters and attributes of a step in a model file must be.

A rule takes a value and the step that it belongs to, and returns whether the value is valid. Rules
may raise: a value that a rule cannot look at is not valid either.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bandsvm.persistence._decoder import DTYPES, is_number

# Names of features and terms, categories: what is longer is no name.
MAX_TEXT_LENGTH = 100_000
# Transformers start that many processes when they are used.
MAX_JOBS = 64


@dataclass(frozen=True)
class Parts:
    """A step of a file, as far as it is read: the estimator with its parameters, and attributes."""

    model: Any
    attributes: dict[str, Any]  # fitted ones

    @property
    def n_features(self) -> int:
        """Number of features that the step takes."""
        return self.attributes["n_features_in_"]


Rule = Callable[[Any, Parts], Any]


def require(condition: Any) -> None:
    """Raise ValueError unless a condition holds."""
    if not condition:
        raise ValueError


def flag(value: Any, _: Parts) -> bool:
    """Return whether a value is a bool."""
    return type(value) is bool


def number(value: Any, _: Parts) -> bool:
    """Return whether a value is a number."""
    return is_number(value)


def finite(value: Any, _: Parts) -> bool:
    """Return whether a value is a finite number."""
    return is_number(value) and math.isfinite(value)


def nothing(value: Any, _: Parts) -> bool:
    """Return whether a value is None."""
    return value is None


def text(value: Any, _: Parts) -> bool:
    """Return whether a value is a text that is not too long."""
    return type(value) is str and len(value) <= MAX_TEXT_LENGTH


def scalar(value: Any, _: Parts) -> bool:
    """Return whether a value can be an entry of a table."""
    return value is None or type(value) is bool or is_number(value) or text(value, _)


def anything(value: Any, _: Parts) -> bool:
    """Return True: the check of the schema looks at this value."""
    return True


def instance_of(*classes: type) -> Rule:
    """Return a rule for objects of some classes."""
    return lambda value, _: isinstance(value, classes)


def whole(lowest: int = -(2**63)) -> Rule:
    """Return a rule for integers from a lowest one."""
    return lambda value, _: type(value) is int and is_number(value) and value >= lowest


def jobs(value: Any, _: Parts) -> bool:
    """Return whether a value is a number of processes that a file may ask for."""
    return value is None or (type(value) is int and -MAX_JOBS <= value <= MAX_JOBS and value != 0)


def one_of(*values: str | None) -> Rule:
    """Return a rule for a few names."""
    return lambda value, _: (value is None or type(value) is str) and value in values


def either(*rules: Rule) -> Rule:
    """Return a rule for values that obey one of several rules."""
    return lambda value, parts: any(rule(value, parts) for rule in rules)


def optional(rule: Rule) -> Rule:
    """Return a rule for None and for values that obey another rule."""
    return either(nothing, rule)


def list_of(rule: Rule) -> Rule:
    """Return a rule for lists whose items obey another one."""
    return lambda value, parts: type(value) is list and all(rule(item, parts) for item in value)


def mapping_of(key: Rule, item: Rule) -> Rule:
    """Return a rule for dictionaries."""
    return lambda value, parts: (
        type(value) is dict and all(key(k, parts) and item(v, parts) for k, v in value.items())
    )


def tuple_of(*rules: Rule) -> Rule:
    """Return a rule for tuples, with a rule for each item."""
    return lambda value, parts: (
        type(value) is tuple
        and all(rule(item, parts) for rule, item in zip(rules, value, strict=True))
    )


def array(kinds: str, n_axes: int = 1) -> Rule:
    """Return a rule for arrays of some kinds of dtype."""
    return lambda value, _: (
        isinstance(value, np.ndarray) and value.dtype.kind in kinds and value.ndim == n_axes
    )


def per_feature(kinds: str) -> Rule:
    """Return a rule for arrays with an entry for each feature."""
    is_array = array(kinds)
    return lambda value, parts: is_array(value, parts) and len(value) == parts.n_features


def indices_below(end: int, indices: Any) -> bool:
    """Return whether an array holds indices of something that has ``end`` entries."""
    if not (isinstance(indices, np.ndarray) and indices.dtype.kind == "i" and indices.ndim == 1):
        return False
    return bool(((indices >= 0) & (indices < end)).all())


def dtype_of(kinds: str) -> Rule:
    """Return a rule for dtypes, their names and types of numbers."""
    return lambda value, _: (
        isinstance(value, (str, type, np.dtype))
        and np.dtype(value).kind in kinds
        and np.dtype(value) in DTYPES.values()
    )


# What all transformers of scikit-learn may have.
FEATURES: dict[str, Rule] = {
    "n_features_in_": whole(1),
    "feature_names_in_": lambda value, parts: (
        per_feature("O")(value, parts) and all(type(name) is str for name in value)
    ),
    "_sklearn_output_config": mapping_of(text, one_of("default", "pandas", "polars", None)),
}


@dataclass(frozen=True)
class Schema:
    """A class that a model file may hold."""

    cls: Any
    parameters: dict[str, Rule]  # others are refused
    attributes: dict[str, Rule]  # fitted ones that must be there
    optional: dict[str, Rule] = field(default_factory=FEATURES.copy)  # those that may be there
    check: Callable[[Parts], None] | None = None  # raises ValueError unless the parts fit together
    # Returns the number of features that a fitted model returns, None if that depends on X.
    width: Callable[[Any], int | None] = lambda model: getattr(model, "n_features_in_", None)
    # Parameters that files of older versions lack, with what models did then.
    if_missing: dict[str, Any] = field(default_factory=dict)
