"""NuSVR with scikit-learn's names: a `BandedSVR` whose tube is as wide as `nu` asks for."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.exceptions import ConvergenceWarning

from bandsvm._checks.device_arrays import in_kind
from bandsvm._checks.numbers import targets_of
from bandsvm._checks.parameters import finite_number
from bandsvm._estimators.regression import BandedSVR
from bandsvm._fitting.lifecycle import end_fit
from bandsvm._system.advice import ParameterError
from bandsvm.svm._checks import check_cost, check_switches
from bandsvm.svm._model import KernelModel
from bandsvm.svm._nu_search import NuSearch
from bandsvm.svm._task import SWITCHED


class NuSVR(RegressorMixin, KernelModel):
    """Nu-support vector regression with the parameters and attributes of `sklearn.svm.NuSVR`.

    The model is ``BandedSVR(C1=C, C2=C, epsilon=epsilon)`` for the width of the tube that `nu` asks
    for, which is searched: some ten fits, each from the last. docs/switching.md lists what cannot
    be the same as in scikit-learn.

    Parameters
    ----------
    nu : float, default=0.5
        Share of targets: at most so many lie outside the tube, and at least so many are support
        vectors, unless a tube of width 0 has fewer outside; greater than 0, up to 1.
    C : float, default=1.0
        Penalty for predictions outside the tube; greater than 0.
    kernel : {'linear', 'poly', 'rbf', 'sigmoid', 'laplacian', 'chi2', 'precomputed'} or callable, \
default='rbf'
        The kernel. A callable takes two sets of samples and returns the matrix of kernel values of
        all pairs; `fit` calls it once, with all training samples. With 'precomputed', X is the
        kernel matrix.
    degree : int, default=3
        Degree of the 'poly' kernel.
    gamma : {'scale', 'auto'} or float, default='scale'
        Coefficient of all kernels except 'linear': 'scale' is ``1 / (n_features * X.var())``,
        'auto' is ``1 / n_features``.
    coef0 : float, default=0.0
        Constant term of the 'poly' and 'sigmoid' kernels.
    shrinking : bool, default=True
        No effect: samples that no longer move are always left out.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of the spread of y.
    cache_size : float, default=200
        Megabytes of memory for kernel rows.
    verbose : bool or int, default=False
        Whether `fit` shows its progress; 2 shows a line per step.
    max_iter : int, default=-1
        Bound on the outer steps of the solver, each of which is many of LIBSVM's; -1 stands for
        10 000.
    time_limit : float or None, default=None
        Seconds after which `fit` ends, certificate included, with the best model so far.
    n_jobs : int or None, default=None
        Number of threads; None and -1 use all cores. Results do not depend on it.
    device : {'cpu', 'cuda'} or None, default=None
        Where kernel values are computed. 'cuda' is the current CUDA device, through CuPy (``pip
        install bandsvm[cuda]``), for problems of more than 1000 samples and the kernels 'linear',
        'rbf', 'poly' and 'sigmoid'. None: 'cuda' if X is an array on such a device, else 'cpu'.
        Fitted models predict on either; where there is no device, on the CPU.
    warm_start : bool, default=False
        Whether `fit` starts from the last solution, if the number of samples is the same.

    Attributes
    ----------
    support_ : ndarray of shape (n_support,)
        Indices of the support vectors.
    support_vectors_ : ndarray or CSR of shape (n_support, n_features)
        The support vectors; empty with a precomputed kernel.
    n_support_ : ndarray of shape (1,)
        Number of support vectors.
    dual_coef_ : ndarray or CSR of shape (1, n_support)
        Coefficients of the support vectors.
    coef_ : ndarray or CSR of shape (1, n_features)
        Weights of the features, read-only; only with the 'linear' kernel.
    intercept_ : ndarray of shape (1,)
        The intercept.
    banded_ : BandedSVR
        The fitted estimator that is this model; its `epsilon` is the width of the tube.
        `to_banded` returns a copy.
    certificate_ : Certificate
        Primal and dual value, gap, violation, status and cost of the last fit.
    fit_status_ : int
        0 if the fit is optimal to `tol`, else 1.
    n_iter_ : int
        Number of outer steps of the last fit.
    shape_fit_ : tuple of int
        The shape of the training samples.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all names in X are strings.

    See Also
    --------
    bandsvm.BandedQuantileSVR : Shares of targets below predictions.

    Examples
    --------
    >>> import numpy as np
    >>> from bandsvm.svm import NuSVR
    >>> X = np.linspace(0.0, 6.0, 40)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.cos(50.0 * X[:, 0])
    >>> model = NuSVR(nu=0.2, C=10).fit(X, y)
    >>> bool((abs(y - model.predict(X)) > model.banded_.epsilon + 1e-9).mean() <= 0.2)
    True
    >>> model.certificate_.is_optimal
    True
    """

    _task = SWITCHED

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: int = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        device: str | None = None,
        warm_start: bool = False,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.device = device
        self.warm_start = warm_start

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples, or their kernel matrix of shape (n_samples, n_samples) if the kernel
            is 'precomputed'. With a callable kernel, whatever it takes.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C per sample; samples of weights up to 0 are left out.

        Returns
        -------
        NuSVR
            The fitted estimator.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C. The estimator keeps the best model so far.
        """
        was_interrupted = self._fit(X, y, sample_weight)
        missed = self.__dict__.pop("_missed")
        end_fit(self, was_interrupted)
        if missed and self.certificate_.is_optimal:
            warnings.warn(f"NuSVR {missed}", ConvergenceWarning, stacklevel=2)
        return self

    def _check_parameters(self) -> None:
        check_cost(self, or_inf=False)
        check_switches(self)
        if not 0.0 < finite_number("nu", self.nu) <= 1.0:
            raise ParameterError("nu", "must be greater than 0 and at most 1", self.nu)

    def _written(self, X: Any, y: NDArray, weights: NDArray | None) -> BandedSVR:
        """Return the `BandedSVR` that is this model, for an epsilon that is not known yet."""
        return BandedSVR(C1=self.C, C2=self.C, epsilon=0.0, **self._shared(X))

    def _fit_written(self, banded: BandedSVR, X: Any, y: NDArray, weights: NDArray | None) -> bool:
        """Fit the banded estimator for the epsilon that ``nu`` asks for."""
        # Where costs overflow, the fit refuses them.
        with np.errstate(over="ignore", invalid="ignore"):
            search = NuSearch(banded, X, targets_of(y, len(y)), weights, float(self.nu))
            search.run()
        self._missed = search.why_missed()
        return search.was_interrupted

    @in_kind
    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return predictions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples; with a precomputed kernel, their kernel values with all training samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The decision values.
        """
        return self._problem_values(X)[:, 0]

    @property
    def n_iter_(self) -> int:
        """Number of outer steps."""
        return max(1, self.certificate_.n_iter)
