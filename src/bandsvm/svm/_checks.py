"""Checks of parameters, samples, targets and weights, by the rules of `sklearn.svm`."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state, column_or_1d
from sklearn.utils.validation import check_consistent_length

from bandsvm._checks import data
from bandsvm._checks.parameters import finite_number
from bandsvm._kernels import resolve_gamma, uses_gamma
from bandsvm._system.advice import ParameterError, ParameterTypeError

# Outer steps of a fit without a limit on iterations, each of which is many of LIBSVM's.
NO_LIMIT, MAX_STEPS = -1, 10_000


def check_cost(estimator: Any, or_inf: bool = True) -> None:
    """Check C."""
    if not finite_number("C", estimator.C, or_inf=or_inf) > 0.0:
        raise ParameterError("C", "must be greater than 0", estimator.C)


def check_switches(estimator: Any) -> None:
    """Check parameters that have no effect, or none on the decision rule."""
    if not isinstance(estimator.shrinking, (bool, np.bool_)):
        raise ParameterTypeError("shrinking", "must be a bool", estimator.shrinking)
    if hasattr(estimator, "random_state"):
        check_random_state(estimator.random_state)
    max_iter = estimator.max_iter
    if isinstance(max_iter, bool) or not isinstance(max_iter, Integral):
        raise ParameterTypeError("max_iter", "must be an integer", max_iter)
    if max_iter != NO_LIMIT and max_iter < 1:
        raise ParameterError(
            "max_iter", "must be at least 1, or -1 for no limit", max_iter, "0 steps fit nothing"
        )


def outer_steps(max_iter: int) -> int:
    """Return a bound on outer steps."""
    return MAX_STEPS if max_iter == NO_LIMIT else max_iter


def checked_samples(estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool = True) -> Any:
    """Return X (and y) as the kernel takes them: float64, dense or CSR.

    A callable kernel takes X as it is, and its values are returned.
    """
    labelled = not (isinstance(y, str) and y == "no_validation")
    if callable(estimator.kernel):
        check_consistent_length(X, y)
        y = column_or_1d(y, warn=True) if estimator._has_targets else None
        return kernel_values(estimator.kernel, X, X, _length(X)), y
    if labelled and estimator.kernel == "precomputed" and sp.issparse(X):
        raise TypeError("Sparse precomputed kernels are not supported; pass K.toarray().")
    if not estimator._has_targets:
        X = data.check_samples(estimator, X, reset=reset)
    else:
        checked = data.check_samples(estimator, X, y, reset=reset)
        X, y = checked if labelled else (checked, None)
    if X.dtype != np.float64:
        X = X.astype(np.float64)
    if not labelled:
        return _as_in_fit(estimator, X)
    return X, y


def _as_in_fit(estimator: Any, X: Any) -> Any:
    """Return samples sparse if those of the fit were; refuse sparse ones if they were not."""
    if estimator._sparse:
        return X if sp.issparse(X) else sp.csr_array(X)
    if sp.issparse(X):
        name = type(estimator).__name__
        raise ValueError(
            f"cannot use sparse input in {name!r} trained on dense data; pass X.toarray(), or fit "
            "the model to sparse samples."
        )
    return X


def kernel_values(kernel: Any, X: Any, Y: Any, n_columns: int) -> NDArray[np.float64]:
    """Return the values of a callable kernel for all pairs of samples."""
    if sp.issparse(X):
        data.check_storage(X)  # products of SciPy would read and write beyond their memory
    values = kernel(X, Y)
    values = values.toarray() if sp.issparse(values) else np.asarray(values, dtype=np.float64)
    values = np.ascontiguousarray(values, dtype=np.float64)
    expected = (_length(X), n_columns)
    if values.shape != expected:
        raise ValueError(
            f"kernel must return a matrix of shape {expected}, one row for each sample and one "
            f"column for each training sample, got shape {values.shape}."
        )
    return values


def _length(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def positive_weights(sample_weight: Any, n_samples: int) -> NDArray[np.float64] | None:
    """Return weights, 0 where they are negative: such samples are left out."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_samples,):
        raise ValueError(
            "sample_weight and X have incompatible shapes: sample_weight must have one entry for "
            f"each of the {n_samples} samples, got shape {weights.shape}."
        )
    if not (weights > 0.0).any():
        raise ValueError(
            "Invalid input - all samples have zero or negative weights. sample_weight must contain "
            "at least one number greater than 0."
        )
    return np.maximum(weights, 0.0)


def unweighted_gamma(estimator: Any, X: Any) -> Any:
    """Return gamma as a number; 'scale' counts all samples alike, whatever their weights."""
    gamma = estimator.gamma
    if gamma != "scale" or not uses_gamma(estimator.kernel):
        return gamma
    try:
        return resolve_gamma(gamma, X, np.ones(X.shape[0]))
    except ValueError as error:
        raise ValueError(f"The dual coefficients or intercepts are not finite: {error}") from None
