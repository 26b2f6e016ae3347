"""Checks of the data: X, y, sample weights and kernel matrices."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, validate_data

from bandsvm._checks.objects import are_objects, check_objects
from bandsvm._kernels import FromFunction, Samples
from bandsvm._kernels.samples import as_contiguous

FLOATS = [np.float64, np.float32]
# Relative asymmetry of a kernel matrix that float32 arithmetic can explain.
ASYMMETRY = 1e-5
# Samples on which a callable kernel is tried before the fit.
SYMMETRY_CHECKS = 20


def check_samples(estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool) -> Any:
    """Return X (and y) validated by scikit-learn, with advice added to its error messages.

    If all kernels are callables, X need not hold numbers.
    """
    labelled = not (isinstance(y, str) and y == "no_validation")
    if _is_plain(X) and _is_checked_plainly(estimator, X, y, labelled=labelled, reset=reset):
        return (X, y) if labelled else X
    if are_objects(estimator, X, reset=reset):
        return check_objects(estimator, X, y, labelled=labelled, reset=reset)
    check_storage(X)
    try:
        # scikit-learn sums all entries, which warns if there are infinities of both signs.
        with np.errstate(over="ignore", invalid="ignore"):
            checked = validate_data(
                estimator, X, y, reset=reset, accept_sparse="csr", dtype=FLOATS, order="C"
            )
        samples, targets = checked if labelled else (checked, None)
        samples = canonical(samples)
        return (samples, targets) if labelled else samples
    except np.exceptions.DTypePromotionError as error:
        raise TypeError(
            "X must be numeric, but no numeric type fits all of its columns; encode dates, text "
            f"and categories first. {error}"
        ) from error
    except ValueError as error:
        cure = _cure(str(error))
        if cure:
            raise ValueError(f"{error}\n{cure}") from error
        raise


def _is_plain(X: Any) -> bool:
    """Return whether X is a matrix of finite floats that needs no conversion."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in FLOATS
        and X.size > 0
        and X.flags.c_contiguous
        and X.flags.aligned
        and math.isfinite(_sum(X))
    )


def _is_checked_plainly(estimator: Any, X: NDArray, y: Any, *, labelled: bool, reset: bool) -> bool:
    """Return whether X (and y) can be taken as they are; if not, scikit-learn says why.

    Its own validation takes longer than a fit of a hundred samples. This does the same for plain
    arrays, attributes included.
    """
    if labelled and not (
        type(y) is np.ndarray
        and y.ndim == 1
        and len(y) == len(X)
        and (y.dtype.kind in "biuU" or (y.dtype.kind == "f" and math.isfinite(_sum(y))))
    ):
        return False
    known, names = vars(estimator), "feature_names_in_"
    if reset:
        known.pop(names, None)
        known["n_features_in_"] = X.shape[1]
        return True
    return known.get("n_features_in_") == X.shape[1] and names not in known


def _sum(values: NDArray) -> float:
    """Return the sum of values, which is finite only if all of them are."""
    with np.errstate(over="ignore", invalid="ignore"):
        return float(values.sum())


def check_storage(X: Any) -> None:
    """Check what NumPy and SciPy do not: indices of sparse matrices, masks, dates."""
    if sp.issparse(X) and X.format in ("csr", "csc", "bsr"):
        try:
            X.check_format(full_check=True)
        except ValueError as error:
            raise ValueError(
                f"X is not a valid {X.format.upper()} matrix: {error}; rebuild it, for example "
                "from coordinates with scipy.sparse.coo_array."
            ) from None
    if np.ma.is_masked(X):
        raise ValueError(
            "X must not have masked entries, which are missing values; fill them in, for example "
            "with sklearn.impute.SimpleImputer, or drop those samples."
        )
    dtype = getattr(X, "dtype", None)
    if getattr(dtype, "kind", None) == "M":
        raise ValueError(
            "X must hold numbers, got dates; convert them to numbers, for example to days since a "
            "fixed date."
        )
    if getattr(dtype, "names", None):
        raise ValueError(
            f"X must be a matrix of numbers, got an array of records with the fields "
            f"{X.dtype.names}; see numpy.lib.recfunctions.structured_to_unstructured."
        )


