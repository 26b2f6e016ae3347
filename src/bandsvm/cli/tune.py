"""``bandsvm tune``: search for good parameters and write the best model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from bandsvm._workflow.clock import Clock
from bandsvm.cli._options import (
    add_data_options,
    add_grid_options,
    add_model_options,
    add_output_options,
    add_report_option,
    chosen_parameters,
    compact_help,
    folds,
)
from bandsvm.cli._output import DONE, INTERRUPTED, NOT_TO_TOL, Output

SEARCHED = ("C1", "C2", "rho2", "gamma")
# After Ctrl-C, the model of the best candidate is finished if that takes no longer.
SECONDS_TO_FINISH = 10.0


def add_parser(commands: Any) -> None:
    """Describe the command."""
    parser = commands.add_parser(
        "tune",
        help="search for good parameters and write the best model",
        usage="bandsvm tune TRAIN --model FILE [options]",
        formatter_class=compact_help,
        description="Search C1, C2 (always with C2=0, the C-SVM), rho2 and gamma by folds of the "
        "data file TRAIN. Ctrl-C keeps the best so far. Exit code 3: not optimal.",
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
        "--calibrate", action="store_true", help="also fit probabilities, by the folds (--proba)"
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
    output, clock = Output(options), Clock(options)
    _check_ahead(options)
    import numpy as np
    from sklearn.pipeline import Pipeline

    from bandsvm import BandedSVC, BandedSVCCV
    from bandsvm._certificate.not_optimal import Cure, why_not_optimal
    from bandsvm._estimators.calibration import check_can_calibrate
    from bandsvm._tables.reading import read_table
    from bandsvm._workflow.advice import SHELL
    from bandsvm._workflow.after_search import AfterSearch
    from bandsvm._workflow.models import prepare, write_model
    from bandsvm._workflow.preparation import describe_preparation
    from bandsvm._workflow.summary import summary, summary_without_predictions
    from bandsvm.cli._ahead import scorer_of

    table = read_table(options.train, options)
    output.report(table.describe())
    for doubt in table.doubts:
        output.warn(doubt)
    if options.calibrate:
        check_can_calibrate(table.y, options.folds)
    scoring = scorer_of(options.scoring, options.positive, np.unique(table.y))
    splits = splits_of(options, table)
    parameters = chosen_parameters(options)
    kept = {name: value for name, value in parameters.items() if name not in SEARCHED}
    pipeline = prepare(table, options.scale, BandedSVC(**kept))
    X = pipeline[:-1].fit_transform(table.X) if len(pipeline) > 1 else table.X
    output.report(describe_preparation(pipeline))
    parameters["time_limit"] = clock.seconds_for_search()
    search = BandedSVCCV(
        **parameters, cv=splits, scoring=scoring, verbose=0 if options.quiet else 1
    )
    was_interrupted = _searched(search, X, table.y, output)
    best = search.best_estimator_
    model = Pipeline([*pipeline.steps[:-1], ("classify", best)])
    write_model(model, table, options.model)
    output.wrote(options.model)
    chosen, score = search.best_params_, options.scoring or "accuracy"
    findings = [
        f"Best of {len(search.cv_results_['params'])} candidates: {_settings(chosen)}",
        f"Mean {score} in {_n_folds(search)} folds: {search.best_score_:.4f}",
    ]
    for sentence in findings:
        output.report(sentence)
    output.report(repr(best.certificate_))
    result = (summary_without_predictions if was_interrupted else summary)(best, X, table.y)
    output.report(result.describe())
    output.report(f"The model is in {options.model}.")
    if was_interrupted:
        clock.end()
        findings.append("The search was interrupted: other candidates may be better.")
    if reason := why_not_optimal(best.certificate_):
        go_on = f"go on with bandsvm fit {options.train} --model {options.model} --resume"
        complaint = reason.render({**SHELL, Cure.RESUME: go_on})
        output.warn(f"the model of the best candidate {complaint}")
        findings.append(f"The model {complaint}")
    after = AfterSearch(options, output, search, model, table, X, clock)
    after.calibrate()
    after.show(findings)
    output.result(
        {
            "best": chosen,
            "cv_score": search.best_score_,
            "scoring": score,
            **result.values(),
            **table.skipped(options),
            "model": str(options.model),
        }
    )
    if was_interrupted:
        return INTERRUPTED
    return DONE if best.certificate_.is_optimal else NOT_TO_TOL


def _searched(search: Any, X: Any, y: Any, output: Output) -> bool:
    """Search; return whether Ctrl-C was pressed. The best model is then finished if that is short.

    Raises KeyboardInterrupt if there is no model yet.
    """
    import warnings

    from bandsvm._fitting.fit import fit_model

    try:
        with warnings.catch_warnings():
            # Said later, with what to do about it in the shell.
            warnings.filterwarnings("ignore", "BandedSVC (?!found)")
            search.fit(X, y)
    except KeyboardInterrupt as interrupt:
        if not hasattr(search, "best_estimator_"):
            raise
        output.warn(str(interrupt))
    else:
        return False
    best = search.best_estimator_
    if not best.certificate_.is_optimal:
        output.report(
            f"Its model is being trained, for at most {SECONDS_TO_FINISH:.0f} s; press Ctrl-C to "
            "skip that."
        )
        best.set_params(warm_start=True, time_limit=SECONDS_TO_FINISH)
        fit_model(best, X, y, None)
        best.set_params(warm_start=False, time_limit=None)
    return True


def _n_folds(search: Any) -> str:
    """Return in how many folds the best candidate was scored."""
    import numpy as np

    results, n_splits = search.cv_results_, search.n_splits_
    scores = [results[f"split{k}_test_score"][search.best_index_] for k in range(n_splits)]
    n_known = int(np.isfinite(scores).sum())
    return str(n_splits) if n_known == n_splits else f"{n_known} of {n_splits}"


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
        from bandsvm._workflow.tune_plot import check_format

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
