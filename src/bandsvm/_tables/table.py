"""A table: samples, labels and what was decided about them; what a model expects of one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._system.advice import Naming, python_name
from bandsvm._system.text import short_text
from bandsvm._tables.options import CLASSIFY, REGRESS, ReadOptions
from bandsvm._tables.remarks import Remark

# What samples are called that have no ids.
NUMBERED = "sample"
# What the description of a table shows.
MAX_CLASSES = 5
# What a model file is believed: so many names, of so many characters.
MAX_NAMES, MAX_NAME_LENGTH = 100, 1000


@dataclass(frozen=True)
class Notes:
    """What a model file remembers of its training data, beside the model."""

    target: str | None = None  # the column of targets
    ids: tuple[str, ...] = ()  # columns that predictions repeat
    is_zero_based: bool = False  # whether features in svmlight files count from 0

    def as_json(self) -> dict[str, Any]:
        """Return the notes as a model file holds them."""
        held = {
            "target": self.target,
            "ids": list(self.ids),
            "zero_based": self.is_zero_based,
        }
        return {name: value for name, value in held.items() if value}

    @classmethod
    def from_json(cls, held: Any) -> Notes:
        """Return the notes of a model file; what is not a note is ignored."""
        held = held if isinstance(held, dict) else {}
        target, ids = held.get("target"), held.get("ids")
        names = ids[:MAX_NAMES] if isinstance(ids, list) else []
        return cls(
            target if _is_name(target) else None,
            tuple(name for name in names if _is_name(name)),
            held.get("zero_based") is True,
        )


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= MAX_NAME_LENGTH


@dataclass(frozen=True)
class Table:
    """Samples and, where the file has them, targets."""

    source: str  # the file's name
    # An array, CSR matrix or, where some features are text, data frame; missing numbers are nan.
    X: Any
    y: Any  # the targets, an array; None: the file has none
    names: list[str] | None = None  # names of the features
    texts: tuple[str, ...] = ()  # features that are text
    ids: dict[str, NDArray] = field(default_factory=dict)  # columns that predictions repeat
    decisions: tuple[Remark, ...] = ()  # what was decided about the file
    warnings: tuple[Remark, ...] = ()  # what may be a mistake
    notes: Notes = field(default_factory=Notes)  # what the model's file is to remember
    # Columns that cannot help a model, each with the reason.
    left_out: dict[str, str] = field(default_factory=dict)
    groups: NDArray | None = None  # groups of samples that a search keeps together
    is_on_disk: bool = False  # whether X is in temporary files
    # The samples of the file that are here, if some were skipped.
    kept: NDArray[np.intp] | None = None
    n_skipped: int = 0  # how many were skipped
    task: str = CLASSIFY  # what targets are: labels of classes, or numbers

    def numbers(self) -> NDArray[np.intp]:
        """Return the number of every sample in the file, from 1."""
        return (np.arange(self.X.shape[0]) if self.kept is None else self.kept) + 1

    def sample_names(self) -> tuple[str, NDArray]:
        """Return what the names of samples are, and these: the first ids, or else numbers."""
        return next(iter(self.ids.items())) if self.ids else (NUMBERED, self.numbers())

    def skipped(self, options: ReadOptions) -> dict[str, int]:
        """Return for machines how many samples were skipped, if that was asked for."""
        return {"n_skipped": self.n_skipped} if options.skip_unlabelled else {}

    def describe(self, name: Naming = python_name) -> str:
        """Return what was read, in a line; a surface names options as it calls them."""
        decided = [decision.render(name) for decision in self.decisions]
        n_samples, n_features = self.X.shape
        kind = "sparse " if sp.issparse(self.X) else ""
        text = f"Read {n_samples} samples with {n_features} {kind}features from {self.source}"
        if self.y is None:
            return " ".join([f"{text}, without {WORDS[self.task]}s.", *decided])
        return " ".join([f"{text}; {_ABOUT[self.task](self.y)}.", *decided])


# What one of the targets is called.
WORDS = {CLASSIFY: "label", REGRESS: "target"}


def _about_classes(y: NDArray) -> str:
    """Return how many classes there are, and how many samples the first have."""
    labels, counts = np.unique(y, return_counts=True)
    few = zip(labels[:MAX_CLASSES].tolist(), counts, strict=False)
    parts = [f"{short_text(label)}: {n}" for label, n in few]
    more = ["..."] if len(labels) > MAX_CLASSES else []
    return f"{len(labels)} classes ({', '.join(parts + more)})"


def _about_numbers(y: NDArray) -> str:
    """Return the range of targets, and their median."""
    return f"targets from {y.min():.6g} to {y.max():.6g}, median {np.median(y):.6g}"


_ABOUT = {CLASSIFY: _about_classes, REGRESS: _about_numbers}


@dataclass(frozen=True)
class Expected:
    """What a model expects of a table."""

    n_features: int  # features that it takes
    names: list[str] | None  # their names, in its order
    texts: frozenset[str]  # those of them that hold text
    takes_missing: bool  # whether it fills in missing numbers
    takes_frames: bool  # whether it takes columns by name, as in a data frame of pandas
    classes: list[str]  # its classes, as text; none if it predicts numbers
    notes: Notes = field(default_factory=Notes)  # what its file remembers

    @property
    def task(self) -> str:
        """What its targets are."""
        return CLASSIFY if self.classes else REGRESS
