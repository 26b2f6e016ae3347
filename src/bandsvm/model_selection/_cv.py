"""BandedSVCCV: a Banded SVM that chooses its parameters by cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from bandsvm._checks.svc_arguments import names_svc_arguments
from bandsvm._defaults import DEFAULT_FOLDS
from bandsvm._estimators.kernel import BandedSVC
from bandsvm.model_selection._search import Search
from bandsvm.model_selection._search_kinds import CLASS_SEARCH
from bandsvm.model_selection._searching import SearchMixin, fit_search


@names_svc_arguments
class BandedSVCCV(SearchMixin, ClassifierMixin, BaseEstimator):
    """Banded SVM with cross-validated C1, C2, rho2 and gamma.

    The search has three stages: first C1 and gamma for the C-SVM (``C2=0``); then C2 and rho2 at
    the best few of these; then values half-way between the best candidate and its neighbours.
    ``C2=0`` is always a candidate, so a band is chosen only if it scores higher. Kernel values are
    computed once per gamma and shared by all folds and candidates; every fit starts from a
    neighbouring solution; candidates that fall hopelessly behind are given up.

    Parameters
    ----------
    C1 : float, array-like or None, default=None
        Penalties for lying below the band to try. None: 0.1, 1, 10 and 100. Mappings from class to
        cost, as in `BandedSVC`, cannot be searched; use `class_weight` to weight classes.
    C2 : float, array-like or None, default=None
        Penalties for lying above the band to try, besides 0. None: 0.03, 0.1, 0.3 and 1 times C1.
    rho2 : float, array-like or None, default=None
        Upper edges of the band to try. None: 1 (a closed band), 1.5, 2 and 3 times `rho1` (its
        largest value). Candidates without a band have the last of them, which does not affect them.
    rho1 : float or mapping from class to float, default=1.0
        Lower edge of the band.
    loss : {'hinge', 'squared_hinge'}, default='hinge'
        What is penalised: the distance from the band, or its square.
    kernel : str, callable or list of these, default='rbf'
        The kernel, or kernels to try, as in `BandedSVC`.
    gamma : float, 'scale', 'auto', array-like of these or None, default=None
        Values of gamma to try; 'scale' and 'auto' are computed from all of X. None: 0.03, 0.1, 0.3,
        1 and 3 times that of 'scale'.
    degree : int, default=3
        Degree of the 'poly' kernel.
    coef0 : float, default=0.0
        Constant term of the 'poly' and 'sigmoid' kernels.
    fit_intercept : bool, default=True
        Whether the decision rule has an intercept.
    class_weight : dict, 'balanced' or None, default=None
        Factors of C1 and C2 per class.
    multi_class : {'ovo', 'ovr'}, default='ovo'
        One-vs-one or one-vs-rest, as in `BandedSVC`.
    decision_function_shape : {'ovr', 'ovo'}, default='ovr'
        What `decision_function` returns, as in `BandedSVC`.
    break_ties : bool, default=False
        How one-vs-one models decide between classes of as many votes, as in `BandedSVC`.
    cv : int, cross-validation generator or iterable, default=5
        How to split: a number of stratified folds, or any value that scikit-learn takes.
    scoring : str, callable or None, default=None
        What to maximise on the held-out samples: the name of a scikit-learn scorer or a callable
        ``(estimator, X, y)``; None is accuracy. Sample weights are used if the scorer takes
        ``sample_weight``. Scores of one class, such as 'f1', expect its label to be 1; for other
        labels use ``make_scorer(f1_score, pos_label=...)``.
    criterion : {'cv', 'loo_bound'}, default='cv'
        'loo_bound' scores a candidate by one fit to all samples: 1 minus the upper bound of
        `leave_one_out_bound`. It needs ``fit_intercept=False`` and ignores `cv` and `scoring`.
    search : {'staged', 'full'}, default='staged'
        'full' tries all combinations instead of searching in stages.
    refine : int, default=1
        Number of times that the grid is refined around the best candidate.
    give_up : bool, default=True
        Whether hopeless candidates are dropped after two folds; their other scores are NaN.
    refit : bool, default=True
        Whether to fit the best candidate to all samples.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of the decision value.
    max_iter : int, default=10_000
        Bound on the outer steps of every fit.
    time_limit : float or None, default=None
        Seconds for search and refit together. The search ends after four fifths of it with the
        best candidate so far; the refit gets the rest.
    cache_size : float or None, default=None
        Megabytes of memory for kernel rows and values computed from them, for all threads of the
        search together. None: 2000, or a quarter of the memory that the process may use if that is
        less.
    verbose : int, default=0
        1 prints what will be tried, then a line per kernel, gamma and fold and, in long fits, a
        line per second.
    n_jobs : int or None, default=None
        Number of threads; None and -1 use all cores. Results do not depend on it.
    device : {'cpu', 'cuda'} or None, default=None
        Where kernel values are computed. 'cuda' is the current CUDA device, through CuPy (``pip
        install bandsvm[cuda]``), for problems of more than 1000 samples and the kernels 'linear',
        'rbf', 'poly' and 'sigmoid'. None: 'cuda' if X is an array on such a device, else 'cpu'.
        Fitted models predict on either; where there is no device, on the CPU.

    Attributes
    ----------
    best_estimator_ : BandedSVC
        The best candidate, fitted to all samples; only with ``refit=True``.
    best_params_ : dict
        Its values of the searched parameters.
    best_score_ : float
        Its mean cross-validation score, over the folds in which it was scored.
    best_index_ : int
        Its index in `cv_results_`.
    cv_results_ : dict of arrays
        Parameters, scores per fold, their mean, standard deviation and rank, and times of all
        candidates, in the order in which they were tried. Parameters are masked arrays, as in
        scikit-learn's searches: gamma is masked for kernels without gamma.
    n_splits_ : int
        Number of folds.
    n_iter_ : int
        Number of outer steps of the fit to all samples; only with ``refit=True``.
    certificate_ : Certificate
        Certificate of the fit to all samples; only with ``refit=True``.
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all names in X are strings.

    See Also
    --------
    BandedSVC : The model itself.

    Notes
    -----
    Ctrl-C ends the search: the results so far are kept, the best candidate is fitted to all samples
    for a quarter of a second, and KeyboardInterrupt is raised.

    If a search ends early, the best of the candidates with the most folds is compared with all
    others that have at least half as many, each on the folds that both have. If time runs out
    before any candidate is scored, the middle of the grid is chosen, with a score of NaN.

    Scores come from solutions that are accurate to `tol`; single-precision kernel values add an
    error of at most another `tol`. The chosen model is refitted separately and certified.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bandsvm import BandedSVCCV
    >>> X, y = load_iris(return_X_y=True)
    >>> search = BandedSVCCV(C1=[1, 10], gamma=[0.1, 0.3], refine=0).fit(X, y)
    >>> search.best_score_ > 0.95
    True
    """

    _kind, _model = CLASS_SEARCH, BandedSVC
    # Parameters of every candidate, besides the kernel and those that are searched.
    _passed_on = (
        *("rho1", "loss", "degree", "coef0", "fit_intercept", "class_weight", "multi_class"),
        *("decision_function_shape", "break_ties", "tol", "max_iter", "cache_size", "n_jobs"),
    )

    def __init__(
        self,
        C1: Any = None,
        C2: Any = None,
        rho2: Any = None,
        *,
        rho1: Any = 1.0,
        loss: str = "hinge",
        kernel: Any = "rbf",
        gamma: Any = None,
        degree: int = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        class_weight: Any = None,
        multi_class: str = "ovo",
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        cv: Any = DEFAULT_FOLDS,
        scoring: Any = None,
        criterion: str = "cv",
        search: str = "staged",
        refine: int = 1,
        give_up: bool = True,
        refit: bool = True,
        tol: float = 1e-3,
        max_iter: int = 10_000,
        time_limit: float | None = None,
        cache_size: float | None = None,
        verbose: int = 0,
        n_jobs: int | None = None,
        device: str | None = None,
    ) -> None:
        self.C1 = C1
        self.C2 = C2
        self.rho2 = rho2
        self.rho1 = rho1
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
        self.cv = cv
        self.scoring = scoring
        self.criterion = criterion
        self.search = search
        self.refine = refine
        self.give_up = give_up
        self.refit = refit
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_size = cache_size
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.device = device

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> BandedSVCCV:
        """Search, and fit the best candidate to all samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples, or their kernel matrix.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, in training and in scores.
        groups : array-like of shape (n_samples,), default=None
            Groups of samples, for a `cv` that keeps them together, such as
            `sklearn.model_selection.GroupKFold`.

        Returns
        -------
        BandedSVCCV
            The fitted estimator.
        """
        return fit_search(self, X, y, sample_weight=sample_weight, groups=groups)

    def _keep(self, search: Search, best: int) -> None:
        """Store the results of a search."""
        super()._keep(search, best)
        self.classes_ = search.grid.classes

    def predict(self, X: Any) -> NDArray:
        """Return the classes that the best model predicts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        return self._best().predict(X)

    def decision_function(self, X: Any) -> NDArray:
        """Return the decision values of the best model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            Decision values, as of `BandedSVC`.
        """
        return self._best().decision_function(X)

    @property
    def predict_proba(self) -> Callable[[Any], NDArray[np.float64]]:
        """Return the probabilities of classes by the best model; see `bandsvm.calibrate`."""
        return self._best().predict_proba

    def band_position(self, X: Any) -> NDArray[np.str_]:
        """Return where samples lie relative to the band of their predicted class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            'below', 'inside' or 'above', as of `BandedSVC`.
        """
        return self._best().band_position(X)
