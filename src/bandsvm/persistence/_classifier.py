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
from bandsvm.persistence._rules import FEATURES, Parts, Schema, require

# Every prediction is as wide as the longest label.
MAX_LABEL_LENGTH = 1000
_NEEDED = ("classes_", "dual_coef_", "support_vectors_", "intercept_", "gamma_", "n_support_")
_TRAINING_SET = ("alpha_", "theta_", "xi_", "eta_", "alpha_support_", "theta_support_")


def _check_kernel_model(parts: Parts) -> None:
    """Check kinds, shapes and ranges of all that predictions and warm starts use."""
    model, attributes, n_features = parts.model, parts.attributes, parts.n_features
    check_parameters(model)
    n_problems = _checked_problems(parts)
    coefficients, support = attributes["dual_coef_"], attributes["support_vectors_"]
    n_support = coefficients.shape[1]
    require(coefficients.shape == (n_problems, n_support) and _is_finite(coefficients))
    if model.kernel == "precomputed":
        require(support.shape == (0, 0))
        require(rule.indices_below(n_features, attributes["support_"]))
        require(len(attributes["support_"]) == n_support)
    else:
        require(support.shape == (n_support, n_features))
        require(_is_finite(support.data if sp.issparse(support) else support))
    gamma, has_gamma = attributes["gamma_"], model.kernel not in ("linear", "precomputed")
    require(is_number(gamma) and (not has_gamma or 0.0 <= gamma < np.inf))
    counts, classes = attributes["n_support_"], attributes["classes_"]
    require(counts.dtype.kind == "i" and counts.shape == classes.shape and (counts >= 0).all())
    if "alpha_" in attributes:
        _check_training_set(attributes, n_problems, n_support)


def _check_linear_model(parts: Parts) -> None:
    """Check all that predictions and warm starts use."""
    check_fit_parameters(parts.model, available_linear_solvers())
    n_problems, coef = _checked_problems(parts), parts.attributes["coef_"]
    values = coef.data if sp.issparse(coef) else coef
    require(coef.shape == (n_problems, parts.n_features) and _is_finite(values))
    if "alpha_" in parts.attributes:
        _check_multipliers(parts.attributes, n_problems)


def _checked_problems(parts: Parts) -> int:
    """Return the number of problems; check what kernel models and linear ones have in common."""
    model, attributes = parts.model, parts.attributes
    classes, intercept = attributes["classes_"], attributes["intercept_"]
    require(classes.ndim == 1 and len(classes) >= 2 and len(np.unique(classes)) == len(classes))
    # Of a class of their own kind: a predicted label is one of these.
    require(classes.dtype.kind in "biufUO" and longest_label(classes) <= MAX_LABEL_LENGTH)
    require(_is_class_weight(model.class_weight))
    band_parameters(model, classes)
    n_problems = MultiClass.of(model).strategy(len(classes)).n_problems
    require(intercept.shape == (n_problems,) and _is_finite(intercept))
    require(is_number(attributes.get("n_iter_", 1)))
    n_columns = 1 if len(classes) == 2 else len(classes)
    sigmoids = attributes.get("sigmoids_")
    require(sigmoids is None or (sigmoids.shape == (n_columns, 2) and _is_finite(sigmoids)))
    certificate = attributes.get("certificate_")
    if certificate is not None:
        n_parts = 0 if n_problems == 1 else n_problems
        require(isinstance(certificate, Certificate) and len(certificate.parts) == n_parts)
    return n_problems


def _check_multipliers(attributes: dict[str, Any], n_problems: int) -> tuple[int, ...]:
    """Check the multipliers of all training samples; return their shape."""
    n_samples = len(attributes["alpha_"])
    shape = (n_samples,) if n_problems == 1 else (n_samples, n_problems)
    for name in ("alpha_", "theta_"):
        require(attributes[name].shape == shape and _is_finite(attributes[name]))
    return shape


def _check_training_set(attributes: dict[str, Any], n_problems: int, n_support: int) -> None:
    """Check what is known of every training sample."""
    shape = _check_multipliers(attributes, n_problems)
    for name in ("xi_", "eta_"):
        # They are nan in pairs of other classes and, if a fit was cut short, without weight.
        slacks = attributes[name]
        require(slacks.shape == shape and slacks.dtype.kind == "f" and not np.isinf(slacks).any())
    for name in ("support_", "alpha_support_", "theta_support_"):
        require(rule.indices_below(shape[0], attributes[name]))
        require((np.diff(attributes[name]) > 0).all())
    require(len(attributes["support_"]) == n_support)


def longest_label(classes: NDArray) -> int:
    """Return the number of characters of the longest label; numbers have none."""
    if classes.dtype.kind == "O":
        return max(map(len, classes.tolist()), default=0)
    return classes.dtype.itemsize // 4 if classes.dtype.kind == "U" else 0


def _is_class_weight(value: Any) -> bool:
    if isinstance(value, dict):
        return all(is_number(weight) for weight in value.values())
    return value is None or (isinstance(value, str) and value == "balanced")


def _is_finite(values: Any) -> bool:
    """Return whether an array holds finite floats."""
    return values.dtype.kind == "f" and bool(np.isfinite(values).all())


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


KERNEL_MODEL = Schema(
    BandedSVC,
    # `check_parameters` knows what they must be, but would take any callable as kernel.
    dict.fromkeys(BandedSVC().get_params(), rule.anything)
    | {"kernel": rule.text, "warm_start": rule.flag},
    {"n_features_in_": FEATURES["n_features_in_"]} | dict.fromkeys(_NEEDED, rule.anything),
    {"feature_names_in_": FEATURES["feature_names_in_"]}
    | dict.fromkeys(
        ("certificate_", "support_", "n_iter_", "sigmoids_", *_TRAINING_SET), rule.anything
    ),
    _check_kernel_model,
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
