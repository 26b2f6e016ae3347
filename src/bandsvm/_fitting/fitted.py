"""The fitted attributes of a BandedSVC: from outcomes to attributes, and back.

Fitted attributes are set and read here alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bandsvm._certificate import combine
from bandsvm._checks import data
from bandsvm._decisions.multiclass import strategy_of
from bandsvm._decisions.values import DecisionRule
from bandsvm._fitting.outcomes import Outcomes
from bandsvm._fitting.settings import FitSettings
from bandsvm._fitting.tables import MULTIPLIERS, SLACKS, UNFILLED, TrainingTables
from bandsvm._fitting.targets import class_of
from bandsvm._fitting.training import Training, training_problems
from bandsvm._kernels import KernelSettings
from bandsvm._problem import Solution
from bandsvm._system.stopping import Stop


def fitted_attributes(
    settings: FitSettings, X: Any, y: NDArray, training: Training, outcomes: Outcomes
) -> dict[str, Any]:
    """Return the fitted attributes that the outcomes of all problems make."""
    support, dual_coef = training.support(outcomes.c)
    rule = DecisionRule(
        settings.kernel,
        np.empty((0, 0)) if settings.kernel.is_precomputed else X[support],
        dual_coef,
        outcomes.intercepts,
        settings.solving.tol,
        settings.solving.n_jobs,
        training.strategy,
    )
    of_dropped = _of_dropped(rule, support, X, training)
    tables = TrainingTables(training, outcomes.c, outcomes.decision, of_dropped)
    alpha_support, theta_support = training.edges(outcomes.c)
    classes = training.classes
    return {
        "classes_": classes,
        "gamma_": settings.kernel.gamma,
        "intercept_": rule.intercept,
        "certificate_": combine(outcomes.certificates),
        "support_": support,
        "support_vectors_": rule.support_vectors,
        "n_support_": np.bincount(class_of(y[support], classes), minlength=len(classes)),
        "dual_coef_": rule.dual_coef,
        **(tables.filled() if training.problems.share_samples else {UNFILLED: tables}),
        "alpha_support_": alpha_support,
        "theta_support_": theta_support,
        "n_iter_": max(1, outcomes.n_iter),
    }


def _of_dropped(
    rule: DecisionRule, support: NDArray, X: Any, training: Training
) -> NDArray[np.float64]:
    """Return decision values of samples of weight 0, one row per problem; NaN if not known."""
    dropped = training.dropped
    if len(dropped):
        with suppress(Stop):  # nothing else depends on samples of weight 0
            return rule.of_training_samples(X, dropped, support).T
    unknown = np.empty((len(training.problems), len(dropped)))
    unknown[:] = np.nan
    return unknown


def set_attributes(model: Any, attributes: dict[str, Any]) -> Any:
    """Set the fitted attributes of a model, whose probabilities and tables were of former ones."""
    for name in ("sigmoids_", UNFILLED, *MULTIPLIERS, *SLACKS):
        model.__dict__.pop(name, None)
    model.__dict__.update(attributes)
    return model


def decision_rule(model: Any) -> DecisionRule:
    """Return the decision rule of a fitted model."""
    return DecisionRule(
        KernelSettings.of(model, model.gamma_),
        model.support_vectors_,
        model.dual_coef_,
        model.intercept_,
        model.tol,
        model.n_jobs,
        strategy_of(model),
    )


def fitted_solutions(
    model: Any, coefficients: Iterable[NDArray], gradients: Iterable[NDArray]
) -> list[Solution]:
    """Return the solutions of a fitted model's problems, with the status and cost of its fit."""
    parts = model.certificate_.parts or (model.certificate_,)
    return [
        Solution(
            c, f, part.status, part.n_iter, part.n_pair_steps, part.n_kernel_rows, part.seconds
        )
        for c, f, part in zip(coefficients, gradients, parts, strict=True)
    ]


def coefficients_of(model: Any) -> NDArray[np.float64]:
    """Return c of every training sample of a fitted model, one row per problem."""
    coefficients = np.zeros((len(model.intercept_), len(model.alpha_)))
    coefficients[:, model.support_] = model.dual_coef_
    return coefficients


def starting_points(model: Any, training: Training) -> list[NDArray | None]:
    """Return the coefficients from which each problem starts; None starts at zero."""
    if model.warm_start and hasattr(model, "alpha_"):
        last = coefficients_of(model)
        has_same_classes = np.array_equal(model.classes_, training.classes)
        # The number of problems may be that of another multi-class strategy.
        if has_same_classes and last.shape == training.signs.shape:
            return list(training.gathered(last))
    return [None] * len(training.problems)


@dataclass(frozen=True)
class TrainingSet:
    """A model with its training samples, their band problems and coefficients."""

    model: Any
    settings: FitSettings  # its parameters, gamma included
    X: Any  # (n_samples, n_features): all training samples, or their kernel matrix
    y: NDArray
    training: Training  # classes, signs and band problems
    coefficients: NDArray[np.float64]  # (n_problems, n_samples): the model's coefficients c

    @property
    def kept_coefficients(self) -> NDArray[np.float64]:
        """Coefficients of the samples of positive weight."""
        return self.coefficients[:, self.training.kept]


def training_set(
    model: Any, X: Any, y: Any, sample_weight: Any, caller: str, *, share_samples: bool = False
) -> TrainingSet:
    """Return a fitted model's training set, checked as far as the model allows.

    With ``share_samples`` all problems have all samples of positive weight; see `band_problems`.
    """
    check_is_fitted(model, "alpha_", msg="%(name)s is not fitted yet: no training set is known.")
    X, y = data.check_samples(model, X, y, reset=False)
    weights = data.check_weights(sample_weight, X.shape[0])
    settings = FitSettings.of(model, model.gamma_)
    training = training_problems(model, y, weights, share_samples=share_samples)
    check_same_set(model, training, caller)
    return TrainingSet(model, settings, X, y, training, coefficients_of(model))


def check_same_set(model: Any, training: Training, caller: str) -> None:
    """Refuse training sets of another size or of other classes than those of a fitted model."""
    expected, given = len(model.alpha_), training.signs.shape[1]
    if given != expected or not np.array_equal(training.classes, model.classes_):
        raise ValueError(
            f"{caller} needs the training set: {expected} samples and the classes "
            f"{model.classes_.tolist()}, got {given} samples and the classes "
            f"{training.classes.tolist()}."
        )
