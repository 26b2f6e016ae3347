"""``bandsvm fit``: from a data file to a model file."""

from __future__ import annotations

import argparse
import importlib.util
import math
import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from bandsvm._certificate.not_optimal import NotOptimal
from bandsvm._estimators.banded import as_banded
from bandsvm._estimators.calibration import DEFAULT_FOLDS, check_can_calibrate, set_sigmoids
from bandsvm._estimators.linear import LinearBandedSVC
from bandsvm._estimators.linear_regression import LinearBandedSVR
from bandsvm._fitting.fitted import classes_of
from bandsvm._fitting.lifecycle import why_model_is_not_optimal
from bandsvm._tables.options import CLASSIFY, REGRESS
from bandsvm._tables.reading import read_table
from bandsvm._workflow.advice import LEAVES_FEATURES, shell_cures
from bandsvm._workflow.checkpoint import Checkpoint, CheckpointFile
from bandsvm._workflow.class_report import reliability_parts
from bandsvm._workflow.folds import PreparedFolds
from bandsvm._workflow.naming import shell_name
from bandsvm._workflow.numbers import number_text, regressor_defaults, spread_of_targets
from bandsvm._workflow.pipeline import (
    Regressor,
    describe_preparation,
    estimator_of,
    fitted_samples,
    new_pipeline,
    task_of,
    with_estimator,
    write_model,
)
from bandsvm._workflow.report import HELD_OUT, TRAINED, held_out_parts, report_page
from bandsvm._workflow.tasks import TASKS, held_out_predictions
from bandsvm._workflow.training import train, train_on_cluster
from bandsvm.cli._options import chosen_parameters, read_options
from bandsvm.cli._output import Output, training_code
from bandsvm.cli._preflight import (
    check_model,
    check_options,
    check_outputs,
    check_regression,
    estimator_class,
)
from bandsvm.persistence.native import load

SECONDS_BETWEEN_CHECKPOINTS = 60.0


def run(options: argparse.Namespace) -> int:
    """Train, certify, write."""
    output, reading = Output(options), read_options(options)
    if reading.task == REGRESS:
        check_regression(options)
    _check_cluster(options)
    check_outputs(options, "model", "report", read=[options.train])
    if not options.resume:
        check_model(chosen_parameters(options), _class_of(options))
    unfinished = CheckpointFile(options.model)
    before = _model_to_resume(options, unfinished)
    is_linear = _is_linear(options, before)
    # Folds of a matrix on disk would be copied into memory.
    may_use_disk = is_linear and not options.calibrate
    if before is not None:
        reading = replace(reading, task=_task_to_resume(options, before))
    table = read_table(options.train, reading, may_use_disk=may_use_disk)
    output.about_table(table)
    if options.calibrate:
        check_can_calibrate(table.y)
    pipeline = _pipeline(options, output, table, before)
    model, task = estimator_of(pipeline), TASKS[table.task]
    model.set_params(verbose=0 if options.quiet else 1, warm_start=before is not None)
    X = fitted_samples(pipeline, table)
    output.report(describe_preparation(pipeline, LEAVES_FEATURES))
    if options.dask is not None:
        was_interrupted = train_on_cluster(model, X, table.y, options.dask)
    else:

        def write_checkpoint(fitted: Any) -> None:
            unfinished.write(with_estimator(pipeline, fitted), table)

        checkpoint = Checkpoint(write_checkpoint, SECONDS_BETWEEN_CHECKPOINTS, output.warn)
        was_interrupted = train(model, X, table.y, checkpoint)
    write_model(pipeline, table, options.model)
    output.wrote(options.model)
    unfinished.remove()
    unseen = None
    if options.calibrate and not was_interrupted:
        output.report(f"Calibrating probabilities on {DEFAULT_FOLDS} folds.")
        unseen = set_sigmoids(pipeline, table.X, table.y)
        write_model(pipeline, table, options.model)
    reason = why_model_is_not_optimal(model)
    # Predictions may take longer than somebody who pressed Ctrl-C is willing to wait.
    result = task.summarise(model, X, table.y, is_hurried=was_interrupted)
    output.about_model(model, result, options.model)
    if reason:
        _explain_not_optimal(output, model, reason)
    if options.report is not None and not was_interrupted:
        predictions = task.predictions(model, X, table.y)
        first: list[str] = []
        parts = [] if unseen is None else reliability_parts(unseen, predictions, HELD_OUT)
        if isinstance(model, Regressor):
            first = _held_out(options, output, pipeline, table, X)
        page = report_page(pipeline, table, predictions, TRAINED, parts, first)
        output.write(options.report, page, "report is")
    skipped = table.skipped(reading)
    output.result({**result.values(), **skipped, "model": str(options.model)})
    return training_code(was_interrupted, is_optimal=not reason)


def _explain_not_optimal(output: Output, model: Any, reason: NotOptimal) -> None:
    """Say why a fit is not optimal, and what its file holds to go on from there."""
    output.warn(f"the fit {reason.render(shell_cures(model), shell_name)}")
    if hasattr(model, "alpha_"):
        megabytes = (model.alpha_.nbytes + model.theta_.nbytes) / 1e6
        output.report(
            f"For --resume it holds multipliers of all training samples, {megabytes:.2g} MB; "
            "that of a finished fit does not."
        )


