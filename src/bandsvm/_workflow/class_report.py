"""Parts of a report about predicted classes: scores, pictures, samples to look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._checks.parameters import band_parameters
from bandsvm._system.text import short_text, signed
from bandsvm._tables.table import NUMBERED
from bandsvm._workflow.evaluation import HISTOGRAM_BINS, MAX_SAMPLES, Predictions, histogram_edges
from bandsvm._workflow.pipeline import Classifier
from bandsvm.plotting import DecisionMapDisplay, RiskCoverageDisplay
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

# Classes that a table of the page has.
MAX_CLASSES = 30
N_PROBABILITY_BINS = 10
PROBABILITY_EDGES = np.linspace(0.0, 1.0, N_PROBABILITY_BINS + 1)
# The logarithm of a probability of 0 is not finite.
MIN_PROBABILITY = 1e-15


def prediction_parts(predictions: Predictions, features: Sequence[str] = ()) -> list[str]:
    """Return how well the model does, in tables and pictures.

    If ``features`` are the names of two features, a map of the decision rule is among them.
    """
    places = ("below", "inside", "above")
    below, inside, above = (int(np.sum(predictions.position == place)) for place in places)
    parts = [
        paragraph(
            f"{below} samples lie below the band of their predicted class (doubtful), {inside} "
            f"inside (typical) and {above} above (extreme)."
        )
    ]
    if (result := predictions.quality) is not None:
        text = f"Accuracy {result.accuracy:.4f}: {result.n_right} of {result.n_samples} are right."
        head = ("class", "precision", "recall", "f1", "samples")
        parts += [
            paragraph(text),
            html_table(head, result.rows()[:MAX_CLASSES], numbers=(1, 2, 3, 4)),
        ]
        if len(result.names) <= MAX_CLASSES:
            names = [short_text(name) for name in result.names]
            rows = [
                (name, *row) for name, row in zip(names, result.confusion.tolist(), strict=True)
            ]
            parts += [
                paragraph("Confusion matrix (rows: true class, columns: predicted class):"),
                html_table(("", *names), rows, numbers=range(1, len(names) + 1)),
            ]
    parts += [
        html_picture(rendered(figure, "png"), caption)
        for figure, caption in draw_pictures(predictions, features)
    ]
    return parts


def sample_parts(predictions: Predictions, names: tuple[str, NDArray]) -> list[str]:
    """Return tables of the samples that deserve a look; ``names`` are a title and their names."""
    own, position = predictions.own_values, predictions.position
    are_numbers = names[0] == NUMBERED
    # A list, as names of samples may have any title.
    columns: list[tuple[str, NDArray, Callable[[Any], str]]] = [
        (*names, short_text),
        *([] if predictions.y is None else [("true", predictions.y, short_text)]),
        ("predicted", predictions.predicted, short_text),
        ("decision value", predictions.decision, signed),
        ("position", position, str),
    ]
    lists = {
        "Doubtful samples": (position == "below", own, "below the band, the least confident first"),
        "Extreme samples": (position == "above", -own, "above the band, the most extreme first"),
    }
    if predictions.true_codes is not None:
        wrong = predictions.true_codes != predictions.predicted_codes
        lists["Confident mistakes"] = (wrong, -own, "wrong, the most confident first")
    parts = [paragraph(_about_signs(predictions.classifier))]
    for title, (chosen, order, words) in lists.items():
        where = np.flatnonzero(chosen)
        first = where[np.argsort(order[where], kind="stable")][:MAX_SAMPLES]
        parts.append(heading(title))
        numbered = "; the number counts from 1" if are_numbers else ""
        parts.append(paragraph(f"{len(where)} samples: {words}{numbered}."))
        rows = [[show(column[k]) for _, column, show in columns] for k in first.tolist()]
        if rows:
            head = [short_text(title) for title, *_ in columns]
            numbers = (*([0] if are_numbers else []), len(head) - 2)
            parts.append(html_table(head, rows, numbers=numbers))
    return parts


def _about_signs(classifier: Classifier) -> str:
    """Return what decision values in tables mean."""
    classes = [short_text(label) for label in classifier.classes_.tolist()]
    if len(classes) > 2:
        return "Decision values in the tables below are those of the predicted class."
    return (
        f"Decision values above 0 speak for class {classes[1]}, those below 0 for {classes[0]}. "
        "The farther from 0, the more confident the prediction."
    )


def draw_pictures(predictions: Predictions, features: Sequence[str]) -> list[tuple[Any, str]]:
    """Return figures about predictions, and their captions; see `prediction_parts`."""
    pictures = [(_draw_values(predictions), "Decision values; the band is shaded.")]
    if predictions.true_codes is not None:
        figure, ax = new_figure()
        draw_risk_coverage(predictions, "model", ax)
        pictures.append((figure, "Share of errors among the most confident predictions."))
        if (figure := _draw_map(predictions, predictions.true_codes, features)) is not None:
            pictures.append((figure, "The decision rule over both features, as scaled."))
    return pictures


def draw_risk_coverage(predictions: Predictions, name: str, ax: Any) -> None:
    """Draw the share of errors over the share of samples that are not abstained from."""
    assert predictions.true_codes is not None
    RiskCoverageDisplay.from_predictions(
        predictions.true_codes,
        predictions.predicted_codes,
        predictions.own_values,
        name=name,
        ax=ax,
    )


def _draw_map(predictions: Predictions, true: NDArray[np.intp], features: Sequence[str]) -> Any:
    """Draw the decision rule over the plane of two features; None unless there are two classes."""
    classifier, known = predictions.classifier, true >= 0
    labels = classifier.classes_[true[known]]
    is_plane = len(features) == 2 == len(classifier.classes_) == len(np.unique(labels))
    if not is_plane or getattr(classifier, "kernel", "linear") == "precomputed":
        return None
    figure, ax = new_figure()
    ax.set_xlabel(plain(features[0]))
    ax.set_ylabel(plain(features[1]))
    DecisionMapDisplay.from_estimator(classifier, predictions.X[known], labels, ax=ax)
    return figure


def _draw_values(predictions: Predictions) -> Any:
    """Draw how decision values are distributed: by class or, of many classes, by what is right."""
    figure, ax = new_figure()
    classes, values = predictions.classifier.classes_, predictions.values
    codes = predictions.codes
    if len(classes) == 2:
        names = [f"class {short_text(label)}" for label in classes.tolist()]
        groups = zip(names, (codes == 0, codes == 1), strict=True)
    else:
        values, is_right = predictions.own_values, predictions.predicted_codes == codes
        # Without labels, predicted classes stand for the true ones.
        all_or_right = "all" if predictions.true_codes is None else "right"
        groups = zip((all_or_right, "wrong"), (is_right, ~is_right), strict=True)
    _shade_band(predictions.classifier, ax)
    edges = histogram_edges(values, HISTOGRAM_BINS)
    for (label, chosen), colour in zip(groups, (NEGATIVE, POSITIVE), strict=True):
        if chosen.any():
            ax.hist(values[chosen], bins=edges, color=colour, alpha=0.6, label=plain(label))
    ax.set_xlabel("decision value" + ("" if len(classes) == 2 else " of the predicted class"))
    ax.set_ylabel("samples")
    legend_outside(ax, columns=3)
    return figure


def _shade_band(classifier: Classifier, ax: Any) -> None:
    """Shade the band of each class, if all classes of many have the same."""
    band = band_parameters(classifier, classifier.classes_)
    bands = list(zip(band.rho1.tolist(), band.rho2.tolist(), strict=True))
    if len(bands) == 2:
        bands[0] = (-bands[0][1], -bands[0][0])
    elif len(set(bands)) > 1:
        return
    for k, (low, high) in enumerate(bands if len(bands) == 2 else bands[:1]):
        ax.axvspan(low, high, color=BAND, alpha=0.15, label=None if k else "band")


def reliability_parts(of_classes: NDArray | None, predictions: Predictions, role: str) -> list[str]:
    """Return how often samples belong to a class, next to how probable that was said to be.

    Nothing is said where there are no probabilities of classes, a column each, or no labels that
    the model knows. ``role`` is what the samples are to the model, in a sentence.
    """
    true = predictions.true_codes
    if of_classes is None or true is None or not (true >= 0).any():
        return []
    of_classes, true = of_classes[true >= 0], true[true >= 0]
    if of_classes.shape[1] == 2:
        words = f"the class is {short_text(predictions.classifier.classes_[1])}"
        said, came = of_classes[:, 1], true == 1
    else:
        words = "the most probable class is the true one"
        said, came = of_classes.max(axis=1), true == of_classes.argmax(axis=1)
    bins = _probability_bins(said, came)
    own = np.maximum(of_classes[np.arange(len(true)), true], MIN_PROBABILITY)
    log_loss = -float(np.mean(np.log(own)))
    wrong = of_classes.copy()
    wrong[np.arange(len(true)), true] -= 1.0
    # As scikit-learn's: of two classes, the error of one counts.
    brier = float(np.mean(np.sum(wrong**2, axis=1))) / (2.0 if wrong.shape[1] == 2 else 1.0)
    rows = [
        (f"{low:.1f} to {high:.1f}", n, f"{mean:.3f}", f"{share:.3f}")
        for low, high, n, mean, share in bins
    ]
    caption = f"How often {words}, by its probability; dots on the dashed line are right."
    return [
        heading("Probabilities"),
        paragraph(role),
        paragraph(f"Log loss {log_loss:.4f}, Brier score {brier:.4f}; smaller is better."),
        html_table(("probability", "samples", "mean", "came true"), rows, numbers=(1, 2, 3)),
        html_picture(rendered(_draw_reliability(said, bins, words), "png"), caption),
    ]


def _probability_bins(said: NDArray, came: NDArray) -> list[tuple[float, float, int, float, float]]:
    """Return edges, number, mean probability and share of events of each bin that has samples."""
    place = np.minimum((said * N_PROBABILITY_BINS).astype(np.intp), N_PROBABILITY_BINS - 1)
    bins = []
    for k, (low, high) in enumerate(pairwise(PROBABILITY_EDGES.tolist())):
        if (own := place == k).any():
            bins.append((low, high, int(own.sum()), said[own].mean(), came[own].mean()))
    return bins


def _draw_reliability(said: NDArray, bins: Sequence[tuple[float, ...]], words: str) -> Any:
    """Draw shares of events over probabilities, and how many samples there are."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 5.2), layout="constrained")
    axes: Any = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    above, below = axes
    above.plot([0, 1], [0, 1], color=NEUTRAL, linestyle="--", label="as said")
    above.plot([b[3] for b in bins], [b[4] for b in bins], "o-", color=NEGATIVE, label="came true")
    above.set_ylabel(plain(f"share where {words}"))
    above.set_ylim(-0.03, 1.03)
    above.legend(loc="upper left", frameon=False)
    below.hist(said, bins=PROBABILITY_EDGES, color=NEGATIVE, alpha=0.6)
    below.set_ylabel("samples")
    below.set_xlabel("probability")
    return figure
