"""Predictions of a model, and how they compare with known labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from bandsvm._decisions.probabilities import probabilities
from bandsvm._decisions.values import Decisions, decisions_of
from bandsvm._system.text import printable, short_text
from bandsvm._tables.labels import class_places
from bandsvm._workflow.pipeline import Classifier, names_are_known

# What is printed: classes in the table of scores and in the matrix, mistakes where it is too wide.
MAX_CLASSES, MAX_MATRIX_WIDTH, MAX_MISTAKES = 30, 8, 10
CELL_WIDTH = 18
# Samples that a table of a report lists, and bins of its histograms.
MAX_SAMPLES, HISTOGRAM_BINS = 20, 60
# Points that a picture shows; more would hide each other.
MAX_POINTS_DRAWN, SEED_OF_POINTS = 3000, 0
# Values that differ by less than this share of their size cannot be told apart in a picture.
MIN_RANGE = 1e-9


@dataclass(frozen=True)
class Predictions:
    """Samples and what a model says of them; their decision values are computed once."""

    classifier: Classifier  # the model, without the steps before it
    X: Any  # the samples as the classifier takes them
    y: NDArray | None  # their labels, where they are known
    # What is known of them already, such as decision values by models that have not seen them.
    known: Decisions | None = None

    @cached_property
    def _decisions(self) -> Decisions:
        if self.known is not None:
            return self.known
        with names_are_known():
            return decisions_of(self.classifier, self.X)

    @property
    def values(self) -> NDArray:
        """Decision values, one column per class or a vector for two classes."""
        return self._decisions.by_class

    def of_class(self, k: int) -> NDArray:
        """Return decision values of a class: the least of its pairs if there are pairs."""
        return self._decisions.of_class(k)

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Probabilities of classes, one column each, by a model that has them."""
        return probabilities(self.classifier.sigmoids_, self.values)

    @property
    def predicted_codes(self) -> NDArray[np.intp]:
        """Places of the predicted classes."""
        return self._decisions.predicted

    @cached_property
    def own_values(self) -> NDArray:
        """Decision values of the predicted classes: the least of its pairs if there are pairs."""
        return self._decisions.own

    @property
    def decision(self) -> NDArray:
        """One decision value per sample, to be shown: g(x) or, of several classes, `own_values`.

        That of two classes has a sign: above 0 it speaks for the second class.
        """
        return self.values if len(self.classifier.classes_) == 2 else self.own_values

    @property
    def margin(self) -> NDArray:
        """How far predicted classes are ahead of others."""
        return self._decisions.margin

    @cached_property
    def true_codes(self) -> NDArray[np.intp] | None:
        """Places of the true classes, -1 where the model does not know them."""
        return None if self.y is None else class_places(self.y, self.classifier.classes_)

    @property
    def codes(self) -> NDArray[np.intp]:
        """Places of the true classes or, without labels, of the predicted ones."""
        return self.predicted_codes if self.true_codes is None else self.true_codes

    @cached_property
    def position(self) -> NDArray[np.str_]:
        """Where samples lie: 'below', 'inside' or 'above' the band of the predicted class."""
        return self._decisions.positions

    @property
    def predicted(self) -> NDArray:
        """Predicted labels."""
        return self.classifier.classes_[self.predicted_codes]

    @cached_property
    def quality(self) -> Quality | None:
        """Predictions against labels, where there are labels."""
        if self.y is None:
            return None
        return quality_of(self.y, self.predicted, self.classifier.classes_)


