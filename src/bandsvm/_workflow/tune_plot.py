"""The picture of a search: all candidates, the path along C2, and what abstaining buys."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from bandsvm import BandedSVCCV
from bandsvm._system.files import atomic_write
from bandsvm._workflow.quality import Judged
from bandsvm.model_selection._standings import mean_fold_scores
from bandsvm.plotting import BandPathDisplay, RiskCoverageDisplay
from bandsvm.plotting._canvas import NEGATIVE, NEUTRAL, POSITIVE, legend_outside
from bandsvm.plotting._page import rendered

# Held-out predictions of models by name, or why there are none.
Risk = dict[str, Judged] | str
FORMATS = (".png", ".svg", ".pdf")
SEARCHED = ("C1", "gamma", "C2", "rho2")
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
WIDE = 30.0


def check_format(path: Path) -> None:
    """Raise unless a picture can be written in the format that its name asks for."""
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"--plot writes {', '.join(FORMATS)} files, got {path}.")


def write_plot(search: BandedSVCCV, X: Any, y: NDArray, risk: Risk, end: float, path: Path) -> None:
    """Draw a fitted search and write the picture; see `draw_search`."""
    figure = draw_search(search, X, y, risk, end)
    atomic_write(path, rendered(figure, path.suffix.lower()[1:]))


def draw_search(search: BandedSVCCV, X: Any, y: NDArray, risk: Risk, end: float) -> Any:
    """Return a figure: scores over each parameter above, then places, path and risk.

    Parameters
    ----------
    search : BandedSVCCV
        The fitted search.
    X, y : array-like
        The samples as the classifier takes them, and their labels.
    risk : dict of Judged by name, or str
        Held-out predictions by models to compare, or why there are none.
    end : float
        When to end at the latest, by `time.monotonic`; it may be infinite, or past.
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


def draw_candidates(search: BandedSVCCV, figure: Any) -> None:
    """Draw the scores of all candidates over each parameter."""
    scores = figure.subplots(1, len(SEARCHED), sharey=True)
    for ax, name in zip(scores, SEARCHED, strict=True):
        draw_scores(search, name, ax)
    scores[0].set_ylabel("score, mean over the folds")
    figure.suptitle(f"All {len(search.cv_results_['params'])} candidates")
    labels = scores[0].get_legend_handles_labels()
    figure.legend(*labels, loc="outside lower center", ncols=len(labels[0]), frameon=False)


def _draw_path(search: BandedSVCCV, X: Any, y: NDArray, end: float, ax: Any) -> None:
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
    for name, judged in risk.items():
        assert judged.true is not None
        RiskCoverageDisplay.from_predictions(
            judged.true, judged.given, judged.own, name=name, ax=ax
        )


def _say(ax: Any, text: str) -> None:
    """Write a text in the middle of an empty picture."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, text, ha="center", wrap=True, transform=ax.transAxes)


def draw_scores(search: BandedSVCCV, name: str, ax: Any) -> None:
    """Draw the scores of all candidates over one parameter, C-SVMs apart from bands."""
    results = search.cv_results_
    means, is_whole = mean_scores(results)
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
    for colour, marker, label, kind in (
        (NEGATIVE, "o", "without a band (C2=0)", ~has_band),
        (POSITIVE, "^", "with a band", has_band),
    ):
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


def mean_scores(results: dict[str, Any]) -> tuple[NDArray, NDArray]:
    """Return mean scores over the folds that candidates have, and whether these are all."""
    names = [name for name in results if name.startswith("split")]
    scores = np.column_stack([results[name] for name in names])
    return mean_fold_scores(scores), np.isfinite(scores).all(axis=1)


def draw_places(search: BandedSVCCV, ax: Any) -> None:
    """Draw the best score at each C1 and gamma; or over C1 and C2 where there is no gamma."""
    results = search.cv_results_
    means, _ = mean_scores(results)
    name = "C2" if np.ma.getmaskarray(results["param_gamma"]).all() else "gamma"
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
    if len(positive) == 0 or positive.max() < WIDE * positive.min():
        return
    if (values == 0.0).any():
        # Linear from 0 to the smallest value, logarithmic beyond.
        set_scale("symlog", linthresh=float(positive.min()))
    else:
        set_scale("log")
