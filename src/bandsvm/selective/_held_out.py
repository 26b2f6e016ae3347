"""Predictions and scores of samples by models that were not fitted to them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import PredefinedSplit, check_cv
from sklearn.utils import get_tags


def prediction_score(estimator: Any, X: Any) -> NDArray[np.float64]:
    """Return the confidence of a fitted classifier in its predictions.

    Parameters
    ----------
    estimator : classifier with decision_function or predict_proba
        A fitted model.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Samples.

    Returns
    -------
    ndarray of shape (n_samples,)
        For two classes, ``|g(x)|``. For more, the difference between the largest and the second
        largest decision value. If the model has no decision_function, the same with probabilities.
    """
    if hasattr(estimator, "decision_function"):
        values = np.asarray(estimator.decision_function(X), dtype=np.float64)
    elif hasattr(estimator, "predict_proba"):
        values = np.asarray(estimator.predict_proba(X), dtype=np.float64)
    else:
        raise TypeError(
            "estimator must have decision_function or predict_proba; "
            f"{type(estimator).__name__} has neither."
        )
    if values.ndim == 1 or values.shape[1] == 1:
        return np.abs(values.ravel())
    second, first = np.partition(values, -2, axis=1)[:, -2:].T
    return first - second


def held_out(
    estimator: Any, X: Any, y: NDArray, weights: NDArray | None, cv: Any
) -> tuple[NDArray, NDArray[np.float64]]:
    """Return predictions and scores of samples by clones that were not fitted to them.

    Samples of weight 0 are ignored; their predictions and scores are meaningless. Labels are not
    encoded, unlike in `cross_val_predict`, because parameters may refer to them.
    """
    is_pairwise = get_tags(estimator).input_tags.pairwise
    counted = np.ones(len(y), dtype=bool) if weights is None else weights > 0.0
    predictions, scores = y.copy(), np.zeros(len(y))
    n_times = np.zeros(len(y), dtype=np.intp)
    for train, test in splitter(cv, y, counted).split(np.zeros(len(y)), y):
        train, test = train[counted[train]], test[counted[test]]
        if not len(test):
            continue
        columns = train if is_pairwise else None
        of_train = None if weights is None else weights[train]
        model = fitted_clone(estimator, _take(X, train, columns), y[train], of_train)
        samples = _take(X, test, columns)
        predictions[test] = model.predict(samples)
        scores[test] = prediction_score(model, samples)
        n_times[test] += 1
    if (n_times[counted] != 1).any():
        raise ValueError(
            "cv must hold out every sample exactly once, but some were never held out, or more "
            "than once; use a splitter such as KFold."
        )
    return predictions, scores


def splitter(cv: Any, y: NDArray, counted: NDArray) -> Any:
    """Return the splitter for ``cv``; an integer means stratified folds."""
    if not isinstance(cv, (int, np.integer)):
        return check_cv(cv, y, classifier=True)
    n_samples = np.count_nonzero(counted)
    if cv < 2 or n_samples < 2:
        raise ValueError(
            f"cv must be at least 2 folds of at least one sample each, got cv={cv} and "
            f"n_samples = {n_samples}."
        )
    folds = np.full(len(y), -1)
    in_order = np.argsort(y, kind="stable")
    folds[in_order[counted[in_order]]] = np.arange(n_samples) % cv
    return PredefinedSplit(folds)


def fitted_clone(estimator: Any, X: Any, y: NDArray, weights: NDArray | None) -> Any:
    """Return a fitted clone of an estimator."""
    return clone(estimator).fit(X, y, **({} if weights is None else {"sample_weight": weights}))


def _take(X: Any, rows: NDArray, columns: NDArray | None) -> Any:
    """Return some rows of X; of a kernel matrix, only some columns."""
    if columns is not None:
        return np.asarray(X)[np.ix_(rows, columns)]
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X.tocsr()[rows] if sp.issparse(X) else X[rows]
