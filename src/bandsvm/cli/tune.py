"""``bandsvm tune``: search for good parameters and write the best model."""

from __future__ import annotations

import argparse
import math
import time
import warnings
from typing import Any

import numpy as np

from bandsvm._certificate.not_optimal import Cure, why_not_optimal
from bandsvm._estimators.calibration import check_can_calibrate
from bandsvm._fitting.fit import fit_model
from bandsvm._tables.options import CLASSIFY, REGRESS
from bandsvm._tables.reading import read_table
from bandsvm._tables.table import Table
from bandsvm._workflow.advice import LEAVES_FEATURES, shell_cures
from bandsvm._workflow.class_report import reliability_parts
from bandsvm._workflow.folds import PreparedFolds, Splits
from bandsvm._workflow.naming import shell_name
from bandsvm._workflow.pipeline import (
    Model,
    describe_preparation,
    fitted_samples,
    new_pipeline,
    with_estimator,
    write_model,
)
from bandsvm._workflow.report import HELD_OUT
from bandsvm._workflow.search import (
    KINDS,
    AnySearch,
    FinishedSearch,
    SearchKind,
    TimeBudget,
    best_candidates,
)
from bandsvm._workflow.search_report import draw_search, draw_search_of_numbers, search_page
from bandsvm._workflow.tasks import TASKS
from bandsvm.cli._options import chosen_parameters, read_options
from bandsvm.cli._output import Output, training_code
from bandsvm.cli._preflight import (
    check_model,
    check_outputs,
    check_scoring,
    check_scoring_of_numbers,
    check_search_of_numbers,
    scorer_of,
)
from bandsvm.model_selection._searching import fit_search
from bandsvm.plotting._page import rendered

# After Ctrl-C, the model of the best candidate is finished if that takes no longer.
SECONDS_TO_FINISH = 10.0
# Formats of --plot.
PICTURES = (".png", ".svg", ".pdf")


def run(options: argparse.Namespace) -> int:
    """Search, train, write."""
    output, began = Output(options), time.monotonic()
    _preflight(options)
    task = read_options(options).task or CLASSIFY
    kind = KINDS[task]
    is_drawn = options.plot is not None or options.report is not None
    limit = getattr(options, "time_limit", math.inf)
    budget = TimeBudget(limit, began, is_drawn=is_drawn, is_calibrated=options.calibrate)
    table = read_table(options.train, read_options(options))
    output.about_table(table)
    if options.calibrate:
        check_can_calibrate(table.y, options.folds)
    scoring = options.scoring
    if task == CLASSIFY:
        scoring = scorer_of(options.scoring, options.positive, np.unique(table.y))
    splits = splits_of(options, table)
    pipeline = new_pipeline(table, options.scale, kind.model(**_kept_parameters(options, kind)))
    X = fitted_samples(pipeline, table)
    folds = PreparedFolds.of(pipeline, X, table.X, table.y, splits)
    output.report(describe_preparation(pipeline, LEAVES_FEATURES))
    parameters = {**chosen_parameters(options), "time_limit": budget.seconds_for_search()}
    search = kind.search(
        **parameters, cv=splits, scoring=scoring, verbose=0 if options.quiet else 1
    )
    was_interrupted = _searched(search, folds, output)
    best = search.best_estimator_
    model = with_estimator(pipeline, best)
    write_model(model, table, options.model)
    output.wrote(options.model)
    score = options.scoring or kind.score
    sentences = _about_best(search, score)
    for sentence in sentences:
        output.report(sentence)
    result = TASKS[task].summarise(best, X, table.y, is_hurried=was_interrupted)
    output.about_model(best, result, options.model)
    if was_interrupted:
        budget.spend()
        sentences.append("The search was interrupted: other candidates may be better.")
    if complaint := _complaint(options, best):
        output.warn(f"the model of the best candidate {complaint}")
        sentences.append(f"The model {complaint}")
    finished = FinishedSearch(search, folds, budget)
    if options.calibrate and _calibrated(options, output, finished):
        write_model(model, table, options.model)
    _write_pages(options, output, finished, model, table, sentences)
    output.result(
        {
            "best": search.best_params_,
            "cv_score": search.best_score_,
            "scoring": score,
            **result.values(),
            **table.skipped(read_options(options)),
            "model": str(options.model),
        }
    )
    return training_code(was_interrupted, best.certificate_.is_optimal)


def _kept_parameters(options: argparse.Namespace, kind: SearchKind) -> dict[str, Any]:
    """Return the parameters that the user gave and no search chooses."""
    return {k: value for k, value in chosen_parameters(options).items() if k not in kind.searched}


