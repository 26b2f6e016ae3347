"""The way back: which `BandedSVC` is an `SVC`, and with which parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.utils.validation import check_is_fitted

from bandsvm._kernels import uses_gamma

# What a C-SVM has, by parameters of BandedSVC.
NEEDED = {"C2": 0.0, "rho1": 1.0, "loss": "hinge", "fit_intercept": True}
SHARED = (
    "kernel",
    "degree",
    "coef0",
    "tol",
    "class_weight",
    "verbose",
    "time_limit",
    "n_jobs",
    "device",
)


def parameters_of(banded: Any) -> dict[str, Any]:
    """Return the parameters of the `SVC` that a fitted `BandedSVC` is; refuse all others."""
    check_is_fitted(banded, "alpha_", msg="%(name)s is not fitted yet, or has no training set.")
    for name, needed in NEEDED.items():
        value = getattr(banded, name)
        if isinstance(value, Mapping) or value != needed:
            raise ValueError(f"An SVC has {name}={needed!r}, but the model has {name}={value!r}.")
    if len(banded.classes_) > 2 and banded.multi_class != "ovo":
        raise ValueError("An SVC is one-vs-one, but the model has multi_class='ovr'.")
    if isinstance(banded.C1, Mapping) or isinstance(banded.class_weight, str):
        raise ValueError(
            "An SVC has one C for all classes, and 'balanced' counts samples there; fit the model "
            "with a number C1 and a mapping class_weight."
        )
    if callable(banded.kernel):
        raise ValueError(
            "An SVC with a callable kernel needs all training samples, which the model has not; "
            "fit the SVC itself."
        )
    found = {name: getattr(banded, name) for name in SHARED}
    for name in ("decision_function_shape", "break_ties", "warm_start"):
        found[name] = getattr(banded, name)
    gamma = float(banded.gamma_) if uses_gamma(banded.kernel) else banded.gamma
    return {"C": banded.C1, "gamma": gamma, "max_iter": int(banded.max_iter), **found}
