"""A page about a search: cross-validated scores first, then the model and its training samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm import BandedSVCCV
from bandsvm._tables.table import Table
from bandsvm._workflow.naming import shell_name
from bandsvm._workflow.quality import Judged
from bandsvm._workflow.report import (
    TRAINED,
    model_parts,
    prediction_parts,
    sample_parts,
    write_page,
)
from bandsvm._workflow.tune_plot import draw_candidates, draw_places, mean_scores
from bandsvm.plotting._page import heading, html_picture, html_table, paragraph, rendered

# Candidates that the table lists.
MAX_CANDIDATES = 20
SHOWN = ("kernel", "gamma", "C1", "C2", "rho2")


def write_search_report(
    path: Path,
    search: BandedSVCCV,
    model: Any,
    table: Table,
    trained: Judged,
    unseen: Judged | str,
    sentences: list[str],
    reliability: Sequence[str] = (),
) -> None:
    """Write the page.

    Parameters
    ----------
    path : Path
        Where to.
    search : BandedSVCCV
        The fitted search.
    model : estimator
        The best model, with all its steps.
    table : Table
        The samples.
    trained : Judged
        What the model says of these samples, which it was trained on.
    unseen : Judged or str
        What models of the same parameters say of the samples of each fold, which they were not
        trained on; or why that is unknown.
    sentences : list of str
        What the search found, and whether something was cut short.
    reliability : sequence of str
        Parts about the model's probabilities.
    """
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
        parts += prediction_parts(unseen, with_map=False)
        parts += sample_parts(unseen, table.sample_names())
    parts += reliability
    parts += [heading("Model"), *model_parts(model, trained.classifier, table.names)]
    parts += [heading("Training samples"), paragraph(TRAINED), *prediction_parts(trained)]
    write_page(path, table, parts)


@dataclass(frozen=True)
class CandidateScores:
    """A candidate of a search and its scores.

    Parameters
    ----------
    settings : dict
        Its parameters, those of `SHOWN`; None where the kernel has no such.
    scores : ndarray of shape (n_folds,)
        Its score in each fold; nan where it was given up before.
    """

    settings: dict[str, Any]
    scores: NDArray[np.float64]

    @property
    def mean(self) -> float:
        """Mean score over the folds that it has; nan if it has none."""
        return float(np.nanmean(self.scores)) if self.n_folds else np.nan

    @property
    def deviation(self) -> float:
        """Standard deviation over these folds; nan if it has none."""
        return float(np.nanstd(self.scores)) if self.n_folds else np.nan

    @property
    def n_folds(self) -> int:
        """Number of folds in which it has a score."""
        return int(np.isfinite(self.scores).sum())


def best_candidates(search: BandedSVCCV) -> list[CandidateScores]:
    """Return the chosen candidate of a search, then those of the highest mean scores."""
    results, best = search.cv_results_, search.best_index_
    means, _ = mean_scores(results)
    scores = np.column_stack([results[f"split{k}_test_score"] for k in range(search.n_splits_)])
    order = np.argsort(-np.nan_to_num(means, nan=-np.inf), kind="stable")
    order = np.concatenate([[best], order[order != best]])[:MAX_CANDIDATES]
    return [
        CandidateScores({name: results["params"][k].get(name) for name in SHOWN}, scores[k])
        for k in order.tolist()
    ]


def _search_parts(search: BandedSVCCV) -> list[str]:
    """Return the candidates as tables and pictures."""
    from matplotlib.figure import Figure

    listed = best_candidates(search)
    folds = [(k + 1, _number(score)) for k, score in enumerate(listed[0].scores.tolist())]
    rows = [
        (
            *(_setting(value) for value in each.settings.values()),
            _number(each.mean),
            _number(each.deviation),
            each.n_folds,
        )
        for each in listed
    ]
    n_more = len(search.cv_results_["params"]) - len(listed)
    rest = f"; {n_more} more" if n_more else ""
    candidates, places = (
        Figure(figsize=(10.0, 4.2), layout="constrained"),
        Figure(figsize=(7.0, 4.2), layout="constrained"),
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
        html_table((*SHOWN, "mean", "deviation", "folds"), rows, numbers=range(1, 8)),
        html_picture(rendered(candidates, "png"), "Mean scores over each parameter."),
        html_picture(rendered(places, "png"), "Where the best candidates are."),
    ]


def _setting(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _number(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.4f}"
