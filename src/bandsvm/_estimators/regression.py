"""BandedSVR, the Banded SVM as a scikit-learn regressor."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin

from bandsvm._checks.device_arrays import in_kind
from bandsvm._checks.svc_arguments import names_svr_arguments
from bandsvm._compat import CallbackSupportMixin
from bandsvm._decisions.tubes import TubeRegressorMixin
from bandsvm._estimators.kernel_model import KernelModelMixin
from bandsvm._fitting.fit import fit_model
from bandsvm._fitting.lifecycle import end_fit
from bandsvm._fitting.regression import REGRESSION


@names_svr_arguments
class BandedSVR(
    TubeRegressorMixin, KernelModelMixin, CallbackSupportMixin, RegressorMixin, BaseEstimator
):
    """Banded support vector regression.

    The prediction g(x) of every sample is pulled into a tube around its target: the model minimises

    .. math::

        \\frac{1}{2} |\\beta|^2 + C_1 \\sum_i [y_i - \\varepsilon - g(x_i)]_+
        + C_2 \\sum_i [g(x_i) - y_i - \\varepsilon]_+

    where :math:`[v]_+` is `v` if that is positive and 0 otherwise; with
    ``loss='squared_epsilon_insensitive'`` both brackets are squared. With ``C1 = C2`` it is
    `sklearn.svm.SVR`. Targets may be intervals, open ones too, such as durations that are only
    known to exceed a number. Every fit has a `certificate_` of how close to optimal it is.

    Parameters
    ----------
    C1 : float, default=1.0
        Penalty for predictions below the tube; at least 0.
    C2 : float, default=1.0
        Penalty for predictions above the tube; at least 0. One of the two must be greater than 0.
    epsilon : float or pair of floats, default=0.1
        How far the tube extends below and above the target; at least 0. A pair is (below, above).
    loss : {'epsilon_insensitive', 'squared_epsilon_insensitive'}, default='epsilon_insensitive'
        What is penalised: the distance from the tube, or its square. With ``epsilon=0`` the square
        gives the LS-SVM, which is kernel ridge regression with an intercept, and with unequal costs
        expectiles.
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
    dual_coef_ : ndarray of shape (n_problems, n_support)
        Coefficients of the support vectors.
    intercept_ : ndarray of shape (n_problems,)
        Intercepts.
    coef_ : ndarray of shape (n_problems, n_features)
        Weights of the features, read-only; only with the 'linear' kernel.
    alpha_, theta_ : ndarray of shape (n_samples,)
        Multipliers of the lower and the upper edge of the tube for every training sample.
    alpha_support_, theta_support_ : ndarray
        Indices of the samples with a positive multiplier: predictions lie at or below the
        lower edge, and at or above the upper edge.
    xi_, eta_ : ndarray of shape (n_samples,)
        Distances of predictions below and above the tube for every training sample; NaN for
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
    BandedQuantileSVR : Quantiles of the targets.
    sklearn.svm.SVR : One cost and one epsilon, without a certificate.

    Notes
    -----
    Solvers see targets in units of their spread, around their median, so that neither their size
    nor a large offset costs digits. Targets and `epsilon` times s, and costs times s (with squared
    losses the same costs), give s times the predictions after the same steps.

    Predictions are in float64, whatever the type of X.

    Examples
    --------
    >>> import numpy as np
    >>> from bandsvm import BandedSVR
    >>> X = np.linspace(0.0, 6.0, 50)[:, None]
    >>> model = BandedSVR(C1=10.0, C2=10.0).fit(X, np.sin(X[:, 0]))
    >>> print(model.predict([[1.5], [4.5]]).round(1))
    [ 0.9 -0.9]
    >>> at_least_2 = np.column_stack([np.full(50, 2.0), np.full(50, np.inf)])
    >>> bool((BandedSVR(epsilon=0.0).fit(X, at_least_2).predict(X) > 1.99).all())
    True
    """

    _task = REGRESSION

    def __init__(
        self,
        C1: float = 1.0,
        C2: float = 1.0,
        epsilon: Any = 0.1,
        *,
        loss: str = "epsilon_insensitive",
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
        self.C1 = C1
        self.C2 = C2
        self.epsilon = epsilon
        self.loss = loss
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
            Factors of C1 and C2 per sample; samples of weight 0 are ignored.

        Returns
        -------
        BandedSVR
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
        """Return predictions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples. With a precomputed kernel, their kernel values with all training samples, or
            with the support vectors only.

        Returns
        -------
        ndarray of shape (n_samples,)
            The decision value g(x).
        """
        return self._predicted(self._problem_values(X))

    def _predicted(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return predictions from decision values: a single column."""
        return values[:, 0]
