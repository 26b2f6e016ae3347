"""SelectiveClassifier, which abstains when unsure."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import check_array, check_consistent_length, column_or_1d, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from bandsvm._checks.data import check_weights
from bandsvm._defaults import DEFAULT_FOLDS
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._estimators.selective_scores import (
    check_compares_classes,
    fitted_clone,
    held_out,
    prediction_score,
)
from bandsvm.metrics import risk_coverage_curve

__all__ = ["SelectiveClassifier", "prediction_score"]

# Rounding error of shares, which are sums of weights.
ROUNDING = 1e-12


def _has(name: str) -> Any:
    """Return a function that checks whether the wrapped estimator has a method."""

    def check(self: SelectiveClassifier) -> bool:
        return hasattr(getattr(self, "estimator_", None) or self._wrapped(), name)

    return check


class SelectiveClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """A classifier that abstains when unsure.

    It fits `estimator` to all samples, and uses held-out folds to choose the score below which it
    abstains. The score is ``|g(x)|`` for two classes, else how far the predicted class is ahead.

    Parameters
    ----------
    estimator : classifier, default=None
        The classifier, with decision_function or predict_proba; None is ``BandedSVC()``.
    coverage : float, default=None
        Share of samples that should get a prediction, greater than 0 and at most 1. The threshold
        is the highest at which at least this share of the held-out samples is accepted.
    max_error : float, default=None
        Largest error among the accepted samples, strictly between 0 and 1. The threshold is the
        lowest at which the held-out samples meet it when one more sample, misclassified, is
        counted. Give either this or `coverage`.
    cv : int or cross-validation splitter, default=5
        How to hold samples out. A number is the number of folds of a
        `sklearn.model_selection.StratifiedKFold` over samples that have weight.
    abstain_label : label, default=None
        What `predict_or_abstain` returns for samples that are not accepted; it must not be a class.
        None: -1 if labels are integers (0 if -1 is a class; one less than the smallest label if
        both are classes), NaN if they are floats, and 'abstain' in all other cases.

    Attributes
    ----------
    estimator_ : classifier
        The classifier, fitted to all samples.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    threshold_ : float
        The smallest score of an accepted sample.
    coverage_ : float
        Share of the held-out samples that are accepted.
    error_ : float
        Share of errors among the held-out samples that are accepted.
    abstain_label_ : label
        The label that marks an abstention.
    n_features_in_ : int
        Number of features, if `estimator_` has this attribute.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if `estimator_` has this attribute.

    See Also
    --------
    bandsvm.metrics.risk_coverage_curve : Error and coverage at every threshold.
    bandsvm.plotting.RiskCoverageDisplay : Plot of this curve.

    Notes
    -----
    `predict` never abstains, so that scorers and other tools of scikit-learn work; use
    `predict_or_abstain` or `accepts`.

    New samples must come from the same distribution as the training samples. `coverage_` and
    `error_` are measured on the held-out samples for which the threshold was chosen; on new samples
    they will differ by chance.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from bandsvm import BandedSVC, SelectiveClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SelectiveClassifier(make_pipeline(StandardScaler(), BandedSVC()), max_error=0.01)
    >>> model.fit(X, y).error_ <= 0.01
    True
    >>> model.predict_or_abstain(X[[0, 81, 20]])
    array([ 0, -1,  1])
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        coverage: Any = None,
        max_error: Any = None,
        cv: Any = DEFAULT_FOLDS,
        abstain_label: Any = None,
    ) -> None:
        self.estimator = estimator
        self.coverage = coverage
        self.max_error = max_error
        self.cv = cv
        self.abstain_label = abstain_label

    def __sklearn_tags__(self) -> Any:
        """Return the scikit-learn tags of the wrapped estimator."""
        tags = super().__sklearn_tags__()
        wrapped = get_tags(self._wrapped())
        tags.input_tags, tags.classifier_tags = wrapped.input_tags, wrapped.classifier_tags
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the classifier and choose the threshold.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples, in any form that `estimator` takes.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, for the fit, the coverage and the error. The estimator's `fit`
            must accept them.

        Returns
        -------
        SelectiveClassifier
            The fitted estimator.
        """
        self._check_parameters()
        y = _checked_labels(y)
        X = X if hasattr(X, "shape") else np.asarray(X)
        check_consistent_length(X, y)
        wrapped = self._wrapped()
        check_compares_classes(wrapped, len(np.unique(y)))
        weights = None
        if sample_weight is not None:
            if not has_fit_parameter(wrapped, "sample_weight"):
                raise TypeError(
                    f"sample_weight is not supported by the fit of {type(wrapped).__name__}."
                )
            weights = check_weights(sample_weight, len(y))
        self.estimator_ = fitted_clone(wrapped, X, y, weights)
        self.classes_ = self.estimator_.classes_
        self.abstain_label_ = self._checked_abstain_label()
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        self._choose_threshold(X, y, weights)
        return self

    def predict(self, X: Any) -> NDArray:
        """Return the predicted classes of all samples, accepted or not.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        check_is_fitted(self)
        return self.estimator_.predict(X)

    def accepts(self, X: Any) -> NDArray[np.bool_]:
        """Return which samples get a prediction.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
            Whether the score of each sample reaches `threshold_`.
        """
        check_is_fitted(self)
        return prediction_score(self.estimator_, X) >= self.threshold_

    def predict_or_abstain(self, X: Any) -> NDArray:
        """Return the predicted classes, with abstentions marked.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels, and `abstain_label_` for samples that are not accepted. The array holds
            objects if labels and mark have different types, such as bool and str.
        """
        labels, accepted = self.predict(X), self.accepts(X)
        mark = np.asarray(self.abstain_label_)
        kinds = {"iuf".find(dtype.kind) >= 0 or dtype.kind for dtype in (labels.dtype, mark.dtype)}
        dtype = np.result_type(labels, mark) if len(kinds) == 1 else np.dtype(object)
        marked = labels.astype(dtype)
        marked[~accepted] = self.abstain_label_
        return marked

    @available_if(_has("decision_function"))
    def decision_function(self, X: Any) -> NDArray:
        """Return the decision values of the fitted classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            Decision values.
        """
        check_is_fitted(self)
        return self.estimator_.decision_function(X)

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities of the fitted classifier.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Probabilities.
        """
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    def _wrapped(self) -> Any:
        return BandedSVC() if self.estimator is None else self.estimator

    def _check_parameters(self) -> None:
        """Check that exactly one of coverage and max_error is given, and its value."""
        if (self.coverage is None) == (self.max_error is None):
            raise ValueError(
                f"Give either coverage or max_error, got coverage={self.coverage!r} and "
                f"max_error={self.max_error!r}."
            )
        name = "coverage" if self.max_error is None else "max_error"
        value = getattr(self, name)
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
            raise TypeError(f"{name} must be a real number, got {value!r}.")
        share = float(value)
        if not 0.0 < share <= 1.0 or (name == "max_error" and share == 1.0):
            above = "at most 1" if name == "coverage" else "less than 1"
            raise ValueError(f"{name} must be greater than 0 and {above}, got {value!r}.")

    def _checked_abstain_label(self) -> Any:
        """Return the mark of abstentions, which must not be a class."""
        label = self.abstain_label
        if label is None:
            label = _default_mark(self.classes_)
        if label in self.classes_.tolist():
            raise ValueError(
                f"abstain_label must not be a class, but {label!r} is one of "
                f"{self.classes_.tolist()}; give another abstain_label."
            )
        return label

    def _choose_threshold(self, X: Any, y: NDArray, weights: NDArray | None) -> None:
        """Set the threshold, and its coverage and error on held-out samples."""
        predictions, scores = held_out(self._wrapped(), X, y, weights, self.cv)
        coverage, risk, thresholds = risk_coverage_curve(
            y, predictions, scores, sample_weight=weights
        )
        if self.max_error is None:
            chosen = int(np.argmax(coverage >= self.coverage - ROUNDING))
        else:
            n_samples = len(y) if weights is None else np.count_nonzero(weights)
            cautious = (risk * coverage * n_samples + 1.0) / (coverage * n_samples + 1.0)
            meets = np.flatnonzero(cautious <= self.max_error)
            chosen = int(meets[-1]) if len(meets) else int(np.argmin(cautious))
            if not len(meets):
                warnings.warn(
                    f"max_error={self.max_error} cannot be met on {n_samples} held-out samples: "
                    f"the closest threshold accepts {coverage[chosen]:.3f} of them with "
                    f"an error of {risk[chosen]:.3f} ({cautious[chosen]:.3f} with one more error "
                    "counted). Use more samples or a better estimator, or raise max_error.",
                    UserWarning,
                    stacklevel=3,
                )
        self.threshold_ = float(thresholds[chosen])
        self.coverage_, self.error_ = float(coverage[chosen]), float(risk[chosen])


def _default_mark(classes: NDArray) -> Any:
    """Return the default mark of abstentions."""
    if classes.dtype.kind in "iu":
        return next(label for label in (-1, 0, int(classes[0]) - 1) if label not in classes)
    return float("nan") if classes.dtype.kind == "f" else "abstain"


def _checked_labels(y: Any) -> NDArray:
    """Return class labels as a vector."""
    if y is None:
        raise ValueError("SelectiveClassifier requires y to be passed, but the target y is None.")
    y = column_or_1d(
        check_array(y, ensure_2d=False, dtype=None, input_name="y", ensure_min_samples=0), warn=True
    )
    check_classification_targets(y)
    return y
