"""What all estimators with a kernel have: tags, decision values, certificates, weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bandsvm._certificate import Certificate
from bandsvm._checks import data
from bandsvm._estimators.notebook import NotebookMixin
from bandsvm._fitting.fit import certify_model
from bandsvm._fitting.fitted import decision_rule
from bandsvm._fitting.tables import TablesMixin
from bandsvm._fitting.task import Task
from bandsvm._system.threads import single_threaded_blas


class KernelModelMixin(NotebookMixin, TablesMixin):
    """An estimator with a kernel, whose ``_task`` says what it does unlike others."""

    _task: Task
    kernel: Any
    dual_coef_: NDArray[np.float64]
    support_vectors_: Any

    def __sklearn_tags__(self) -> Any:
        """Return the estimator's scikit-learn tags."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.positive_only = self.kernel == "chi2"
        return tags

    def _problem_values(self, X: Any) -> NDArray:
        """Return the decision values of samples, one column per problem."""
        if "intercept_" not in vars(self):
            check_is_fitted(self)  # asks for tags, which takes longer than a small prediction
        # Values that overflow raise an error with advice.
        with np.errstate(over="ignore", invalid="ignore"):
            X = data.check_for_prediction(self, X)
            values = decision_rule(self)(X)
        is_single = X.dtype == np.float32 and self._task.keeps_single
        return values.astype(np.float32) if is_single else values

    def certify(self, X: Any, y: Any, sample_weight: Any = None) -> Certificate:
        """Certify the fitted model with all decision values recomputed in float64.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training samples, or their kernel matrix.
        y : array-like
            The training targets.
        sample_weight : array-like of shape (n_samples,), default=None
            The training weights.

        Returns
        -------
        Certificate
            Like `certificate_`, but violation and gap are computed from recomputed decision values,
            not from those that the solver kept.
        """
        return certify_model(self, X, y, sample_weight)

    @property
    def coef_(self) -> NDArray[np.float64]:
        """Weights of the features, for the linear kernel."""
        check_is_fitted(self)
        if self.kernel != "linear":
            raise AttributeError(f"coef_ exists only for kernel='linear', not for {self.kernel!r}.")
        with single_threaded_blas():
            coef = np.asarray(self.dual_coef_ @ self.support_vectors_)
        coef.flags.writeable = False  # recomputed on every access, so changes would be lost
        return coef
