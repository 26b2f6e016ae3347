"""The one place that knows which scikit-learn is there: its callbacks came with version 1.9."""

from __future__ import annotations

from typing import Any

import sklearn

from bandsvm.fitting.run import FitRun, Observer
from bandsvm.solvers import Status

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""

    def with_callbacks(method: Any) -> Any:
        """Return the method as it is."""
        return method


__all__ = [
    "SKLEARN_VERSION",
    "CallbackSupportMixin",
    "FitTasks",
    "has_callbacks",
    "with_callbacks",
]
SKLEARN_VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])


def has_callbacks(estimator: Any) -> bool:
    """Return whether somebody set callbacks on an estimator, or on one around it."""
    return hasattr(estimator, "_skl_callbacks") or hasattr(estimator, "_parent_callback_ctx")


class FitTasks(Observer):
    """A fit as scikit-learn's callbacks see it: a task a problem, and in it a task a step."""

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self._estimator = estimator
        metadata = {} if sample_weight is None else {"sample_weight": sample_weight}
        self._data = {"X": X, "y": y, "metadata": metadata}
        self._root: Any = None
        self._problem: Any = None

    def begin(self, run: FitRun) -> None:
        """Open the task of a problem; two classes make one, which is the fit itself."""
        n_problems = len(run.training.problems)
        if self._root is None:
            steps_alone = n_problems == 1
            self._root = self._estimator._init_callback_context(
                max_subtasks=None if steps_alone else n_problems
            )
            self._begin(self._root)
        if n_problems > 1:
            self._close_problem()
            title = run.training.titles()[run.index].rstrip(":")
            self._problem = self._root.subcontext(task_name=title, max_subtasks=None)
            self._begin(self._problem)

    def step(self, run: FitRun) -> Status | None:
        """Report an outer step as a task that has ended."""
        step = (self._problem or self._root).subcontext(task_name=f"step {run.progress.n_iter}")
        self._begin(step)
        wants_end = self._end(step, lambda: vars(run.model()))
        return Status.STOPPED if wants_end else None

    def close(self) -> None:
        """Close what is open, once the estimator is fitted."""
        self._close_problem()
        self._end(self._root, {})

    def _close_problem(self) -> None:
        if self._problem is not None:
            self._end(self._problem, None)

    def _begin(self, context: Any) -> None:
        context.call_on_fit_task_begin(estimator=self._estimator, **self._data)

    def _end(self, context: Any, attributes: Any) -> bool:
        return context.call_on_fit_task_end(
            estimator=self._estimator, reconstruction_attributes=attributes, **self._data
        )
