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
    """Samples and, where the file has them, labels.

    Parameters
    ----------
    source : str
        The file's name.
    X : ndarray, CSR matrix or DataFrame
        The samples: a data frame where some features are text. Missing numbers are nan.
    y : ndarray or None
        The labels.
    names : list of str or None
        Names of the features.
    texts : tuple of str
        Features that are text.
    ids : dict of {str: ndarray}
        Columns that predictions repeat.
    decisions : tuple of Remark
        What was decided about the file.
    warnings : tuple of Remark
        What may be a mistake.
    notes : Notes
        What the model's file is to remember.
    left_out : dict of {str: str}
        Columns that cannot help a model, each with the reason.
    groups : ndarray or None
        Groups of samples that a search keeps together.
    is_on_disk : bool
        Whether X is in temporary files.
    kept : ndarray of int or None
        The samples of the file that are here, if some were skipped.
    n_skipped : int
        How many were skipped.
    """

    source: str
    X: Any
    y: Any
    names: list[str] | None = None
    texts: tuple[str, ...] = ()
    ids: dict[str, NDArray] = field(default_factory=dict)
    decisions: tuple[Remark, ...] = ()
    warnings: tuple[Remark, ...] = ()
    notes: Notes = field(default_factory=Notes)
    left_out: dict[str, str] = field(default_factory=dict)
    groups: NDArray | None = None
    is_on_disk: bool = False
    kept: NDArray[np.intp] | None = None
    n_skipped: int = 0

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
