"""LinearSVR with scikit-learn's names: a `LinearBandedSVR` of equal costs on both sides."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from bandsvm._checks.numbers import targets_of
from bandsvm._estimators.linear_regression import LinearBandedSVR
from bandsvm._fitting.lifecycle import end_fit
from bandsvm.svm._linear_checks import check_regressor_parameters
from bandsvm.svm._linear_model import LinearModel
from bandsvm.svm._task import LINEAR_NUMBERS


class LinearSVR(RegressorMixin, LinearModel):
    """Linear regression with the parameters and attributes of `sklearn.svm.LinearSVR`.

    The objective is scikit-learn's, penalised intercept included; its optimum is certified.
    docs/switching.md lists what cannot be the same as in scikit-learn.

    Parameters
    ----------
    epsilon : float, default=0.0
        How far the tube extends to both sides of a target.
    tol : float, default=1e-4
        Bounds errors of the weights: the duality gap is at most its square, as a share of the
        objective, but at least 1e-12.
    C : float, default=1.0
        Penalty for predictions outside the tube; greater than 0.
    loss : {'epsilon_insensitive', 'squared_epsilon_insensitive'}, default='epsilon_insensitive'
        What is penalised: the distance from the tube, or its square.
    fit_intercept : bool, default=True
        Whether the decision rule has an intercept.
    intercept_scaling : float, default=1.0
        The intercept is the weight of a feature of this value, and penalised like the others; the
        larger the value, the less.
    dual : bool or 'auto', default='auto'
        No effect; False with 'epsilon_insensitive' is refused, as in scikit-learn.
    verbose : int, default=0
        Whether `fit` shows its progress; 2 shows a line per step.
    random_state : int, RandomState instance or None, default=None
        No effect: nothing is random.
    max_iter : int, default=1000
        Bound on the passes over the samples.
    time_limit : float or None, default=None
        Seconds after which `fit` ends, certificate included, with the best model so far.
    n_jobs : int or None, default=None
        Number of threads; None and -1 use all cores. Results do not depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights of the features.
    intercept_ : ndarray of shape (1,)
        The intercept.
    certificate_ : Certificate
        Primal and dual value, gap, status and cost of the fit.
    n_iter_ : int
        Number of passes over the samples.
    solver_ : {'newton', 'cd'}
        The solver that was used; Newton steps may be those on a kernel matrix of few samples.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all names in X are strings.

    See Also
    --------
    bandsvm.LinearBandedSVR : With a cost for each side, and an intercept without a penalty.

    Examples
    --------
    >>> import numpy as np
    >>> from bandsvm.svm import LinearSVR
    >>> X = np.linspace(-1.0, 1.0, 40)[:, None]
    >>> LinearSVR(C=10).fit(X, 2.0 * X[:, 0]).coef_.round(2)
    array([2.])
    """

    _task = LINEAR_NUMBERS

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        tol: float = 1e-4,
        C: float = 1.0,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        dual: Any = "auto",
        verbose: int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        time_limit: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
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
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C per sample.

        Returns
        -------
        LinearSVR
            The fitted estimator.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C. The estimator keeps the best model so far.
        """
        end_fit(self, self._fit(X, y, sample_weight))
        return self

    def _check_parameters(self) -> None:
        check_regressor_parameters(self)

    def _written(self, y: NDArray, sample_weight: Any) -> list[tuple[Any, NDArray]]:
        """Return the `LinearBandedSVR` that is this model."""
        return [(self._banded(self._shared()), targets_of(y, len(y)))]

    def _banded(self, shared: dict[str, Any]) -> LinearBandedSVR:
        return LinearBandedSVR(C1=self.C, C2=self.C, epsilon=self.epsilon, **shared)

    def _keep(self, found: list[Any], scaling: float) -> None:
        super()._keep(found, scaling)
        self.coef_ = self.coef_[0]

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return predictions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The decision values.
        """
        return self._problem_values(X)[:, 0]

    def to_banded(self) -> LinearBandedSVR:
        """Return an estimator with a band that has the same decision rule.

        Returns
        -------
        LinearBandedSVR
            A fitted estimator. Fitted again, it would not penalise the intercept.
        """
        check_is_fitted(self)
        return self._rule_of(self._banded(self._shared() | {"fit_intercept": self.fit_intercept}))
