"""The callbacks of scikit-learn 1.9, called by an observer."""

from __future__ import annotations

from typing import Any

from bandsvm._fitting.kernel_run import KernelRun
from bandsvm._fitting.run import Observer
from bandsvm._problem import Status


def has_callbacks(estimator: Any) -> bool:
    """Return whether callbacks are set on an estimator, perhaps by a meta-estimator around it.

    Meta-estimators without callbacks leave a context behind, too, which nobody watches.
    """
    return bool(vars(estimator).get("_skl_callbacks"))


class FitTasks(Observer[KernelRun]):
    """A fit for scikit-learn's callbacks: one task per problem, with one subtask per step."""

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self._estimator = estimator
        metadata = {} if sample_weight is None else {"sample_weight": sample_weight}
        self._data = {"X": X, "y": y, "metadata": metadata}
        self._root: Any = None
        self._problems: dict[int, Any] = {}

    def begin(self, run: KernelRun) -> None:
        """Open the task of a problem; for two classes, the fit itself is the task."""
        n_problems = len(run.titles)
        if self._root is None:
            steps_alone = n_problems == 1
            self._root = self._estimator._init_callback_context(
                max_subtasks=None if steps_alone else n_problems
            )
            self._begin(self._root)
        if n_problems > 1:
            title = run.titles[run.index].rstrip(":")
            problem = self._root.subcontext(task_name=title, max_subtasks=None)
            self._problems[run.index] = problem
            self._begin(problem)

    def step(self, run: KernelRun) -> Status | None:
        """Report an outer step as a task that has ended."""
        task = self._problems.get(run.index, self._root)
        step = task.subcontext(task_name=f"step {run.progress.n_iter}")
        self._begin(step)
        wants_end = self._end(step, lambda: vars(run.model()))
        return Status.STOPPED if wants_end else None

    def close(self) -> None:
        """Close the open tasks once the estimator is fitted: more precise rows reopen any."""
        for problem in self._problems.values():
            self._end(problem, None)
        self._end(self._root, {})

    def _begin(self, context: Any) -> None:
        context.call_on_fit_task_begin(estimator=self._estimator, **self._data)

    def _end(self, context: Any, attributes: Any) -> bool:
        return context.call_on_fit_task_end(
            estimator=self._estimator, reconstruction_attributes=attributes, **self._data
        )