def canonical(X: Any) -> Any:
    """Return X or a copy of it: aligned if dense, without duplicate entries if CSR."""
    if not sp.issparse(X):
        return as_contiguous(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _cure(message: str) -> str:
    """Return advice on an error message of scikit-learn, or an empty string."""
    if "could not convert" in message or ("numeric" in message and "strings" in message):
        return (
            "X must be numeric; encode text and categories first, for example with "
            "sklearn.preprocessing.OneHotEncoder."
        )
    if "infinity" in message:
        return "X must be finite; drop or replace such entries, or scale X."
    return ""


def check_weights(sample_weight: Any, n_samples: int) -> NDArray[np.float64]:
    """Return finite weights >= 0, one per sample and not all 0."""
    weights = finite_weights(sample_weight, n_samples)
    if sample_weight is not None and not weights.any():
        raise ValueError(
            "sample_weight must contain at least one non-zero number, but all weights are zero."
        )
    return weights


def finite_weights(sample_weight: Any, n_samples: int) -> NDArray[np.float64]:
    """Return finite weights >= 0, one per sample."""
    if sample_weight is None:
        return np.ones(n_samples)
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_samples, sample_weight)
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            weights = check_array(
                sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
            )
    except ValueError as error:
        raise ValueError(f"sample_weight must hold finite numbers: {error}") from error
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have one entry for each of the {n_samples} samples, got shape "
            f"{weights.shape}."
        )
    if (weights < 0.0).any():
        raise ValueError(
            f"sample_weight must not be negative, got a smallest weight of {weights.min()}; "
            "use 0 to leave a sample out."
        )
    return as_contiguous(weights)


def check_for_kernel(kernel: str | Callable, X: Any) -> None:
    """Check further requirements that a kernel has on the samples."""
    if kernel == "precomputed":
        check_kernel_matrix(X)
    elif kernel == "chi2":
        check_not_negative(X)
    elif callable(kernel):
        check_symmetric_function(kernel, X)


def check_kernel_matrix(K: Any) -> None:
    """Check that a precomputed kernel matrix for fitting is dense, square and symmetric."""
    if sp.issparse(K):
        raise TypeError(
            "A precomputed kernel must be a dense matrix, got a sparse one; pass K.toarray()."
        )
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"A precomputed kernel must be a square matrix of shape (n_samples, n_samples), got "
            f"shape {K.shape}; pass the kernel values of all pairs of training samples."
        )
    largest = worst = 0.0
    for rows in Samples(K).chunks(len(K)):
        largest = max(largest, float(np.abs(K[rows]).max()))
        worst = max(worst, float(np.abs(K[rows] - K[:, rows].T).max()))
    if worst > ASYMMETRY * largest:
        raise ValueError(
            f"A precomputed kernel must be symmetric, but entries (i, j) and (j, i) differ by up "
            f"to {worst:.3g} where the largest entry is {largest:.3g}; pass (K + K.T) / 2 if that "
            "is intended."
        )


def check_symmetric_function(function: Callable, X: Any) -> None:
    """Check on a few samples that a callable kernel is symmetric."""
    few = Samples(X[:SYMMETRY_CHECKS])
    values = FromFunction(function)(few, few)
    if float(np.abs(values - values.T).max()) > ASYMMETRY * float(np.abs(values).max()):
        raise ValueError(
            "kernel must be symmetric, but the callable's values for (x, z) and (z, x) differ on "
            f"the first {len(few)} samples; use the mean of both if that is intended."
        )


def check_for_prediction(estimator: Any, X: Any) -> Any:
    """Return X in the form that a fitted estimator's kernel takes."""
    if estimator.kernel == "precomputed":
        return kernel_columns(
            X, estimator.n_features_in_, estimator.support_, type(estimator).__name__
        )
    X = check_samples(estimator, X, reset=False)
    if estimator.kernel == "chi2":
        check_not_negative(X)
    return X


def kernel_columns(K: Any, n_train: int, support: NDArray, name: str) -> NDArray:
    """Return the support columns of a precomputed kernel for prediction.

    K may hold the kernel values with all training samples, or with the support vectors only.
    """
    K = check_array(K, dtype=FLOATS, input_name="X")
    if K.shape[1] == n_train:
        return K[:, support]
    if K.shape[1] == len(support):
        return K
    raise ValueError(
        f"X has {K.shape[1]} features, but {name} is expecting {n_train} features as input: "
        f"with a precomputed kernel, one column per training sample, or {len(support)}, one per "
        "support vector in the order of support_."
    )


def check_not_negative(X: Any) -> None:
    """Check that no feature is negative, as the chi2 kernel requires."""
    smallest = float(X.min())
    if smallest < 0.0:
        raise ValueError(
            f"Negative values in data: X must not be negative for kernel='chi2', got {smallest}; "
            "use another kernel or shift the features."
        )
