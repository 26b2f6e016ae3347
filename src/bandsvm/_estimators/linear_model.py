"""What linear estimators have in common: decision values, certificates, weights of features."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from bandsvm._certificate import Certificate
from bandsvm._checks import data
from bandsvm._decisions.values import feature_weights
from bandsvm._estimators.notebook import NotebookMixin
from bandsvm._linear.fit import certify_linear
from bandsvm._linear.samples import LinearSamples
from bandsvm._linear.tasks import LinearTask
from bandsvm._system.threads import n_threads


class LinearEstimator(NotebookMixin, BaseEstimator):
    """A linear model, wherever its samples are; its ``_task`` says what it does unlike others."""

    _task: LinearTask

    def __sklearn_tags__(self) -> Any:
        """Return what scikit-learn should know of the estimator."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LinearModelMixin:
    """A linear model that predicts in the memory of this process."""

    _task: LinearTask
    n_jobs: int | None
    intercept_: NDArray[np.float64]

    def _problem_values(self, X: Any) -> NDArray:
        """Return the decision values of samples, one column per problem."""
        check_is_fitted(self)
        X = data.check_samples(self, X, reset=False)
        samples = LinearSamples(X, n_threads(self.n_jobs))
        products = [samples.product(w) for w in feature_weights(self)]
        values = np.column_stack(products) + self.intercept_
        return values.astype(X.dtype, copy=False) if self._task.keeps_single else values

    def certify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Certify the fitted model with all decision values recomputed in float64.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training samples.
        y : array-like
            The training targets.
        sample_weight : array-like of shape (n_samples,), default=None
            The training weights.

        Returns
        -------
        Certificate
            Like `certificate_`. It needs the multipliers of the training samples, which `fit`
            keeps with ``store_multipliers=True`` or ``warm_start=True``.
        """
        return certify_linear(self, X, y, sample_weight)

    def sparsify(self) -> Self:
        """Convert `coef_` to a sparse matrix, which takes less memory if most weights are 0.

        Returns
        -------
        self
            The estimator. `coef_` has one row per problem.
        """
        check_is_fitted(self)
        self.coef_: Any = sp.csr_matrix(feature_weights(self))
        return self

    def densify(self) -> Self:
        """Convert `coef_` back to an array, as `fit` leaves it.

        Returns
        -------
        self
            The estimator.
        """
        check_is_fitted(self)
        self.coef_ = self._task.coef(feature_weights(self))
        return self
