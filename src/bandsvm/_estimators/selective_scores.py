"""Predictions and scores of samples by models that were not fitted to them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags

from bandsvm._decisions.values import decisions_of, margin
from bandsvm._estimators.kernel import BandedSVC


def check_compares_classes(estimator: Any, n_classes: int) -> None:
    """Refuse decision values of pairs of classes, of which the largest tells nothing."""
    parameters = estimator.get_params() if hasattr(estimator, "get_params") else {}
    for name, value in parameters.items():
        is_shape = name.split("__")[-1] == "decision_function_shape"
        if is_shape and isinstance(value, str) and value == "ovo" and n_classes > 2:
            raise ValueError(
                f"Scores of predictions compare decision values of classes, but {name}='ovo' gives "
                "those of pairs of classes; set decision_function_shape='ovr'."
            )


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
        largest decision value; for a BandedSVC with ``multi_class='ovo'``, the least decision value
        of the predicted class in its pairs. If the model has no decision_function, the same with
        probabilities.
    """
    final, samples = _final(estimator, X)
    if isinstance(final, BandedSVC):
        return np.asarray(decisions_of(final, samples).margin, dtype=np.float64)
    if hasattr(estimator, "decision_function"):
        check_compares_classes(estimator, len(getattr(estimator, "classes_", ())))
        values = np.asarray(estimator.decision_function(X), dtype=np.float64)
    elif hasattr(estimator, "predict_proba"):
        values = np.asarray(estimator.predict_proba(X), dtype=np.float64)
    else:
        raise TypeError(
            "estimator must have decision_function or predict_proba; "
            f"{type(estimator).__name__} has neither."
        )
    return margin(values)


def _final(estimator: Any, X: Any) -> tuple[Any, Any]:
    """Return the last step of fitted pipelines and searches, and samples as it takes them."""
    while True:
        if isinstance(estimator, Pipeline) and len(estimator) > 1:
            X, estimator = estimator[:-1].transform(X), estimator[-1]
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        else:
            return estimator, X


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
    for train, test in splits(cv, y, counted):
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


def splits(cv: Any, y: NDArray, counted: NDArray[np.bool_]) -> Iterator[Any]:
    """Yield training and held-out samples; an integer means stratified folds of counted samples."""
    if not isinstance(cv, (int, np.integer)):
        yield from check_cv(cv, y, classifier=True).split(np.zeros(len(y)), y)
        return
    kept = np.flatnonzero(counted)
    if cv < 2 or len(kept) < 2:
        raise ValueError(
            f"cv must be at least 2 folds of at least one sample each, got cv={cv} and "
            f"n_samples = {len(kept)}."
        )
    for train, test in StratifiedKFold(int(cv)).split(np.zeros(len(kept)), y[kept]):
        yield kept[train], kept[test]


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
