"""LinearBandedSVR over a Dask cluster."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from bandsvm._checks.numbers import refuse_intervals
from bandsvm._checks.svc_arguments import names_linear_svr_arguments
from bandsvm._estimators.linear_regression import LinearBandedSVR as LocalLinearBandedSVR
from bandsvm._estimators.linear_regression import LinearRegressor
from bandsvm._fitting.lifecycle import end_fit
from bandsvm.dask._collections import is_collection
from bandsvm.dask._fit import fit_on_cluster
from bandsvm.dask._model import ClusterModelMixin
from bandsvm.dask._scores import r2_score


@names_linear_svr_arguments
class LinearBandedSVR(ClusterModelMixin, RegressorMixin, LinearRegressor):
    """Linear banded support vector regression of data that lie on a Dask cluster.

    The model is that of `bandsvm.LinearBandedSVR`, and so are its coefficients, up to rounding
    errors, however samples are chunked. Samples stay on their workers. What is sent in a pass over
    them does not depend on their number: one matrix of all pairs of features per chunk with
    ``solver='newton'``, one vector of weights with 'cd'.

    Parameters
    ----------
    C1, C2, epsilon, loss, fit_intercept, tol : parameters of LinearBandedSVR
        What to fit and how exactly, as of `bandsvm.LinearBandedSVR`.
    solver : {'auto', 'newton', 'cd'}, default='auto'
        'newton' is an interior point method, 'cd' coordinate descent on the dual by all workers at
        once, for thousands of features.
    max_iter : int, default=1000
        Bound on the Newton steps, or on the rounds of 'cd', each of several passes.
    time_limit : float or None, default=None
        Seconds after which `fit` ends with the best model so far, certificate included. Reading and
        checking the chunks is not cut short.
    store_multipliers, verbose : parameters of LinearBandedSVR
        What `fit` stores and shows, as of `bandsvm.LinearBandedSVR`.
    warm_start : bool, default=False
        Whether `fit` with ``solver='newton'`` starts from the last model, if it has the same
        features. 'cd' starts from zero.
    n_jobs : int or None, default=None
        Number of threads that work on a chunk; None is one. Workers work on as many chunks at a
        time as they have threads.
    client : distributed.Client or None, default=None
        The cluster; None is the current client.

    Attributes
    ----------
    coef_, intercept_, solver_, n_features_in_, feature_names_in_ : fitted attributes
        As of `bandsvm.LinearBandedSVR`.
    certificate_ : Certificate
        Primal, dual, gap, violation, status and cost of the fit, from sums over the chunks.
    n_iter_ : int
        Number of Newton steps, or of rounds of 'cd'.
    alpha_, theta_ : dask array of shape (n_samples,)
        Multipliers of the lower and of the upper edge of the tube for every training sample, on the
        workers; only with `store_multipliers` or `warm_start`.

    See Also
    --------
    bandsvm.LinearBandedSVR : The same model on one machine.

    Examples
    --------
    >>> import dask.array as da
    >>> from dask.distributed import Client
    >>> from bandsvm.dask import LinearBandedSVR
    >>> X = da.from_array([[0.0], [1.0], [2.0], [3.0]], chunks=(2, 1))
    >>> y = da.from_array([1.0, 3.0, 5.0, 7.0], chunks=2)
    >>> with Client(processes=False, dashboard_address=None) as client:
    ...     model = LinearBandedSVR(C1=100.0, C2=100.0, epsilon=0.0, client=client).fit(X, y)
    ...     predicted = model.predict(X).compute()
    >>> predicted.round(3)
    array([1., 3., 5., 7.])
    """

    local_class = LocalLinearBandedSVR

    def __init__(
        self,
        C1: float = 1.0,
        C2: float = 1.0,
        epsilon: Any = 0.1,
        *,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
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
            epsilon,
            loss=loss,
            fit_intercept=fit_intercept,
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
        y : dask array, Series or DataFrame of shape (n_samples,) or (n_samples, 2), or list
            Targets, chunked like X; or intervals in which they lie, whose ends may be -inf and inf.
        sample_weight : dask array or Series of shape (n_samples,), or list, default=None
            Factors of both costs of each sample, chunked like X; a sample of weight 0 takes no
            part.

        Returns
        -------
        LinearBandedSVR
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

    def predict(self, X: Any) -> Any:
        """Return predictions.

        Parameters
        ----------
        X : dask array or DataFrame, array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        dask array or ndarray of shape (n_samples,)
            The decision value g(x) in float64, lazily if X is lazy.
        """
        return self._of_chunks(_predicted, X, np.dtype(np.float64))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the coefficient of determination R^2 of predictions.

        Parameters
        ----------
        X : dask array or DataFrame, array-like or sparse matrix of shape (n_samples, n_features)
            Samples.
        y : dask array or Series, or array-like of shape (n_samples,)
            Their targets; for intervals there is no R^2.
        sample_weight : dask array or Series, or array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        float
            1 for perfect predictions; 0 is as good as the mean of y. It is computed at once.
        """
        refuse_intervals(y, "to_local().band_position tells where predictions lie")
        if not is_collection(X):
            return super().score(X, y, sample_weight)
        return r2_score(self.predict(X), X, y, sample_weight)


def _predicted(model: Any, X: Any) -> NDArray[np.float64]:
    """Return the predictions of a chunk; scikit-learn refuses those without samples."""
    return model.predict(X) if X.shape[0] else np.empty(0)