def _is_linear(options: argparse.Namespace, before: Any) -> bool:
    """Return whether the model is linear; refuse options that then make no sense."""
    is_linear = options.linear
    if before is not None:
        model = estimator_of(before)
        if isinstance(model, LinearBandedSVR):
            raise ValueError(
                f"--resume goes on with kernel models and linear classifiers, not with a "
                f"{type(model).__name__}; in Python, set warm_start=True and call fit."
            )
        is_linear = isinstance(model, LinearBandedSVC)
    is_on_disk = read_options(options).on_disk
    if is_on_disk and not is_linear:
        raise ValueError("--on-disk is for linear models; add --linear, or leave it out.")
    if is_on_disk and options.calibrate:
        raise ValueError(
            "--calibrate needs the samples in memory, so it cannot be used with --on-disk; leave "
            "one of them out."
        )
    return is_linear


def _class_of(options: argparse.Namespace) -> Any:
    """Return the class of the estimator that options ask for."""
    task = read_options(options).task or CLASSIFY
    return estimator_class(chosen_parameters(options), task, options.linear)


def _task_to_resume(options: argparse.Namespace, before: Any) -> str:
    """Return the task of the model to go on with; raise if options ask for the other."""
    task, asked = task_of(estimator_of(before)), read_options(options).task
    if asked not in (None, task):
        raise ValueError(
            f"--resume goes on with a model that {shell_name(task)} makes, which "
            f"{shell_name(asked)} cannot change; leave one of them out."
        )
    return task


def _pipeline(options: argparse.Namespace, output: Output, table: Any, before: Any) -> Any:
    """Return what to train: a new pipeline, or the one to go on with, its parameters changed."""
    parameters = chosen_parameters(options)
    if before is None:
        cls = _class_of(options)
        if table.task == REGRESS:
            parameters |= _defaults(output, cls, table.y, parameters)
        return new_pipeline(table, options.scale, cls(**parameters))
    model = estimator_of(before)
    _check_resume(options, model, table)
    model.set_params(**parameters)
    last = (task_of(model), before)
    pipeline = before if isinstance(before, Pipeline) else Pipeline([last])
    return with_estimator(pipeline, model)


def _defaults(output: Output, cls: Any, y: Any, given: dict[str, Any]) -> dict[str, float]:
    """Return costs and tube that were not given, in units of targets; say what they are."""
    usual = regressor_defaults(cls, y, given)
    if usual:
        chosen = ", ".join(
            f"{shell_name(name)} {number_text(value)}" for name, value in usual.items()
        )
        output.report(
            f"Targets have a spread of {number_text(spread_of_targets(y))}, by which were chosen: "
            f"{chosen}."
        )
    return usual


def _held_out(
    options: argparse.Namespace, output: Output, pipeline: Any, table: Any, X: Any
) -> list[str]:
    """Return the part of a report about samples that models were not fitted to."""
    n_folds, model = min(DEFAULT_FOLDS, len(table.y)), estimator_of(pipeline)
    if n_folds < 2:
        return []
    output.report(f"Predicting each of {n_folds} folds by a model of the others.")
    splits = TASKS[table.task].splits(table.y, n_folds)
    folds = PreparedFolds.of(pipeline, X, table.X, table.y, splits)
    with warnings.catch_warnings():
        # What is to be known of fits that do not converge was said of the model itself.
        warnings.simplefilter("ignore", ConvergenceWarning)
        end = time.monotonic() + n_folds * (model.time_limit or math.inf)
        return held_out_parts(held_out_predictions(folds, model, end), pipeline, table)


def _check_resume(options: argparse.Namespace, model: Any, table: Any) -> None:
    """Refuse to go on with a model if features, the kind of model or samples would change."""
    if options.scale is not None:
        raise ValueError(
            "--scale cannot change with --resume: the model would start from other features."
        )
    is_linear = isinstance(model, LinearBandedSVC)
    if options.linear and not is_linear:
        raise ValueError(
            "--resume goes on with a kernel model, which --linear cannot change; leave --linear "
            "or --resume out."
        )
    check_options(chosen_parameters(options), type(model))
    known_classes = classes_of(model)
    classes = np.unique(table.y) if len(known_classes) else known_classes
    # Linear models that are optimal know no single samples.
    n_unknown = len(table.y) if is_linear else 0
    known = len(model.alpha_) if hasattr(model, "alpha_") else n_unknown
    if known != len(table.y) or not np.array_equal(classes, known_classes):
        needed, found = (
            f" of the classes {labels.tolist()}" if len(labels) else ""
            for labels in (known_classes, classes)
        )
        raise ValueError(
            f"--resume needs the training data of the model: {known} samples{needed}; "
            f"{table.source} has {len(table.y)}{found}."
        )


def _check_cluster(options: argparse.Namespace) -> None:
    """Refuse options that make no sense on a cluster, and a cluster without Dask."""
    if options.dask is None:
        return
    if not options.linear:
        raise ValueError("--dask is for linear models; add --linear, or leave it out.")
    for name in ("resume", "calibrate"):
        if getattr(options, name):
            raise ValueError(f"--{name} does not work with --dask; leave one of them out.")
    if importlib.util.find_spec("distributed") is None:
        raise ValueError("--dask needs Dask, which is not installed: pip install 'bandsvm[dask]'.")


def _model_to_resume(options: argparse.Namespace, unfinished: Any) -> Any:
    """Return the model to go on with, None to start from scratch."""
    if not options.resume:
        return None
    if unfinished.is_newer():
        return unfinished.load()
    if not options.model.exists():
        raise ValueError(
            f"--resume needs a model or its checkpoint, but there is neither {options.model} nor "
            f"{unfinished.path}; leave --resume out to begin."
        )
    return as_banded(load(options.model))
