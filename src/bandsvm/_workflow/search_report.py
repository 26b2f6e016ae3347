"""Pages and pictures about a search: cross-validated scores first, then the model."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from bandsvm._tables.options import CLASSIFY, REGRESS
from bandsvm._tables.table import NUMBERED, Table
from bandsvm._workflow.class_report import draw_risk_coverage
from bandsvm._workflow.evaluation import Predictions, score_text
from bandsvm._workflow.holdout import TablePart
from bandsvm._workflow.naming import shell_name
from bandsvm._workflow.number_report import draw_against_targets
from bandsvm._workflow.pipeline import Model
from bandsvm._workflow.report import TRAINED, model_parts, page_about, report_page
from bandsvm._workflow.search import (
    AnySearch,
    SearchResult,
    best_candidates,
    listed,
    scores_by_fold,
    task_of_search,
)
from bandsvm._workflow.tasks import TASKS
from bandsvm._workflow.weights import feature_names
from bandsvm.model_selection._standings import mean_fold_scores
from bandsvm.plotting import BandPathDisplay
from bandsvm.plotting._canvas import (
    NEGATIVE,
    NEUTRAL,
    POSITIVE,
    legend_outside,
    set_log_with_zero,
)
from bandsvm.plotting._page import heading, html_picture, html_table, paragraph, rendered

# Held-out predictions of models by name, or why there are none.
Risk = dict[str, Predictions] | str
# Parameters that pictures have an axis for, by task.
DRAWN = {CLASSIFY: ("C1", "gamma", "C2", "rho2"), REGRESS: ("C1", "gamma", "C2", "epsilon")}
CHOSEN: dict[str, Any] = {
    "color": "black",
    "markersize": 12,
    "markeredgewidth": 2,
    "label": "chosen",
    "zorder": 4,
}
# Scores are shown down to this many times the distance from the best to the middle one below it.
BELOW_MIDDLE = 3.0
# From the smallest to the largest value, an axis is logarithmic from this ratio on.
MIN_LOG_RATIO = 30.0


def search_page(
    search: AnySearch,
    model: Model,
    table: Table,
    trained: Any,
    unseen: Any,
    sentences: list[str],
    more: Sequence[str] = (),
) -> bytes:
    """Return a page about a search.

    ``trained`` are predictions of its best model for the samples that it was trained on, ``unseen``
    those by models of the same parameters for folds that they were not trained on, or why there are
    none. ``sentences`` say what the search found; ``more`` are parts to add.
    """
    task = TASKS[task_of_search(search)]
    parts = [heading("Data"), paragraph(table.describe(shell_name))]
    parts += [heading("Search"), *map(paragraph, sentences), *_search_parts(search)]
    parts.append(heading("Held-out samples"))
    if isinstance(unseen, str):
        parts.append(paragraph(f"No sample was predicted by a model without it: {unseen}."))
    else:
        parts.append(
            paragraph(
                "Each sample was predicted by a model of the chosen parameters that was trained "
                "on the other folds. As the parameters were chosen by the same folds, new samples "
                "may fare slightly worse."
            )
        )
        parts += task.prediction_parts(unseen)
        parts += task.sample_parts(unseen, table.sample_names())
    parts += more
    parts += [heading("Model"), *model_parts(model, table.names)]
    parts += [heading("Training samples"), paragraph(TRAINED)]
    parts += task.prediction_parts(trained, feature_names(model, table.names))
    return page_about(table, parts)


def holdout_page(
    model: Pipeline,
    parts: Mapping[str, TablePart],
    result: SearchResult | None,
    sentences: list[str],
) -> bytes:
    """Return a page about a model of the page, and about the search that found it, if one did.

    ``parts`` are those of its table, the most honest one first.
    """
    if result is None:
        first = next(iter(parts.values()))
        return report_page(model, _table_of(first), first.predictions, f"From {first.role}")
    trained, more, task = parts["train"], [], TASKS[task_of_search(result.search)]
    unseen = parts["folds"].predictions if "folds" in parts else str(result.folds)
    if (part := parts.get("held out")) is not None:
        more = [
            heading("Samples that the search has not seen"),
            paragraph(f"From {part.role}"),
            *task.prediction_parts(part.predictions),
            *task.sample_parts(part.predictions, _table_of(part).sample_names()),
        ]
    table, predictions = _table_of(trained), trained.predictions
    return search_page(result.search, model, table, predictions, unseen, sentences, more)


def _table_of(part: TablePart) -> Table:
    """Return the table, with the ids of a part of its samples, or their numbers in the file."""
    ids = {name: column[part.places] for name, column in part.table.ids.items()}
    return replace(part.table, ids=ids or {NUMBERED: part.table.numbers()[part.places]})


def _search_parts(search: AnySearch) -> list[str]:
    """Return the candidates as tables and pictures."""
    from matplotlib.figure import Figure

    best = best_candidates(search)
    folds = [(k + 1, score_text(score)) for k, score in enumerate(best[0].scores.tolist())]
    rows = [
        (
            *(_setting(value) for value in each.settings.values()),
            score_text(each.mean),
            score_text(each.deviation),
            each.n_folds,
        )
        for each in best
    ]
    n_more = len(search.cv_results_["params"]) - len(best)
    rest = f"; {n_more} more" if n_more else ""
    candidates, places = (
        Figure(figsize=(width, 4.2), layout="constrained") for width in (10.0, 7.0)
    )
    draw_candidates(search, candidates)
    draw_places(search, places.subplots())
    return [
        paragraph("Scores of the chosen candidate:"),
        html_table(("fold", "score"), folds, numbers=(0, 1)),
        paragraph(
            f"The chosen candidate and those of the highest mean scores{rest}. Candidates that "
            "were given up early have scores in fewer folds:"
        ),
        html_table((*listed(search), "mean", "deviation", "folds"), rows, numbers=range(1, 8)),
        html_picture(rendered(candidates, "png"), "Mean scores over each parameter."),
        html_picture(rendered(places, "png"), "Where the best candidates are."),
    ]


def _setting(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def draw_search(search: AnySearch, X: Any, y: NDArray, risk: Risk, end: float) -> Any:
    """Return a figure: scores over each parameter above, then places, path and risk.

    ``risk`` are held-out predictions by models to compare, or why there are none. The path is left
    out after ``end``, by `time.monotonic`; it may be infinite, or past.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13.0, 8.0), layout="constrained")
    halves: Any = figure.subfigures(2, 1)
    above, below = halves
    draw_candidates(search, above)
    places, path, abstaining = below.subplots(1, 3)
    draw_places(search, places)
    _draw_path(search, X, y, end, path)
    draw_risk(risk, abstaining)
    return figure


