"""What surrounds every fit: observers, limits, Ctrl-C, and a model that stays whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from bandsvm._fitting.limits import Limits
from bandsvm._fitting.progress import progress_shower
from bandsvm._fitting.run import Observer
from bandsvm._system.stopping import Stop

Observers = Sequence[Observer[Any]]


def run_fit(model: Any, fit: Callable[[Observers], None], watchers: Observers = ()) -> bool:
    """Fit a model; return whether Ctrl-C was pressed meanwhile.

    The model's parameters `time_limit` and `verbose` ask for observers, besides the watchers.
    ``fit`` takes all of them, enters them with `observed` once parameters are checked, and sets the
    model's attributes. An interrupted fit keeps the best model so far. If a fit fails, or is
    interrupted before there is a model to keep, the model is left as it was before.
    """
    limits, before = Limits(model.time_limit), dict(vars(model))
    shown = [progress_shower(model.verbose)] if model.verbose else []
    try:
        fit([limits, *shown, *watchers])
        return limits.was_interrupted
    except BaseException as error:
        model.__dict__.clear()
        model.__dict__.update(before)
        if isinstance(error, Stop):
            name = type(model).__name__
            raise KeyboardInterrupt(f"{name} was interrupted before its first step.") from None
        raise


@contextmanager
def observed(observers: Observers) -> Iterator[None]:
    """Enter all observers; overflows are detected where they matter, and raise an error."""
    with ExitStack() as stack:
        for observer in observers:
            stack.enter_context(observer)
        stack.enter_context(np.errstate(over="ignore", invalid="ignore"))
        yield
