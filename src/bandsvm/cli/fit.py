"""``bandsvm fit``: from a data file to a model file."""

from __future__ import annotations

import argparse
import importlib.util
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from bandsvm._certificate.not_optimal import NotOptimal
from bandsvm._estimators.banded import as_banded
from bandsvm._estimators.calibration import DEFAULT_FOLDS, check_can_calibrate, set_sigmoids
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._estimators.linear import LinearBandedSVC
from bandsvm._fitting.lifecycle import why_model_is_not_optimal
from bandsvm._tables.reading import read_table
from bandsvm._workflow.advice import LEAVES_FEATURES, SHELL
from bandsvm._workflow.checkpoint import Checkpoint, CheckpointFile
from bandsvm._workflow.evaluation import Predictions
from bandsvm._workflow.naming import shell_name
from bandsvm._workflow.pipeline import (
    classifier_of,
    describe_preparation,
    fitted_samples,
    new_pipeline,
    with_classifier,
    write_model,
)
from bandsvm._workflow.report import HELD_OUT, TRAINED, reliability_parts, report_page
from bandsvm._workflow.training import summarise, train, train_on_cluster
from bandsvm.cli._options import chosen_parameters, read_options
from bandsvm.cli._output import Output, training_code
from bandsvm.cli._preflight import check_model, check_options, check_outputs
from bandsvm.persistence.native import load

SECONDS_BETWEEN_CHECKPOINTS = 60.0


def run(options: argparse.Namespace) -> int:
    """Train, certify, write."""
    output = Output(options)
    _check_cluster(options)
    check_outputs(options, "model", "report", read=[options.train])
    if not options.resume:
        check_model(chosen_parameters(options), options.linear)
    unfinished = CheckpointFile(options.model)
    before = _model_to_resume(options, unfinished)
    is_linear = _is_linear(options, before)
    # Folds of a matrix on disk would be copied into memory.
    may_use_disk = is_linear and not options.calibrate
    table = read_table(options.train, read_options(options), may_use_disk=may_use_disk)
    output.about_table(table)
    if options.calibrate:
        check_can_calibrate(table.y)
    pipeline = _pipeline(options, table, before)
    model = classifier_of(pipeline)
    model.set_params(verbose=0 if options.quiet else 1, warm_start=before is not None)
    X = fitted_samples(pipeline, table)
    output.report(describe_preparation(pipeline, LEAVES_FEATURES))
    if options.dask is not None:
        was_interrupted = train_on_cluster(model, X, table.y, options.dask)
    else:

        def write_checkpoint(fitted: Any) -> None:
            unfinished.write(with_classifier(pipeline, fitted), table)

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
    result = summarise(model, X, table.y, is_hurried=was_interrupted)
    output.about_model(model, result, options.model)
    if reason:
        _explain_not_optimal(output, model, reason)
    if options.report is not None and not was_interrupted:
        predictions = Predictions(model, X, table.y)
        parts = reliability_parts(unseen, predictions, HELD_OUT)
        page = report_page(pipeline, table, predictions, TRAINED, parts)
        output.write(options.report, page, "report is")
    skipped = table.skipped(read_options(options))
    output.result({**result.values(), **skipped, "model": str(options.model)})
    return training_code(was_interrupted, is_optimal=not reason)


def _explain_not_optimal(output: Output, model: Any, reason: NotOptimal) -> None:
    """Say why a fit is not optimal, and what its file holds to go on from there."""
    output.warn(f"the fit {reason.render(SHELL, shell_name)}")
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
        is_linear = isinstance(classifier_of(before), LinearBandedSVC)
    is_on_disk = read_options(options).on_disk
    if is_on_disk and not is_linear:
        raise ValueError("--on-disk is for linear models; add --linear, or leave it out.")
    if is_on_disk and options.calibrate:
        raise ValueError(
            "--calibrate needs the samples in memory, so it cannot be used with --on-disk; leave "
            "one of them out."
        )
    return is_linear


def _pipeline(options: argparse.Namespace, table: Any, before: Any) -> Any:
    """Return what to train: a new pipeline, or the one to go on with, its parameters changed."""
    parameters = chosen_parameters(options)
    if before is None:
        model = (LinearBandedSVC if options.linear else BandedSVC)(**parameters)
        return new_pipeline(table, options.scale, model)
    model = classifier_of(before)
    _check_resume(options, model, table)
    model.set_params(**parameters)
    pipeline = before if isinstance(before, Pipeline) else Pipeline([("classify", before)])
    return with_classifier(pipeline, model)


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
    check_options(chosen_parameters(options), is_linear)
    classes = np.unique(table.y)
    # Linear models that are optimal know no single samples.
    n_unknown = len(table.y) if is_linear else 0
    known = len(model.alpha_) if hasattr(model, "alpha_") else n_unknown
    if known != len(table.y) or not np.array_equal(classes, model.classes_):
        raise ValueError(
            f"--resume needs the training data of the model: {known} samples of the classes "
            f"{model.classes_.tolist()}; {table.source} has {len(table.y)} of the classes "
            f"{classes.tolist()}."
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
