"""A fit from end to end: check the input, build problems and rows, solve, set attributes."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from bandsvm._compat import FitTasks, has_callbacks, with_callbacks
from bandsvm.checks import data
from bandsvm.checks.parameters import check_parameters
from bandsvm.fitting.fitted import set_fitted_attributes, starting_points
from bandsvm.fitting.limits import Limits
from bandsvm.fitting.progress import progress_shower
from bandsvm.fitting.run import COARSE_ROUNDING, FitRun, Observer, Outcome
from bandsvm.fitting.training import Training, training_problems
from bandsvm.kernels import KernelOperator, resolve_gamma, uses_gamma
from bandsvm.system.memory import bytes_of
from bandsvm.system.stopping import Stop
from bandsvm.system.threads import single_threaded_blas


def fit_model(model: Any, X: Any, y: Any, sample_weight: Any, *watchers: Observer) -> bool:
    """Fit a BandedSVC; return whether Ctrl-C was pressed meanwhile.

    ``watchers`` are called after every outer step, in addition to the observers that the model's
    parameters ask for. An interrupted fit keeps the best model so far. If a fit fails, or is
    interrupted before there is a model to keep, the model is left as it was before.
    """
    before = dict(vars(model))
    limits = Limits(model.time_limit)
    shown = [progress_shower(model.verbose)] if model.verbose else []
    try:
        _fit(model, X, y, sample_weight, [limits, *shown, *watchers])
    except BaseException as error:
        vars(model).clear()
        vars(model).update(before)
        if isinstance(error, Stop):
            raise KeyboardInterrupt("BandedSVC was interrupted before its first step.") from None
        raise
    return limits.was_interrupted


@with_callbacks
def _fit(model: Any, X: Any, y: Any, sample_weight: Any, observers: Sequence[Observer]) -> None:
    """Fit a model and set its attributes."""
    check_parameters(model)
    with ExitStack() as stack:
        for observer in observers:
            stack.enter_context(observer)
        X, y = data.check_samples(model, X, y, reset=True)
        weights = data.check_weights(sample_weight, X.shape[0])
        training = training_problems(model, y, weights)
        data.check_for_kernel(model.kernel, X)
        starts = starting_points(model, training)
        model.classes_ = training.classes
        needs_gamma = uses_gamma(model.kernel)
        model.gamma_ = resolve_gamma(model.gamma, X, weights) if needs_gamma else np.nan

        def assemble(outcomes: list[Outcome]) -> Any:
            assembled = copy.copy(model)
            set_fitted_attributes(assembled, X, y, training, outcomes)
            return assembled

        tasks = [FitTasks(model, X, y, sample_weight)] if has_callbacks(model) else []
        # Overflows are detected later and raise an error with advice.
        with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
            # Keep no other reference to the rows, so that they are freed when replaced.
            run = FitRun(
                model,
                training,
                kernel_rows(
                    model, training.kept_samples(X, model.kernel == "precomputed"), training
                ),
                starts,
                [*observers, *tasks],
                assemble,
            )
            set_fitted_attributes(model, X, y, training, run.run())
        for task in tasks:
            task.close()


def kernel_rows(model: Any, samples: Any, training: Training) -> KernelOperator:
    """Return the store of kernel rows that all problems of a training set share."""
    return model._kernel().rows(
        samples,
        cache_bytes=bytes_of(model.cache_size),
        n_jobs=model.n_jobs,
        largest_rounding=COARSE_ROUNDING * model.tol,
        largest_cost=training.largest_cost(),
    )
