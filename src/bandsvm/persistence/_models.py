"""What all our models have in a model file: decision rules, training sets, certificates.

A model's own rules say how many problems it has, and check what only its kind has.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from bandsvm._certificate import Certificate
from bandsvm.persistence import _rules as rule
from bandsvm.persistence._decoder import is_number
from bandsvm.persistence._rules import FEATURES, Parts, Rule, Schema, require

# Attributes of a decision rule with a kernel, and those of its training set.
RULE = ("dual_coef_", "support_vectors_", "intercept_", "gamma_")
TRAINING_SET = ("alpha_", "theta_", "xi_", "eta_", "alpha_support_", "theta_support_")


def kernel_schema(cls: Any, check: Any, needed: tuple[str, ...] = (), **settings: Any) -> Schema:
    """Return the schema of a model with a kernel; ``check`` looks at all that has no rule."""
    own: dict[str, Rule] = settings.pop("optional", {})
    return Schema(
        cls,
        # The check knows what they must be, but would take any callable as kernel.
        dict.fromkeys(cls().get_params(), rule.anything)
        | {"kernel": rule.text, "warm_start": rule.flag},
        {"n_features_in_": FEATURES["n_features_in_"]}
        | dict.fromkeys((*RULE, *needed), rule.anything),
        {"feature_names_in_": FEATURES["feature_names_in_"]}
        | dict.fromkeys(("certificate_", "support_", "n_iter_", *TRAINING_SET), rule.anything)
        | own,
        check,
        **settings,
    )


def check_kernel_rule(parts: Parts, n_problems: int) -> None:
    """Check kinds, shapes and ranges of all that predictions and warm starts use."""
    model, attributes, n_features = parts.model, parts.attributes, parts.n_features
    check_problems(parts, n_problems)
    coefficients, support = attributes["dual_coef_"], attributes["support_vectors_"]
    n_support = coefficients.shape[1]
    require(coefficients.shape == (n_problems, n_support) and is_finite(coefficients))
    if model.kernel == "precomputed":
        require(support.shape == (0, 0))
        require(rule.indices_below(n_features, attributes["support_"]))
        require(len(attributes["support_"]) == n_support)
    else:
        require(support.shape == (n_support, n_features))
        require(is_finite(support.data if sp.issparse(support) else support))
    gamma, has_gamma = attributes["gamma_"], model.kernel not in ("linear", "precomputed")
    require(is_number(gamma) and (not has_gamma or 0.0 <= gamma < np.inf))
    if "alpha_" in attributes:
        _check_training_set(attributes, n_problems, n_support)


def check_problems(parts: Parts, n_problems: int) -> None:
    """Check what kernel models and linear ones have in common."""
    attributes = parts.attributes
    intercept, certificate = attributes["intercept_"], attributes.get("certificate_")
    require(intercept.shape == (n_problems,) and is_finite(intercept))
    require(is_number(attributes.get("n_iter_", 1)))
    if certificate is not None:
        n_parts = 0 if n_problems == 1 else n_problems
        require(isinstance(certificate, Certificate) and len(certificate.parts) == n_parts)
        # Predictions are computed in units of it.
        require(0.0 < certificate.scale < np.inf)


def check_multipliers(attributes: dict[str, Any], n_problems: int) -> tuple[int, ...]:
    """Check the multipliers of all training samples; return their shape."""
    n_samples = len(attributes["alpha_"])
    shape = (n_samples,) if n_problems == 1 else (n_samples, n_problems)
    for name in ("alpha_", "theta_"):
        require(attributes[name].shape == shape and is_finite(attributes[name]))
    return shape


def _check_training_set(attributes: dict[str, Any], n_problems: int, n_support: int) -> None:
    """Check what is known of every training sample."""
    shape = check_multipliers(attributes, n_problems)
    for name in ("xi_", "eta_"):
        # They are nan in pairs of other classes and, if a fit was cut short, without weight.
        slacks = attributes[name]
        require(slacks.shape == shape and slacks.dtype.kind == "f" and not np.isinf(slacks).any())
    for name in ("support_", "alpha_support_", "theta_support_"):
        require(rule.indices_below(shape[0], attributes[name]))
        require((np.diff(attributes[name]) > 0).all())
    require(len(attributes["support_"]) == n_support)


def is_finite(values: Any) -> bool:
    """Return whether an array holds finite floats."""
    return values.dtype.kind == "f" and bool(np.isfinite(values).all())
