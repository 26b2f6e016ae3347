"""LinearSVC with scikit-learn's names: a `LinearBandedSVC` whose upper edge is switched off."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from bandsvm._decisions.values import top_class
from bandsvm._estimators.linear import LinearBandedSVC
from bandsvm._fitting.lifecycle import end_fit
from bandsvm.svm._linear_checks import check_classifier_parameters
from bandsvm.svm._linear_model import LinearModel
from bandsvm.svm._task import LINEAR_CLASSES


class LinearSVC(ClassifierMixin, LinearModel):
    """Linear classification with the parameters and attributes of `sklearn.svm.LinearSVC`.

    The objective is scikit-learn's, penalised intercept included; its optimum is certified.
    docs/switching.md lists what cannot be the same as in scikit-learn.

    Parameters
    ----------
    penalty : {'l2'}, default='l2'
        The norm of the weights; 'l1' makes no band problem and is refused.
    loss : {'squared_hinge', 'hinge'}, default='squared_hinge'
        What is penalised: the distance from the right side of the margin, or its square.
    dual : bool or 'auto', default='auto'
        No effect; False with the hinge is refused, as in scikit-learn.
    tol : float, default=1e-4
        Bounds errors of the weights: the duality gap is at most its square, as a share of the
        objective, but at least 1e-12.
    C : float, default=1.0
        Penalty for lying on the wrong side of the margin; greater than 0.
    multi_class : {'ovr'}, default='ovr'
        One-vs-rest; 'crammer_singer' makes no band problem and is refused.
    fit_intercept : bool, default=True
        Whether the decision rule has an intercept.
    intercept_scaling : float, default=1
        The intercept is the weight of a feature of this value, and penalised like the others; the
        larger the value, the less.
    class_weight : dict, 'balanced' or None, default=None
        Factors of C per class. Of more than two classes they weight the class that a problem
        separates from the rest, as in LIBLINEAR.
    verbose : int, default=0
        Whether `fit` shows its progress; 2 shows a line per step.
    random_state : int, RandomState instance or None, default=None
        No effect: nothing is random.
    max_iter : int, default=1000
        Bound on the passes over the samples.
    time_limit : float or None, default=None
        Seconds after which `fit` ends, certificate included, with the best model so far; for each
        class, if there are class weights and more than two.
    n_jobs : int or None, default=None
        Number of threads; None and -1 use all cores. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    coef_ : ndarray of shape (n_problems, n_features)
        Weights of the features. Two classes make one problem, more make one per class.
    intercept_ : ndarray of shape (n_problems,)
        Intercepts.
    certificate_ : Certificate
        Primal and dual value, gap, status and cost of the fit.
    n_iter_ : int
        Largest number of passes of a problem.
    solver_ : {'newton', 'cd'}
        The solver that was used; Newton steps may be those on a kernel matrix of few samples.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all names in X are strings.

    See Also
    --------
    bandsvm.LinearBandedSVC : With an upper edge, and an intercept without a penalty.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bandsvm.svm import LinearSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> LinearSVC().fit(X, y).predict(X[[0, 60, 120]])
    array([0, 1, 2])
    """

    _task = LINEAR_CLASSES

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: Any = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        time_limit: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C per sample.

        Returns
        -------
        LinearSVC
            The fitted estimator.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C. The estimator keeps the best model so far.
        """
        end_fit(self, self._fit(X, y, sample_weight))
        return self

    def _check_parameters(self) -> None:
        check_classifier_parameters(self)

    def _written(self, y: NDArray, sample_weight: Any) -> list[tuple[Any, NDArray]]:
        """Return one `LinearBandedSVC`; one per class if class weights differ by problem."""
        if y.dtype.kind not in "biuU":  # these types are always labels
            check_classification_targets(y)
        self.classes_ = classes = np.unique(y)
        shared = {"C1": self.C, "C2": 0.0, **self._shared()}
        if self.class_weight is None or len(classes) <= 2:
            return [(LinearBandedSVC(class_weight=self.class_weight, **shared), y)]
        weights = compute_class_weight(
            self.class_weight, classes=classes, y=y, sample_weight=sample_weight
        )
        return [
            (LinearBandedSVC(class_weight={False: 1.0, True: weight}, **shared), y == label)
            for label, weight in zip(classes, weights.tolist(), strict=True)
        ]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            The decision value, one column per class if there are more than two.
        """
        values = self._problem_values(X)
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> NDArray:
        """Return the predicted classes of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        values = self.decision_function(X)
        return self.classes_[top_class(values)]

    def to_banded(self) -> LinearBandedSVC:
        """Return an estimator with a band that has the same decision rule.

        Returns
        -------
        LinearBandedSVC
            A fitted estimator. Fitted again, it would not penalise the intercept.
        """
        check_is_fitted(self)
        shared = self._shared() | {"fit_intercept": self.fit_intercept}
        return self._rule_of(
            LinearBandedSVC(C1=self.C, C2=0.0, class_weight=self.class_weight, **shared)
        )
