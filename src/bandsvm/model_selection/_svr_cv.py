"""BandedSVRCV: a Banded SVR that chooses its parameters by cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin

from bandsvm._checks.svc_arguments import names_svr_search_arguments
from bandsvm._defaults import DEFAULT_FOLDS
from bandsvm._estimators.regression import BandedSVR
from bandsvm.model_selection._search_kinds import NUMBER_SEARCH
from bandsvm.model_selection._searching import SearchMixin, fit_search


@names_svr_search_arguments
class BandedSVRCV(SearchMixin, RegressorMixin, BaseEstimator):
    """Banded SVR with cross-validated C1, C2, epsilon and gamma.

    The search has three stages: first C1 and gamma with one width of the tube and equal costs; then
    all widths and ratios of costs at the best few of these; then values of C1 and gamma half-way
    between the best candidate and its neighbours. Kernel values are computed once per gamma and
    shared by all folds and candidates; every fit starts from a neighbouring solution; candidates
    that fall hopelessly behind are given up.

    Parameters
    ----------
    C1 : float, array-like or None, default=None
        Penalties for predictions below the tube to try. None: 0.1, 1, 10 and 100 times the spread
        of the targets; with squared losses, which do not depend on their size, 0.1, 1, 10 and 100.
    cost_ratio : float or array-like, default=1.0
        Values of C2 / C1 to try, where C2 is the penalty for predictions above the tube. 1 is
        ordinary regression; with more than one, the first stage uses the one closest to 1, and
        others are chosen only if they score higher.
    epsilon : float, array-like or None, default=None
        How far the tube extends below and above targets: values to try. None: 0.01, 0.03, 0.1 and
        0.3 times the spread of the targets.
    loss : {'epsilon_insensitive', 'squared_epsilon_insensitive'}, default='epsilon_insensitive'
        What is penalised: the distance from the tube, or its square.
    kernel : str, callable or list of these, default='rbf'
        The kernel, or kernels to try, as in `BandedSVR`.
    gamma : float, 'scale', 'auto', array-like of these or None, default=None
        Values of gamma to try; 'scale' and 'auto' are computed from all of X. None: 0.03, 0.1, 0.3,
        1 and 3 times that of 'scale'.
    degree : int, default=3
        Degree of the 'poly' kernel.
    coef0 : float, default=0.0
        Constant term of the 'poly' and 'sigmoid' kernels.
    fit_intercept : bool, default=True
        Whether the decision rule has an intercept.
    cv : int, cross-validation generator or iterable, default=5
        How to split: a number of folds, or any value that scikit-learn takes. Folds of a number are
        not shuffled, as in scikit-learn's searches; if the samples are sorted, pass
        ``KFold(shuffle=True)``.
    scoring : str, callable or None, default=None
        What to maximise on the held-out samples: the name of a scikit-learn scorer of predictions
        or a callable ``(estimator, X, y)``; None is R^2, which intervals do not have. Sample
        weights are used if the scorer takes ``sample_weight``.
    search : {'staged', 'full'}, default='staged'
        'full' tries all combinations instead of searching in stages.
    refine : int, default=1
        Number of times that the grid is refined around the best candidate.
    give_up : bool, default=True
        Whether hopeless candidates are dropped after two folds; their other scores are NaN.
    refit : bool, default=True
        Whether to fit the best candidate to all samples.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of the spread of the targets, as in
        `BandedSVR`.
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
    best_estimator_ : BandedSVR
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
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all names in X are strings.

    See Also
    --------
    BandedSVR : The model itself.
    BandedSVCCV : The same for classes.

    Notes
    -----
    The spread of the targets is a robust standard deviation, so that the default grid suits targets
    of any size: targets times s are searched at costs and widths times s, with the same scores.

    Ctrl-C, `time_limit` and precision work as in `BandedSVCCV`.

    Examples
    --------
    >>> import numpy as np
    >>> from bandsvm import BandedSVRCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(0.0, 6.0, size=(100, 1))
    >>> y = 1000.0 * np.sin(X[:, 0]) + rng.normal(scale=300.0, size=100)
    >>> search = BandedSVRCV().fit(X, y)
    >>> print(f"{search.best_score_:.1f}")
    0.8
    """

    _kind, _model = NUMBER_SEARCH, BandedSVR
    # Parameters of every candidate, besides the kernel and those that are searched.
    _passed_on = (
        *("loss", "degree", "coef0", "fit_intercept", "tol", "max_iter", "cache_size", "n_jobs"),
    )

    def __init__(
        self,
        C1: Any = None,
        cost_ratio: Any = 1.0,
        epsilon: Any = None,
        *,
        loss: str = "epsilon_insensitive",
        kernel: Any = "rbf",
        gamma: Any = None,
        degree: int = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        cv: Any = DEFAULT_FOLDS,
        scoring: Any = None,
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
        self.cost_ratio = cost_ratio
        self.epsilon = epsilon
        self.loss = loss
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.scoring = scoring
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> BandedSVRCV:
        """Search, and fit the best candidate to all samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples, or their kernel matrix.
        y : array-like of shape (n_samples,) or (n_samples, 2)
            Targets; or, with a `scoring` that takes them, intervals in which they lie.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples, in training and in scores.
        groups : array-like of shape (n_samples,), default=None
            Groups of samples, for a `cv` that keeps them together, such as
            `sklearn.model_selection.GroupKFold`.

        Returns
        -------
        BandedSVRCV
            The fitted estimator.
        """
        return fit_search(self, X, y, sample_weight=sample_weight, groups=groups)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predictions of the best model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predictions.
        """
        return self._best().predict(X)

    def band_position(self, X: Any, y: Any) -> NDArray[np.str_]:
        """Return where predictions lie in the tubes of targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,) or (n_samples, 2)
            Their targets, or intervals.

        Returns
        -------
        ndarray of shape (n_samples,)
            'below', 'inside' or 'above', as of `BandedSVR`.
        """
        return self._best().band_position(X, y)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the coefficient of determination R^2 of predictions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their targets; for intervals there is no R^2.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.

        Returns
        -------
        float
            1 for perfect predictions; 0 is as good as the mean of y.
        """
        return self._best().score(X, y, sample_weight)
