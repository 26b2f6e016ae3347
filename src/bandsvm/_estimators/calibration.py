"""Calibration: Platt's sigmoids, fitted to decision values of held-out samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from bandsvm._checks.device_arrays import in_memory
from bandsvm._decisions.probabilities import ProbabilityMixin, probabilities
from bandsvm._defaults import DEFAULT_FOLDS


def calibrate(model: Any, X: Any, y: Any, *, cv: Any = DEFAULT_FOLDS) -> Any:
    """Give a fitted model `predict_proba`, by Platt scaling.

    Clones of the model are fitted to the training part of each fold. A sigmoid for each class is
    then fitted to the decision values of the samples that were left out, with the same result as
    scikit-learn's ``CalibratedClassifierCV(model, ensemble=False)``. The model itself is not
    fitted again; its next `fit` takes the probabilities away.

    Parameters
    ----------
    model : BandedSVC, LinearBandedSVC, BandedSVCCV or Pipeline
        A fitted model, or a fitted pipeline that ends in one. Of a search, the best model is
        calibrated.
    X : array-like or sparse matrix of shape (n_samples, n_features)
        The training samples.
    y : array-like of shape (n_samples,)
        The training labels.
    cv : int or cross-validation generator, default=5
        The folds. A number is that of stratified folds; each class needs as many samples.

    Returns
    -------
    estimator
        The model, with `predict_proba`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from bandsvm import BandedSVC, calibrate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), BandedSVC()).fit(X, y)
    >>> calibrate(model, X, y).predict_proba(X[:2]).round(2)
    array([[0.98, 0.02],
           [1.  , 0.  ]])
    """
    if not isinstance(classifier_at_end(model), ProbabilityMixin):
        raise ValueError(
            "model must be a BandedSVC, LinearBandedSVC or BandedSVCCV, or a Pipeline that ends in "
            f"one, got {type(classifier_at_end(model)).__name__}; scikit-learn's "
            "CalibratedClassifierCV takes any classifier."
        )
    check_is_fitted(model)
    X, y = in_memory(X), np.asarray(in_memory(y))
    check_can_calibrate(y, cv)
    set_sigmoids(model, X, y, cv)
    return model


def set_sigmoids(model: Any, X: Any, y: NDArray, cv: Any = DEFAULT_FOLDS) -> NDArray[np.float64]:
    """Give a model sigmoids; return the probabilities of all samples when they were left out."""
    values = held_out_values(model, X, y, cv)
    sigmoids = fit_sigmoids(values, y)
    classifier_at_end(model).sigmoids_ = sigmoids
    return probabilities(sigmoids, values)


def check_can_calibrate(y: NDArray, cv: Any = DEFAULT_FOLDS) -> None:
    """Refuse labels that cannot be dealt out over a number of folds."""
    classes, counts = np.unique(y, return_counts=True)
    if isinstance(cv, (int, np.integer)) and counts.min() < cv:
        rarest = classes[counts.argmin()]
        raise ValueError(
            f"Calibration needs at least {cv} samples of every class, one for each fold, got "
            f"{counts.min()} of class {rarest}; drop the class, or use fewer folds."
        )


def held_out_values(model: Any, X: Any, y: NDArray, cv: Any) -> Any:
    """Return decision values by clones of a model that were not fitted to the samples.

    One column per class, or the only one.
    """
    last = classifier_at_end(model)
    parameters: dict[str, Any] = {"verbose": 0, "warm_start": False}
    for name, value in (("decision_function_shape", "ovr"), ("store_multipliers", False)):
        if name in last.get_params():
            parameters[name] = value
    fresh: Any = clone(last).set_params(**parameters)
    if isinstance(model, Pipeline):
        steps = [(name, clone(step)) for name, step in model.steps[:-1]]
        fresh = Pipeline([*steps, (model.steps[-1][0], fresh)])
    folds = StratifiedKFold(cv) if isinstance(cv, (int, np.integer)) else cv
    values = cross_val_predict(fresh, X, y, cv=folds, method="decision_function")
    return values.reshape(len(y), -1)


def classifier_at_end(model: Any) -> Any:
    """Return the classifier at the end of a model; of a search, the best."""
    last = model[-1] if isinstance(model, Pipeline) else model
    return getattr(last, "best_estimator_", last)


def fit_sigmoids(values: NDArray, y: NDArray) -> NDArray[np.float64]:
    """Return slope and offset of a sigmoid for each column of held-out decision values."""
    classes = np.unique(y)
    positive = classes[1:] if values.shape[1] == 1 else classes
    return np.array(
        [sigmoid_of(column, y == label) for column, label in zip(values.T, positive, strict=True)]
    )


def sigmoid_of(values: NDArray, is_positive: NDArray[np.bool_]) -> tuple[float, float]:
    """Return slope and offset of the sigmoid of largest likelihood.

    Platt's targets stay away from 0 and 1, so that it is finite where values separate the classes.
    """
    n_samples, n_positive = len(values), int(is_positive.sum())
    highest, lowest = (n_positive + 1) / (n_positive + 2), 1 / (n_samples - n_positive + 2)
    targets = np.where(is_positive, highest, lowest)
    fitted = LogisticRegression(C=np.inf, tol=1e-8, max_iter=10_000).fit(
        np.concatenate([values, values])[:, None],
        np.repeat([1, 0], n_samples),
        sample_weight=np.concatenate([targets, 1.0 - targets]),
    )
    return float(fitted.coef_[0, 0]), float(fitted.intercept_[0])
