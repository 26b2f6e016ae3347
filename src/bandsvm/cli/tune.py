"""``bandsvm tune``: search for good parameters and write the best model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bandsvm.cli._options import (
    add_data_options,
    add_model_options,
    add_output_options,
    chosen_parameters,
    positive_whole,
)
from bandsvm.cli._output import DONE, INTERRUPTED, Output

SEARCHED = ("C1", "C2", "rho2", "gamma")


def add_parser(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "tune",
        help="search for good parameters and write the best model",
        usage="bandsvm tune TRAIN --model FILE [options]",
        description="Search C1, C2, rho2 and gamma by cross-validation and train the best on all "
        "samples. C2=0, the C-SVM, is always among the candidates. Press Ctrl-C to stop and keep "
        "the best model so far.",
    )
    parser.add_argument("train", metavar="TRAIN", help="data file, or -")
    parser.add_argument(
        "--model", type=Path, required=True, metavar="FILE", help="where to write the model"
    )
    parser.add_argument("--folds", type=positive_whole, default=5, metavar="K", help="folds (5)")
    parser.add_argument("--scoring", metavar="NAME", help="a score of scikit-learn's (accuracy)")
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw path, scores and risk (PNG, SVG or PDF)"
    )
    add_output_options(parser)
    add_data_options(parser)
    add_model_options(parser, searched=SEARCHED)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Search, train, write."""
    from sklearn.model_selection import StratifiedKFold
    from sklearn.pipeline import Pipeline

    from bandsvm import BandedSVCCV
    from bandsvm.cli._models import prepare, summary, write_model
    from bandsvm.cli._preparation import describe_preparation
    from bandsvm.cli._tables import read_table
    from bandsvm.cli._tune_plot import check_format, write_plot

    output = Output(options)
    if options.plot is not None:
        check_format(options.plot)
    table = read_table(options.train, options)
    output.report(table.describe())
    for doubt in table.doubts:
        output.warn(doubt)
    pipeline = prepare(None, table, options.scale, chosen_parameters(options))
    X = pipeline[:-1].fit_transform(table.X) if len(pipeline) > 1 else table.X
    output.report(describe_preparation(pipeline))
    folds = StratifiedKFold(options.folds, shuffle=True, random_state=0)
    search = BandedSVCCV(
        **{**chosen_parameters(options), "cv": folds, "scoring": options.scoring},
        verbose=0 if options.quiet else 1,
    )
    exit_code = DONE
    try:
        search.fit(X, table.y)
    except KeyboardInterrupt as interrupt:
        if not hasattr(search, "best_estimator_"):
            raise
        exit_code = INTERRUPTED
        output.warn(str(interrupt))
    best = search.best_estimator_
    write_model(Pipeline([*pipeline.steps[:-1], ("classify", best)]), table, options.model)
    chosen = search.best_params_
    settings = ", ".join(
        f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in chosen.items()
    )
    score = options.scoring or "accuracy"
    output.report(f"Best of {len(search.cv_results_['params'])} candidates: {settings}")
    output.report(f"Mean {score} in {search.n_splits_} folds: {search.best_score_:.4f}")
    output.report(repr(best.certificate_))
    result = summary(best, X if exit_code == DONE else None, table.y)
    output.report(result.describe())
    output.report(f"The model is in {options.model}.")
    if options.plot is not None and exit_code == DONE:
        write_plot(search, X, table.y, folds, options.plot)
        output.report(f"The picture is in {options.plot}.")
    output.result(
        {
            "best": chosen,
            "cv_score": search.best_score_,
            "scoring": score,
            **result.values(),
            "model": str(options.model),
        }
    )
    return exit_code
