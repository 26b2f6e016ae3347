"""The rivals of the study and how each is tuned.

All SVMs get the same number of candidates; logistic regression and boosting, the outside view, get
small grids. All see the same folds.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, StratifiedShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from bandsvm import BandedSVC, BandedSVCCV

GAMMA_FACTORS = (0.1, 0.3, 1.0, 3.0)
# 4 x 4 C-SVMs, then 4 x 2 bands at each of the two best: 32 candidates, as many as SVC's 8 x 4.
BAND_GRID = {"C1": (0.1, 1.0, 10.0, 100.0), "rho2": (1.0, 2.0)}
CSVM_C = tuple(float(C) for C in np.geomspace(0.1, 100.0, 8))
LOGISTIC_C = (1.0, 10.0, 100.0)
BOOSTING_GRID = {"learning_rate": (0.1, 0.3), "max_leaf_nodes": (7, 31)}
N_LANDMARKS = 300
# The overfitted C of the second hypothesis, and a band that nobody tuned.
UNTUNED_C1, UNTUNED_C2, UNTUNED_RHO2 = 10.0, 1.0, 1.5
# Above this many training samples one validation set replaces the folds.
MAX_FOR_FOLDS = 1000
N_FOLDS = 3
VALIDATION_SHARE = 1 / 3
# Boosting is left out where it has more than this many classes times features: minutes per fit.
MAX_BOOSTED = 3000
CACHE = 1000.0


@dataclass(frozen=True)
class Chosen:
    """What a search chose."""

    model: BaseEstimator
    parameters: dict[str, Any]
    score: float
    n_candidates: int


def folds(n_samples: int, seed: int) -> StratifiedKFold | StratifiedShuffleSplit:
    """Return the splits that all searches use."""
    if n_samples <= MAX_FOR_FOLDS:
        return StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    return StratifiedShuffleSplit(1, test_size=VALIDATION_SHARE, random_state=seed)


def gammas(X: np.ndarray) -> list[float]:
    """Return the values of gamma that all kernel methods try, around that of gamma='scale'."""
    scale = 1.0 / (X.shape[1] * X.var())
    return [scale * factor for factor in GAMMA_FACTORS]


def tune_svc(X: np.ndarray, y: np.ndarray, cv: Any) -> Chosen:
    """Tune scikit-learn's SVC, one-vs-one."""
    grid = {"C": CSVM_C, "gamma": gammas(X)}
    return _grid_search(SVC(cache_size=CACHE), grid, X, y, cv)


def tune_csvm(X: np.ndarray, y: np.ndarray, cv: Any, scoring: Any = None) -> Chosen:
    """Tune the C-SVM, one-vs-rest: the same search as the band's, without bands."""
    search = BandedSVCCV(C1=CSVM_C, C2=[0.0], rho2=[2.0], refine=0, multi_class="ovr")
    return _band_search(search, X, y, cv, scoring)


def tune_band(X: np.ndarray, y: np.ndarray, cv: Any, scoring: Any = None) -> Chosen:
    """Tune the Banded SVM, one-vs-rest."""
    return _band_search(BandedSVCCV(**BAND_GRID, refine=0, multi_class="ovr"), X, y, cv, scoring)


def tune_band_ovo(X: np.ndarray, y: np.ndarray, cv: Any) -> Chosen:
    """Tune the Banded SVM, one-vs-one."""
    return _band_search(BandedSVCCV(**BAND_GRID, refine=0, multi_class="ovo"), X, y, cv, None)


def tune_logistic(X: np.ndarray, y: np.ndarray, cv: Any) -> Chosen:
    """Tune logistic regression on Nystroem features of the same kernel."""
    n_landmarks = min(N_LANDMARKS, int(len(y) * (1.0 - 1.0 / N_FOLDS)))
    model = make_pipeline(
        Nystroem(n_components=n_landmarks, random_state=0),
        LogisticRegression(max_iter=200, tol=1e-3),
    )
    grid = {"nystroem__gamma": gammas(X), "logisticregression__C": LOGISTIC_C}
    return _grid_search(model, grid, X, y, cv)


