"""``bandsvm fit``: from a data file to a model file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bandsvm.cli._options import (
    add_data_options,
    add_disk_option,
    add_linear_options,
    add_model_options,
    add_output_options,
    add_report_option,
    chosen_parameters,
    compact_help,
)
from bandsvm.cli._output import DONE, INTERRUPTED, NOT_TO_TOL, Output

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
    from bandsvm._workflow.cluster import check_cluster, train_on_cluster
    from bandsvm.cli._ahead import check_model, check_outputs

    output = Output(options)
    check_cluster(options)
    check_outputs(options, "model", "report", read=[options.train])
    if not options.resume:
        check_model(chosen_parameters(options), options.linear)
    from sklearn.pipeline import Pipeline

    from bandsvm._estimators.calibration import DEFAULT_FOLDS, set_sigmoids
    from bandsvm._fitting.ending import why_model_is_not_optimal
    from bandsvm._workflow.advice import SHELL
    from bandsvm._workflow.checkpoint import CheckpointFile
    from bandsvm._workflow.models import (
        Checkpoint,
        classifier_of,
        fitted_samples,
        train,
        write_model,
    )
    from bandsvm._workflow.preparation import describe_preparation
    from bandsvm._workflow.summary import summary, summary_without_predictions

    unfinished = CheckpointFile(options.model)
    before = _to_go_on_with(options, unfinished)
    table = _read(options, output, is_linear=_is_linear(options, before))
    pipeline = _pipeline(options, table, before)
    model = classifier_of(pipeline)
    model.set_params(verbose=0 if options.quiet else 1, warm_start=before is not None)
    X = fitted_samples(pipeline, table)
    output.report(describe_preparation(pipeline))

    def as_pipeline(fitted: Any) -> Pipeline:
        return Pipeline([*pipeline.steps[:-1], (pipeline.steps[-1][0], fitted)])

    def write_checkpoint(fitted: Any) -> None:
        unfinished.write(as_pipeline(fitted), table)

    checkpoint = Checkpoint(write_checkpoint, SECONDS_BETWEEN_CHECKPOINTS, output.warn)
    if options.dask is None:
        was_interrupted = train(model, X, table.y, checkpoint)
    else:
        was_interrupted = train_on_cluster(model, X, table.y, options.dask)
    write_model(as_pipeline(model), table, options.model)
    output.wrote(options.model)
    unfinished.remove()
    unseen = None
    if options.calibrate and not was_interrupted:
        output.report(f"Calibrating probabilities on {DEFAULT_FOLDS} folds.")
        unseen = set_sigmoids(as_pipeline(model), table.X, table.y)
        write_model(as_pipeline(model), table, options.model)
    reason = why_model_is_not_optimal(model)
    # Predictions may take longer than somebody who pressed Ctrl-C is willing to wait.
    result = (summary_without_predictions if was_interrupted else summary)(model, X, table.y)
    output.report(repr(model.certificate_))
    output.report(result.describe())
    output.report(f"The model is in {options.model}.")
    if reason:
        output.warn(f"the fit {reason.render(SHELL)}")
        if hasattr(model, "alpha_"):
            megabytes = (model.alpha_.nbytes + model.theta_.nbytes) / 1e6
            output.report(
                f"For --resume it holds multipliers of all training samples, {megabytes:.2g} MB; "
                "that of a finished fit does not."
            )
    if options.report is not None and not was_interrupted:
        from bandsvm._workflow.quality import Judged
        from bandsvm._workflow.reliability import HELD_OUT, reliability_parts
        from bandsvm._workflow.report import TRAINED, write_report

        judged = Judged(model, X, table.y)
        parts = reliability_parts(unseen, judged.true, model.classes_, HELD_OUT)
        write_report(options.report, as_pipeline(model), table, judged, TRAINED, parts)
        output.report(f"The report is in {options.report}.")
    output.result({**result.values(), **table.skipped(options), "model": str(options.model)})
    if was_interrupted:
        return INTERRUPTED
    return NOT_TO_TOL if reason else DONE


def _is_linear(options: argparse.Namespace, before: Any) -> bool:
    """Return whether the model is linear; refuse options that then make no sense."""
    is_linear = options.linear
    if before is not None:
        from bandsvm import LinearBandedSVC
        from bandsvm._workflow.models import classifier_of

        is_linear = isinstance(classifier_of(before), LinearBandedSVC)
    if options.on_disk and not is_linear:
        raise ValueError("--on-disk is for linear models; add --linear, or leave it out.")
    if options.on_disk and options.calibrate:
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
    table = read_table(options.train, options, may_use_disk=may_use_disk)
    output.report(table.describe())
    for doubt in table.doubts:
        output.warn(doubt)
    if options.calibrate:
        from bandsvm._estimators.calibration import check_can_calibrate

        check_can_calibrate(table.y)
    return table


def _pipeline(options: argparse.Namespace, table: Any, before: Any) -> Any:
    """Return what to train: a new pipeline, or the one to go on with."""
    from bandsvm import BandedSVC, LinearBandedSVC
    from bandsvm._workflow.models import prepare, prepare_again

    parameters = chosen_parameters(options)
    if before is not None:
        return prepare_again(before, table, options.scale, parameters, options.linear)
    model = (LinearBandedSVC if options.linear else BandedSVC)(**parameters)
    return prepare(table, options.scale, model)


def _to_go_on_with(options: argparse.Namespace, unfinished: Any) -> Any:
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
