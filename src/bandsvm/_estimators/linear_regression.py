"""LinearBandedSVR, the linear Banded SVM as a scikit-learn regressor."""

from __future__ import annotations

from typing import Any, Self

from numpy.typing import NDArray
from sklearn.base import RegressorMixin

from bandsvm._checks.svc_arguments import names_linear_svr_arguments
from bandsvm._decisions.tubes import TubeRegressorMixin
from bandsvm._estimators.linear_model import LinearEstimator, LinearModelMixin
from bandsvm._fitting.lifecycle import end_fit
from bandsvm._linear.fit import fit_linear
from bandsvm._linear.tasks import LINEAR_REGRESSION, LinearTask


class LinearRegressor(LinearEstimator):
    """The parameters of a linear regressor, wherever its samples are."""

    _task: LinearTask = LINEAR_REGRESSION

    def __init__(
        self,
        C1: float = 1.0,
        C2: float = 1.0,
        epsilon: Any = 0.1,
        *,
        loss: str = "epsilon_insensitive",
        fit_intercept: bool = True,
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
        self.epsilon = epsilon
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.solver = solver
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.store_multipliers = store_multipliers
        self.warm_start = warm_start
        self.verbose = verbose
        self.n_jobs = n_jobs


@names_linear_svr_arguments
class LinearBandedSVR(TubeRegressorMixin, LinearModelMixin, RegressorMixin, LinearRegressor):
    """Linear banded support vector regression, for many samples or many features.

    The model is that of `BandedSVR` with ``kernel='linear'``: it minimises

    .. math::

        \\frac{1}{2} |\\beta|^2 + C_1 \\sum_i [y_i - \\varepsilon - g(x_i)]_+
        + C_2 \\sum_i [g(x_i) - y_i - \\varepsilon]_+

    where :math:`[v]_+` is `v` if that is positive and 0 otherwise; with
    ``loss='squared_epsilon_insensitive'`` both brackets are squared. The solvers here compute no
    kernel values: time and memory grow linearly with the number of samples. Every fit ends with a
    `certificate_`, whose duality gap bounds how much better any other model could be.

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
        gives ridge regression with an intercept, and with unequal costs expectiles.
    fit_intercept : bool, default=True
        Whether the decision rule has an intercept. It is not penalised, unlike that of
        `sklearn.svm.LinearSVR`.
    tol : float, default=1e-6
        Largest duality gap, as a share of the objective.
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
        Whether `fit` starts from the last model, if it has the same features. Parameters and
        targets may differ. Stores `alpha_` and `theta_`, which 'cd' starts from. Fits of up to 1000
        samples always start from zero.
    verbose : int, default=0
        1 shows a bar on a terminal, else a line a second; 2 a line for every step: a pass of
        'newton', some passes of 'cd'. Lines go to the logger 'bandsvm' where it has a handler for
        them, else to standard error.
    n_jobs : int or None, default=None
        Number of threads; None and -1 use all cores. Results do not depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Weights of the features.
    intercept_ : ndarray of shape (1,)
        The intercept.
    certificate_ : Certificate
        Primal and dual value, gap, violation, status and cost of the fit, in units of y.
    n_iter_ : int
        Number of passes over the samples.
    solver_ : {'newton', 'cd'}
        The solver that was used; Newton steps may be those on a kernel matrix of few samples.
    alpha_, theta_ : ndarray of shape (n_samples,)
        Multipliers of the lower and of the upper edge of the tube for every training sample; only
        with `store_multipliers` or `warm_start`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if X had names that are all strings.

    See Also
    --------
    BandedSVR : Regression with kernels.
    bandsvm.dask.LinearBandedSVR : The same model of data on a cluster.
    sklearn.svm.LinearSVR : One cost and one epsilon, a penalised intercept, no certificate.

    Notes
    -----
    X may be dense or CSR, of float32 or float64, and is not copied. Sums are computed in float64,
    and so are predictions.

    Solvers see targets in units of their spread, around their median, so that neither their size
    nor a large offset costs digits. Targets and `epsilon` times s, and costs times s (with squared
    losses the same costs), give s times the predictions after the same steps.

    With ``epsilon=0``, ``C1 = q C`` and ``C2 = (1 - q) C`` the model is the linear q-quantile of
    the targets: a share of about q of them lies below the predictions.

    Examples
    --------
    >>> import numpy as np
    >>> from bandsvm import LinearBandedSVR
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(200, 2))
    >>> y = X @ [3.0, -1.0] + 0.1 * rng.normal(size=200)
    >>> model = LinearBandedSVR(C1=10.0, C2=10.0).fit(X, y)
    >>> print(model.predict([[1.0, 0.0], [0.0, 1.0]]).round(1))
    [ 3. -1.]
    >>> model.certificate_.relative_gap <= 1e-6
    True
    >>> q = 0.9
    >>> upper = LinearBandedSVR(C1=10.0 * q, C2=10.0 * (1.0 - q), epsilon=0.0).fit(X, y)
    >>> print((y <= upper.predict(X) + 1e-9).mean().round(2))
    0.9
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,) or (n_samples, 2)
            Targets; or intervals in which they lie, whose ends may be -inf and inf.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C1 and C2 per sample; a sample of weight 0 takes no part.

        Returns
        -------
        LinearBandedSVR
            The fitted estimator.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C, so that loops around `fit` end. The estimator keeps the best model so far:
            it is fitted, and `warm_start` continues from there.
        """
        end_fit(self, fit_linear(self, X, y, sample_weight))
        return self

    def predict(self, X: Any) -> NDArray:
        """Return predictions.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples.

        Returns
        -------
        ndarray of shape (n_samples,)
            The decision value g(x), in float64.
        """
        return self._problem_values(X)[:, 0]
