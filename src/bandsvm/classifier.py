"""BandedSVC, the Banded SVM as a scikit-learn classifier."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from bandsvm._compat import CallbackSupportMixin
from bandsvm.certificate import certify, combine
from bandsvm.certificate.shortfall import shortfall
from bandsvm.checks import data
from bandsvm.checks.svc_arguments import names_svc_arguments
from bandsvm.decisions import BandPositionMixin, verdict
from bandsvm.fitting.fit import fit_model, kernel_rows
from bandsvm.fitting.training_set import training_set
from bandsvm.kernels import KernelSettings
from bandsvm.solvers import Solution
from bandsvm.system.threads import single_threaded_blas

# Rounding errors that decision values of float32 samples may have, unless ``tol`` is less.
LARGEST_ROUNDING = 1e-3


@names_svc_arguments
class BandedSVC(BandPositionMixin, CallbackSupportMixin, ClassifierMixin, BaseEstimator):
    """Banded support vector classification.

    The Banded SVM draws the signed decision value ``y g(x)`` of every sample into the band
    ``[rho1, rho2]``: it minimises ``|beta|^2 / 2 + C1 sum [rho1 - y g]_+ + C2 sum [y g - rho2]_+``,
    or with ``loss='squared_hinge'`` the same with squares of the brackets.
    Scores stay bounded, sub-clusters of a class get comparable scores, and every sample is typical
    (inside the band), doubtful (below) or extreme (above). With ``C2=0`` and two classes it is the
    C-SVM of `sklearn.svm.SVC`. Every fit comes with a `certificate_` of how close to optimal it is.
    More than two classes are handled one-vs-rest.

    Parameters
    ----------
    C1 : float or mapping from class to float, default=1.0
        Cost of lying below the band; greater than 0. Each sample pays its own class's cost. With
        ``inf`` no sample may lie below the band, as in the hard-margin SVM: `fit` raises ValueError
        if the kernel cannot separate the classes that way.
    C2 : float or mapping from class to float, default=1.0
        Cost of lying above the band; 0 switches the upper edge off.
    rho1 : float or mapping from class to float, default=1.0
        Lower edge of the band; greater than 0.
    rho2 : float or mapping from class to float, default=1.5
        Upper edge of the band; not less than `rho1`.
    loss : {'hinge', 'squared_hinge'}, default='hinge'
        What is penalised: the distance from the band, or its square. Squares also give
        L2-SVM, LS-SVM and ODM; docs/family.md lists which numbers make which known model.
    kernel : {'linear', 'rbf', 'poly', 'sigmoid', 'laplacian', 'chi2', 'precomputed'} or callable, \