def draw_search_of_numbers(search: AnySearch, unseen: Any) -> Any:
    """Return a figure: scores over each parameter above, then places and held-out predictions.

    The latter are ``unseen``, or why there are none.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(13.0, 8.0), layout="constrained")
    halves: Any = figure.subfigures(2, 1)
    above, below = halves
    draw_candidates(search, above)
    places, against = below.subplots(1, 2)
    draw_places(search, places)
    against.set_title("Predictions of held-out folds")
    if isinstance(unseen, str):
        _say(against, f"left out: {unseen}")
    else:
        draw_against_targets(unseen, against)
    return figure


def draw_candidates(search: AnySearch, figure: Any) -> None:
    """Draw the scores of all candidates over each parameter."""
    drawn = DRAWN[task_of_search(search)]
    scores = figure.subplots(1, len(drawn), sharey=True)
    for ax, name in zip(scores, drawn, strict=True):
        draw_scores(search, name, ax)
    scores[0].set_ylabel("score, mean over the folds")
    figure.suptitle(f"All {len(search.cv_results_['params'])} candidates")
    labels = scores[0].get_legend_handles_labels()
    figure.legend(*labels, loc="outside lower center", ncols=len(labels[0]), frameon=False)


def _draw_path(search: AnySearch, X: Any, y: NDArray, end: float, ax: Any) -> None:
    """Draw the path along C2 through the best candidate, as far as there is time."""
    ax.set_title("Coefficients along C2")
    left = end - time.monotonic()
    if left <= 0.0:
        _say(ax, "left out: there was no time left")
        return
    limit = left if np.isfinite(left) else None
    best = clone(search.best_estimator_).set_params(verbose=0, time_limit=limit)
    BandPathDisplay.from_estimator(best, X, y, vary="C2", ax=ax)


def draw_risk(risk: Risk, ax: Any) -> None:
    """Draw the share of errors over the share of samples that are not abstained from."""
    ax.set_title("Abstaining, on held-out folds")
    if isinstance(risk, str):
        _say(ax, f"left out: {risk}")
        return
    for name, predictions in risk.items():
        draw_risk_coverage(predictions, name, ax)


def _say(ax: Any, text: str) -> None:
    """Write a text in the middle of an empty picture."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, text, ha="center", wrap=True, transform=ax.transAxes)


