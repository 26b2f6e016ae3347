"""Tables of which a page holds out samples, and models fitted to the rest."""

import csv
import io

import numpy as np

from bandsvm import BandedSVC
from bandsvm._workflow.holdout import Holdout
from bandsvm._workflow.source import Choices, Source
from bandsvm._workflow.work import Work

HOSTILE = "<img src=x onerror=alert(1)>"


def text_table(header, rows):
    stream = io.StringIO()
    csv.writer(stream).writerows([header, *rows])
    return stream.getvalue().encode()


def mixed_table(n_samples=80):
    """A table of numbers, text and missing values, whose labels are markup and formulas."""
    rng = np.random.default_rng(0)
    labels = np.array([HOSTILE, "=1+1"])[np.arange(n_samples) % 2]
    rows = [
        [f"{rng.normal() + (k % 2):.4f}" if k % 9 else "", ["red", "+blue"][k % 3 == 0], label]
        for k, label in enumerate(labels)
    ]
    return text_table(["size", "=colour", "kind"], rows)


def holdout_of(name, content, choices=None, scale="standard"):
    return Holdout(Source.of_bytes(name, content).table(choices or Choices()), scale)


def fitted(holdout, **parameters):
    """Return a holdout, and a model that was fitted to its training samples."""
    classifier = BandedSVC(**parameters)
    holdout.fit(classifier, Work())
    return holdout, holdout.model(classifier)


class StopsAfter(Work):
    """Wants to stop after so many looks."""

    def __init__(self, n_looks):
        super().__init__()
        self.n_left = n_looks

    def reason(self):
        self.n_left -= 1
        if self.n_left == 0:
            self.stop()
        return super().reason()
