"""LinearBandedSVC over a Dask cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from bandsvm._certificate.shortfall import end_fit
from bandsvm._decisions.values import POSITIONS, Decisions, verdict
from bandsvm._defaults import DEFAULT_RHO2
from bandsvm._estimators.linear import LinearBandedSVC as LocalLinearBandedSVC
from bandsvm.dask._collections import check_rows_only, is_collection
from bandsvm.dask._fit import fit_on_cluster
from bandsvm.dask._lazy import float_type, lazily, share_correct


class LinearBandedSVC(ClassifierMixin, BaseEstimator):
    """Linear banded support vector classification of data that lie on a Dask cluster.

    The model is that of `bandsvm.LinearBandedSVC`, and so are its coefficients, up to rounding
    errors. Samples stay on their workers. What is sent in a pass over them does not depend on their
    number: one matrix of all pairs of features per chunk with ``solver='newton'``, one vector of
    weights with 'cd'.

    Parameters
    ----------
    C1, C2, rho1, rho2 : float or mapping from class to float
        Costs and edges of the band, as of `bandsvm.LinearBandedSVC`.
    loss : {'hinge', 'squared_hinge'}, default='hinge'
        What is penalised: the distance from the band, or its square.
    fit_intercept : bool, default=True
        Whether the decision rule has an intercept.
    class_weight : dict, 'balanced' or None, default=None
        Factors of both costs by class. 'balanced' gives all classes the same total of sample
        weights.
    tol : float, default=1e-6
        Largest duality gap, as a share of the objective.
    solver : {'auto', 'newton', 'cd'}, default='auto'
        'newton' is an interior point method, 'cd' coordinate descent on the dual by all workers at
        once, for thousands of features.
    max_iter : int, default=1000
        Bound on the Newton steps, or on the rounds of 'cd', each of several passes.
    time_limit : float or None, default=None
        Seconds after which `fit` ends with the best model so far, certificate included. Reading and
        checking the chunks is not cut short.
    store_multipliers : bool, default=False
        Whether `fit` stores `alpha_` and `theta_`.
    warm_start : bool, default=False
        Whether `fit` with ``solver='newton'`` starts from the last model, if it has the same
        features and classes. 'cd' starts from zero.
    verbose : int, default=0
        1 shows a bar on a terminal, else a line a second; 2 a line for every pass.
    n_jobs : int or None, default=None
        Number of threads that work on a chunk; None is one. Workers work on as many chunks at a
        time as they have threads.
    client : distributed.Client or None, default=None
        The cluster; None is the current client.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    coef_ : ndarray of shape (n_problems, n_features)
        Weights of the features. Two classes make one problem.
    intercept_ : ndarray of shape (n_problems,)
        Intercepts.
    certificate_ : Certificate
        Primal, dual, gap, violation, status and cost of the fit, from sums over the chunks.
    n_iter_ : int
        Number of Newton steps, or of rounds of 'cd'.
    solver_ : {'newton', 'cd'}
        The solver that was used.
    alpha_, theta_ : dask array of shape (n_samples,) or (n_samples, n_classes)
        Multipliers of the lower and of the upper edge for every training sample, on the workers;
        only with `store_multipliers` or `warm_start`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had names that are all strings.

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

    def __init__(
        self,
        C1=1.0,
        C2=1.0,
        rho1=1.0,
        rho2=DEFAULT_RHO2,
        *,
        loss="hinge",
        fit_intercept=True,
        class_weight=None,
        tol=1e-6,
        solver="auto",
        max_iter=1000,
        time_limit=None,
        store_multipliers=False,
        warm_start=False,
        verbose=0,
        n_jobs=None,
        client=None,
    ):
        self.C1 = C1
        self.C2 = C2
        self.rho1 = rho1
        self.rho2 = rho2
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.solver = solver
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.store_multipliers = store_multipliers
        self.warm_start = warm_start
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.client = client

    def __sklearn_clone__(self):
        """Return an unfitted copy with the same client, which cannot be copied."""
        parameters = self.get_params(deep=False)
        client = parameters.pop("client")
        copy = clone(LocalLinearBandedSVC(**parameters))
        return type(self)(**copy.get_params(deep=False), client=client)

    def __getstate__(self):
        """Return what can be saved: all but the client."""
        return {**super().__getstate__(), "client": None}

    def fit(self, X, y, sample_weight=None):
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

    def to_local(self):
        """Return the fitted model as a `bandsvm.LinearBandedSVC`, which can be saved and exported.

        Returns
        -------
        bandsvm.LinearBandedSVC
            A model with the same parameters and attributes; `alpha_` and `theta_` are brought into
            the memory of this process.
        """
        check_is_fitted(self)
        local = self._rule()
        for name in ("alpha_", "theta_"):
            if hasattr(self, name):
                setattr(local, name, getattr(self, name).compute())
        return local

    def decision_function(self, X):
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

    def predict(self, X):
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

    def band_position(self, X):
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

    def score(self, X, y, sample_weight=None):
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

    def _rule(self) -> LocalLinearBandedSVC:
        """Return the fitted model without multipliers."""
        parameters = self.get_params(deep=False)
        parameters.pop("client")
        local = LocalLinearBandedSVC(**parameters)
        fitted = {name: value for name, value in vars(self).items() if name.endswith("_")}
        local.__dict__.update(fitted)
        for name in ("alpha_", "theta_"):
            local.__dict__.pop(name, None)
        return local

    def _of_chunks(self, function: Any, X: Any, dtype: Any, n_columns: int | None = None) -> Any:
        """Return what a function of the model and of a chunk makes of X."""
        check_is_fitted(self)
        local = self._rule()
        if not is_collection(X):
            return function(local, X)
        check_rows_only(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {X.shape[1]} features, but LinearBandedSVC is expecting "
                f"{self.n_features_in_} features as input."
            )
        dtype = float_type(X) if dtype is None else dtype
        return lazily(function, local.set_params(n_jobs=1), X, dtype, n_columns)


def _decision_values(model: Any, X: Any) -> Any:
    """Return the decision values of a chunk; scikit-learn refuses those without samples."""
    if X.shape[0] == 0:
        shape = (0,) if len(model.classes_) == 2 else (0, len(model.classes_))
        return np.empty(shape)
    return model.decision_function(X)


def _predicted(model: Any, X: Any) -> Any:
    predicted, _ = verdict(_decision_values(model, X))
    return model.classes_[predicted]


def _positions(model: Any, X: Any) -> Any:
    return Decisions(model, _decision_values(model, X)).positions
