"""LinearBandedSVC over a Dask cluster."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from bandsvm._decisions.position import POSITIONS
from bandsvm._decisions.values import Decisions
from bandsvm._defaults import DEFAULT_RHO2
from bandsvm._estimators.linear import LinearBandedSVC as LocalLinearBandedSVC
from bandsvm._estimators.linear import LinearClassifier
from bandsvm._fitting.lifecycle import end_fit
from bandsvm.dask._collections import is_collection
from bandsvm.dask._fit import fit_on_cluster
from bandsvm.dask._model import ClusterModelMixin
from bandsvm.dask._scores import share_correct


class LinearBandedSVC(ClusterModelMixin, ClassifierMixin, LinearClassifier):
    """Linear banded support vector classification of data that lie on a Dask cluster.

    The model is that of `bandsvm.LinearBandedSVC`, and so are its coefficients, up to rounding
    errors. Samples stay on their workers. What is sent in a pass over them does not depend on their
    number: one matrix of all pairs of features per chunk with ``solver='newton'``, one vector of
    weights with 'cd'.

    Parameters
    ----------
    C1, C2, rho1, rho2, loss, fit_intercept, class_weight, tol : parameters of LinearBandedSVC
        What to fit and how exactly, as of `bandsvm.LinearBandedSVC`.
    solver : {'auto', 'newton', 'cd'}, default='auto'
        'newton' is an interior point method, 'cd' coordinate descent on the dual by all workers at
        once, for thousands of features.
    max_iter : int, default=1000
        Bound on the Newton steps, or on the rounds of 'cd', each of several passes.
    time_limit : float or None, default=None
        Seconds after which `fit` ends with the best model so far, certificate included. Reading and
        checking the chunks is not cut short.
    store_multipliers, verbose : parameters of LinearBandedSVC
        What `fit` stores and shows, as of `bandsvm.LinearBandedSVC`.
    warm_start : bool, default=False
        Whether `fit` with ``solver='newton'`` starts from the last model, if it has the same
        features and classes. 'cd' starts from zero.
    n_jobs : int or None, default=None
        Number of threads that work on a chunk; None is one. Workers work on as many chunks at a
        time as they have threads.
    client : distributed.Client or None, default=None
        The cluster; None is the current client.

    Attributes
    ----------
    classes_, coef_, intercept_, solver_, n_features_in_, feature_names_in_ : fitted attributes
        As of `bandsvm.LinearBandedSVC`.
    certificate_ : Certificate
        Primal, dual, gap, violation, status and cost of the fit, from sums over the chunks.
    n_iter_ : int
        Number of Newton steps, or of rounds of 'cd'.
    alpha_, theta_ : dask array of shape (n_samples,) or (n_samples, n_classes)
        Multipliers of the lower and of the upper edge for every training sample, on the workers;
        only with `store_multipliers` or `warm_start`.

    See Also
    --------
    bandsvm.LinearBandedSVC : The same model on one machine.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from sklearn.datasets import load_iris
    >>> from bandsvm.dask import LinearBandedSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = da.from_array(X, chunks=(50, 4)), da.from_array(y, chunks=50)
    >>> with Client(processes=False, dashboard_address=None) as client:
    ...     model = LinearBandedSVC(client=client).fit(X, y)
    ...     predicted = model.predict(X)[::60].compute()
    >>> predicted
    array([0, 1, 2])
    """

    local_class = LocalLinearBandedSVC

    def __init__(
        self,
        C1: Any = 1.0,
        C2: Any = 1.0,
        rho1: Any = 1.0,
        rho2: Any = DEFAULT_RHO2,
        *,
        loss: str = "hinge",
        fit_intercept: bool = True,
        class_weight: Any = None,
        tol: float = 1e-6,
        solver: str = "auto",
        max_iter: int = 1000,
        time_limit: float | None = None,
        store_multipliers: bool = False,
        warm_start: bool = False,
        verbose: int = 0,
        n_jobs: int | None = None,
        client: Any = None,
    ) -> None:
        super().__init__(
            C1,
            C2,
            rho1,
            rho2,
            loss=loss,
            fit_intercept=fit_intercept,
            class_weight=class_weight,
            tol=tol,
            solver=solver,
            max_iter=max_iter,
            time_limit=time_limit,
            store_multipliers=store_multipliers,
            warm_start=warm_start,
            verbose=verbose,
            n_jobs=n_jobs,
        )
        self.client = client

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : dask array or DataFrame of shape (n_samples, n_features), or list
            Training samples in chunks of rows, or a list of delayed objects or futures of such
            chunks, dense or CSR.
        y : dask array or Series of shape (n_samples,), or list
            Class labels, chunked like X.
        sample_weight : dask array or Series of shape (n_samples,), or list, default=None
            Factors of both costs of each sample, chunked like X; a sample of weight 0 takes no
            part.

        Returns
        -------
        LinearBandedSVC
            The fitted estimator.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C, so that loops around `fit` end. The best model so far is kept.
        RuntimeError
            If chunks were lost with a worker and cannot be computed again, because they had been
            scattered.
        """
        end_fit(self, fit_on_cluster(self, X, y, sample_weight))
        return self

    def decision_function(self, X: Any) -> Any:
        """Return the decision values of samples.

        Parameters
        ----------
        X : dask array or DataFrame, array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        dask array or ndarray of shape (n_samples,) or (n_samples, n_classes)
            The decision value g(x), one column per class if there are more than two. It is lazy if
            X is.
        """
        check_is_fitted(self)
        n_columns = len(self.classes_) if len(self.classes_) > 2 else None
        return self._of_chunks(_decision_values, X, None, n_columns)

    def predict(self, X: Any) -> Any:
        """Return the predicted classes of samples.

        Parameters
        ----------
        X : dask array or DataFrame, array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        dask array or ndarray of shape (n_samples,)
            Class labels, lazily if X is lazy.
        """
        check_is_fitted(self)
        return self._of_chunks(_predicted, X, self.classes_.dtype)

    def band_position(self, X: Any) -> Any:
        """Return where samples lie relative to the band of their predicted class.

        Parameters
        ----------
        X : dask array or DataFrame, array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        dask array or ndarray of shape (n_samples,)
            'below', 'inside' or 'above', as of `bandsvm.LinearBandedSVC`, lazily if X is lazy.
        """
        return self._of_chunks(_positions, X, POSITIONS.dtype)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy of predictions.

        Parameters
        ----------
        X : dask array or DataFrame, array-like or sparse matrix of shape (n_samples, n_features)
            Samples.
        y : dask array or Series, or array-like of shape (n_samples,)
            Their classes.
        sample_weight : dask array or Series, or array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        float
            The share of samples, by weight, whose class is predicted. It is computed at once.
        """
        if not is_collection(X):
            return super().score(X, y, sample_weight)
        return share_correct(self.predict(X), X, y, sample_weight)


def _decision_values(model: Any, X: Any) -> Any:
    """Return the decision values of a chunk; scikit-learn refuses those without samples."""
    if X.shape[0] == 0:
        shape = (0,) if len(model.classes_) == 2 else (0, len(model.classes_))
        return np.empty(shape)
    return model.decision_function(X)


def _predicted(model: Any, X: Any) -> Any:
    return model.classes_[Decisions(model, _decision_values(model, X)).predicted]


def _positions(model: Any, X: Any) -> Any:
    return Decisions(model, _decision_values(model, X)).positions