default='rbf'
        The kernel. A callable takes two arrays of samples and returns the matrix of kernel values
        of all pairs; its samples may be anything, such as text or graphs. With 'precomputed', X is
        the kernel matrix.
    gamma : {'scale', 'auto'} or float, default='scale'
        Coefficient of all kernels but 'linear': 'scale' is ``1 / (n_features * X.var())`` (rows
        counted with their weights), 'auto' is ``1 / n_features``.
    degree : int, default=3
        Degree of the 'poly' kernel.
    coef0 : float, default=0.0
        Constant term of the 'poly' and 'sigmoid' kernels.
    fit_intercept : bool, default=True
        Whether the decision rule has an intercept.
    class_weight : dict, 'balanced' or None, default=None
        Factors of both costs by class. 'balanced' gives all classes the same total of sample
        weights, where `sklearn.svm.SVC` counts samples.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of the decision value.
    solver : {'auto', 'smo', 'pcg', 'reference'}, default='auto'
        'smo' takes pair steps on blocks of variables, 'pcg' is projected conjugate gradients,
        'reference' is slow, plain and keeps the whole kernel matrix. 'auto' is 'smo'.
    max_iter : int, default=10_000
        Bound on the outer steps of the solver; each does a bounded amount of work.
    time_limit : float or None, default=None
        Seconds after which `fit` ends with the best model so far, certificate included.
    cache_size : float or None, default=None
        Megabytes of memory for kernel rows and what is computed from them. None: 2000, or a quarter
        of what the process may use (free memory, limits of containers, its share among joblib's
        workers) where that is less.
    warm_start : bool, default=False
        Whether `fit` starts from the last solution, if it has as many samples and the same
        classes. All parameters may differ.
    verbose : int, default=0
        1 shows a bar on a terminal (if `rich` is installed) or a line a second, 2 a line for every
        outer step. Lines go to the logger 'bandsvm' where it has a handler for them, else to
        standard error.
    n_jobs : int or None, default=None
        Number of threads; None and -1 use all cores. Answers do not depend on it. The kernels
        'laplacian', 'chi2', 'precomputed' and callables use one.

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
        Coefficients of the support vectors in the decision rule. Two classes make one problem.
    intercept_ : ndarray of shape (n_problems,)
        Intercepts.
    coef_ : ndarray of shape (n_problems, n_features)
        Weights of the features, read-only; only with the 'linear' kernel.
    alpha_, theta_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Multipliers of the lower and of the upper edge for every training sample.
    alpha_support_, theta_support_ : ndarray
        Indices of the samples with a multiplier greater than 0, in any problem: near the class
        boundary, and in the interior of the class.
    xi_, eta_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        How far every training sample lies below and above the band; NaN for samples of weight 0
        where a fit was cut short.
    certificate_ : Certificate
        Primal, dual, gap, violation, status and cost of the fit.
    n_iter_ : int
        Number of outer steps.
    gamma_ : float
        The value of gamma that was used; NaN for kernels that have none.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had names that are all strings.

    See Also
    --------
    sklearn.svm.SVC : The C-SVM, without an upper edge and without a certificate.

    Notes
    -----
    With a kernel that is not positive semidefinite, such as 'sigmoid', the fitted model is a
    stationary point of the objective, of which there may be several.

    For probabilities use ``CalibratedClassifierCV(BandedSVC(), ensemble=False)``. What else differs
    from `sklearn.svm.SVC` is listed in docs/from_svc.md.

    Distances of the 'rbf' kernel are measured from the mean of dense samples, which keeps their
    digits far from the origin. Sparse samples cannot be centred: scale them.

    Fits may run in several threads at once, and children forked meanwhile may fit too. But OpenBLAS
    itself, on several threads, does not survive forks: while another thread multiplies matrices,
    `os.fork` or the child can hang. Start processes from programs with threads by
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

    def __init__(
        self,
        C1=1.0,
        C2=1.0,
        rho1=1.0,
        rho2=1.5,
        *,
        loss="hinge",
        kernel="rbf",
        gamma="scale",
        degree=3,
        coef0=0.0,
        fit_intercept=True,
        class_weight=None,
        tol=1e-3,
        solver="auto",
        max_iter=10_000,
        time_limit=None,
        cache_size=None,
        warm_start=False,
        verbose=0,
        n_jobs=None,
    ):
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
        self.tol = tol
        self.solver = solver
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_size = cache_size
        self.warm_start = warm_start
        self.verbose = verbose
        self.n_jobs = n_jobs

    def __sklearn_tags__(self):
        """Return what scikit-learn should know of the estimator."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.positive_only = self.kernel == "chi2"
        return tags

    def fit(self, X, y, sample_weight=None):
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples, or their kernel matrix of shape (n_samples, n_samples) if the kernel
            is 'precomputed'. With a callable kernel, any sequence or array of samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of both costs of each sample; a sample of weight 0 takes no part.

        Returns
        -------
        BandedSVC
            The fitted estimator.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C, so that loops around `fit` end. The best model so far is kept: the
            estimator is fitted, and `warm_start` continues from there.
        """
        was_interrupted = fit_model(self, X, y, sample_weight)
        complaint = shortfall(self.certificate_)
        if was_interrupted:
            raise KeyboardInterrupt(f"BandedSVC {complaint or 'converged; its model is kept.'}")
        if complaint:
            warnings.warn(f"BandedSVC {complaint}", ConvergenceWarning, stacklevel=2)
        return self

    def decision_function(self, X):
        """Return the decision values of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples. With a precomputed kernel, their kernel values with all training samples, or
            with the support vectors alone.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            The decision value g(x), one column per class if there are more than two; in float32
            for X in float32. Those differ from the values of the same samples in float64 by at most
            `tol` or 1e-3, whichever is less.
        """
        check_is_fitted(self)
        X = data.check_for_prediction(self, X)
        with single_threaded_blas():
            values = self._decide(X)
        if X.dtype == np.float32:
            values = values.astype(np.float32)
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X):
        """Return the predicted classes of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples, as for `decision_function`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        predicted, _ = verdict(self.decision_function(X))
        return self.classes_[predicted]

    def certify(self, X, y, sample_weight=None):
        """Check the fitted model in full, with all decision values recomputed in float64.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The training samples, or their kernel matrix.
        y : array-like of shape (n_samples,)
            The training labels.
        sample_weight : array-like of shape (n_samples,), default=None
            The training weights.

        Returns
        -------
        Certificate
            Like `certificate_`, whose violation and gap rest on the decision values that the
            solver kept; here they rest on the recomputed ones.
        """
        checked = training_set(self, X, y, sample_weight, "certify")
        training = checked.training
        certificates = []
        with single_threaded_blas():
            rows = kernel_rows(self, checked.samples, training)
            kept = self._for_prediction(checked.X, training.kept)
            predicted = self._decide(kept) - self.intercept_
            for problem, c, f, intercept, part in zip(
                training.problems,
                checked.coefficients,
                predicted.T,
                self.intercept_,
                self.certificate_.parts or [self.certificate_],
                strict=True,
            ):
                spent = part.n_iter, part.n_pair_steps, part.n_kernel_rows, part.seconds
                solution = Solution(c, f, part.status, *spent)
                certificates.append(
                    certify(problem, rows, solution, float(intercept), self.tol, n_checks=None)
                )
        return combine(certificates)

    @property
    def coef_(self):
        """Weights of the features, for the linear kernel."""
        check_is_fitted(self)
        if self.kernel != "linear":
            raise AttributeError(f"coef_ exists for kernel='linear' only, not for {self.kernel!r}.")
        with single_threaded_blas():
            coef = np.asarray(self.dual_coef_ @ self.support_vectors_)
        coef.flags.writeable = False  # it is recomputed on every access: changes would be lost
        return coef

    def _kernel(self) -> KernelSettings:
        """Return the kernel of the fitted model."""
        return KernelSettings(self.kernel, self.gamma_, self.coef0, self.degree)

    def _for_prediction(self, X: Any, samples: NDArray) -> Any:
        """Return some training samples as `_decide` takes them."""
        if self.kernel == "precomputed":
            return X[np.ix_(samples, self.support_)]
        return X if len(samples) == X.shape[0] else X[samples]

    def _decide(self, X: Any) -> NDArray[np.float64]:
        """Return decision values, one column per problem, of validated samples."""
        products = self._kernel().product(
            X,
            self.support_vectors_,
            self.dual_coef_.T,
            self.n_jobs,
            largest_rounding=min(self.tol, LARGEST_ROUNDING),
        )
        return products + self.intercept_
