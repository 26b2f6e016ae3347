"""A fit from end to end: check the input, build problems and rows, solve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from bandsvm._checks import data
from bandsvm._checks.parameters import check_parameters
from bandsvm._decisions.multiclass import MultiClass
from bandsvm._fitting.fitted import FittedState, LastFit, fitted_state, starting_points
from bandsvm._fitting.rows import problem_rows
from bandsvm._fitting.run import FitRun, Observer, Outcome
from bandsvm._fitting.settings import BandSettings, FitSettings
from bandsvm._fitting.training import training_problems
from bandsvm._kernels import resolve_gamma, uses_gamma
from bandsvm._system.threads import single_threaded_blas


def fit_state(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    last: LastFit | None,
    observers: Sequence[Observer],
    with_state: Callable[[FittedState], Any],
) -> FittedState:
    """Return the state of an estimator fitted to data.

    Parameters
    ----------
    estimator : BandedSVC
        Its parameters define what to fit. Only `validate_data` sets attributes on it.
    X, y, sample_weight : array-like
        The training set.
    last : LastFit or None
        An earlier fit to start from.
    observers : sequence of Observer
        Called after every outer step.
    with_state : callable
        Returns a fitted copy of the estimator, for observers that ask for one.

    Returns
    -------
    FittedState
        The best state reached, converged or not.
    """
    check_parameters(estimator)
    with ExitStack() as stack:
        for observer in observers:
            stack.enter_context(observer)
        # Overflows are detected where they matter, and raise an error with advice.
        stack.enter_context(np.errstate(over="ignore", invalid="ignore"))
        X, y = data.check_samples(estimator, X, y, reset=True)
        weights = data.check_weights(sample_weight, X.shape[0])
        training = training_problems(
            BandSettings.of(estimator), MultiClass.of(estimator), y, weights
        )
        data.check_for_kernel(estimator.kernel, X)
        needs_gamma = uses_gamma(estimator.kernel)
        gamma = resolve_gamma(estimator.gamma, X, weights) if needs_gamma else np.nan
        settings = FitSettings.of(estimator, gamma)

        def assemble(outcomes: list[Outcome]) -> Any:
            return with_state(fitted_state(settings, X, y, training, outcomes))

        with single_threaded_blas():
            run = FitRun(
                settings,
                training,
                problem_rows(settings, X, training),
                starting_points(last, training),
                observers,
                assemble,
            )
            return fitted_state(settings, X, y, training, run.run())
