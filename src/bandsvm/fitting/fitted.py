"""The fitted state of a BandedSVC: from outcomes to attributes, and back to coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm.certificate import combine
from bandsvm.fitting.run import Outcome
from bandsvm.fitting.training import Training
from bandsvm.system.stopping import Stop


def set_fitted_attributes(
    model: Any, X: Any, y: NDArray, training: Training, outcomes: list[Outcome]
) -> None:
    """Set the attributes that depend on the outcomes of a fit."""
    solutions = [outcome.solution for outcome in outcomes]
    coefficients = np.zeros(training.signs.shape)
    coefficients[:, training.kept] = [solution.c for solution in solutions]
    model.intercept_ = np.array([outcome.intercept for outcome in outcomes])
    model.certificate_ = combine([outcome.certificate for outcome in outcomes])
    model.support_ = np.flatnonzero(coefficients.any(axis=0))
    given = model.kernel == "precomputed"
    model.support_vectors_ = np.empty((0, 0)) if given else X[model.support_]
    model.n_support_ = np.array([np.sum(y[model.support_] == label) for label in model.classes_])
    model.dual_coef_ = coefficients[:, model.support_]
    model.alpha_, model.theta_ = training.multipliers(coefficients)
    decision = np.empty(training.signs.shape)
    decision[:, training.kept] = [outcome.decision for outcome in outcomes]
    dropped = training.dropped
    if len(dropped):
        try:
            decision[:, dropped] = model._decide(model._for_prediction(X, dropped)).T
        except Stop:
            decision[:, dropped] = np.nan  # weight 0: nothing else depends on them
    model.xi_, model.eta_ = training.slacks(decision)
    by_sample = (len(y), -1)
    model.alpha_support_ = np.flatnonzero(model.alpha_.reshape(by_sample).any(axis=1))
    model.theta_support_ = np.flatnonzero(model.theta_.reshape(by_sample).any(axis=1))
    model.n_iter_ = max(1, sum(solution.n_iter for solution in solutions))


def coefficients_of(model: Any) -> NDArray[np.float64]:
    """Return c of every training sample, one row per problem."""
    coefficients = np.zeros((len(model.intercept_), len(model.alpha_)))
    coefficients[:, model.support_] = model.dual_coef_
    return coefficients


def starting_points(model: Any, training: Training) -> list[NDArray | None]:
    """Return the coefficients from which each problem starts; None starts at zero."""
    cold: list[NDArray | None] = [None] * len(training.problems)
    if not (model.warm_start and hasattr(model, "alpha_")):
        return cold
    same_samples = len(model.alpha_) == training.signs.shape[1]
    if not (same_samples and np.array_equal(model.classes_, training.classes)):
        return cold
    return list(coefficients_of(model)[:, training.kept])
