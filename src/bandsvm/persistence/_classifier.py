"""Our own classifiers in a model file: whether their parts fit together."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._checks.parameters import band_parameters, check_fit_parameters, check_parameters
from bandsvm._decisions.multiclass import MultiClass
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._estimators.linear import LinearBandedSVC
from bandsvm._linear.solving import available_linear_solvers
from bandsvm.persistence import _rules as rule
from bandsvm.persistence._decoder import is_number
from bandsvm.persistence._models import (
    check_kernel_rule,
    check_multipliers,
    check_problems,
    is_finite,
    kernel_schema,
)
from bandsvm.persistence._rules import FEATURES, Parts, Schema, require

# Every prediction is as wide as the longest label.
MAX_LABEL_LENGTH = 1000


def _check_kernel_model(parts: Parts) -> None:
    """Check all that predictions and warm starts use."""
    check_parameters(parts.model)
    check_kernel_rule(parts, _checked_problems(parts))
    counts, classes = parts.attributes["n_support_"], parts.attributes["classes_"]
    require(counts.dtype.kind == "i" and counts.shape == classes.shape and (counts >= 0).all())


def _check_linear_model(parts: Parts) -> None:
    """Check all that predictions and warm starts use."""
    check_fit_parameters(parts.model, available_linear_solvers())
    n_problems, coef = _checked_problems(parts), parts.attributes["coef_"]
    check_problems(parts, n_problems)
    values = coef.data if sp.issparse(coef) else coef
    require(coef.shape == (n_problems, parts.n_features) and is_finite(values))
    if "alpha_" in parts.attributes:
        check_multipliers(parts.attributes, n_problems)


def _checked_problems(parts: Parts) -> int:
    """Return the number of problems; check classes, and what belongs to them."""
    model, attributes = parts.model, parts.attributes
    classes = attributes["classes_"]
    require(classes.ndim == 1 and len(classes) >= 2 and len(np.unique(classes)) == len(classes))
    # Of a class of their own kind: a predicted label is one of these.
    require(classes.dtype.kind in "biufUO" and longest_label(classes) <= MAX_LABEL_LENGTH)
    require(_is_class_weight(model.class_weight))
    band_parameters(model, classes)
    n_columns = 1 if len(classes) == 2 else len(classes)
    sigmoids = attributes.get("sigmoids_")
    require(sigmoids is None or (sigmoids.shape == (n_columns, 2) and is_finite(sigmoids)))
    return MultiClass.of(model).strategy(len(classes)).n_problems


def longest_label(classes: NDArray) -> int:
    """Return the number of characters of the longest label; numbers have none."""
    if classes.dtype.kind == "O":
        return max(map(len, classes.tolist()), default=0)
    return classes.dtype.itemsize // 4 if classes.dtype.kind == "U" else 0


def _is_class_weight(value: Any) -> bool:
    if isinstance(value, dict):
        return all(is_number(weight) for weight in value.values())
    return value is None or (isinstance(value, str) and value == "balanced")


KERNEL_MODEL = kernel_schema(
    BandedSVC,
    _check_kernel_model,
    ("classes_", "n_support_"),
    optional={"sigmoids_": rule.anything},
    if_missing={"multi_class": "ovr"},
)

LINEAR_MODEL = Schema(
    LinearBandedSVC,
    dict.fromkeys(LinearBandedSVC().get_params(), rule.anything)
    | {"store_multipliers": rule.flag, "warm_start": rule.flag},
    {
        "n_features_in_": FEATURES["n_features_in_"],
        "solver_": rule.one_of(*available_linear_solvers()),
    }
    | dict.fromkeys(("classes_", "coef_", "intercept_"), rule.anything),
    {"feature_names_in_": FEATURES["feature_names_in_"]}
    | dict.fromkeys(("certificate_", "n_iter_", "alpha_", "theta_", "sigmoids_"), rule.anything),
    _check_linear_model,
)

CLASSIFIERS = (KERNEL_MODEL, LINEAR_MODEL)
