"""LinearBandedSVC, the linear Banded SVM as a scikit-learn classifier."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from bandsvm._decisions.probabilities import ProbabilityMixin
from bandsvm._decisions.values import BandClassifierMixin
from bandsvm._defaults import DEFAULT_RHO2
from bandsvm._estimators.linear_model import LinearEstimator, LinearModelMixin
from bandsvm._fitting.lifecycle import end_fit
from bandsvm._linear.fit import fit_linear
from bandsvm._linear.tasks import LINEAR_CLASSIFICATION, LinearTask


class LinearClassifier(LinearEstimator):
    """The parameters of a linear classifier, wherever its samples are."""

    _task: LinearTask = LINEAR_CLASSIFICATION

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
    ) -> None:
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


class LinearBandedSVC(
    BandClassifierMixin, ProbabilityMixin, LinearModelMixin, ClassifierMixin, LinearClassifier
):
    """Linear banded support vector classification, for many samples or many features.

    The model is that of `BandedSVC` with ``kernel='linear'``. The solvers here compute no kernel
    values: time and memory grow linearly with the number of samples. Every fit ends with a
    `certificate_`, whose duality gap bounds how much better any other model could be. More than two
    classes are handled one-vs-rest.

    Parameters
    ----------
    C1 : float or mapping from class to float, default=1.0
        Cost of lying below the band; greater than 0 and finite. Each sample pays its own class's
        cost.
    C2 : float or mapping from class to float, default=1.0
        Cost of lying above the band. ``C2=0`` switches the upper edge off, as in a linear SVM, and
        is the recommended start (docs/when.md).
    rho1 : float or mapping from class to float, default=1.0
        Lower edge of the band; greater than 0.
    rho2 : float or mapping from class to float, default=3.0
        Upper edge of the band; not less than `rho1`.
    loss : {'hinge', 'squared_hinge'}, default='hinge'
        What is penalised: the distance from the band, or its square.
    fit_intercept : bool, default=True
        Whether the decision rule has an intercept. It is not penalised, unlike that of
        `sklearn.svm.LinearSVC`.
    class_weight : dict, 'balanced' or None, default=None
        Factors of both costs by class. 'balanced' gives all classes the same total of sample
        weights.
    tol : float, default=1e-6
        Largest duality gap, as a share of the objective. Not the `tol` of `BandedSVC` and
        `sklearn.svm.SVC`, a violation in units of the decision value, nor that of
        `sklearn.svm.LinearSVC`.
    solver : {'auto', 'newton', 'cd'}, default='auto'
        'newton' is an interior point method: few passes over the samples, each of which multiplies
        all pairs of features. 'cd' is coordinate descent on the dual, for thousands of features.
        'auto' chooses the one that should take less work.
    max_iter : int, default=1000
        Bound on the passes over the samples.
    time_limit : float or None, default=None
        Seconds after which `fit` ends with the best model so far, certificate included.
    store_multipliers : bool, default=False
        Whether `fit` stores `alpha_` and `theta_`, which are as long as the training set.
    warm_start : bool, default=False
        Whether `fit` starts from the last model, if it has the same features and classes. All
        parameters may differ. Stores `alpha_` and `theta_`, which 'cd' starts from. Fits of up to
        1000 samples always start from zero.
    verbose : int, default=0
        1 shows a bar on a terminal, else a line a second; 2 a line for every step: a pass of
        'newton', some passes of 'cd'. Lines go to the logger 'bandsvm' where it has a handler for
        them, else to standard error.
    n_jobs : int or None, default=None
        Number of threads; None and -1 use all cores. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    coef_ : ndarray of shape (n_problems, n_features)
        Weights of the features. Two classes make one problem.
    intercept_ : ndarray of shape (n_problems,)
        Intercepts.
    certificate_ : Certificate
        Primal, dual, gap, violation, status and cost of the fit.
    n_iter_ : int
        Number of passes over the samples.
    solver_ : {'newton', 'cd'}
        The solver that was used; Newton steps may be those on a kernel matrix of few samples.
    alpha_, theta_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Multipliers of the lower and of the upper edge for every training sample; only with
        `store_multipliers` or `warm_start`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had names that are all strings.

    See Also
    --------
    BandedSVC : The Banded SVM with kernels.
    sklearn.svm.LinearSVC : Linear C-SVM with a penalised intercept, without an upper edge.

    Notes
    -----
    X may be dense or CSR, of float32 or float64, and is not copied. Sums are computed in float64.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bandsvm import LinearBandedSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearBandedSVC().fit(X, y)
    >>> model.predict(X[[0, 60, 120]])
    array([0, 1, 2])
    >>> model.certificate_.relative_gap <= 1e-6
    True
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of both costs of each sample; a sample of weight 0 takes no part.

        Returns
        -------
        LinearBandedSVC
            The fitted estimator.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C, so that loops around `fit` end. The best model so far is kept: the
            estimator is fitted, and `warm_start` continues from there.
        """
        end_fit(self, fit_linear(self, X, y, sample_weight))
        return self

    def decision_function(self, X: Any) -> NDArray:
        """Return the decision values of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            The decision value g(x), one column per class if there are more than two; in float32
            for X in float32.
        """
        values = self._problem_values(X)
        return values[:, 0] if len(self.classes_) == 2 else values
