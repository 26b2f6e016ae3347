"""What surrounds every fit: observers, limits, Ctrl-C, a model that stays whole, and warnings."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from bandsvm._certificate.not_optimal import Cure, NotOptimal, why_not_optimal
from bandsvm._fitting.limits import Limits
from bandsvm._fitting.progress import progress_shower
from bandsvm._fitting.run import Observer
from bandsvm._system.stopping import Stop

Result = TypeVar("Result")
Observers = Sequence[Observer[Any]]


def run_fit(model: Any, fit: Callable[[Observers], None], watchers: Observers = ()) -> bool:
    """Fit a model; return whether Ctrl-C was pressed meanwhile.

    The model's parameters `time_limit` and `verbose` ask for observers, besides the watchers.
    ``fit`` takes all of them, enters them with `observed` once parameters are checked, and sets the
    model's attributes. An interrupted fit keeps the best model so far. If a fit fails, or is
    interrupted before there is a model to keep, the model is left as it was before.
    """
    limits = Limits(model.time_limit)
    shown = [progress_shower(model.verbose)] if model.verbose else []
    changed_by(fit, model, [limits, *shown, *watchers])
    return limits.was_interrupted


def changed_by(work: Callable[..., Result], model: Any, *arguments: Any) -> Result:
    """Return what work on a model returns; leave the model as it was if it fails or is stopped."""
    before = model.__dict__.copy()
    try:
        return work(*arguments)
    except BaseException as error:
        model.__dict__.clear()
        model.__dict__.update(before)
        if isinstance(error, Stop):
            name = type(model).__name__
            raise KeyboardInterrupt(f"{name} was interrupted before its first step.") from None
        raise


@contextmanager
def observed(observers: Observers) -> Iterator[None]:
    """Enter all observers; overflows are detected where they matter, and raise an error.

    The first are the `Limits` of the fit.
    """
    limits, *others = observers
    with limits, np.errstate(over="ignore", invalid="ignore"), ExitStack() as stack:
        for observer in others:
            stack.enter_context(observer)
        yield


def end_fit(model: Any, was_interrupted: bool) -> None:
    """Raise KeyboardInterrupt after Ctrl-C, else warn if a fitted model is not optimal.

    To be called by `fit`, at whose caller the warning points.
    """
    name, reason = type(model).__name__, why_model_is_not_optimal(model)
    if was_interrupted:
        end = reason.render(model._task.cures) if reason else "converged; its model is kept."
        raise KeyboardInterrupt(f"{name} {end}")
    if reason:
        warnings.warn(
            f"{name} {reason.render(model._task.cures)}", ConvergenceWarning, stacklevel=3
        )
    if advice := model._task.advice(model):
        warnings.warn(f"{name} {advice}", UserWarning, stacklevel=3)


def why_model_is_not_optimal(model: Any) -> NotOptimal | None:
    """Return why a fitted model is not optimal, and what to do about it; None if it is."""
    reason = why_not_optimal(model.certificate_)
    if reason and model.certificate_.status.is_limit and _has_linear_kernel(model):
        return replace(reason, cures=(*reason.cures, Cure.LINEAR_MODEL))
    return reason


def _has_linear_kernel(model: Any) -> bool:
    return isinstance(kernel := getattr(model, "kernel", None), str) and kernel == "linear"
