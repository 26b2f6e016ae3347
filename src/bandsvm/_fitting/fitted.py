"""The fitted attributes of a model with a kernel: from outcomes to attributes, and back.

Fitted attributes are set and read here alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bandsvm._certificate import combine
from bandsvm._checks import data
from bandsvm._checks.device_arrays import device_of_prediction, in_memory
from bandsvm._decisions.values import DecisionRule
from bandsvm._fitting.outcomes import Outcomes
from bandsvm._fitting.settings import FitSettings
from bandsvm._fitting.tables import TABLES, UNFILLED, Sources, table_attributes
from bandsvm._fitting.task import NO_CLASSES
from bandsvm._fitting.training import Training
from bandsvm._kernels import KernelSettings
from bandsvm._problem import Solution
from bandsvm._system.stopping import Stop

# Attributes that the next fit does not always set.
OF_FORMER_FIT = ("sigmoids_", UNFILLED, *TABLES)


def fitted_attributes(
    settings: FitSettings, X: Any, y: NDArray, training: Training, outcomes: Outcomes
) -> dict[str, Any]:
    """Return the fitted attributes that the outcomes of all problems make."""
    targets, units = training.targets, training.targets.units
    c, intercepts, certificates = outcomes.in_units(units)
    support = training.support(c)
    vectors = np.empty((0, 0)) if settings.kernel.is_precomputed else X[support]

    def rule() -> DecisionRule:
        return DecisionRule(
            settings.kernel,
            vectors,
            training.of_support(c, support),
            intercepts,
            settings.solving.tol,
            units.size,
            settings.solving.n_jobs,
            settings.solving.device,
            targets.blocks,
        )

    of_dropped = _of_dropped(rule, support, X, training)
    return {
        **targets.attributes(y, support),
        "gamma_": settings.kernel.gamma,
        "intercept_": intercepts,
        "certificate_": combine(certificates),
        "support_": support,
        "support_vectors_": vectors,
        **table_attributes(Sources(training, c, outcomes.decision, of_dropped, support)),
        "n_iter_": max(1, outcomes.n_iter),
    }


def _of_dropped(
    make_rule: Callable[[], DecisionRule], support: NDArray, X: Any, training: Training
) -> NDArray[np.float64]:
    """Return decision values of samples of weight 0 as solvers see them, one row per problem.

    They are NaN if not known.
    """
    dropped = training.dropped
    if len(dropped):
        with suppress(Stop):  # nothing else depends on samples of weight 0
            values = make_rule().of_training_samples(X, dropped, support).T
            return training.targets.units.seen(values)
    unknown = np.empty((len(training.problems), len(dropped)))
    unknown[:] = np.nan
    return unknown


def set_attributes(model: Any, attributes: dict[str, Any]) -> Any:
    """Set the fitted attributes of a model, whose probabilities and tables were of former ones."""
    known = model.__dict__
    for name in OF_FORMER_FIT:
        if name in known:
            del known[name]
    known.update(attributes)
    return model


def decision_rule(model: Any) -> DecisionRule:
    """Return the decision rule of a fitted model."""
    return DecisionRule(
        KernelSettings.of(model, model.gamma_),
        model.support_vectors_,
        model.dual_coef_,
        model.intercept_,
        model.tol,
        scale_of(model),
        model.n_jobs,
        device_of_prediction(model),
        model._task.blocks(model),
    )


def scale_of(model: Any) -> float:
    """Return the size of a fitted model's decision values; 1 if it is not known."""
    return model.certificate_.scale if hasattr(model, "certificate_") else 1.0


def classes_of(model: Any) -> NDArray:
    """Return the classes of a fitted model; none if it has no classes."""
    return getattr(model, "classes_", NO_CLASSES)


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
        last = training.targets.units.seen_differences(coefficients_of(model))
        has_same_classes = np.array_equal(classes_of(model), training.classes)
        # The number of problems may be that of another multi-class strategy.
        if has_same_classes and last.shape == training.shape:
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
    # (n_problems, n_samples): the model's coefficients c, as solvers see them
    coefficients: NDArray[np.float64]

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
    X, y, sample_weight = in_memory(X), in_memory(y), in_memory(sample_weight)
    X, y = model._task.check_samples(model, X, y, reset=False)
    weights = data.check_weights(sample_weight, X.shape[0])
    settings = FitSettings.of(model, model.gamma_)
    diagonal = partial(settings.kernel.diagonal, X)
    training = model._task.training(model, y, weights, diagonal, share_samples=share_samples)
    check_same_set(model, training, caller)
    coefficients = training.targets.units.seen_differences(coefficients_of(model))
    return TrainingSet(model, settings, X, y, training, coefficients)


def check_same_set(model: Any, training: Training, caller: str) -> None:
    """Refuse training sets of another size or of other classes than those of a fitted model."""
    expected, given = len(model.alpha_), training.n_samples
    if given != expected or not np.array_equal(training.classes, classes_of(model)):
        needed, found = (
            f"{number} samples{f' and the classes {classes.tolist()}' if len(classes) else ''}"
            for number, classes in ((expected, classes_of(model)), (given, training.classes))
        )
        raise ValueError(f"{caller} needs the training set: {needed}, got {found}.")