def draw_scores(search: AnySearch, name: str, ax: Any) -> None:
    """Draw the scores of all candidates over one parameter, C-SVMs apart from bands."""
    results, scores = search.cv_results_, scores_by_fold(search)
    means, is_whole = mean_fold_scores(scores), np.isfinite(scores).all(axis=1)
    lowest = lowest_shown(means)
    is_low = means < lowest
    where = results[f"param_{name}"].filled(np.nan)
    has_band = results["param_C2"].filled(0.0) > 0.0
    if name == "rho2":
        where = np.where(has_band, where, np.nan)  # without a band it means nothing
    if np.isnan(where).all():
        why = "no band was tried" if name == "rho2" else f"this kernel has no {name}"
        ax.text(0.5, 0.5, why, ha="center", transform=ax.transAxes)
    _set_scale(ax.set_xscale, where)
    shown = np.isfinite(means) & np.isfinite(where)
    if is_low.any():
        ax.scatter(
            where[is_low & shown], np.full((is_low & shown).sum(), lowest), marker="v", s=28,
            color=NEUTRAL, label="lower than shown",
        )  # fmt: skip
        shown &= ~is_low
    groups = [
        (NEGATIVE, "o", "without a band (C2=0)", ~has_band),
        (POSITIVE, "^", "with a band", has_band),
    ]
    if task_of_search(search) == REGRESS:
        groups = [(NEGATIVE, "o", "candidates", np.ones(len(means), dtype=bool))]
    for colour, marker, label, kind in groups:
        for whole, face in ((True, colour), (False, "none")):
            part = shown & kind & (is_whole == whole)
            ax.scatter(
                where[part], means[part], marker=marker, s=28, alpha=0.8, facecolors=face,
                edgecolors=colour, label=label if whole else None,
            )  # fmt: skip
    if (~is_whole & shown).any():
        ax.scatter([], [], facecolors="none", edgecolors=NEUTRAL, label="given up (mean so far)")
    best = search.best_index_
    if shown[best]:
        ax.plot(where[best], means[best], "x", **CHOSEN)
    ax.set_xlabel(name)


def lowest_shown(means: NDArray) -> float:
    """Return the score below which candidates are so bad that they would hide all differences."""
    known = means[np.isfinite(means)]
    if len(known) == 0:
        return -np.inf
    top, middle = known.max(), np.median(known)
    return float(max(known.min(), middle - BELOW_MIDDLE * (top - middle)))


def draw_places(search: AnySearch, ax: Any) -> None:
    """Draw the best score at each C1 and gamma; or of C2 or epsilon where there is no gamma."""
    results, means = search.cv_results_, mean_fold_scores(scores_by_fold(search))
    without_gamma = "C2" if task_of_search(search) == CLASSIFY else "epsilon"
    name = without_gamma if np.ma.getmaskarray(results["param_gamma"]).all() else "gamma"
    scored = np.flatnonzero(np.isfinite(means))
    order = scored[np.argsort(means[scored], kind="stable")]  # the best are drawn last
    up = results[f"param_{name}"].filled(np.nan)
    _set_scale(ax.set_yscale, up)
    _set_scale(ax.set_xscale, results["param_C1"].data)
    points = ax.scatter(
        results["param_C1"].data[order],
        up[order],
        c=means[order],
        s=90,
        cmap="viridis",
        vmin=lowest_shown(means),
    )
    best = search.best_index_
    ax.plot(results["param_C1"].data[best], up[best], "x", **CHOSEN)
    ax.set_xlabel("C1")
    ax.set_ylabel(name)
    ax.set_title(f"Best score at each C1 and {name}")
    legend_outside(ax)
    ax.figure.colorbar(points, ax=ax, label="mean score")


def _set_scale(set_scale: Callable[..., None], values: NDArray) -> None:
    """Make an axis logarithmic if its values call for it; zeros have a place on it too."""
    positive = values[values > 0.0]
    if len(positive) == 0 or positive.max() < MIN_LOG_RATIO * positive.min():
        return
    if (values == 0.0).any():
        set_log_with_zero(set_scale, float(positive.min()))
    else:
        set_scale("log")
