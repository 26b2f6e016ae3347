"""SVC with scikit-learn's names: a `BandedSVC` whose upper edge is switched off."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from bandsvm._checks.device_arrays import in_kind
from bandsvm._checks.parameters import check_voting
from bandsvm._compat import NO_PROBABILITY
from bandsvm._decisions.values import Decisions
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._fitting.lifecycle import end_fit
from bandsvm.svm._checks import check_cost, check_switches
from bandsvm.svm._class_weights import class_weights_of, weights_by_class
from bandsvm.svm._from_banded import parameters_of
from bandsvm.svm._model import KernelModel
from bandsvm.svm._probabilities import (
    check_probability,
    has_probabilities,
    pair_probabilities,
    pair_sigmoids,
    predicts_probabilities,
    unknown_probabilities,
    warns_of_access,
)
from bandsvm.svm._task import SWITCHED


class SVC(ClassifierMixin, KernelModel):
    """C-support vector classification with the parameters and attributes of `sklearn.svm.SVC`.

    The model is ``BandedSVC(C1=C, C2=0)``, fitted and certified in the same way. docs/switching.md
    lists what cannot be the same as in scikit-learn.

    Parameters
    ----------
    C : float, default=1.0
        Penalty for lying on the wrong side of the margin; greater than 0. With ``inf`` no sample
        may: `fit` raises ValueError if the kernel cannot separate the classes.
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
    probability : bool, default=False
        Whether `fit` estimates probabilities: five folds for each pair of classes. Deprecated in
        scikit-learn 1.9, where the default is 'deprecated' and any other value warns;
        ``CalibratedClassifierCV(SVC(), ensemble=False)`` replaces it.
    tol : float, default=1e-3
        Largest violation of the optimality conditions, in units of the decision value.
    cache_size : float, default=200
        Megabytes of memory for kernel rows.
    class_weight : dict, 'balanced' or None, default=None
        Factors of C per class; 'balanced' gives all classes the same weight in total, counting
        samples alike.
    verbose : bool or int, default=False
        Whether `fit` shows its progress; 2 shows a line per step.
    max_iter : int, default=-1
        Bound on the outer steps of the solver, each of which is many of LIBSVM's; -1 stands for
        10 000.
    decision_function_shape : {'ovr', 'ovo'}, default='ovr'
        Whether `decision_function` returns a column per class or one per pair of classes.
    break_ties : bool, default=False
        Whether `predict` returns the class of the largest value of
        ``decision_function_shape='ovr'``. False: of the classes that win the most pairs, the first.
    random_state : int, RandomState instance or None, default=None
        Deals out the folds of ``probability=True``; nothing else is random.
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
        Whether `fit` starts from the last solution, if the number of samples and the classes are
        the same.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The class labels.
    class_weight_ : ndarray of shape (n_classes,)
        Factors of C of each class.
    support_ : ndarray of shape (n_support,)
        Indices of the support vectors, by class.
    support_vectors_ : ndarray or CSR of shape (n_support, n_features)
        The support vectors; empty with a precomputed kernel.
    n_support_ : ndarray of shape (n_classes,)
        Number of support vectors of each class.
    dual_coef_ : ndarray or CSR of shape (n_classes - 1, n_support)
        Coefficients of the support vectors, a row for each other class.
    coef_ : ndarray or CSR of shape (n_problems, n_features)
        Weights of the features, read-only; only with the 'linear' kernel.
    intercept_ : ndarray of shape (n_problems,)
        Intercepts. Two classes make one problem, more make one per pair.
    banded_ : BandedSVC
        The fitted estimator that is this model; `to_banded` returns a copy.
    certificate_ : Certificate
        Primal and dual value, gap, violation, status and cost of the fit.
    fit_status_ : int
        0 if the fit is optimal to `tol`, else 1.
    n_iter_ : ndarray of shape (n_problems,)
        Number of outer steps for each problem.
    shape_fit_ : tuple of int
        The shape of the training samples.
    probA_, probB_ : ndarray of shape (n_problems,)
        Parameters of the sigmoids of ``probability=True``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if all names in X are strings.

    See Also
    --------
    bandsvm.BandedSVC : The same model with an upper edge.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from bandsvm.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVC(C=10).fit(X, y)
    >>> model.predict(X[[0, 60, 120]])
    array([0, 1, 2])
    >>> model.certificate_.is_optimal
    True
    """

    _task = SWITCHED
    # One-vs-one, as in scikit-learn.
    multi_class = "ovo"

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: Any = NO_PROBABILITY,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: int = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        device: str | None = None,
        warm_start: bool = False,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
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
            Class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Factors of C per sample; samples of weights up to 0 are left out.

        Returns
        -------
        SVC
            The fitted estimator.

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C. The estimator keeps the best model so far.
        """
        end_fit(self, self._fit(X, y, sample_weight))
        return self

    @classmethod
    def from_banded(cls, banded: BandedSVC) -> Self:
        """Return the SVC that a fitted `BandedSVC` is, which has ``C2=0`` then.

        Parameters
        ----------
        banded : BandedSVC
            A fitted model without an upper edge, one-vs-one, with a kernel that is no callable.

        Returns
        -------
        SVC
            A fitted estimator with the same decision values.
        """
        model = cls(**parameters_of(banded))
        model.n_features_in_ = banded.n_features_in_
        if "feature_names_in_" in vars(banded):
            model.feature_names_in_ = banded.feature_names_in_
        model._keep(copy(banded), (len(banded.alpha_), banded.n_features_in_), None)
        model._probA = model._probB = np.empty(0)
        return model

    def _check_parameters(self) -> None:
        check_cost(self)
        check_switches(self)
        check_probability(self)

    def _written(self, X: Any, y: NDArray, weights: NDArray | None) -> BandedSVC:
        """Return the `BandedSVC` that is this model."""
        return BandedSVC(
            C1=self.C,
            C2=0.0,
            class_weight=weights_by_class(self.class_weight, y, weights),
            decision_function_shape=self.decision_function_shape,
            break_ties=self.break_ties,
            **self._shared(X),
        )

    def _add_probabilities(self, X: Any, y: NDArray, weights: NDArray | None) -> None:
        self._probA = self._probB = np.empty(0)
        if has_probabilities(self):
            sigmoids = pair_sigmoids(self.banded_, X, y, weights, self.random_state)
            self._probA, self._probB = sigmoids

    @in_kind
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the decision values of samples.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples; with a precomputed kernel, their kernel values with all training samples.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            The decision value, positive for the second of two classes. For more classes
            `decision_function_shape` says which columns there are.
        """
        return Decisions(self, self._problem_values(X)).values

    @in_kind
    def predict(self, X: Any) -> NDArray:
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
        classes = self.classes_
        check_voting(self)
        return classes[Decisions(self, self._problem_values(X)).predicted]

    @available_if(predicts_probabilities)
    @in_kind
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return probabilities of classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples, as for `decision_function`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            A column per class.
        """
        values = self._problem_values(X)
        if len(self._probA) == 0:
            raise unknown_probabilities()
        return pair_probabilities(self._probA, self._probB, values, len(self.classes_))

    @available_if(predicts_probabilities)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return logarithms of probabilities of classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Samples, as for `decision_function`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            A column per class.
        """
        return np.log(self.predict_proba(X))

    @property
    def classes_(self) -> NDArray:
        """The class labels."""
        return self._known.classes_

    @property
    def class_weight_(self) -> NDArray[np.float64]:
        """Factors of C of each class."""
        return class_weights_of(self._known)

    @property
    def n_iter_(self) -> NDArray[np.int32]:
        """Number of outer steps for each problem."""
        certificate = self.certificate_
        parts = certificate.parts or (certificate,)
        return np.array([max(1, part.n_iter) for part in parts], dtype=np.int32)

    @property
    @warns_of_access
    def probA_(self) -> NDArray[np.float64]:  # noqa: N802
        """Slopes of the sigmoids of ``probability=True``."""
        return self._probA

    @property
    @warns_of_access
    def probB_(self) -> NDArray[np.float64]:  # noqa: N802
        """Offsets of the sigmoids of ``probability=True``."""
        return self._probB
