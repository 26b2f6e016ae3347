"""A fit of a BandedSVC from end to end: check the input, build problems and rows, solve, store."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Any

import numpy as np

from bandsvm._checks import data
from bandsvm._checks.parameters import check_parameters
from bandsvm._compat import with_callbacks
from bandsvm._decisions.multiclass import MultiClass
from bandsvm._fitting.callbacks import FitTasks, has_callbacks
from bandsvm._fitting.fitted import (
    LastFit,
    fitted_attributes,
    last_fit,
    set_attributes,
    starting_points,
)
from bandsvm._fitting.kernel_run import KernelRun, Outcome
from bandsvm._fitting.lifecycle import Observers, observed, run_fit
from bandsvm._fitting.rows import problem_rows
from bandsvm._fitting.run import Observer
from bandsvm._fitting.settings import BandSettings, FitSettings
from bandsvm._fitting.training import training_problems
from bandsvm._kernels import resolve_gamma, uses_gamma
from bandsvm._system.threads import single_threaded_blas


def fit_model(
    model: Any, X: Any, y: Any, sample_weight: Any, *watchers: Observer[KernelRun]
) -> bool:
    """Fit a BandedSVC; return whether Ctrl-C was pressed meanwhile.

    ``watchers`` are called after every outer step, in addition to the observers that the model's
    parameters ask for.
    """
    return run_fit(model, partial(_fit, model, X, y, sample_weight), watchers)


@with_callbacks
def _fit(model: Any, X: Any, y: Any, sample_weight: Any, observers: Observers) -> None:
    """Fit a model, watched by observers and by scikit-learn's callbacks."""
    last = last_fit(model) if model.warm_start and hasattr(model, "alpha_") else None
    tasks = [FitTasks(model, X, y, sample_weight)] if has_callbacks(model) else []
    check_parameters(model)
    observers = [*observers, *tasks]
    with observed(observers):
        attributes = _fitted(model, X, y, sample_weight, last, observers)
    set_attributes(model, attributes)
    for task in tasks:
        task.close()


def _fitted(
    model: Any, X: Any, y: Any, sample_weight: Any, last: LastFit | None, observers: Observers
) -> dict[str, Any]:
    """Return the attributes of the best model reached; only `validate_data` sets any."""
    X, y = data.check_samples(model, X, y, reset=True)
    weights = data.check_weights(sample_weight, X.shape[0])
    training = training_problems(BandSettings.of(model), MultiClass.of(model), y, weights)
    data.check_for_kernel(model.kernel, X)
    gamma = resolve_gamma(model.gamma, X, weights) if uses_gamma(model.kernel) else np.nan
    settings = FitSettings.of(model, gamma)

    def assemble(outcomes: list[Outcome]) -> Any:
        return set_attributes(copy(model), fitted_attributes(settings, X, y, training, outcomes))

    with single_threaded_blas():
        rows, starts = problem_rows(settings, X, training), starting_points(last, training)
        run = KernelRun(settings, training, rows, starts, observers, assemble)
        return fitted_attributes(settings, X, y, training, run.run())
