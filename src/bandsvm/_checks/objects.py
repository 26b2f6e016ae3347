"""Samples that are not rows of numbers (text, graphs, images), for callable kernels only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import validate_data


def are_objects(estimator: Any, X: Any, *, reset: bool) -> bool:
    """Return whether an estimator treats X as objects for its kernel, not as numbers.

    A fitted estimator treats X as it treated its training samples.
    """
    kernel = getattr(estimator, "kernel", "linear")
    kernels = kernel if isinstance(kernel, (list, tuple)) else [kernel]
    if not kernels or not all(callable(kernel) for kernel in kernels):
        return False
    return not (is_matrix_of_numbers(X) if reset else hasattr(estimator, "n_features_in_"))


def is_matrix_of_numbers(X: Any) -> bool:
    """Return whether X is a matrix of numbers, or can be converted to one."""
    if sp.issparse(X):
        return True
    if isinstance(X, Sequence) and not isinstance(X, str):
        # Objects that look like sequences, such as graphs, must not be unpacked.
        if not all(isinstance(sample, (Sequence, np.ndarray, Number)) for sample in X):
            return False
        try:
            X = np.asarray(X)
        except ValueError:  # samples of different lengths
            return False
    elif hasattr(X, "to_numpy"):
        X = X.to_numpy()
    if not isinstance(X, np.ndarray):
        return hasattr(X, "__array__")  # some other matrix, which scikit-learn checks
    if X.ndim != 2 or X.dtype.kind in "MV":
        return False
    if X.dtype.kind not in "OSU":
        return True
    try:
        X.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return True


def check_objects(estimator: Any, X: Any, y: Any, *, labelled: bool, reset: bool) -> Any:
    """Return X as an array with one entry per sample (and y, checked)."""
    X = array_of_objects(X)
    if not labelled:
        return X
    y = validate_data(estimator, "no_validation", y, reset=reset)
    check_consistent_length(X, y)
    if reset:
        # It may remain from an earlier fit.
        vars(estimator).pop("n_features_in_", None)
    return X, y


def array_of_objects(X: Any) -> NDArray:
    """Return samples as an array of any shape, one sample per entry of the first axis."""
    if hasattr(X, "to_numpy"):
        X = X.to_numpy()
    if not isinstance(X, np.ndarray):
        is_sequence = hasattr(X, "__len__") and hasattr(X, "__getitem__")
        if not is_sequence or isinstance(X, (str, Mapping)):
            raise TypeError(
                f"X must be a sequence of samples, got {type(X).__name__}; pass a list or an array "
                "with one entry per sample."
            )
        samples = np.empty(len(X), dtype=object)
        for i in range(len(X)):
            samples[i] = X[i]
        X = samples
    if X.ndim == 0 or len(X) == 0:
        raise ValueError("X must hold at least one sample, got none.")
    return X
