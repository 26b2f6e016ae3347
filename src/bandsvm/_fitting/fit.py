"""A fit of a BandedSVC from end to end: check the input, build problems and rows, solve, store."""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import Any

import numpy as np

from bandsvm._checks import data
from bandsvm._checks.parameters import check_parameters
from bandsvm._compat import with_callbacks
from bandsvm._fitting.callbacks import FitTasks, has_callbacks
from bandsvm._fitting.fitted import (
    fitted_attributes,
    set_attributes,
    starting_points,
)
from bandsvm._fitting.kernel_run import KernelRun
from bandsvm._fitting.lifecycle import Observers, observed, run_fit
from bandsvm._fitting.outcomes import Outcomes
from bandsvm._fitting.rows import problem_rows
from bandsvm._fitting.run import Observer
from bandsvm._fitting.settings import FitSettings
from bandsvm._fitting.training import training_problems
from bandsvm._kernels import resolve_gamma, uses_gamma


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
    """Fit a model, watched by observers and by scikit-learn's callbacks.

    Until the end, only `validate_data` sets attributes.
    """
    tasks = [FitTasks(model, X, y, sample_weight)] if has_callbacks(model) else []
    check_parameters(model)
    observers = [*observers, *tasks]
    with observed(observers):
        X, y = data.check_samples(model, X, y, reset=True)
        weights = data.check_weights(sample_weight, X.shape[0])
        training = training_problems(model, y, weights)
        data.check_for_kernel(model.kernel, X)
        gamma = resolve_gamma(model.gamma, X, weights) if uses_gamma(model.kernel) else np.nan
        settings = FitSettings.of(model, gamma)

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
