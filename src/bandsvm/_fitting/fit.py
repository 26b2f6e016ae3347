"""A fit with a kernel from end to end: check the input, build problems and rows, solve, store."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._certificate import Certificate, certify, combine
from bandsvm._checks import data
from bandsvm._checks.device_arrays import brought
from bandsvm._compat import with_callbacks
from bandsvm._fitting.callbacks import FitTasks, has_callbacks
from bandsvm._fitting.fitted import (
    decision_rule,
    fitted_attributes,
    fitted_solutions,
    set_attributes,
    starting_points,
    training_set,
)
from bandsvm._fitting.kernel_run import KernelRun
from bandsvm._fitting.lifecycle import Observers, observed, run_fit
from bandsvm._fitting.outcomes import Outcomes
from bandsvm._fitting.rows import problem_rows
from bandsvm._fitting.run import Observer
from bandsvm._fitting.settings import FitSettings
from bandsvm._kernels import resolve_gamma, uses_gamma
from bandsvm._system.threads import single_threaded_blas


def fit_model(
    model: Any, X: Any, y: Any, sample_weight: Any, *watchers: Observer[KernelRun]
) -> bool:
    """Fit a model with a kernel; return whether Ctrl-C was pressed meanwhile.

    ``watchers`` are called after every outer step, in addition to the observers that the model's
    parameters ask for.
    """
    fit = with_callbacks(_fit) if has_callbacks(model) else _fit
    return run_fit(model, partial(fit, model, X, y, sample_weight), watchers)


def _fit(model: Any, X: Any, y: Any, sample_weight: Any, observers: Observers) -> None:
    """Fit a model, watched by observers and by scikit-learn's callbacks.

    Until the end, only `validate_data` sets attributes.
    """
    tasks = [FitTasks(model, X, y, sample_weight)] if has_callbacks(model) else []
    task = model._task
    task.check_parameters(model)
    device, X, y, sample_weight = brought(model, X, y, sample_weight)
    observers = [*observers, *tasks]
    with observed(observers):
        X, y = task.check_samples(model, X, y, reset=True)
        weights = data.check_weights(sample_weight, X.shape[0])
        gamma = resolve_gamma(model.gamma, X, weights) if uses_gamma(model.kernel) else np.nan
        settings = FitSettings.of(model, gamma)
        if device != model.device:
            settings = settings.on(device)

        # Targets are checked first, but those of one class ask for values of the kernel.
        def diagonal() -> NDArray[np.float64]:
            data.check_for_kernel(model.kernel, X)
            return settings.kernel.diagonal(X)

        training = task.training(model, y, weights, diagonal)
        data.check_for_kernel(model.kernel, X)

        def attributes(outcomes: Outcomes) -> dict[str, Any]:
            return fitted_attributes(settings, X, y, training, outcomes)

        def assemble(outcomes: Outcomes) -> Any:
            return set_attributes(copy(model), attributes(outcomes))

        rows, starts = problem_rows(settings, X, training), starting_points(model, training)
        run = KernelRun(settings, training, X, rows, starts, observers, assemble)
        found = attributes(run.run())
    set_attributes(model, found)
    for task in tasks:
        task.close()


def certify_model(model: Any, X: Any, y: Any, sample_weight: Any) -> Certificate:
    """Certify a fitted model with all decision values recomputed in float64."""
    checked = training_set(model, X, y, sample_weight, "certify")
    training, units = checked.training, checked.training.targets.units
    with single_threaded_blas():
        rows = problem_rows(checked.settings.on("cpu"), checked.X, training)
        gradient = np.empty(training.shape)
        rule = decision_rule(model)
        kept = rule.of_training_samples(checked.X, training.kept, model.support_)
        gradient[:, training.kept] = units.seen_differences((kept - model.intercept_).T)
        solutions = fitted_solutions(
            model, training.gathered(checked.coefficients), training.gathered(gradient)
        )
        intercepts = units.seen(model.intercept_).tolist()
        parts = zip(training.problems, solutions, intercepts, strict=True)
        certificates = [
            certify(problem, rows.of(k), solution, intercept, model.tol, n_checks=None)
            for k, (problem, solution, intercept) in enumerate(parts)
        ]
    return combine([found.in_units(units) for found in certificates])
