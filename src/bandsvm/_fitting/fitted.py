"""The fitted state of a model: from outcomes to attributes, and back to coefficients."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm._certificate import Certificate, combine
from bandsvm._decisions.values import DecisionRule
from bandsvm._fitting.run import Outcome
from bandsvm._fitting.settings import FitSettings
from bandsvm._fitting.training import Training
from bandsvm._system.stopping import Stop


@dataclass(frozen=True)
class FittedState:
    """The attributes of a fitted BandedSVC, each under its name without the last underscore."""

    classes: NDArray
    gamma: float
    intercept: NDArray[np.float64]
    certificate: Certificate
    support: NDArray[np.intp]
    support_vectors: Any
    n_support: NDArray[np.intp]
    dual_coef: NDArray[np.float64]
    alpha: NDArray[np.float64]
    theta: NDArray[np.float64]
    xi: NDArray[np.float64]
    eta: NDArray[np.float64]
    alpha_support: NDArray[np.intp]
    theta_support: NDArray[np.intp]
    n_iter: int

    def attributes(self) -> dict[str, Any]:
        """Return the attributes as the estimator has them."""
        return {f"{field.name}_": getattr(self, field.name) for field in fields(self)}


def fitted_state(
    settings: FitSettings, X: Any, y: NDArray, training: Training, outcomes: list[Outcome]
) -> FittedState:
    """Return the fitted state that the outcomes of all problems make."""
    solutions = [outcome.solution for outcome in outcomes]
    coefficients = training.spread([solution.c for solution in solutions], 0.0)
    support = np.flatnonzero(coefficients.any(axis=0))
    rule = DecisionRule(
        settings.kernel,
        np.empty((0, 0)) if settings.kernel.is_precomputed else X[support],
        coefficients[:, support],
        np.array([outcome.intercept for outcome in outcomes]),
        settings.solving.tol,
        settings.solving.n_jobs,
        training.strategy,
    )
    alpha, theta = training.multipliers([solution.c for solution in solutions])
    xi, eta = training.slacks(_decision_values(rule, support, X, training, outcomes))
    by_sample = (len(y), -1)
    return FittedState(
        classes=training.classes,
        gamma=settings.kernel.gamma,
        intercept=rule.intercept,
        certificate=combine([outcome.certificate for outcome in outcomes]),
        support=support,
        support_vectors=rule.support_vectors,
        n_support=np.array([np.sum(y[support] == label) for label in training.classes]),
        dual_coef=rule.dual_coef,
        alpha=alpha,
        theta=theta,
        xi=xi,
        eta=eta,
        alpha_support=np.flatnonzero(alpha.reshape(by_sample).any(axis=1)),
        theta_support=np.flatnonzero(theta.reshape(by_sample).any(axis=1)),
        n_iter=max(1, sum(solution.n_iter for solution in solutions)),
    )


def _decision_values(
    rule: DecisionRule, support: NDArray, X: Any, training: Training, outcomes: list[Outcome]
) -> NDArray[np.float64]:
    """Return decision values of training samples, one row per problem; NaN if not known."""
    decision = training.spread([outcome.decision for outcome in outcomes], np.nan)
    dropped = training.dropped
    if len(dropped):
        with suppress(Stop):  # nothing else depends on samples of weight 0
            decision[:, dropped] = rule.of_training_samples(X, dropped, support).T
    return decision


class LastFit(NamedTuple):
    """What an earlier fit leaves to start from: its classes, and c of every training sample."""

    classes: NDArray
    coefficients: NDArray[np.float64]


def last_fit(model: Any) -> LastFit:
    """Return what a fitted model leaves to start from, one row of coefficients per problem."""
    coefficients = np.zeros((len(model.intercept_), len(model.alpha_)))
    coefficients[:, model.support_] = model.dual_coef_
    return LastFit(model.classes_, coefficients)


def starting_points(last: LastFit | None, training: Training) -> list[NDArray | None]:
    """Return the coefficients from which each problem starts; None starts at zero."""
    cold: list[NDArray | None] = [None] * len(training.problems)
    if last is None or last.coefficients.shape[1] != training.signs.shape[1]:
        return cold
    if not np.array_equal(last.classes, training.classes):
        return cold
    if len(last.coefficients) != len(cold):  # another multi-class strategy
        return cold
    return list(training.gathered(last.coefficients))