def _about_best(search: AnySearch, score: str) -> list[str]:
    """Return what the best candidate of a search is, and its score, in sentences."""
    n_folds, n_scored = search.n_splits_, best_candidates(search)[0].n_folds
    of_folds = str(n_folds) if n_scored == n_folds else f"{n_scored} of {n_folds}"
    n_candidates = len(search.cv_results_["params"])
    settings = ", ".join(
        f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in search.best_params_.items()
    )
    return [
        f"Best of {n_candidates} candidates: {settings}",
        f"Mean {score} in {of_folds} folds: {search.best_score_:.4f}",
    ]


def _complaint(options: argparse.Namespace, best: Any) -> str | None:
    """Return why the best model is not optimal, and what to do; None if it is."""
    reason = why_not_optimal(best.certificate_)
    go_on = f"go on with bandsvm fit {options.train} --model {options.model} --resume"
    return (
        None
        if reason is None
        else reason.render({**shell_cures(best), Cure.RESUME: go_on}, shell_name)
    )


def _searched(search: AnySearch, folds: PreparedFolds, output: Output) -> bool:
    """Search; return whether Ctrl-C was pressed. The best model is then finished if that is short.

    Raises KeyboardInterrupt if there is no model yet.
    """
    try:
        with warnings.catch_warnings():
            # Said later, with what to do about it in the shell.
            warnings.filterwarnings("ignore", "BandedSV[CR] (?!found)")
            fit_search(search, folds.X, folds.y, by_fold=folds.by_fold)
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
        fit_model(best, folds.X, folds.y, None)
        best.set_params(warm_start=False, time_limit=None)
    return True


def _calibrated(options: argparse.Namespace, output: Output, finished: FinishedSearch) -> bool:
    """Give the best model probabilities; return whether that worked."""
    output.report(f"Calibrating probabilities on {finished.search.n_splits_} folds.")
    reason = finished.calibrate()
    if reason is not None:
        go_on = f"bandsvm fit {options.train} --model {options.model} --resume --calibrate"
        output.warn(f"there are no probabilities, because {reason}; try {go_on}.")
    return reason is None


def _write_pages(
    options: argparse.Namespace,
    output: Output,
    finished: FinishedSearch,
    model: Model,
    table: Table,
    sentences: list[str],
) -> None:
    """Write the report and the picture that are wanted."""
    search, X, y = finished.search, finished.folds.X, table.y
    if options.report is not None:
        held_out = finished.held_out
        trained = TASKS[table.task].predictions(search.best_estimator_, X, y)
        said, parts = finished.held_out_probabilities(), []
        if said is not None:
            parts = reliability_parts(said, trained, HELD_OUT)
        page = search_page(search, model, table, trained, held_out, sentences, parts)
        output.write(options.report, page, "report is")
    if options.plot is not None:
        if table.task == REGRESS:
            figure = draw_search_of_numbers(search, finished.held_out)
        else:
            figure = draw_search(search, X, y, finished.held_out_by_model(), finished.budget.end)
        picture = rendered(figure, options.plot.suffix.lower()[1:])
        output.write(options.plot, picture, "picture is")


def _preflight(options: argparse.Namespace) -> None:
    """Raise what is wrong with the options before the data are read."""
    is_regression = read_options(options).task == REGRESS
    if is_regression:
        check_search_of_numbers(options, chosen_parameters(options))
    if options.linear:
        raise ValueError(
            "tune searches kernel models; try --kernel linear on some of the samples, then give "
            "the best C1, C2 and rho2 to bandsvm fit --linear."
        )
    check_outputs(options, "model", "plot", "report", read=[options.train])
    check_scoring(options.scoring, options.positive)
    if is_regression:
        check_scoring_of_numbers(options.scoring)
    else:
        parameters, kept = chosen_parameters(options), _kept_parameters(options, KINDS[CLASSIFY])
        # By default the upper edges are multiples of the lower one.
        check_model({**kept, "rho2": min(parameters.get("rho2", [kept.get("rho1", 1.0)]))})
    if options.plot is not None and options.plot.suffix.lower() not in PICTURES:
        raise ValueError(f"--plot writes {', '.join(PICTURES)} files, got {options.plot}.")


def splits_of(options: argparse.Namespace, table: Table) -> Splits:
    """Return the folds, stratified by class; they keep groups together if there are any."""
    n_folds, most, whose = options.folds, len(table.y), ""
    if table.task == CLASSIFY:
        most, whose = np.unique(table.y, return_counts=True)[1].max(), " of the largest class"
    if most < n_folds:
        raise ValueError(
            f"--folds must not exceed the samples{whose}, which are {most}, got {n_folds}."
        )
    n_groups = n_folds if table.groups is None else len(np.unique(table.groups))
    if n_groups < n_folds:
        raise ValueError(
            f"--folds must not exceed the number of groups, got {n_folds} and {n_groups} groups in "
            f"{options.groups}; use fewer folds, or another column for --groups."
        )
    return TASKS[table.task].splits(table.y, n_folds, table.groups)
