"""BandedSVC, the Banded SVM as a scikit-learn classifier."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from bandsvm._checks.device_arrays import in_kind
from bandsvm._checks.svc_arguments import names_svc_arguments
from bandsvm._compat import CallbackSupportMixin
from bandsvm._decisions.probabilities import ProbabilityMixin
from bandsvm._decisions.values import BandClassifierMixin, decisions_of
from bandsvm._defaults import DEFAULT_RHO2
from bandsvm._estimators.kernel_model import KernelModelMixin
from bandsvm._fitting.classification import CLASSIFICATION
from bandsvm._fitting.fit import fit_model
from bandsvm._fitting.lifecycle import end_fit


@names_svc_arguments
class BandedSVC(
    KernelModelMixin,
    BandClassifierMixin,
    ProbabilityMixin,
    CallbackSupportMixin,
    ClassifierMixin,
    BaseEstimator,
):
    """Banded support vector classification.

    The Banded SVM draws the signed decision value ``y g(x)`` of every sample into an interval, the
    band from `rho1` to `rho2`. It minimises

    .. math::

        \\frac{1}{2} |\\beta|^2 + C_1 \\sum_i [\\rho_1 - y_i g(x_i)]_+
        + C_2 \\sum_i [y_i g(x_i) - \\rho_2]_+

    where :math:`[v]_+` is `v` if that is positive and 0 otherwise; with ``loss='squared_hinge'``
    both brackets are squared. With ``C2=0`` it is the C-SVM of `sklearn.svm.SVC`. The upper edge
    restrains large scores, which makes those of sub-clusters of a class comparable. It does not
    raise accuracy, and it changes nothing where all scores are smaller than `rho2` (docs/when.md).
    Every fit has a `certificate_` of how close to optimal it is.

    Parameters
    ----------
    C1 : float or mapping from class to float, default=1.0
        Penalty for lying below the band; greater than 0. A mapping gives each class its own. With
        ``inf`` no sample may lie below the band, as in the hard-margin SVM: `fit` raises ValueError
        if the kernel cannot separate the classes that way.
    C2 : float or mapping from class to float, default=1.0
        Penalty for lying above the band. ``C2=0`` makes the model the C-SVM, as `bandsvm.svm.SVC`,
        and is the recommended start (docs/when.md). The default band, ``C2=1`` and ``rho2=3``,
        rarely acts at ``C1=1`` (docs/defaults.md).
    rho1 : float or mapping from class to float, default=1.0
        Lower edge of the band; greater than 0.
    rho2 : float or mapping from class to float, default=3.0
        Upper edge of the band; not less than `rho1`. docs/defaults.md shows what other values do to
        accuracy and scores.
    loss : {'hinge', 'squared_hinge'}, default='hinge'
        What is penalised: the distance from the band, or its square. The square
        also gives L2-SVM, LS-SVM and ODM; docs/family.md lists the parameters of known models.
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
    class_weight : dict, 'balanced' or None, default=None
        Factors of C1 and C2 per class. 'balanced' gives all classes the same total of sample
        weights; `sklearn.svm.SVC` counts samples instead.
    multi_class : {'ovo', 'ovr'}, default='ovo'
        The problems of more than two classes. 'ovo' (one-vs-one) separates each pair of classes,
        on samples of these two alone; the class that wins the most pairs is predicted, as in
        `sklearn.svm.SVC`, and of several such classes the first. 'ovr' (one-vs-rest) separates each
        class from all others; the largest decision value wins, and among values that differ by no
        more than the certificate leaves open, the first. Its problems are fewer, but larger.
        docs/strategies.md compares both.
    decision_function_shape : {'ovr', 'ovo'}, default='ovr'
        What `decision_function` returns with ``multi_class='ovo'`` and more than two classes:
        'ovr' a column per class, the number of pairs that it wins plus the sum of its decision
        values scaled to between -1/3 and 1/3; 'ovo' the decision values of the pairs (0, 1),
        (0, 2), ..., (1, 2), ..., positive for the first class. As in `sklearn.svm.SVC`.
    break_ties : bool, default=False
        With ``multi_class='ovo'``, whether `predict` returns the class of the largest value of
        ``decision_function_shape='ovr'``. False: of the classes that win the most pairs, the first.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of the decision value: the `tol` of
        `sklearn.svm.SVC`. That of `LinearBandedSVC` is a share of the objective instead.
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
        joblib's workers) if that is less. Classes are fitted fastest if the rows of all samples
        fit in: about ``n_samples ** 2 / 250_000`` megabytes.
    warm_start : bool, default=False
        Whether `fit` starts from the last solution, if the number of samples and the classes are
        the same. Parameters may differ.
    verbose : int, default=0
        1 shows a progress bar on a terminal (if `rich` is installed) or a line per second, 2 a line
        per outer step. Lines go to the logger 'bandsvm' if it has a handler for them, else to
        standard error.
    n_jobs : int or None, default=None
        Number of threads. None uses all cores, within the limits of `threadpoolctl` and of joblib's
        workers, as scikit-learn's own compiled code does (and not one, as its joblib code); -1 uses
        all. Results do not depend on it. More than two classes are fitted at the same time. The
        kernels 'laplacian', 'chi2', 'precomputed' and callables use one thread.
    device : {'cpu', 'cuda'} or None, default=None
        Where kernel values are computed. 'cuda' is the current CUDA device, through CuPy (``pip
        install bandsvm[cuda]``), for problems of more than 1000 samples and the kernels 'linear',
        'rbf', 'poly' and 'sigmoid'. None: 'cuda' if X is an array on such a device, else 'cpu'.
        Fitted models predict on either; where there is no device, on the CPU.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    support_ : ndarray of shape (n_support,)
        Indices of the support vectors of both kinds.
    support_vectors_ : ndarray or CSR of shape (n_support, n_features)
        The support vectors; empty with a precomputed kernel.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors in each class.
    dual_coef_ : ndarray of shape (n_problems, n_support)
        Coefficients of the support vectors in the decision rule. Two classes make one problem,
        more make one per class or, with ``multi_class='ovo'``, per pair of classes.
    intercept_ : ndarray of shape (n_problems,)
        Intercepts.
    coef_ : ndarray of shape (n_problems, n_features)
        Weights of the features, read-only; only with the 'linear' kernel.
    alpha_, theta_ : ndarray of shape (n_samples,) or (n_samples, n_problems)
        Multipliers of the lower and the upper edge for every training sample; 0 in pairs of other
        classes.
    alpha_support_, theta_support_ : ndarray
        Indices of the samples with a positive multiplier in any problem: `alpha_support_` near the
        class boundary, `theta_support_` in the interior of a class.
    xi_, eta_ : ndarray of shape (n_samples,) or (n_samples, n_problems)
        Distances of every training sample below and above the band of its own class, which may not
        be the predicted one of `band_position`; NaN in pairs of other classes, and for samples of
        weight 0 if the fit was cut short.
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
    sklearn.svm.SVC : The C-SVM, without an upper edge and without a certificate.

    Notes
    -----
    With a kernel that is not positive semidefinite, such as 'sigmoid', the fitted model is a
    stationary point of the objective; there may be several.

    For probabilities call `bandsvm.calibrate` after `fit`. docs/from_svc.md
    lists all differences from `sklearn.svm.SVC`.

    Distances of the 'rbf' kernel are measured from each feature's most common value in dense
    samples (its median, where values hardly repeat), which keeps their digits far from the origin.
    Sparse samples are measured from zero: scale them.

    Fits may run in several threads at once, and in child processes forked meanwhile. But
    multi-threaded OpenBLAS is not safe to fork: while another thread multiplies matrices, `os.fork`
    or the child can hang. In programs with threads, start processes with
    ``multiprocessing.get_context("spawn")``.

    References
    ----------
    .. [1] G. V. Pendse, "BSVM: A Banded Support Vector Machine", arXiv:1107.2347.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bandsvm import BandedSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BandedSVC().fit(X, y)
    >>> model.predict(X[[0, 60, 120]])
    array([0, 1, 2])
    >>> model.certificate_.status.value
    'converged'
    """

    _task = CLASSIFICATION

    def __init__(
        self,
        C1: Any = 1.0,
        C2: Any = 1.0,
        rho1: Any = 1.0,
        rho2: Any = DEFAULT_RHO2,
        *,
        loss: str = "hinge",
        kernel: Any = "rbf",
        gamma: str | float = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        multi_class: str = "ovo",
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
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
        self.rho1 = rho1
        self.rho2 = rho2
        self.loss = loss
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
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
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C1 and C2 per sample; samples of weight 0 are ignored.

        Returns
        -------
        BandedSVC
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
    def decision_function(self, X: Any) -> NDArray:
        """Return the decision values of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples. With a precomputed kernel, their kernel values with all training samples, or
            with the support vectors only.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            The decision value g(x), one column per class if there are more than two; see
            `decision_function_shape` for ``multi_class='ovo'``. In float32 if X is float32: g(x)
            then differs from that of the same samples in float64 by at most `tol` or 1e-3,
            whichever is less.
        """
        return decisions_of(self, X).values
