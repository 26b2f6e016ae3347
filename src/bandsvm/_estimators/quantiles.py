"""BandedQuantileSVR, quantiles of targets by support vector machines."""

from __future__ import annotations

from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import d2_pinball_score

from bandsvm._checks.device_arrays import in_kind
from bandsvm._checks.numbers import refuse_intervals
from bandsvm._checks.tube_parameters import quantiles_of
from bandsvm._compat import CallbackSupportMixin
from bandsvm._decisions.tubes import without_crossing
from bandsvm._estimators.kernel_model import KernelModelMixin
from bandsvm._fitting.fit import fit_model
from bandsvm._fitting.lifecycle import end_fit
from bandsvm._fitting.regression import QUANTILE_REGRESSION


class BandedQuantileSVR(KernelModelMixin, CallbackSupportMixin, RegressorMixin, BaseEstimator):
    """Quantile regression with a kernel.

    For each quantile q the model minimises the pinball loss and the length of its weights,

    .. math::

        \\frac{1}{2} |\\beta|^2 + C \\sum_i q [y_i - g(x_i)]_+ + (1 - q) [g(x_i) - y_i]_+

    where :math:`[v]_+` is `v` if that is positive and 0 otherwise. A share of about q of the
    targets lies below the predictions. All quantiles are fitted over the same kernel rows, and
    every one of them is certified.

    Parameters
    ----------
    quantile : float or sequence of floats, default=0.5
        The quantiles, between 0 and 1. With a sequence `predict` returns a column for each.
    C : float, default=1.0
        Penalty: a unit of distance costs C times q for a prediction that is too low, and C times
        1 - q for one that is too high; greater than 0.
    kernel : {'linear', 'rbf', 'poly', 'sigmoid', 'laplacian', 'chi2', 'precomputed'} or callable, \
default='rbf'
        The kernel. A callable takes two arrays of samples and returns the matrix of kernel values
        of all pairs; its samples may be anything, such as text or graphs. With 'precomputed', X is
        the kernel matrix.
    gamma : {'scale', 'auto'} or float, default='scale'
        Coefficient of all kernels except 'linear': 'scale' is ``1 / (n_features * X.var())`` (rows
        weighted by the sample weights), 'auto' is ``1 / n_features``.
    degree : int, default=3
        Degree of the 'poly' kernel.
    coef0 : float, default=0.0
        Constant term of the 'poly' and 'sigmoid' kernels.
    fit_intercept : bool, default=True
        Whether the decision rule has an intercept.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of the spread of the targets: the
        power of two closest to a robust standard deviation of y, which is ``certificate_.scale``.
        Targets of any size are fitted with the same relative precision; for targets with a standard
        deviation of 1 it is the `tol` of `sklearn.svm.SVR`.
    solver : {'auto', 'smo', 'pcg', 'reference'}, default='auto'
        'smo' takes pair steps on blocks of variables, 'pcg' is projected conjugate gradients,
        'reference' is simple and slow and stores the whole kernel matrix. 'auto' is 'smo'.
    max_iter : int, default=10_000
        Bound on the outer steps of the solver; each does a bounded amount of work.
    time_limit : float or None, default=None
        Seconds after which `fit` ends, certificate included, with the best model so far.
    cache_size : float or None, default=None
        Megabytes of memory for kernel rows and values computed from them. None: 2000, or a quarter
        of the memory that the process may use (free memory, container limits, its share among
        joblib's workers) if that is less. Fits are fastest if the rows of all samples
        fit in: about ``n_samples ** 2 / 250_000`` megabytes.
    warm_start : bool, default=False
        Whether `fit` starts from the last solution, if the number of samples is the same.
        Parameters and targets may differ.
    verbose : int, default=0
        1 shows a progress bar on a terminal (if `rich` is installed) or a line per second, 2 a line
        per outer step. Lines go to the logger 'bandsvm' if it has a handler for them, else to
        standard error.
    n_jobs : int or None, default=None
        Number of threads. None uses all cores, within the limits of `threadpoolctl` and of joblib's
        workers; -1 uses all. Results do not depend on it. The kernels 'laplacian', 'chi2',
        'precomputed' and callables use one thread.
    device : {'cpu', 'cuda'} or None, default=None
        Where kernel values are computed. 'cuda' is the current CUDA device, through CuPy (``pip
        install bandsvm[cuda]``), for problems of more than 1000 samples and the kernels 'linear',
        'rbf', 'poly' and 'sigmoid'. None: 'cuda' if X is an array on such a device, else 'cpu'.
        Fitted models predict on either; where there is no device, on the CPU.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Indices of the support vectors of both kinds.
    support_vectors_ : ndarray or CSR of shape (n_support, n_features)
        The support vectors; empty with a precomputed kernel.
    dual_coef_ : ndarray of shape (n_quantiles, n_support)
        Coefficients of the support vectors, one row per quantile.
    intercept_ : ndarray of shape (n_quantiles,)
        Intercepts.
    coef_ : ndarray of shape (n_quantiles, n_features)
        Weights of the features, read-only; only with the 'linear' kernel.
    alpha_, theta_ : ndarray of shape (n_samples,) or (n_samples, n_quantiles)
        Multipliers of every training sample, for a prediction below and above its target.
    alpha_support_, theta_support_ : ndarray
        Indices of the samples with a positive multiplier for any quantile: predictions lie at or
        below the target, and at or above it.
    xi_, eta_ : ndarray of shape (n_samples,) or (n_samples, n_quantiles)
        Distances of predictions below and above the target for every training sample; NaN for
        samples of weight 0 if the fit was cut short.
    certificate_ : Certificate
        Primal and dual value, gap, violation, status and cost of the fit, in units of y.
    n_iter_ : int
        Number of outer steps.
    gamma_ : float
        The value of gamma that was used; NaN for kernels without gamma.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all names in X are strings.

    See Also
    --------
    BandedSVR : Regression with a tube.
    sklearn.linear_model.QuantileRegressor : Linear quantile regression with an L1 penalty.

    Notes
    -----
    Each quantile is a problem of its own, so that their decision rules may cross. `predict` sorts
    the predictions of every sample (rearrangement [1]_), which never takes them farther from the
    true quantiles. `dual_coef_`, `xi_` and so on belong to the rules as they were fitted.

    Targets may be intervals, as in `BandedSVR`.

    References
    ----------
    .. [1] V. Chernozhukov, I. Fernandez-Val and A. Galichon, "Quantile and probability curves
       without crossing", Econometrica 78 (2010).

    Examples
    --------
    >>> import numpy as np
    >>> from bandsvm import BandedQuantileSVR
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(500, 1))
    >>> y = X[:, 0] + X[:, 0] * rng.normal(size=500)
    >>> model = BandedQuantileSVR([0.1, 0.5, 0.9], C=10.0).fit(X, y)
    >>> low, middle, high = model.predict(X).T
    >>> print(f"{np.mean((low <= y) & (y <= high)):.1f}")
    0.8
    """

    _task = QUANTILE_REGRESSION

    def __init__(
        self,
        quantile: Any = 0.5,
        C: float = 1.0,
        *,
        kernel: Any = "rbf",
        gamma: str | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        tol: float = 1e-3,
        solver: str = "auto",
        max_iter: int = 10_000,
        time_limit: float | None = None,
        cache_size: float | None = None,
        warm_start: bool = False,
        verbose: int = 0,
        n_jobs: int | None = None,
        device: str | None = None,
    ) -> None:
        self.quantile = quantile
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.solver = solver
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_size = cache_size
        self.warm_start = warm_start
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.device = device

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples, or their kernel matrix of shape (n_samples, n_samples) if the kernel
            is 'precomputed'. With a callable kernel, any sequence or array of samples.
        y : array-like of shape (n_samples,) or (n_samples, 2)
            Targets; or intervals in which they lie, whose ends may be -inf and inf.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C per sample; samples of weight 0 are ignored.

        Returns
        -------
        BandedQuantileSVR
            The fitted estimator.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C, so that loops around `fit` end. The estimator keeps the best model so far:
            it is fitted, and `warm_start` continues from there.
        """
        end_fit(self, fit_model(self, X, y, sample_weight))
        return self

    @in_kind
    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return predicted quantiles.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples. With a precomputed kernel, their kernel values with all training samples, or
            with the support vectors only.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_quantiles)
            A column for each quantile, in the order of `quantile`; a vector if it is a number.
            Columns do not cross: larger quantiles are nowhere less than smaller ones.
        """
        return self._predicted(self._problem_values(X))

    def _predicted(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return predictions from decision values, one column per quantile."""
        if isinstance(self.quantile, Real):
            return values[:, 0]
        return without_crossing(values, np.array(quantiles_of(self)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return D^2, the share of the pinball loss that predictions save; the mean over quantiles.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples, as for `predict`.
        y : array-like of shape (n_samples,)
            Their targets; for intervals there is no such score.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        float
            1 for perfect predictions; 0 is as good as the quantiles of y.
        """
        refuse_intervals(y, "score on samples whose targets are known")
        columns = np.reshape(self.predict(X), (-1, len(self.intercept_))).T
        scores = [
            d2_pinball_score(y, column, sample_weight=sample_weight, alpha=value)
            for column, value in zip(columns, quantiles_of(self), strict=True)
        ]
        return float(np.mean(scores))
