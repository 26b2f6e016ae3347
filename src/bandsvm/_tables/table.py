"""A table: samples, labels and what was decided about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._system.advice import Naming, python_name
from bandsvm._system.text import short_text
from bandsvm._tables.expected import Notes
from bandsvm._tables.options import ReadOptions
from bandsvm._tables.remarks import Remark

# What samples are called that have no ids.
NUMBERED = "sample"
# What the description of a table shows.
MAX_CLASSES = 5


@dataclass(frozen=True)
class Table:
    """Samples and, where the file has them, labels."""

    source: str  # the file's name
    # An array, CSR matrix or, where some features are text, data frame; missing numbers are nan.
    X: Any
    y: Any  # the labels, an array; None: the file has none
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
            return " ".join([f"{text}, without labels.", *decided])
        labels, counts = np.unique(self.y, return_counts=True)
        few = zip(labels[:MAX_CLASSES].tolist(), counts, strict=False)
        parts = [f"{short_text(label)}: {n}" for label, n in few]
        more = ["..."] if len(labels) > MAX_CLASSES else []
        text = f"{text}; {len(labels)} classes ({', '.join(parts + more)})."
        return " ".join([text, *decided])
