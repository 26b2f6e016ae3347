"""Our own classifiers in a model file: whether their parts fit together.

A `BandedSVCCV` holds the best model, and what the search found.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._certificate import Certificate
from bandsvm._checks.parameters import band_parameters, check_fit_parameters, check_parameters
from bandsvm._decisions.multiclass import MultiClass
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._estimators.linear import LinearBandedSVC
from bandsvm._linear.solving import available_linear_solvers
from bandsvm.model_selection import BandedSVCCV
from bandsvm.persistence import _rules as rule
from bandsvm.persistence._decoder import SPLITTERS, is_number
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
    require(is_class_weight(model.class_weight))
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


def is_class_weight(value: Any) -> bool:
    if isinstance(value, dict):
        return all(is_number(weight) for weight in value.values())
    return value is None or (isinstance(value, str) and value == "balanced")


def _results(value: Any, parts: Parts) -> bool:
    """Return whether results have an entry for each candidate."""
    n_candidates = len(value["params"])
    columns = rule.either(
        rule.array("iufOb"), rule.list_of(rule.mapping_of(rule.text, rule.scalar))
    )
    return n_candidates > 0 and all(
        rule.text(key, parts) and columns(column, parts) and len(column) == n_candidates
        for key, column in value.items()
    )


def _check_search(parts: Parts) -> None:
    """Check that the best candidate is among the results, and its model of the same classes."""
    attributes = parts.attributes
    require(attributes["best_index_"] < len(attributes["cv_results_"]["params"]))
    classes, best = attributes["classes_"], attributes.get("best_estimator_")
    require(classes.ndim == 1 and longest_label(classes) <= MAX_LABEL_LENGTH)
    if best is not None:
        require(np.array_equal(best.classes_, classes))
        require(best.n_features_in_ == parts.n_features)


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

_CHOICES = rule.optional(
    rule.either(
        rule.finite, rule.text, rule.list_of(rule.either(rule.finite, rule.text)), rule.array("iuf")
    )
)

SEARCH = Schema(
    BandedSVCCV,
    {
        **dict.fromkeys(("C1", "C2", "rho2", "kernel", "gamma"), _CHOICES),
        "rho1": rule.either(rule.finite, rule.mapping_of(rule.scalar, rule.finite)),
        "loss": rule.text,
        "class_weight": rule.either(
            rule.one_of("balanced", None), rule.mapping_of(rule.scalar, rule.number)
        ),
        **dict.fromkeys(("multi_class", "decision_function_shape"), rule.one_of("ovr", "ovo")),
        "cv": rule.either(rule.whole(2), rule.instance_of(*SPLITTERS.values())),
        **dict.fromkeys(("degree", "coef0", "tol"), rule.finite),
        "scoring": rule.optional(rule.text),
        **dict.fromkeys(("criterion", "search"), rule.text),
        **dict.fromkeys(("fit_intercept", "break_ties", "give_up", "refit"), rule.flag),
        "refine": rule.whole(0),
        "max_iter": rule.whole(1),
        **dict.fromkeys(("time_limit", "cache_size"), rule.optional(rule.finite)),
        "verbose": rule.either(rule.flag, rule.whole()),
        "n_jobs": rule.optional(rule.whole()),
    },
    {
        "n_features_in_": FEATURES["n_features_in_"],
        "classes_": rule.array("biufUO"),
        "cv_results_": _results,
        "best_index_": rule.whole(0),
        "best_score_": rule.number,
        "best_params_": rule.mapping_of(rule.text, rule.scalar),
        "n_splits_": rule.whole(0),
    },
    {
        "feature_names_in_": FEATURES["feature_names_in_"],
        "best_estimator_": rule.instance_of(BandedSVC),
        "n_iter_": rule.whole(0),
        "certificate_": rule.instance_of(Certificate),
    },
    _check_search,
    if_missing={"multi_class": "ovr"},
)

CLASSIFIERS = (KERNEL_MODEL, LINEAR_MODEL, SEARCH)
