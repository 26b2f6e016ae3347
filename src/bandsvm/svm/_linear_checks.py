"""Parameters of linear models, by the rules of `sklearn.svm`; the feature of the intercept."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_random_state

from bandsvm._checks.parameters import check_positive
from bandsvm._checks.tube_parameters import epsilon_of
from bandsvm._system.advice import ParameterError, ParameterTypeError

# Gaps that are smaller shares of the objective are rounding errors.
MIN_GAP = 1e-12
# Operations on sparse matrices that would hold so few values take longer than on dense ones.
LITTLE_MATRIX = 2**14
# What scikit-learn solves only in the dual.
DUAL_ONLY = ("hinge", "epsilon_insensitive")


def check_classifier_parameters(estimator: Any) -> None:
    """Check all parameters of a `LinearSVC`."""
    for name, known, ours in (
        ("penalty", ("l1", "l2"), "l2"),
        ("multi_class", ("ovr", "crammer_singer"), "ovr"),
    ):
        value = getattr(estimator, name)
        if value not in known:
            raise ParameterError(name, f"must be {known[0]!r} or {known[1]!r}", value)
        if value != ours:
            _check_combination(estimator)
            raise ParameterError(
                name,
                f"must be {ours!r}",
                value,
                f"no band problem has {name}={value!r}; use sklearn.svm.LinearSVC for it",
            )
    _check_parameters(estimator)
    _check_combination(estimator)


def check_regressor_parameters(estimator: Any) -> None:
    """Check all parameters of a `LinearSVR`."""
    _check_parameters(estimator)
    _check_combination(estimator)
    epsilon_of(estimator)


def _check_combination(estimator: Any) -> None:
    """Refuse what scikit-learn refuses, in its words."""
    penalty, loss, dual = getattr(estimator, "penalty", "l2"), estimator.loss, estimator.dual
    what = f"penalty={penalty!r} and loss={loss!r} "
    if penalty == "l1" and loss in DUAL_ONLY:
        what += "is not supported"
    elif (penalty == "l1" and dual is True) or (loss in DUAL_ONLY and dual is False):
        what += f"are not supported when dual={dual}"
    else:
        return
    raise ValueError(
        f"Unsupported set of arguments: The combination of {what}, Parameters: "
        f"penalty={penalty!r}, loss={loss!r}, dual={dual!r}"
    )


def _check_parameters(estimator: Any) -> None:
    """Check what banded estimators do not have, and ``tol``, which is smaller there."""
    dual = estimator.dual
    if not (isinstance(dual, (bool, np.bool_)) or (isinstance(dual, str) and dual == "auto")):
        raise ParameterError("dual", "must be True, False or 'auto'", dual)
    check_positive(estimator, "C")
    check_positive(estimator, "intercept_scaling")
    check_random_state(estimator.random_state)
    check_positive(estimator, "tol")
    if not isinstance(estimator.fit_intercept, (bool, np.bool_)):
        raise ParameterTypeError("fit_intercept", "must be a bool", estimator.fit_intercept)


def band_tolerance(tol: float) -> float:
    """Return the relative gap that bounds errors of the weights by ``tol``.

    The objective holds half the square of the weights, so that its gap bounds their error's square.
    A gap is never larger than the objective.
    """
    return max(min(float(tol), 1.0) ** 2, MIN_GAP)


def with_constant(X: Any, value: float) -> Any:
    """Return samples with one more feature, which has the same value in all of them; none for 0."""
    if value == 0.0:
        return X
    n_samples, n_features = X.shape
    if sp.issparse(X) and n_samples * n_features <= LITTLE_MATRIX:
        X = X.toarray()
    if not sp.issparse(X):
        return np.hstack([X, np.full((n_samples, 1), value)])
    ends = X.indptr[1:]
    values, columns = np.insert(X.data, ends, value), np.insert(X.indices, ends, n_features)
    starts = X.indptr + np.arange(n_samples + 1, dtype=X.indptr.dtype)
    return sp.csr_array((values, columns, starts), shape=(n_samples, n_features + 1))
