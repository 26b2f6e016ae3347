"""``bandsvm tune``: search for good parameters and write the best model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bandsvm.cli._options import (
    add_data_options,
    add_grid_options,
    add_model_options,
    add_output_options,
    add_report_option,
    chosen_parameters,
    folds,
)
from bandsvm.cli._output import DONE, INTERRUPTED, NOT_TO_TOL, Output

SEARCHED = ("C1", "C2", "rho2", "gamma")


def add_parser(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "tune",
        help="search for good parameters and write the best model",
        usage="bandsvm tune TRAIN --model FILE [options]",
        description="Search C1, C2 (always with C2=0, the C-SVM), rho2 and gamma on the data file "
        "TRAIN by cross-validation; train the best on all samples. Press Ctrl-C to stop and keep "
        "the best so far. The exit code is 3 if the model is not optimal to --tol.",
    )
    parser.add_argument("train", metavar="TRAIN", help=argparse.SUPPRESS)
    parser.add_argument(
        "--model", type=Path, required=True, metavar="FILE", help="where to write the model"
    )
    parser.add_argument("--folds", type=folds, default=5, metavar="K", help="folds (5)")
    parser.add_argument(
        "--groups", metavar="COLUMN", help="keep samples of a group in one fold (CSV, Parquet)"
    )
    parser.add_argument("--scoring", metavar="NAME", help="a score of scikit-learn (accuracy)")
    parser.add_argument(
        "--positive", metavar="LABEL", help="the class that f1, precision, recall ... look for"
    )
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw candidates, path, risk (PNG, SVG or PDF)"
    )
    add_report_option(parser)
    add_output_options(parser)
    add_grid_options(parser)
    add_data_options(parser)
    add_model_options(parser, searched=SEARCHED)
    # Not offered, but refused with advice.
    parser.add_argument("--linear", action="store_true", help=argparse.SUPPRESS)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Search, train, write."""
    output = Output(options)
    _check_ahead(options)
    import numpy as np
    from sklearn.pipeline import Pipeline

    from bandsvm import BandedSVC, BandedSVCCV
    from bandsvm.cli._ahead import scorer_of
    from bandsvm.cli._models import prepare, write_model
    from bandsvm.cli._preparation import describe_preparation
    from bandsvm.cli._summary import summary, summary_without_predictions
    from bandsvm.cli._tables import read_table
    from bandsvm.cli._tune_plot import write_plot

    table = read_table(options.train, options)
    output.report(table.describe())
    for doubt in table.doubts:
        output.warn(doubt)
    scoring = scorer_of(options.scoring, options.positive, np.unique(table.y))
    splits = splits_of(options, table)
    parameters = chosen_parameters(options)
    kept = {name: value for name, value in parameters.items() if name not in SEARCHED}
    pipeline = prepare(table, options.scale, BandedSVC(**kept))
    X = pipeline[:-1].fit_transform(table.X) if len(pipeline) > 1 else table.X
    output.report(describe_preparation(pipeline))
    search = BandedSVCCV(
        **parameters, cv=splits, scoring=scoring, verbose=0 if options.quiet else 1
    )
    was_interrupted = False
    try:
        search.fit(X, table.y)
    except KeyboardInterrupt as interrupt:
        if not hasattr(search, "best_estimator_"):
            raise
        was_interrupted = True
        output.warn(str(interrupt))
    best = search.best_estimator_
    model = Pipeline([*pipeline.steps[:-1], ("classify", best)])
    write_model(model, table, options.model)
    output.wrote(options.model)
    chosen, score = search.best_params_, options.scoring or "accuracy"
    output.report(f"Best of {len(search.cv_results_['params'])} candidates: {_settings(chosen)}")
    output.report(f"Mean {score} in {search.n_splits_} folds: {search.best_score_:.4f}")
    output.report(repr(best.certificate_))
    result = (summary_without_predictions if was_interrupted else summary)(best, X, table.y)
    output.report(result.describe())
    output.report(f"The model is in {options.model}.")
    if options.plot is not None and not was_interrupted:
        write_plot(search, X, table.y, splits, options.plot)
        output.wrote(options.plot)
        output.report(f"The picture is in {options.plot}.")
    if options.report is not None and not was_interrupted:
        from bandsvm.cli._quality import Judged
        from bandsvm.cli._report import TRAINED, write_report

        write_report(options.report, model, table, Judged(best, X, table.y), TRAINED)
        output.report(f"The report is in {options.report}.")
    output.result(
        {
            "best": chosen,
            "cv_score": search.best_score_,
            "scoring": score,
            **result.values(),
            "model": str(options.model),
        }
    )
    if was_interrupted:
        return INTERRUPTED
    return DONE if best.certificate_.is_optimal else NOT_TO_TOL


def _check_ahead(options: argparse.Namespace) -> None:
    """Raise what is wrong with the options before the data are read."""
    from bandsvm.cli._ahead import check_model, check_outputs, check_scoring

    if options.linear:
        raise ValueError(
            "tune searches kernel models; try --kernel linear on some of the samples, then give "
            "the best C1, C2 and rho2 to bandsvm fit --linear."
        )
    check_outputs(options, "model", "plot", "report", read=[options.train])
    check_scoring(options.scoring, options.positive)
    parameters = chosen_parameters(options)
    kept = {name: value for name, value in parameters.items() if name not in SEARCHED}
    # By default the upper edges are multiples of the lower one.
    check_model({**kept, "rho2": min(parameters.get("rho2", [kept.get("rho1", 1.0)]))})
    if options.plot is not None:
        from bandsvm.cli._tune_plot import check_format

        check_format(options.plot)


def splits_of(options: argparse.Namespace, table: Any) -> list[Any]:
    """Return the folds: stratified ones, which keep groups together if there are any."""
    import numpy as np
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    n_folds, counts = options.folds, np.unique(table.y, return_counts=True)[1]
    if counts.max() < n_folds:
        raise ValueError(
            f"--folds must not exceed the samples of the largest class, which are {counts.max()}, "
            f"got {n_folds}."
        )
    if table.groups is None:
        folds = StratifiedKFold(n_folds, shuffle=True, random_state=0)
        return list(folds.split(np.zeros(len(table.y)), table.y))
    n_groups = len(np.unique(table.groups))
    if n_groups < n_folds:
        raise ValueError(
            f"--folds must not exceed the number of groups, got {n_folds} and {n_groups} groups in "
            f"{options.groups}; use fewer folds, or another column for --groups."
        )
    grouped = StratifiedGroupKFold(n_folds, shuffle=True, random_state=0)
    return list(grouped.split(np.zeros(len(table.y)), table.y, table.groups))


def _settings(chosen: dict[str, Any]) -> str:
    """Return parameters in a line."""
    return ", ".join(
        f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in chosen.items()
    )