@dataclass(frozen=True)
class Quality:
    """What came of predictions whose true labels are known."""

    names: list[str]  # the classes of the model, then the labels that only the data have
    # Numbers of samples by true class (rows) and predicted class (columns).
    confusion: NDArray[np.intp]
    precision: NDArray[np.float64]  # scores per class; NaN where they are not defined
    recall: NDArray[np.float64]
    f1: NDArray[np.float64]

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.confusion.sum())

    @property
    def n_right(self) -> int:
        """Number of right predictions."""
        return int(np.trace(self.confusion))

    @property
    def accuracy(self) -> float:
        """Share of right predictions."""
        return self.n_right / self.n_samples

    def _per_class(self) -> Iterator[tuple[str, float, float, float, int]]:
        """Return name, precision, recall, f1 and number of samples per class."""
        columns = (self.precision, self.recall, self.f1, self.confusion.sum(axis=1))
        return zip(self.names, *(column.tolist() for column in columns), strict=True)

    def rows(self) -> list[list[str]]:
        """Return name, precision, recall, f1 and number of samples per class, as text."""
        return [
            [short_text(name), *map(score_text, scores), str(n)]
            for name, *scores, n in self._per_class()
        ]

    def mistakes(self) -> list[tuple[str, str, int]]:
        """Return the most frequent mistakes: true class, predicted class, number of samples."""
        wrong = self.confusion.copy()
        np.fill_diagonal(wrong, 0)
        places = np.argsort(-wrong, axis=None, kind="stable")[:MAX_MISTAKES]
        pairs = zip(*np.unravel_index(places, wrong.shape), strict=True)
        return [(self.names[i], self.names[j], int(wrong[i, j])) for i, j in pairs if wrong[i, j]]

    def describe(self) -> str:
        """Return accuracy, scores per class and the confusion matrix as text."""
        lines = [f"Accuracy {self.accuracy:.4f} ({self.n_right} of {self.n_samples})."]
        head = ["class", "precision", "recall", "f1", "samples"]
        rows = self.rows()
        lines += aligned([head, *rows[:MAX_CLASSES]])
        if len(rows) > MAX_CLASSES:
            lines.append(f"  ... and {len(rows) - MAX_CLASSES} more classes")
        if len(self.names) <= MAX_MATRIX_WIDTH:
            lines.append("Confusion matrix (rows: true class, columns: predicted class):")
            cells = [
                [name, *map(str, row)]
                for name, row in zip(self.names, self.confusion.tolist(), strict=True)
            ]
            lines += aligned([["", *self.names], *cells])
        elif self.mistakes():
            lines.append("Most frequent mistakes (true class, predicted class, samples):")
            lines += aligned([[a, b, str(n)] for a, b, n in self.mistakes()])
        return "\n".join(lines)

    def values(self) -> dict[str, Any]:
        """Return the figures for machines."""
        return {
            "accuracy": self.accuracy,
            "per_class": [
                {"class": name, "precision": p, "recall": r, "f1": f, "n_samples": n}
                for name, p, r, f, n in self._per_class()
            ],
            "confusion": self.confusion,
        }


def quality_of(y: NDArray, predicted: NDArray, classes: NDArray) -> Quality:
    """Compare predictions with the labels of a file, which may be of another type."""
    true, given = class_places(y, classes), class_places(predicted, classes)
    others, codes = np.unique(y[true < 0], return_inverse=True)
    true[true < 0] = len(classes) + codes
    names = [str(label) for label in (*classes.tolist(), *others.tolist())]
    numbers = np.arange(len(names))
    scores = precision_recall_fscore_support(true, given, labels=numbers, zero_division=np.nan)
    return Quality(names, confusion_matrix(true, given, labels=numbers), *scores[:3])


def histogram_edges(values: NDArray, n_bins: int) -> NDArray[np.float64]:
    """Return the edges of bins over some values; equal values, up to rounding, get a bin too."""
    low, high = float(values.min()), float(values.max())
    if high - low <= MIN_RANGE * max(abs(low), abs(high), 1.0):
        low, high = low - 0.5, high + 0.5
    return np.linspace(low, high, n_bins + 1)


def drawn_samples(n_samples: int) -> NDArray[np.intp]:
    """Return which samples are drawn: all, or as many as a picture can show, at random."""
    if n_samples <= MAX_POINTS_DRAWN:
        return np.arange(n_samples)
    generator = np.random.default_rng(SEED_OF_POINTS)
    return np.sort(generator.choice(n_samples, MAX_POINTS_DRAWN, replace=False))


def score_text(value: float) -> str:
    """Return a score with four digits, or a dash if it is not known."""
    return "-" if np.isnan(value) else f"{value:.4f}"


def aligned(rows: list[list[str]]) -> list[str]:
    """Return rows as lines of columns: names to the left, numbers to the right."""
    short = [[printable(cell)[:CELL_WIDTH] for cell in row] for row in rows]
    widths = [max(len(row[k]) for row in short) for k in range(len(short[0]))]
    return [
        "  "
        + row[0].ljust(widths[0])
        + "".join("  " + cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        for row in short
    ]
