"""OneClassBandedSVM, the one-class SVM as a scikit-learn outlier detector."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.utils.validation import check_is_fitted

from bandsvm._certificate import Certificate
from bandsvm._checks.device_arrays import in_kind
from bandsvm._checks.svc_arguments import names_one_class_arguments
from bandsvm._compat import CallbackSupportMixin
from bandsvm._decisions.tubes import left_open
from bandsvm._estimators.kernel_model import KernelModelMixin
from bandsvm._fitting.fit import certify_model, fit_model
from bandsvm._fitting.fitted import scale_of
from bandsvm._fitting.lifecycle import end_fit
from bandsvm._fitting.one_class import ONE_CLASS

# Largest rounding error of a decision value as a share of the size of its terms.
ROUNDING = 1e-13


@names_one_class_arguments
class OneClassBandedSVM(KernelModelMixin, CallbackSupportMixin, OutlierMixin, BaseEstimator):
    """One-class support vector machine: outliers, and a score of how typical samples are.

    The decision function g(x) is at least 0 for most training samples: the model minimises

    .. math::

        \\frac{1}{2} |\\beta|^2 + \\sum_{i=1}^n [-g(x_i)]_+ + \\nu n b

    where :math:`[v]_+` is `v` if that is positive and 0 otherwise, and b is the intercept. It is
    the problem of `sklearn.svm.OneClassSVM`, solved by the solvers of `BandedSVC`: every fit has a
    `certificate_` of how close to optimal it is.

    Parameters
    ----------
    kernel : {'linear', 'rbf', 'poly', 'sigmoid', 'laplacian', 'chi2', 'precomputed'} or callable, \
default='rbf'
        The kernel. A callable takes two arrays of samples and returns the matrix of kernel values
        of all pairs; its samples may be anything, such as text or graphs. With 'precomputed', X is
        the kernel matrix.
    gamma : {'scale', 'auto'} or float, default='scale'
        Coefficient of all kernels except 'linear': 'scale' is ``1 / (n_features * X.var())`` (rows
        weighted by the sample weights), 'auto' is ``1 / n_features``.
    nu : float, default=0.5
        At most this share of the training samples is outside, and at least this share are support
        vectors; greater than 0, at most 1.
    degree : int, default=3
        Degree of the 'poly' kernel.
    coef0 : float, default=0.0
        Constant term of the 'poly' and 'sigmoid' kernels.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of what a sample can add to its own
        score: the power of two closest to its kernel value with itself times its largest possible
        coefficient (the median over samples), which is ``certificate_.scale``. Without weights, and
        with the kernel 'rbf', this is the `tol` of `sklearn.svm.OneClassSVM`.
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
        Parameters and samples may differ.
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
    offset_ : float
        What is subtracted from scores: ``decision_function(X) = score_samples(X) - offset_``.
    support_ : ndarray of shape (n_support,)
        Indices of the support vectors, which lie outside or on the boundary.
    support_vectors_ : ndarray or CSR of shape (n_support, n_features)
        The support vectors; empty with a precomputed kernel.
    dual_coef_ : ndarray of shape (1, n_support)
        Coefficients of the support vectors, between 0 and their weights. Their sum is `nu` times
        the sum of all weights.
    intercept_ : ndarray of shape (1,)
        The intercept, ``-offset_``.
    coef_ : ndarray of shape (1, n_features)
        Weights of the features, read-only; only with the 'linear' kernel.
    alpha_ : ndarray of shape (n_samples,)
        Multiplier of every training sample: its coefficient.
    alpha_support_ : ndarray
        Indices of the samples with a positive multiplier.
    xi_ : ndarray of shape (n_samples,)
        How far the decision value of every training sample lies below 0; NaN for samples of weight
        0 if the fit was cut short.
    theta_, eta_, theta_support_ : ndarray
        The same for an upper edge, which one class does not have: zeros, and no sample.
    certificate_ : Certificate
        Primal and dual value, gap, violation, status and cost of the fit.
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
    sklearn.svm.OneClassSVM : The same model without a certificate.
    BandedSVC : Classification.

    Notes
    -----
    As in LIBSVM, coefficients lie between 0 and 1, or the weight of their sample, and scores are
    sums of kernel values times coefficients: they grow with the number of samples. Repeating a
    sample is the same as doubling its weight, for `gamma` too.

    With ``nu=1`` all samples are support vectors, and the offset is the largest score of a training
    sample; `sklearn.svm.OneClassSVM` refuses such problems.

    Decision values are in float64, whatever the type of X. Those below 0 by no more than the
    certificate leaves open, which is at most `tol`, are 0: samples on the boundary are inside, so
    that the share of training samples outside is at most `nu`.

    Examples
    --------
    >>> import numpy as np
    >>> from bandsvm import OneClassBandedSVM
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = OneClassBandedSVM(nu=0.1).fit(X)
    >>> model.predict([[0.0, 0.0], [4.0, 4.0]])
    array([ 1, -1])
    >>> bool((model.predict(X) == -1).mean() <= 0.1)
    True
    """

    _task = ONE_CLASS

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: str | float = "scale",
        nu: float = 0.5,
        degree: int = 3,
        coef0: float = 0.0,
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
        self.kernel = kernel
        self.gamma = gamma
        self.nu = nu
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.solver = solver
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_size = cache_size
        self.warm_start = warm_start
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.device = device

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples, or their kernel matrix of shape (n_samples, n_samples) if the kernel
            is 'precomputed'. With a callable kernel, any sequence or array of samples.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            How often each sample counts; samples of weight 0 are ignored.

        Returns
        -------
        OneClassBandedSVM
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
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values of samples, which are negative outside.

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
        values = self._problem_values(X)[:, 0]
        # Support vectors on the boundary are inside: neither rounding nor what the fit leaves open
        # may decide about that.
        terms = abs(self.offset_) + scale_of(self) * self.dual_coef_.shape[1]
        slack = max(ROUNDING * terms, left_open(self))
        values[(-slack <= values) & (values < 0.0)] = 0.0
        return values

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
    def predict(self, X: Any) -> NDArray[np.int64]:
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

    def certify(self, X: Any, y: Any = None, sample_weight: Any = None) -> Certificate:
        """Certify the fitted model with all decision values recomputed in float64.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training samples, or their kernel matrix.
        y : None
            Ignored.
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
    def offset_(self) -> float:
        """What is subtracted from scores."""
        check_is_fitted(self)
        return -float(self.intercept_[0])
