"""Models with scikit-learn's names in a model file: parameters, and the banded estimator within."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from bandsvm._certificate import Certificate
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._estimators.one_class import OneClassBandedSVM
from bandsvm._estimators.regression import BandedSVR
from bandsvm.persistence import _rules as rule
from bandsvm.persistence._classifier import MAX_LABEL_LENGTH, is_class_weight, longest_label
from bandsvm.persistence._models import is_finite
from bandsvm.persistence._rules import FEATURES, Parts, Rule, Schema, require
from bandsvm.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVR, OneClassSVM


def _class_weight(value: Any, _: Parts) -> bool:
    return is_class_weight(value)


_PARAMETERS: dict[str, Rule] = {
    **dict.fromkeys(
        ("C", "nu", "tol", "coef0", "degree", "epsilon", "intercept_scaling"), rule.number
    ),
    **dict.fromkeys(("shrinking", "break_ties", "warm_start", "fit_intercept"), rule.flag),
    **dict.fromkeys(("kernel", "penalty", "loss", "multi_class"), rule.text),
    **dict.fromkeys(("random_state", "n_jobs"), rule.optional(rule.whole())),
    "gamma": rule.either(rule.text, rule.finite),
    "cache_size": rule.finite,
    "probability": rule.either(rule.flag, rule.one_of("deprecated")),
    "dual": rule.either(rule.flag, rule.one_of("auto")),
    "class_weight": _class_weight,
    "verbose": rule.either(rule.flag, rule.whole()),
    "max_iter": rule.whole(-1),
    "decision_function_shape": rule.one_of("ovr", "ovo"),
    "time_limit": rule.optional(rule.finite),
    "device": rule.one_of(None, "cpu", "cuda"),
}


def _parameters(cls: Any) -> dict[str, Rule]:
    return {name: _PARAMETERS[name] for name in cls().get_params()}


def _check_kernel_model(parts: Parts) -> None:
    """Check that a model and the banded estimator within are the same."""
    model, attributes, banded = parts.model, parts.attributes, parts.attributes["banded_"]
    require(model.kernel == banded.kernel and banded.n_features_in_ == parts.n_features)
    require(len(attributes["shape_fit_"]) == 2 and attributes["shape_fit_"][1] == parts.n_features)
    vectors = banded.support_vectors_
    require(model.kernel == "precomputed" or attributes["_sparse"] == sp.issparse(vectors))
    n_pairs = len(banded.intercept_)
    for name in ("_probA", "_probB"):
        if name in attributes:
            require(len(attributes[name]) in (0, n_pairs) and np.isfinite(attributes[name]).all())


def _kernel_schema(cls: Any, banded: Any, optional: tuple[str, ...] = ()) -> Schema:
    """Return the schema of a model with a kernel."""
    return Schema(
        cls,
        _parameters(cls),
        {
            "n_features_in_": FEATURES["n_features_in_"],
            "banded_": rule.instance_of(banded),
            "shape_fit_": rule.tuple_of(rule.whole(1), rule.whole(1)),
        },
        {
            "feature_names_in_": FEATURES["feature_names_in_"],
            "_sparse": rule.flag,
            "_given": rule.nothing,
        }
        | dict.fromkeys(optional, rule.array("f")),
        _check_kernel_model,
    )


def _check_linear_model(parts: Parts) -> None:
    """Check all that predictions use."""
    attributes, coef = parts.attributes, parts.attributes["coef_"]
    is_sparse = sp.issparse(coef)
    require(is_finite(coef.data if is_sparse else coef) and coef.shape[-1] == parts.n_features)
    intercept = attributes["intercept_"]
    if isinstance(intercept, float):
        require(intercept == 0.0)
    else:
        require(intercept.ndim == 1 and is_finite(intercept))
    n_problems, classes = 1, attributes.get("classes_")
    if classes is not None:
        require(classes.ndim == 1 and len(np.unique(classes)) == len(classes) >= 2)
        require(classes.dtype.kind in "biufUO" and longest_label(classes) <= MAX_LABEL_LENGTH)
        n_problems = 1 if len(classes) == 2 else len(classes)
        require(coef.ndim == 2)
    require((coef.shape[0] if coef.ndim == 2 else 1) == n_problems)
    require(isinstance(intercept, float) or len(intercept) == n_problems)


def _linear_schema(cls: Any, needed: tuple[str, ...] = ()) -> Schema:
    """Return the schema of a linear model."""
    return Schema(
        cls,
        _parameters(cls),
        {
            "n_features_in_": FEATURES["n_features_in_"],
            "solver_": rule.text,
            "certificate_": rule.instance_of(Certificate),
            "n_iter_": rule.whole(1),
        }
        | dict.fromkeys(("coef_", "intercept_", *needed), rule.anything),
        {"feature_names_in_": FEATURES["feature_names_in_"]},
        _check_linear_model,
    )


SWITCHED = (
    _kernel_schema(SVC, BandedSVC, ("_probA", "_probB")),
    _kernel_schema(SVR, BandedSVR),
    _kernel_schema(NuSVR, BandedSVR),
    _kernel_schema(OneClassSVM, OneClassBandedSVM),
    _linear_schema(LinearSVC, ("classes_",)),
    _linear_schema(LinearSVR),
)
