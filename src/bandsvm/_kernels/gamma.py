"""The values of ``gamma="scale"`` and ``gamma="auto"``."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._system.threads import n_threads

MIN_FOR_THREADS = 100_000


def resolve_gamma(gamma: str | float, X: Any, weights: NDArray) -> float:
    """Return the value of gamma; rows of X are weighted."""
    if not isinstance(gamma, str):
        return float(gamma)
    if gamma == "auto":
        return 1.0 / X.shape[1]
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        spread = np.float64(variance(X, weights))
        resolved = float(1.0 / (X.shape[1] * spread))
    if np.isfinite(spread) and 0.0 < resolved < np.inf:
        return resolved
    if spread == 0.0 and (kept := X[weights > 0.0]).max() == kept.min():
        # All entries are equal, and gamma does not matter.
        return 1.0
    size = "large" if not np.isfinite(spread) or resolved == 0.0 else "small"
    raise ValueError(
        f"gamma='scale' needs the variance of X, which is too {size} for float64; scale X, for "
        "example with sklearn.preprocessing.StandardScaler."
    )


def variance(X: Any, weights: NDArray) -> float:
    """Return the variance of all entries of X, with weighted rows."""
    if not sp.issparse(X):
        return _core.variance(X, weights, n_threads(None) if X.size > MIN_FOR_THREADS else 1)
    total = float(weights.sum()) * X.shape[1]
    values, counts = X.data.astype(np.float64), np.diff(X.indptr)
    of_value = np.repeat(weights, counts)
    # Sums, because the last digits of inner products depend on the threads of BLAS.
    mean = (of_value * values).sum() / total
    zeros = float((weights * (X.shape[1] - counts)).sum())
    return (float((of_value * (values - mean) ** 2).sum()) + zeros * mean**2) / total
