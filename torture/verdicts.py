"""How a fit ended, and what is wrong with that."""

from __future__ import annotations

import linecache
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

from torture.lowered import lowered_limits

OURS = ("bandsvm", "sklearn", "torture")
REFUSALS = (ValueError, TypeError, NotImplementedError)


@dataclass(frozen=True)
class Data:
    """Samples, targets and weights as a user gives them, and the numbers that samples stand for.

    With `lowered` limits a fit takes the ways of large ones.
    """

    X: Any
    y: Any
    meant: NDArray | None
    weights: Any
    lowered: bool

    def weights_as_numbers(self) -> NDArray[np.float64]:
        """Return weights, 1 where there are none."""
        assert self.meant is not None
        if self.weights is None:
            return np.ones(len(self.meant))
        return np.asarray(self.weights, dtype=np.float64)


def verdict(
    model: Any,
    settings: dict[str, Any],
    data: Data,
    objections: Callable[[Any], list[str]],
) -> tuple[str, str]:
    """Fit a model and return how that ended and what is wrong with it.

    ``objections`` returns what is wrong with a model that says that it is optimal.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.set_params(**{**type(model)().get_params(), **settings})
            with lowered_limits() if data.lowered else nullcontext():
                model.fit(data.X, data.y, data.weights)
        except REFUSALS as error:
            return "refused", leaks(caught) or bad_refusal(error)
        except MemoryError:
            return "refused", "MemoryError"
    unsure = [w for w in caught if issubclass(w.category, ConvergenceWarning)]
    if fault := leaks(caught):
        return "fitted", fault
    if data.meant is None:
        # A callable kernel takes anything; what it makes of it is not ours to judge.
        if callable(model.kernel) and not hasattr(model, "n_features_in_"):
            return "fitted", ""
        return "fitted", "it was fitted to what are no numbers"
    if bool(unsure) == bool(model.certificate_.is_optimal):
        return "fitted", f"is_optimal, but warned: {[str(w.message) for w in unsure]}"
    if unsure:
        return "warned", not_finite(model, data.meant)
    with np.errstate(all="ignore"), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        wrong = objections(model)
    return "certified", "; ".join([*wrong, *([leaks(caught)] if leaks(caught) else [])])


def values_of(model: Any, X: NDArray) -> NDArray:
    """Return decision values: what a regressor predicts."""
    return np.asarray(getattr(model, "decision_function", model.predict)(X))


def not_finite(model: Any, X: NDArray) -> str:
    """Return whether decision values are not finite, or a warning that nobody should see."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        is_finite = np.isfinite(values_of(model, X)).all()
    return leaks(caught) if is_finite else "decision values are not finite"


def leaks(caught: list[warnings.WarningMessage]) -> str:
    """Return the warnings that are not meant for the user."""
    known = (ConvergenceWarning, DataConversionWarning)
    # Names of features, where a frame was fitted and an array is predicted; classes that no rule
    # tells apart.
    meant = ("feature names", "found no rule that tells these classes")
    strange = [
        w
        for w in caught
        if w.category not in known and not any(words in str(w.message) for words in meant)
    ]
    return "; ".join(
        f"{w.category.__name__}: {w.message} ({w.filename}:{w.lineno})" for w in strange
    )


def bad_refusal(error: Exception) -> str:
    """Return what is wrong with a refusal: a message that nobody wrote for the user, say."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    assert trace is not None
    module = trace.tb_frame.f_globals.get("__name__", "")
    line = linecache.getline(trace.tb_frame.f_code.co_filename, trace.tb_lineno).strip()
    where = f"{type(error).__name__} of {module}, line {trace.tb_lineno}: {error}"
    if module.split(".")[0] not in OURS or not line.startswith("raise"):
        return f"not our own message: {where}"
    return "" if len(str(error).split()) >= 4 else f"not a sentence: {where}"
