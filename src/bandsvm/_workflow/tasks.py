"""The seam between classification and regression: what surfaces do for one unlike the other.

A model's task comes from its estimator, that of a table from its reader; `task_of` and `Table.task`
name it. Whatever shows predictions asks the `Task` for them and for parts of a page about them. A
task's predictions have a ``quality`` where targets are known, and that and what `summarise` returns
have ``describe`` for people and ``values`` for machines.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from bandsvm._decisions.values import Decisions, decisions_of
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._estimators.regression import BandedSVR
from bandsvm._tables.options import CLASSIFY, REGRESS
from bandsvm._workflow import class_report, number_report
from bandsvm._workflow.evaluation import Predictions
from bandsvm._workflow.folds import PreparedFolds, Splits, number_splits, stratified_splits
from bandsvm._workflow.numbers import NumberPredictions, columns_of, summarise_numbers
from bandsvm._workflow.pipeline import Estimator, Model, estimator_of, task_of
from bandsvm._workflow.training import summarise_classes


class Task(NamedTuple):
    """What a task does unlike the other."""

    # The usual estimator, with default parameters.
    usual: Callable[[], Any]
    # (estimator, X, y) -> predictions; y may be None
    predictions: Callable[..., Any]
    # (estimator, X) -> what it says of samples, an array; (estimator, X, y, array) -> predictions
    values_of: Callable[[Any, Any], Any]
    of_values: Callable[..., Any]
    # (estimator, X, y, is_hurried) -> what came of a training set
    summarise: Callable[..., Any]
    # (y, number of folds, groups) -> folds
    splits: Callable[..., Splits]
    # (predictions, names of features) -> tables and pictures; (predictions, names of samples)
    prediction_parts: Callable[..., list[str]]
    sample_parts: Callable[..., list[str]]


TASKS = {
    CLASSIFY: Task(
        BandedSVC,
        Predictions,
        lambda model, X: decisions_of(model, X).of_problems,
        lambda model, X, y, values: Predictions(model, X, y, Decisions(model, values)),
        summarise_classes,
        stratified_splits,
        class_report.prediction_parts,
        class_report.sample_parts,
    ),
    REGRESS: Task(
        BandedSVR,
        NumberPredictions,
        columns_of,
        NumberPredictions,
        summarise_numbers,
        number_splits,
        number_report.prediction_parts,
        number_report.sample_parts,
    ),
}


def task_for(model: Model) -> Task:
    """Return the task of a model."""
    return TASKS[task_of(estimator_of(model))]


def held_out_predictions(folds: PreparedFolds, model: Estimator, end: float) -> Any:
    """Return what models of the same parameters say of folds that they were not fitted to.

    Or, as text, why that is unknown; see `PreparedFolds.held_out_values`.
    """
    task = TASKS[task_of(model)]
    found = folds.held_out_values(model, end, task.values_of)
    return found if isinstance(found, str) else task.of_values(found[0], folds.X, folds.y, found[1])
