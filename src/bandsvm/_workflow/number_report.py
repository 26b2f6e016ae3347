"""Parts of a report about predicted numbers: errors, pictures, samples to look at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._system.text import short_text
from bandsvm._tables.table import NUMBERED
from bandsvm._workflow.evaluation import HISTOGRAM_BINS, MAX_SAMPLES, drawn_samples, histogram_edges
from bandsvm._workflow.numbers import (
    QUANTILE_HEAD,
    NumberPredictions,
    QuantileQuality,
    number_text,
)
from bandsvm.plotting._canvas import (
    BAND,
    NEGATIVE,
    NEUTRAL,
    POSITIVE,
    legend_outside,
    new_figure,
    plain,
)
from bandsvm.plotting._page import heading, html_picture, html_table, paragraph, rendered

# Quantiles that a table of samples has columns for.
MAX_QUANTILES = 5
# Room around points, as a share of their range.
ROOM = 0.03
DOTS: dict[str, Any] = {"s": 12, "alpha": 0.6, "linewidths": 0.0}


def prediction_parts(predictions: NumberPredictions, features: Sequence[str] = ()) -> list[str]:
    """Return how well the model does, in tables and pictures.

    If ``features`` are the name of one feature, predictions over it are among the pictures.
    """
    quality, parts = predictions.quality, []
    if isinstance(quality, QuantileQuality):
        parts += [html_table(QUANTILE_HEAD, quality.rows(), numbers=range(4))]
        parts += map(paragraph, quality.sentences())
    elif quality is not None:
        parts.append(paragraph(quality.describe()))
        parts.append(paragraph(_about_positions(predictions)))
    return parts + [
        html_picture(rendered(figure, "png"), caption)
        for figure, caption in draw_pictures(predictions, features)
    ]


def _about_positions(predictions: NumberPredictions) -> str:
    """Return how many predictions lie below, in and above the tubes of their targets."""
    assert predictions.tube is not None
    (below, above), position = predictions.tube, predictions.position
    counts = {place: int(np.sum(position == place)) for place in ("below", "inside", "above")}
    return (
        f"The tube of a target reaches from {number_text(below)} below it to {number_text(above)} "
        f"above. {counts['below']} predictions lie below the tubes of their targets, "
        f"{counts['inside']} inside and {counts['above']} above."
    )


def sample_parts(predictions: NumberPredictions, names: tuple[str, NDArray]) -> list[str]:
    """Return a table of the samples whose predictions are farthest off; ``names`` are theirs."""
    if predictions.y is None:
        return []
    residuals, are_numbers = predictions.residuals, names[0] == NUMBERED
    first = np.argsort(-np.abs(residuals), kind="stable")[:MAX_SAMPLES]
    shown = predictions.names if len(predictions.names) <= MAX_QUANTILES else []
    columns = [(name, predictions.values[:, k]) for k, name in enumerate(shown)]
    if not shown:
        columns = [(predictions.centre_name, predictions.centre)]
    head = [short_text(names[0]), "target", *(name for name, _ in columns), "error"]
    position = predictions.position
    rows = [
        [
            short_text(names[1][k]),
            number_text(predictions.y[k]),
            *(number_text(column[k]) for _, column in columns),
            _signed(residuals[k]),
            *([] if position is None else [str(position[k])]),
        ]
        for k in first.tolist()
    ]
    numbers = range(0 if are_numbers else 1, len(head))
    head += [] if position is None else ["prediction lies"]
    numbered = " The number counts from 1." if are_numbers else ""
    of_centre = "" if len(predictions.names) == 1 else f" of {predictions.centre_name}"
    return [
        heading("Largest errors"),
        paragraph(
            f"Errors{of_centre} are target minus prediction: above 0 the prediction is too low."
            + numbered
        ),
        html_table(head, rows, numbers=numbers),
    ]


def _signed(value: float) -> str:
    """Return an error with its sign: + or a true minus sign."""
    return ("\N{MINUS SIGN}" if value < 0.0 else "+") + number_text(abs(value))


def draw_pictures(predictions: NumberPredictions, features: Sequence[str]) -> list[tuple[Any, str]]:
    """Return figures about predictions, and their captions; see `prediction_parts`."""
    if predictions.y is None:
        return [(_draw_values(predictions), "Predictions.")]
    tube = "" if predictions.tube is None else "; the tube is shaded"
    fan = "" if len(predictions.names) == 1 else ", with lines from the lowest to the highest"
    pictures = [
        (_against_targets(predictions), f"Predictions against targets{fan}{tube}."),
        (_draw_residuals(predictions), f"Errors over predictions{tube}."),
    ]
    if len(predictions.names) > 1:
        caption = "Shares of targets below each quantile; dots on the dashed line are right."
        pictures.append((_draw_shares(predictions), caption))
    if len(features) == 1 and not sp.issparse(predictions.X):
        caption = f"Predictions over the only feature, as scaled{tube}."
        pictures.append((_draw_curve(predictions, features[0]), caption))
    return pictures


def _outside(predictions: NumberPredictions) -> NDArray[np.bool_]:
    """Return which predictions lie outside of the tubes, or targets outside of all quantiles."""
    if predictions.position is not None:
        return predictions.position != "inside"
    values, y = predictions.values, predictions.y
    return (y < values.min(axis=1)) | (y > values.max(axis=1)) & (values.shape[1] > 1)


def _scatter(ax: Any, x: NDArray, y: NDArray, is_outside: NDArray[np.bool_], words: str) -> None:
    """Draw samples, those outside in another colour and shape."""
    ax.scatter(x[~is_outside], y[~is_outside], c=NEGATIVE, label=f"inside the {words}", **DOTS)
    ax.scatter(
        x[is_outside], y[is_outside], c=POSITIVE, marker="^", label=f"outside the {words}", **DOTS
    )


def _words(predictions: NumberPredictions) -> str:
    return "quantiles" if predictions.tube is None else "tube"


def _against_targets(predictions: NumberPredictions) -> Any:
    """Return a figure of predictions over targets."""
    figure, ax = new_figure(6.4, 5.2)
    draw_against_targets(predictions, ax)
    return figure


def draw_against_targets(predictions: NumberPredictions, ax: Any) -> None:
    """Draw predictions over targets; on the diagonal they are right."""
    assert predictions.y is not None
    drawn = drawn_samples(len(predictions.values))
    y, values, centre = predictions.y[drawn], predictions.values[drawn], predictions.centre[drawn]
    if len(predictions.names) > 1:
        ax.vlines(y, values.min(axis=1), values.max(axis=1), color=NEUTRAL, alpha=0.25, lw=1.0)
    edges = _with_margin(y)
    if predictions.tube is not None:
        below, above = predictions.tube
        ax.fill_between(
            edges, edges - below, edges + above, color=BAND, alpha=0.15, lw=0.0, label="tube"
        )
    ax.plot(edges, edges, color=NEUTRAL, linestyle="--", linewidth=1.0)
    _scatter(ax, y, centre, _outside(predictions)[drawn], _words(predictions))
    ax.set_xlim(*edges)
    ax.set_xlabel("target")
    ax.set_ylabel(plain(predictions.centre_name))
    legend_outside(ax, columns=3)


def _draw_residuals(predictions: NumberPredictions) -> Any:
    """Draw errors over predictions, and how they are distributed."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 4.2), layout="constrained")
    axes: Any = figure.subplots(1, 2, sharey=True, width_ratios=(3, 1))
    left, right = axes
    drawn = drawn_samples(len(predictions.values))
    residuals = predictions.residuals
    if predictions.tube is not None:
        below, above = predictions.tube
        # A prediction is inside from y - below to y + above.
        for ax in (left, right):
            ax.axhspan(-above, below, color=BAND, alpha=0.15, lw=0.0)
    left.axhline(0.0, color=NEUTRAL, linestyle="--", linewidth=1.0)
    is_outside = _outside(predictions)[drawn]
    _scatter(left, predictions.centre[drawn], residuals[drawn], is_outside, _words(predictions))
    left.set_xlabel(plain(predictions.centre_name))
    left.set_ylabel("target minus prediction")
    edges = histogram_edges(residuals, HISTOGRAM_BINS)
    right.hist(residuals, bins=edges, orientation="horizontal", color=NEGATIVE, alpha=0.6)
    right.set_xlabel("samples")
    legend_outside(left, columns=2)
    return figure


