"""What a model file may hold, and whether its parts fit together."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from bandsvm.certificate import Certificate
from bandsvm.checks.parameters import band_parameters, check_parameters
from bandsvm.classifier import BandedSVC
from bandsvm.persistence._container import ModelFileError
from bandsvm.persistence._values import is_number

STEPS = {cls.__name__: cls for cls in (BandedSVC, StandardScaler, MinMaxScaler, MaxAbsScaler)}
# Attributes with an entry for each feature, in the order in which scikit-learn sets them.
_SCALES = {
    "StandardScaler": ("scale_", "mean_", "var_"),
    "MinMaxScaler": ("scale_", "min_", "data_min_", "data_max_", "data_range_"),
    "MaxAbsScaler": ("scale_", "max_abs_"),
}
_FEATURES = ("n_features_in_", "feature_names_in_")
# Every prediction is as wide as the longest label.
LONGEST_LABEL = 1000


def check_step(model: Any, attributes: dict[str, Any]) -> None:
    """Raise unless attributes make a fitted step out of a model with its parameters set."""
    try:
        n_features = attributes["n_features_in_"]
        _require(type(n_features) is int and n_features >= 1)
        names = attributes.get("feature_names_in_")
        _require(names is None or (names.dtype == object and names.shape == (n_features,)))
        if isinstance(model, BandedSVC):
            check_parameters(model)
            _check_classifier(model, attributes, n_features)
        else:
            _check_scaler(model, attributes, n_features)
    except ModelFileError:
        raise
    except (KeyError, AttributeError, TypeError, ValueError, IndexError):
        raise ModelFileError(
            f"is damaged: the parts of its {type(model).__name__} do not fit together"
        ) from None


def _require(condition: Any) -> None:
    if not condition:
        raise ValueError


def _check_scaler(model: Any, attributes: dict[str, Any], n_features: int) -> None:
    """Check a scaler of scikit-learn."""
    scales = _SCALES[type(model).__name__]
    _require(attributes.keys() <= {*scales, *_FEATURES, "n_samples_seen_"})
    for name in scales:
        value = attributes[name]
        _require(value is None or (value.shape == (n_features,) and value.dtype.kind == "f"))
    parameters = model.get_params()
    low, high = parameters.pop("feature_range", (0, 1))
    _require(is_number(low) and is_number(high) and -np.inf < low < high < np.inf)
    _require(all(type(flag) is bool for flag in parameters.values()))
    seen = attributes.get("n_samples_seen_", 0)
    if isinstance(seen, np.ndarray):
        _require(seen.shape == (n_features,) and seen.dtype.kind in "iuf")
    else:
        _require(is_number(seen))
    _require(not getattr(model, "with_std", True) or attributes["scale_"] is not None)
    _require(not getattr(model, "with_mean", False) or attributes["mean_"] is not None)


def _check_classifier(model: BandedSVC, attributes: dict[str, Any], n_features: int) -> None:
    """Check a BandedSVC: kinds, shapes and ranges of all that predictions and warm starts use."""
    classes = attributes["classes_"]
    _require(classes.ndim == 1 and len(classes) >= 2 and len(np.unique(classes)) == len(classes))
    # Of a class of their own kind: a predicted label is one of these.
    _require(classes.dtype.kind in "biufUO" and longest_label(classes) <= LONGEST_LABEL)
    _require(_is_class_weight(model.class_weight) and type(model.warm_start) is bool)
    band_parameters(model, classes)
    n_problems = 1 if len(classes) == 2 else len(classes)
    coefficients, support = attributes["dual_coef_"], attributes["support_vectors_"]
    n_support = coefficients.shape[1]
    _require(coefficients.shape == (n_problems, n_support) and _is_finite(coefficients))
    intercept = attributes["intercept_"]
    _require(intercept.shape == (n_problems,) and _is_finite(intercept))
    if model.kernel == "precomputed":
        _require(support.shape == (0, 0))
    else:
        _require(support.shape == (n_support, n_features))
        _require(_is_finite(support.data if sp.issparse(support) else support))
    _require(is_number(attributes["gamma_"]))
    certificate = attributes.get("certificate_")
    if certificate is not None:
        n_parts = 0 if n_problems == 1 else n_problems
        _require(isinstance(certificate, Certificate) and len(certificate.parts) == n_parts)
    _require(is_number(attributes.get("n_iter_", 1)))
    counts = attributes["n_support_"]
    _require(counts.dtype.kind == "i" and counts.shape == classes.shape and (counts >= 0).all())
    if model.kernel == "precomputed":
        _check_indices(attributes["support_"], n_features)
        _require(len(attributes["support_"]) == n_support)
    if "alpha_" in attributes:
        _check_training_set(attributes, n_problems, n_support)
    known = {
        *("classes_", "dual_coef_", "support_vectors_", "intercept_", "gamma_", "certificate_"),
        *("support_", "n_support_", "n_iter_", "alpha_support_", "theta_support_"),
        *("alpha_", "theta_", "xi_", "eta_"),
        *_FEATURES,
    }
    _require(attributes.keys() <= known)


def _check_training_set(attributes: dict[str, Any], n_problems: int, n_support: int) -> None:
    """Check what is known of every training sample."""
    n_samples = len(attributes["alpha_"])
    shape = (n_samples,) if n_problems == 1 else (n_samples, n_problems)
    for name in ("alpha_", "theta_"):
        _require(attributes[name].shape == shape and _is_finite(attributes[name]))
    for name in ("xi_", "eta_"):
        # A fit that was cut short does not know them of samples without weight: they are nan.
        slacks = attributes[name]
        _require(slacks.shape == shape and slacks.dtype.kind == "f" and not np.isinf(slacks).any())
    for name in ("support_", "alpha_support_", "theta_support_"):
        _check_indices(attributes[name], n_samples)
        _require((np.diff(attributes[name]) > 0).all())
    _require(len(attributes["support_"]) == n_support)


def _check_indices(indices: Any, end: int) -> None:
    """Check that an array holds indices of something that has ``end`` entries."""
    _require(indices.dtype.kind == "i" and indices.ndim == 1)
    _require(((indices >= 0) & (indices < end)).all())


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
    return values.dtype.kind == "f" and bool(np.isfinite(values).all())
