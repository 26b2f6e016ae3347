"""Probabilities in a report: whether they are as often right as they say."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._system.text import short_text
from bandsvm.plotting._canvas import NEGATIVE, NEUTRAL, plain
from bandsvm.plotting._page import heading, html_picture, html_table, paragraph, rendered

N_PROBABILITY_BINS = 10
HELD_OUT = (
    "Each sample was left out of the model that gave its decision value. The sigmoids that make "
    "probabilities of these values were fitted to all of them."
)
# The logarithm of a probability of 0 is not finite.
MIN_PROBABILITY = 1e-15


def reliability_parts(
    of_classes: NDArray | None, true: NDArray[np.intp] | None, classes: NDArray, role: str
) -> list[str]:
    """Return how often samples belong to a class, next to how probable that was said to be.

    Nothing is said where there are no probabilities, or no labels.

    Parameters
    ----------
    of_classes : ndarray of shape (n_samples, n_classes)
        Probabilities.
    true : ndarray of shape (n_samples,)
        Places of the true classes; -1 where the model does not know them.
    classes : ndarray of shape (n_classes,)
        The classes of the model.
    role : str
        What the samples are to the model, in a sentence.
    """
    if of_classes is None or true is None:
        return []
    known = true >= 0
    of_classes, true = of_classes[known], true[known]
    if not len(true):
        return []
    said, came, words = _events(of_classes, true, classes)
    own = np.maximum(of_classes[np.arange(len(true)), true], MIN_PROBABILITY)
    log_loss = -float(np.mean(np.log(own)))
    wrong = of_classes.copy()
    wrong[np.arange(len(true)), true] -= 1.0
    # As scikit-learn's: of two classes, the error of one counts.
    brier = float(np.mean(np.sum(wrong**2, axis=1))) / (2.0 if wrong.shape[1] == 2 else 1.0)
    rows = [
        (f"{low:.1f} to {high:.1f}", n, f"{mean:.3f}", f"{share:.3f}")
        for low, high, n, mean, share in _bins(said, came)
    ]
    caption = f"How often {words}, by its probability; dots on the dashed line are right."
    return [
        heading("Probabilities"),
        paragraph(role),
        paragraph(f"Log loss {log_loss:.4f}, Brier score {brier:.4f}; smaller is better."),
        html_table(("probability", "samples", "mean", "came true"), rows, numbers=(1, 2, 3)),
        html_picture(rendered(_draw(said, came, words), "png"), caption),
    ]


def _events(
    of_classes: NDArray, true: NDArray, classes: NDArray
) -> tuple[NDArray, NDArray[np.bool_], str]:
    """Return probabilities of an event per sample, whether it came true, and what it is."""
    if of_classes.shape[1] == 2:
        return of_classes[:, 1], true == 1, f"the class is {short_text(classes[1])}"
    most_probable = of_classes.argmax(axis=1)
    return of_classes.max(axis=1), true == most_probable, "the most probable class is the true one"


def _bins(said: NDArray, came: NDArray) -> list[tuple[float, float, int, float, float]]:
    """Return edges, number, mean probability and share of events of each bin that has samples."""
    edges = np.linspace(0.0, 1.0, N_PROBABILITY_BINS + 1)
    place = np.minimum((said * N_PROBABILITY_BINS).astype(np.intp), N_PROBABILITY_BINS - 1)
    return [
        (
            float(edges[k]),
            float(edges[k + 1]),
            int(np.sum(place == k)),
            float(said[place == k].mean()),
            float(came[place == k].mean()),
        )
        for k in range(N_PROBABILITY_BINS)
        if (place == k).any()
    ]


def _draw(said: NDArray, came: NDArray, words: str) -> Any:
    """Draw shares of events over probabilities, and how many samples there are."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 5.2), layout="constrained")
    axes: Any = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    above, below = axes
    bins = _bins(said, came)
    above.plot([0, 1], [0, 1], color=NEUTRAL, linestyle="--", label="as said")
    above.plot([b[3] for b in bins], [b[4] for b in bins], "o-", color=NEGATIVE, label="came true")
    above.set_ylabel(plain(f"share where {words}"))
    above.set_ylim(-0.03, 1.03)
    above.legend(loc="upper left", frameon=False)
    below.hist(said, bins=np.linspace(0.0, 1.0, N_PROBABILITY_BINS + 1), color=NEGATIVE, alpha=0.6)
    below.set_ylabel("samples")
    below.set_xlabel("probability")
    return figure
