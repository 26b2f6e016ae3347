"""Steps before a classifier, fitted and applied to matrices on disk, a block of rows at a time."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline

from bandsvm._system.memory import available_bytes
from bandsvm._tables.scratch import mapped_rows, row_blocks

# Medians need whole columns: as many at a time as this share of the free memory holds, copies
# included.
MEDIAN_SHARE, MEDIAN_COPIES = 0.1, 4


def fitted_transform(steps: Pipeline, X: Any) -> Any:
    """Fit steps to a matrix on disk; return what they make of it, on disk too."""
    for place, (_, step) in enumerate(steps.steps):
        before = steps[:place] if place else None
        if isinstance(step, SimpleImputer):
            assert before is None
            _fit_imputer(step, X)
            continue
        # That of a model to go on with has seen samples, and names, before.
        fresh = clone(step)
        for rows in row_blocks(X):
            fresh.partial_fit(X[rows] if before is None else before.transform(X[rows]))
        step.__dict__ = fresh.__dict__
    return mapped_rows(X, steps.transform)


def _fit_imputer(imputer: SimpleImputer, X: NDArray) -> None:
    """Fit an imputer of medians: two rows that have these medians, and lack the same columns."""
    medians = _medians(X)
    is_missing = np.zeros(X.shape[1], bool)
    for rows in row_blocks(X):
        is_missing |= np.isnan(X[rows]).any(axis=0)
    two_rows = np.vstack([medians, np.where(is_missing, np.nan, medians)])
    imputer.fit(two_rows.astype(X.dtype))


def _medians(X: NDArray) -> NDArray[np.float64]:
    """Return the median of each column, without what is missing."""
    n_samples, n_features = X.shape
    room = MEDIAN_SHARE * available_bytes() / MEDIAN_COPIES
    step = max(1, int(room // (X.dtype.itemsize * n_samples)))
    medians = np.empty(n_features)
    with warnings.catch_warnings():
        # Of columns without any number.
        warnings.filterwarnings("ignore", "All-NaN slice encountered")
        for first in range(0, n_features, step):
            part = slice(first, first + step)
            medians[part] = np.nanmedian(X[:, part], axis=0)
    return medians