def tune_boosting(X: np.ndarray, y: np.ndarray, cv: Any) -> Chosen:
    """Tune gradient boosting."""
    model = HistGradientBoostingClassifier(max_iter=50, random_state=0)
    return _grid_search(model, BOOSTING_GRID, X, y, cv)


RIVALS: dict[str, Callable[..., Chosen]] = {
    "SVC": tune_svc,
    "C-SVM": tune_csvm,
    "band": tune_band,
    "band ovo": tune_band_ovo,
    "logistic": tune_logistic,
    "boosting": tune_boosting,
}
if "multi_class" not in inspect.signature(BandedSVCCV).parameters:
    del RIVALS["band ovo"]
DESCRIPTIONS = {
    "SVC": "`SVC`, one-vs-one, by `GridSearchCV`",
    "C-SVM": "`BandedSVCCV(C2=[0.0])`: the C-SVM, one-vs-rest",
    "band": "`BandedSVCCV`, one-vs-rest",
    "band ovo": '`BandedSVCCV(multi_class="ovo")`',
    "logistic": f"logistic regression on {N_LANDMARKS} `Nystroem` features",
    "boosting": "`HistGradientBoostingClassifier`",
    "without band": "the chosen one-vs-rest model with `C2=0`",
    "untuned C-SVM": f"`BandedSVC(C1={UNTUNED_C1:g}, C2=0)`",
    "untuned band": f"`BandedSVC(C1={UNTUNED_C1:g}, C2={UNTUNED_C2:g}, rho2={UNTUNED_RHO2:g})`",
}


def rivals_on(n_classes: int, n_features: int) -> list[str]:
    """Return the rivals that run on data of these sizes."""
    left_out = set()
    if n_classes == 2:
        left_out.add("band ovo")  # the same model as one-vs-rest
    if n_classes * n_features > MAX_BOOSTED:
        left_out.add("boosting")
    return [name for name in RIVALS if name not in left_out]


def untuned() -> dict[str, BaseEstimator]:
    """Return the models of the second hypothesis."""
    band = BandedSVC(C1=UNTUNED_C1, C2=UNTUNED_C2, rho2=UNTUNED_RHO2, multi_class="ovr", n_jobs=1)
    return {"untuned C-SVM": clone(band).set_params(C2=0.0), "untuned band": band}


@contextmanager
def quiet() -> Iterator[None]:
    """Silence warnings that say nothing about a result.

    Every rival's best candidate may lie at the edge of its grid, logistic regression need not be
    exact, and `Nystroem` uses all samples if there are fewer than landmarks.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*at the edge of the grid")
        warnings.filterwarnings("ignore", message="n_components > n_samples")
        warnings.filterwarnings("ignore", category=ConvergenceWarning, module="sklearn")
        yield


def _grid_search(model: BaseEstimator, grid: dict, X: Any, y: Any, cv: Any) -> Chosen:
    """Search a full grid."""
    search = GridSearchCV(model, grid, cv=cv, refit=False).fit(X, y)
    best = clone(model).set_params(**search.best_params_)
    names = {name.rpartition("__")[2]: value for name, value in search.best_params_.items()}
    return Chosen(best, names, search.best_score_, len(search.cv_results_["params"]))


def _band_search(search: BandedSVCCV, X: Any, y: Any, cv: Any, scoring: Any) -> Chosen:
    """Search in stages."""
    search.set_params(gamma=gammas(X), cv=cv, scoring=scoring, n_jobs=1, refit=False)
    search.fit(X, y)
    parameters = {name: search.best_params_[name] for name in ("C1", "C2", "rho2", "gamma")}
    model = BandedSVC(**parameters, n_jobs=1)
    if getattr(search, "multi_class", None) is not None:
        model.set_params(multi_class=search.multi_class)
    return Chosen(model, parameters, search.best_score_, len(search.cv_results_["params"]))
