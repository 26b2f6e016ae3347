"""What a model file may hold, and whether its parts fit together."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from bandsvm._parameters import band_parameters, check_parameters
from bandsvm.certificate import Certificate
from bandsvm.classifier import BandedSVC
from bandsvm.persistence._container import ModelFileError

STEPS = {cls.__name__: cls for cls in (BandedSVC, StandardScaler, MinMaxScaler, MaxAbsScaler)}
# Attributes with an entry for each feature, in the order in which scikit-learn sets them.
_SCALES = {
    "StandardScaler": ("scale_", "mean_", "var_"),
    "MinMaxScaler": ("scale_", "min_", "data_min_", "data_max_", "data_range_"),
    "MaxAbsScaler": ("scale_", "max_abs_"),
}
_FEATURES = ("n_features_in_", "feature_names_in_")


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
    _require(all(type(flag) in (bool, tuple) for flag in model.get_params().values()))
    _require(not getattr(model, "with_std", True) or attributes["scale_"] is not None)
    _require(not getattr(model, "with_mean", False) or attributes["mean_"] is not None)


def _check_classifier(model: BandedSVC, attributes: dict[str, Any], n_features: int) -> None:
    """Check a BandedSVC: kinds, shapes and ranges of all that predictions and warm starts use."""
    classes = attributes["classes_"]
    _require(classes.ndim == 1 and len(classes) >= 2 and len(np.unique(classes)) == len(classes))
    # Of a class of their own kind: a predicted label is one of these.
    _require(classes.dtype.kind in "biufUO")
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
    _require(isinstance(attributes["gamma_"], (int, float)))
    _require(isinstance(attributes.get("certificate_"), (Certificate, type(None))))
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
    for name in ("alpha_", "theta_", "xi_", "eta_"):
        _require(attributes[name].shape == shape and _is_finite(attributes[name]))
    for name in ("support_", "alpha_support_", "theta_support_"):
        indices = attributes[name]
        _require(indices.dtype.kind == "i" and indices.ndim == 1)
        _require(((indices >= 0) & (indices < n_samples)).all() and (np.diff(indices) > 0).all())
    _require(len(attributes["support_"]) == n_support)


def _is_finite(values: Any) -> bool:
    return values.dtype.kind == "f" and bool(np.isfinite(values).all())
