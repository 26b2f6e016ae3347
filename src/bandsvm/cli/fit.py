"""``bandsvm fit``: from a data file to a model file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bandsvm._workflow.naming import shell_name
from bandsvm.cli._options import (
    add_data_options,
    add_disk_option,
    add_linear_options,
    add_model_options,
    add_output_options,
    add_report_option,
    chosen_parameters,
    compact_help,
    read_options,
)
from bandsvm.cli._output import Output, training_code

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from bandsvm._certificate.not_optimal import NotOptimal
    from bandsvm._tables.table import Table
    from bandsvm._workflow.checkpoint import CheckpointFile

SECONDS_BETWEEN_CHECKPOINTS = 60.0


def add_parser(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "fit",
        help="train a model and write it to a file",
        usage="bandsvm fit TRAIN --model FILE [options]",
        formatter_class=compact_help,
        description="Train a model. Ctrl-C keeps the best so far. Exit code 3: not optimal.",
    )
    parser.add_argument("train", metavar="TRAIN", help="data file, or -")
    parser.add_argument(
        "--model", type=Path, required=True, metavar="FILE", help="where to write the model"
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="continue from FILE, or from its last checkpoint",
    )
    parser.add_argument(
        "--calibrate", action="store_true", help="also fit probabilities, by 5 folds (--proba)"
    )
    add_linear_options(parser)
    add_disk_option(parser)
    add_report_option(parser)
    add_output_options(parser)
    add_data_options(parser)
    add_model_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Train, certify, write."""
    from bandsvm.cli._preflight import check_model, check_outputs

    output = Output(options)
    _check_cluster(options)
    check_outputs(options, "model", "report", read=[options.train])
    if not options.resume:
        check_model(chosen_parameters(options), options.linear)
    from bandsvm._estimators.calibration import DEFAULT_FOLDS, set_sigmoids
    from bandsvm._fitting.lifecycle import why_model_is_not_optimal
    from bandsvm._workflow.advice import LEAVES_FEATURES
    from bandsvm._workflow.checkpoint import CheckpointFile
    from bandsvm._workflow.pipeline import (
        classifier_of,
        describe_preparation,
        fitted_samples,
        write_model,
    )
    from bandsvm._workflow.training import summarise

    unfinished = CheckpointFile(options.model)
    before = _model_to_resume(options, unfinished)
    table = _read(options, output, is_linear=_is_linear(options, before))
    pipeline = _pipeline(options, table, before)
    model = classifier_of(pipeline)
    model.set_params(verbose=0 if options.quiet else 1, warm_start=before is not None)
    X = fitted_samples(pipeline, table)
    output.report(describe_preparation(pipeline, LEAVES_FEATURES))
    was_interrupted = _trained(options, output, pipeline, table, X, unfinished)
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
        output.write(options.report, _report(pipeline, table, X, unseen), "report is")
    skipped = table.skipped(read_options(options))
    output.result({**result.values(), **skipped, "model": str(options.model)})
    return training_code(was_interrupted, is_optimal=not reason)


def _trained(
    options: argparse.Namespace,
    output: Output,
    pipeline: Pipeline,
    table: Table,
    X: Any,
    unfinished: CheckpointFile,
) -> bool:
    """Train the classifier of a pipeline; return whether Ctrl-C was pressed."""
    from bandsvm._workflow.checkpoint import Checkpoint
    from bandsvm._workflow.pipeline import classifier_of, with_classifier
    from bandsvm._workflow.training import train, train_on_cluster

    def write_checkpoint(fitted: Any) -> None:
        unfinished.write(with_classifier(pipeline, fitted), table)

    model = classifier_of(pipeline)
    if options.dask is not None:
        return train_on_cluster(model, X, table.y, options.dask)
    checkpoint = Checkpoint(write_checkpoint, SECONDS_BETWEEN_CHECKPOINTS, output.warn)
    return train(model, X, table.y, checkpoint)


def _explain_not_optimal(output: Output, model: Any, reason: NotOptimal) -> None:
    """Say why a fit is not optimal, and what its file holds to go on from there."""
    from bandsvm._workflow.advice import SHELL

    output.warn(f"the fit {reason.render(SHELL, shell_name)}")
    if hasattr(model, "alpha_"):
        megabytes = (model.alpha_.nbytes + model.theta_.nbytes) / 1e6
        output.report(
            f"For --resume it holds multipliers of all training samples, {megabytes:.2g} MB; "
            "that of a finished fit does not."
        )


def _report(pipeline: Pipeline, table: Table, X: Any, unseen: Any) -> bytes:
    """Return a page about a model and its training samples; X is what the classifier sees of them.

    ``unseen`` are probabilities by models that were not trained on the samples, if there are any.
    """
    from bandsvm._workflow.evaluation import Predictions
    from bandsvm._workflow.pipeline import classifier_of
    from bandsvm._workflow.report import HELD_OUT, TRAINED, reliability_parts, report_page

    model = classifier_of(pipeline)
    predictions = Predictions(model, X, table.y)
    parts = reliability_parts(unseen, predictions.true_codes, model.classes_, HELD_OUT)
    return report_page(pipeline, table, predictions, TRAINED, parts)


def _is_linear(options: argparse.Namespace, before: Any) -> bool:
    """Return whether the model is linear; refuse options that then make no sense."""
    is_linear = options.linear
    if before is not None:
        from bandsvm import LinearBandedSVC
        from bandsvm._workflow.pipeline import classifier_of

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


def _read(options: argparse.Namespace, output: Output, is_linear: bool) -> Any:
    """Return the training set; say what it is."""
    from bandsvm._tables.reading import read_table

    # Folds of a matrix on disk would be copied into memory.
    may_use_disk = is_linear and not options.calibrate
    table = read_table(options.train, read_options(options), may_use_disk=may_use_disk)
    output.about_table(table)
    if options.calibrate:
        from bandsvm._estimators.calibration import check_can_calibrate

        check_can_calibrate(table.y)
    return table


def _pipeline(options: argparse.Namespace, table: Any, before: Any) -> Any:
    """Return what to train: a new pipeline, or the one to go on with, its parameters changed."""
    from sklearn.pipeline import Pipeline

    from bandsvm import BandedSVC, LinearBandedSVC
    from bandsvm._workflow.pipeline import classifier_of, new_pipeline, with_classifier

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
    import numpy as np

    from bandsvm import LinearBandedSVC
    from bandsvm.cli._preflight import check_options

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
    import importlib.util

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
    from bandsvm import load

    if unfinished.is_newer():
        return unfinished.load()
    if not options.model.exists():
        raise ValueError(
            f"--resume needs a model or its checkpoint, but there is neither {options.model} nor "
            f"{unfinished.path}; leave --resume out to begin."
        )
    return load(options.model)
