"""``bandsvm tune``: search for good parameters and write the best model."""

from __future__ import annotations

import argparse
import math
import time
import warnings
from typing import Any

import numpy as np

from bandsvm._certificate.not_optimal import Cure, why_not_optimal
from bandsvm._defaults import SEARCHED
from bandsvm._estimators.calibration import check_can_calibrate
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._fitting.fit import fit_model
from bandsvm._tables.options import REGRESS
from bandsvm._tables.reading import read_table
from bandsvm._tables.table import Table
from bandsvm._workflow.advice import LEAVES_FEATURES, SHELL
from bandsvm._workflow.class_report import reliability_parts
from bandsvm._workflow.evaluation import Predictions
from bandsvm._workflow.folds import PreparedFolds, Splits, stratified_splits
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
from bandsvm._workflow.search import FinishedSearch, TimeBudget, best_candidates
from bandsvm._workflow.search_report import draw_search, search_page
from bandsvm._workflow.training import summarise_classes
from bandsvm.cli._options import chosen_parameters, read_options
from bandsvm.cli._output import Output, training_code
from bandsvm.cli._preflight import check_model, check_outputs, check_scoring, scorer_of
from bandsvm.model_selection import BandedSVCCV
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
    is_drawn = options.plot is not None or options.report is not None
    limit = getattr(options, "time_limit", math.inf)
    budget = TimeBudget(limit, began, is_drawn=is_drawn, is_calibrated=options.calibrate)
    table = read_table(options.train, read_options(options))
    output.about_table(table)
    if options.calibrate:
        check_can_calibrate(table.y, options.folds)
    scoring = scorer_of(options.scoring, options.positive, np.unique(table.y))
    splits = splits_of(options, table)
    pipeline = new_pipeline(table, options.scale, BandedSVC(**_kept_parameters(options)))
    X = fitted_samples(pipeline, table)
    folds = PreparedFolds.of(pipeline, X, table.X, table.y, splits)
    output.report(describe_preparation(pipeline, LEAVES_FEATURES))
    parameters = {**chosen_parameters(options), "time_limit": budget.seconds_for_search()}
    search = BandedSVCCV(
        **parameters, cv=splits, scoring=scoring, verbose=0 if options.quiet else 1
    )
    was_interrupted = _searched(search, folds, output)
    best = search.best_estimator_
    model = with_estimator(pipeline, best)
    write_model(model, table, options.model)
    output.wrote(options.model)
    score = options.scoring or "accuracy"
    sentences = _about_best(search, score)
    for sentence in sentences:
        output.report(sentence)
    result = summarise_classes(best, X, table.y, is_hurried=was_interrupted)
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


def _kept_parameters(options: argparse.Namespace) -> dict[str, Any]:
    """Return the parameters that the user gave and no search chooses."""
    return {k: value for k, value in chosen_parameters(options).items() if k not in SEARCHED}


def _about_best(search: BandedSVCCV, score: str) -> list[str]:
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
    return None if reason is None else reason.render({**SHELL, Cure.RESUME: go_on}, shell_name)


def _searched(search: BandedSVCCV, folds: PreparedFolds, output: Output) -> bool:
    """Search; return whether Ctrl-C was pressed. The best model is then finished if that is short.

    Raises KeyboardInterrupt if there is no model yet.
    """
    try:
        with warnings.catch_warnings():
            # Said later, with what to do about it in the shell.
            warnings.filterwarnings("ignore", "BandedSVC (?!found)")
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
        held_out, trained = finished.held_out, Predictions(search.best_estimator_, X, y)
        said = finished.held_out_probabilities()
        parts = reliability_parts(said, trained, HELD_OUT)
        page = search_page(search, model, table, trained, held_out, sentences, parts)
        output.write(options.report, page, "report is")
    if options.plot is not None:
        figure = draw_search(search, X, y, finished.held_out_by_model(), finished.budget.end)
        picture = rendered(figure, options.plot.suffix.lower()[1:])
        output.write(options.plot, picture, "picture is")


def _preflight(options: argparse.Namespace) -> None:
    """Raise what is wrong with the options before the data are read."""
    if read_options(options).task == REGRESS:
        raise ValueError(
            "tune does not search regressions yet; use bandsvm fit --regress, or GridSearchCV of "
            "scikit-learn in Python."
        )
    if options.linear:
        raise ValueError(
            "tune searches kernel models; try --kernel linear on some of the samples, then give "
            "the best C1, C2 and rho2 to bandsvm fit --linear."
        )
    check_outputs(options, "model", "plot", "report", read=[options.train])
    check_scoring(options.scoring, options.positive)
    parameters = chosen_parameters(options)
    kept = _kept_parameters(options)
    # By default the upper edges are multiples of the lower one.
    check_model({**kept, "rho2": min(parameters.get("rho2", [kept.get("rho1", 1.0)]))})
    if options.plot is not None and options.plot.suffix.lower() not in PICTURES:
        raise ValueError(f"--plot writes {', '.join(PICTURES)} files, got {options.plot}.")


def splits_of(options: argparse.Namespace, table: Table) -> Splits:
    """Return the folds: stratified ones, which keep groups together if there are any."""
    n_folds, counts = options.folds, np.unique(table.y, return_counts=True)[1]
    if counts.max() < n_folds:
        raise ValueError(
            f"--folds must not exceed the samples of the largest class, which are {counts.max()}, "
            f"got {n_folds}."
        )
    n_groups = n_folds if table.groups is None else len(np.unique(table.groups))
    if n_groups < n_folds:
        raise ValueError(
            f"--folds must not exceed the number of groups, got {n_folds} and {n_groups} groups in "
            f"{options.groups}; use fewer folds, or another column for --groups."
        )
    return stratified_splits(table.y, n_folds, table.groups)
