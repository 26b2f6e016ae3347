"""The solvers under comparison, made to solve one and the same band problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.svm import SVC, SVR

from bandsvm import BandedSVC
from bandsvm._certificate import Certificate, certify
from bandsvm._kernels import KernelSettings
from bandsvm._problem import Solution, Status
from bandsvm._problem.band_problem import band_problem
from data import DataSet

try:
    import sklearnex.svm as onedal
except ImportError:  # the peer is optional
    onedal = None

RHO1, RHO2, C1, LARGE_C1, TOL = 1.0, 1.5, 1.0, 10.0, 1e-3
CACHE_MEGABYTES = 2000


@dataclass(frozen=True)
class Model:
    """A model that is fitted: C-SVM (C2 = 0) or the band."""

    name: str
    C1: float
    C2: float

    @property
    def has_peers(self) -> bool:
        """Whether SVC or SVR solve the same problem: without an upper edge, or with equal costs."""
        return self.C2 in (0.0, self.C1)


MODELS = (
    Model("C-SVM", C1, 0.0),
    Model("band", C1, C1),
    Model("band, C2 = 10 C1", C1, 10.0 * C1),
    Model("C-SVM, C1 = 10", LARGE_C1, 0.0),
    Model("band, C1 = C2 = 10", LARGE_C1, LARGE_C1),
)


def make_ours(model: Model, gamma: float, **settings: Any) -> BandedSVC:
    """Return our estimator."""
    return BandedSVC(model.C1, model.C2, RHO1, RHO2, gamma=gamma, tol=TOL, **settings)


def make_peers(model: Model, gamma: float, cache_size: float = CACHE_MEGABYTES) -> dict[str, Any]:
    """Return the peers' estimators of the same problem, by name."""
    if not model.has_peers:
        return {}
    shared = {"C": model.C1, "gamma": gamma, "tol": TOL, "cache_size": cache_size}
    if model.C2 == 0.0:
        peers = {"LIBSVM": SVC, "oneDAL": onedal and onedal.SVC}
    else:
        # SVR's tube of half width epsilon around y (rho1 + rho2) / 2 is the band.
        peers = {"LIBSVM": SVR, "oneDAL": onedal and onedal.SVR}
        shared["epsilon"] = (RHO2 - RHO1) / 2
    return {name: make(**shared) for name, make in peers.items() if make is not None}


def target(model: Model, estimator: Any, y: np.ndarray) -> np.ndarray:
    """Return what an estimator is fitted to."""
    is_regressor = model.C2 != 0.0 and not isinstance(estimator, BandedSVC)
    return y * (RHO1 + RHO2) / 2 if is_regressor else y


def decide(estimator: Any, X: np.ndarray) -> np.ndarray:
    """Return decision values."""
    decision = getattr(estimator, "decision_function", None) or estimator.predict
    return np.asarray(decision(X)).ravel()


def certificate_of(model: Model, data: DataSet, gamma: float, estimator: Any) -> Certificate:
    """Return the certificate of what a solver reached, from recomputed decision values."""
    problem = band_problem(data.y, RHO1, RHO2, model.C1, model.C2)
    support = np.asarray(estimator.support_)
    coefficients = np.asarray(estimator.dual_coef_, dtype=np.float64).ravel()
    c = np.zeros(len(data.y))
    c[support] = coefficients
    # Peers keep coefficients in the precision of X.
    c = np.clip(c, -problem.above, problem.below)
    kernel = KernelSettings("rbf", gamma, 0.0, 3)
    X = data.X.astype(np.float64)
    f = kernel.product(X, X[support], c[support][:, None], None)[:, 0]
    solution = Solution(c, f, Status.CONVERGED, 0, 0, 0, 0.0)
    intercept = float(np.ravel(estimator.intercept_)[0])
    return certify(problem, kernel.rows(X), solution, intercept, TOL)