def _draw_shares(predictions: NumberPredictions) -> Any:
    """Draw the share of targets below each quantile."""
    quality = predictions.quality
    assert isinstance(quality, QuantileQuality)
    figure, ax = new_figure(5.4, 4.6)
    ax.plot([0, 1], [0, 1], color=NEUTRAL, linestyle="--", linewidth=1.0)
    pairs = sorted((score.quantile, score.below) for score in quality.scores)
    ax.plot(*zip(*pairs, strict=True), "o-", color=NEGATIVE)
    ax.set_xlabel("quantile")
    ax.set_ylabel("share of targets below")
    return figure


def _draw_curve(predictions: NumberPredictions, name: str) -> Any:
    """Draw samples and predictions over the only feature."""
    figure, ax = new_figure()
    assert predictions.y is not None
    drawn = drawn_samples(len(predictions.values))
    x, y, values = predictions.X[drawn, 0], predictions.y[drawn], predictions.values[drawn]
    _scatter(ax, x, y, _outside(predictions)[drawn], _words(predictions))
    order = np.argsort(x, kind="stable")
    if predictions.tube is not None:
        # Targets whose tubes hold the prediction.
        (below, above), centre = predictions.tube, predictions.centre[drawn][order]
        ax.fill_between(
            x[order], centre - above, centre + below, color=BAND, alpha=0.15, lw=0.0, label="tube"
        )
    for column, label in zip(values.T, predictions.names, strict=True):
        is_centre = label == predictions.centre_name
        ax.plot(
            x[order], column[order], color="black", lw=1.6 if is_centre else 0.9, label=plain(label)
        )
    ax.set_xlabel(plain(name))
    ax.set_ylabel("target")
    legend_outside(ax, columns=3)
    return figure


def _draw_values(predictions: NumberPredictions) -> Any:
    """Draw how predictions are distributed, where there are no targets."""
    figure, ax = new_figure()
    centre = predictions.centre
    ax.hist(centre, bins=histogram_edges(centre, HISTOGRAM_BINS), color=NEGATIVE, alpha=0.6)
    ax.set_xlabel(plain(predictions.centre_name))
    ax.set_ylabel("samples")
    return figure


def _with_margin(values: NDArray) -> NDArray[np.float64]:
    """Return the ends of an axis for some values."""
    low, high = histogram_edges(values, 1)
    return np.array([low - ROOM * (high - low), high + ROOM * (high - low)])
