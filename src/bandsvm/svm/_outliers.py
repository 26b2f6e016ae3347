"""OneClassSVM with scikit-learn's names: a `OneClassBandedSVM`."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import OutlierMixin

from bandsvm._checks.device_arrays import in_kind
from bandsvm._estimators.one_class import OneClassBandedSVM
from bandsvm._fitting.lifecycle import end_fit
from bandsvm.svm._checks import check_switches
from bandsvm.svm._model import KernelModel
from bandsvm.svm._task import SWITCHED_ONE_CLASS


class OneClassSVM(OutlierMixin, KernelModel):
    """Outlier detection with the parameters and attributes of `sklearn.svm.OneClassSVM`.

    The model is ``OneClassBandedSVM(nu=nu)``, fitted and certified in the same way.
    docs/switching.md lists what cannot be the same as in scikit-learn.

    Parameters
    ----------
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
    tol : float, default=1e-3
        Largest violation of the optimality conditions.
    nu : float, default=0.5
        At most this share of the training samples is outside, and at least this share are support
        vectors; greater than 0, at most 1.
    shrinking : bool, default=True
        No effect: samples that no longer move are always left out.
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
    offset_ : float
        What is subtracted from scores: ``decision_function(X) = score_samples(X) - offset_``.
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
        The intercept, ``-offset_``.
    banded_ : OneClassBandedSVM
        The fitted estimator that is this model; `to_banded` returns a copy.
    certificate_ : Certificate
        Primal and dual value, gap, violation, status and cost of the fit.
    fit_status_ : int
        0 if the fit is optimal to `tol`, else 1.
    n_iter_ : int
        Number of outer steps.
    shape_fit_ : tuple of int
        The shape of the training samples.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all names in X are strings.

    See Also
    --------
    bandsvm.OneClassBandedSVM : The same model.

    Examples
    --------
    >>> import numpy as np
    >>> from bandsvm.svm import OneClassSVM
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = OneClassSVM(nu=0.1).fit(X)
    >>> model.predict([[0.0, 0.0], [4.0, 4.0]])
    array([ 1, -1])
    """

    _task = SWITCHED_ONE_CLASS
    _has_targets = False

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
        shrinking: bool = True,
        cache_size: float = 200,
        verbose: int = False,
        max_iter: int = -1,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        device: str | None = None,
        warm_start: bool = False,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.device = device
        self.warm_start = warm_start

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples, or their kernel matrix of shape (n_samples, n_samples) if the kernel
            is 'precomputed'. With a callable kernel, whatever it takes.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each sample counts; samples of weights up to 0 are left out.

        Returns
        -------
        OneClassSVM
            The fitted estimator.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C. The estimator keeps the best model so far.
        """
        end_fit(self, self._fit(X, None, sample_weight))
        return self

    def _check_parameters(self) -> None:
        check_switches(self)

    def _written(self, X: Any, y: Any, weights: NDArray | None) -> OneClassBandedSVM:
        """Return the `OneClassBandedSVM` that is this model."""
        return OneClassBandedSVM(nu=self.nu, **self._shared(X))

    @in_kind
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values of samples, which are negative outside.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples; with a precomputed kernel, their kernel values with all training samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The decision values.
        """
        return self._known.decision_function(self._as_in_fit(X))

    @in_kind
    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """Return scores of samples: the larger, the more typical.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples, as for `decision_function`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Decision values plus `offset_`.
        """
        return self.decision_function(X) + self.offset_

    @in_kind
    def predict(self, X: Any) -> NDArray[np.intp]:
        """Return which samples are inside.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples, as for `decision_function`.

        Returns
        -------
        ndarray of shape (n_samples,)
            1 for samples inside or on the boundary, -1 for outliers.
        """
        return np.where(self.decision_function(X) >= 0.0, 1, -1)

    @property
    def offset_(self) -> float:
        """What is subtracted from scores."""
        return self._known.offset_

    @property
    def n_iter_(self) -> int:
        """Number of outer steps."""
        return max(1, self.certificate_.n_iter)
