"""A BandedSVC and its fitted state: fitted attributes are set and read back here alone."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any

from bandsvm._compat import with_callbacks
from bandsvm._decisions.multiclass import strategy_of
from bandsvm._decisions.values import DecisionRule
from bandsvm._fitting.callbacks import FitTasks, has_callbacks
from bandsvm._fitting.fit import fit_state
from bandsvm._fitting.fitted import FittedState, last_fit
from bandsvm._fitting.limits import Limits
from bandsvm._fitting.progress import progress_shower
from bandsvm._fitting.run import Observer
from bandsvm._fitting.settings import BandSettings, FitSettings
from bandsvm._system.stopping import Stop


def decision_rule(model: Any) -> DecisionRule:
    """Return the decision rule of a fitted model."""
    return DecisionRule(
        FitSettings.of(model, model.gamma_).kernel,
        model.support_vectors_,
        model.dual_coef_,
        model.intercept_,
        model.tol,
        model.n_jobs,
        strategy_of(model),
    )


def with_state(model: Any, state: FittedState, band: BandSettings | None = None) -> Any:
    """Return a copy of a model that has a fitted state, and another band if one is named."""
    fitted = copy.copy(model)
    fitted.__dict__.update({} if band is None else vars(band))
    put_state(fitted, state)
    return fitted


def put_state(model: Any, state: FittedState) -> None:
    """Set the fitted attributes of a model; probabilities belonged to the former ones."""
    model.__dict__.pop("sigmoids_", None)
    model.__dict__.update(state.attributes())


def fit_model(model: Any, X: Any, y: Any, sample_weight: Any, *watchers: Observer) -> bool:
    """Fit a model; return whether Ctrl-C was pressed meanwhile.

    ``watchers`` are called after every outer step, in addition to the observers that the model's
    parameters ask for. An interrupted fit keeps the best model so far. If a fit fails, or is
    interrupted before there is a model to keep, the model is left as it was before.
    """
    shown = [progress_shower(model.verbose)] if model.verbose else []

    def fit(limits: Limits) -> None:
        _fit(model, X, y, sample_weight, [limits, *shown, *watchers])

    return fit_within_limits(model, fit)


def fit_within_limits(model: Any, fit: Callable[[Limits], None]) -> bool:
    """Fit a model within its time limit; return whether Ctrl-C was pressed meanwhile.

    The model is left as it was if the fit fails, or is interrupted before there is one to keep.
    """
    limits, before = Limits(model.time_limit), dict(vars(model))
    try:
        fit(limits)
        return limits.was_interrupted
    except BaseException as error:
        model.__dict__.clear()
        model.__dict__.update(before)
        if isinstance(error, Stop):
            name = type(model).__name__
            raise KeyboardInterrupt(f"{name} was interrupted before its first step.") from None
        raise


@with_callbacks
def _fit(model: Any, X: Any, y: Any, sample_weight: Any, observers: list[Observer]) -> None:
    """Fit a model, watched by observers and by scikit-learn's callbacks."""
    last = last_fit(model) if model.warm_start and hasattr(model, "alpha_") else None
    tasks = [FitTasks(model, X, y, sample_weight)] if has_callbacks(model) else []
    state = fit_state(
        model, X, y, sample_weight, last, [*observers, *tasks], partial(with_state, model)
    )
    put_state(model, state)
    for task in tasks:
        task.close()
