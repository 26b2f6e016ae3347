"""Columns of text, stored as codes of their levels, and labels made from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

# A column of one of these names holds the labels, unless --target says otherwise.
TARGET_NAMES = ("target", "label", "class", "y")
# More different values than these are neither categories nor classes: names, ids, free text.
MAX_LEVELS = 10_000


class Kind(Enum):
    """What a column holds."""

    NUMBER = "numbers"
    TEXT = "text"
    DATE = "dates"
    OTHER = "values of another kind"


@dataclass(frozen=True)
class CodedColumn:
    """A column as codes: the value of sample i is ``levels[codes[i]]``.

    Parameters
    ----------
    codes : ndarray of shape (n_samples,)
        A level per sample.
    levels : ndarray or None
        The different values, of text or of numbers; None: more than `MAX_LEVELS`. A missing text
        is the level "".
    """

    codes: NDArray[np.int32]
    levels: NDArray | None

    def values(self) -> NDArray:
        """Return the value of every sample."""
        assert self.levels is not None
        return self.levels[self.codes]

    def rows(self, kept: NDArray[np.intp]) -> CodedColumn:
        """Return the column of some samples, without levels that none of them has."""
        if self.levels is None:
            return self
        used, codes = np.unique(self.codes[kept], return_inverse=True)
        return CodedColumn(codes.astype(np.int32), self.levels[used])

    def counts(self) -> NDArray[np.int64]:
        """Return how many samples have each level."""
        assert self.levels is not None
        return np.bincount(self.codes, minlength=len(self.levels))


class ColumnBuilder:
    """Codes the cells of a text column as they come.

    Parameters
    ----------
    n_samples : int
        At least as many as there will be.
    most_levels : int or None
        Beyond so many levels they are forgotten; None: never.
    keeps_blanks : bool
        Whether white space around a cell is part of it.
    """

    def __init__(self, n_samples: int, most_levels: int | None, keeps_blanks: bool) -> None:
        self._codes = np.empty(n_samples, np.int32)
        self._levels: dict[str, int] = {}
        self._most_levels = n_samples if most_levels is None else most_levels
        self._n_added = 0
        self._is_full, self._keeps_blanks = False, keeps_blanks

    def add(self, cells: Iterable[str]) -> None:
        """Add some cells."""
        if self._is_full:
            return
        known = self._levels
        values = cells if self._keeps_blanks else map(str.strip, cells)
        codes = [known.setdefault(value, len(known)) for value in values]
        self._codes[self._n_added : self._n_added + len(codes)] = codes
        self._n_added += len(codes)
        if len(known) > self._most_levels:
            self._is_full, self._levels = True, {}

    def column(self) -> CodedColumn:
        """Return the column."""
        levels = None if self._is_full else np.array(list(self._levels), dtype=object)
        return CodedColumn(self._codes[: self._n_added], levels)


def twice(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once."""
    return [name for name, n in Counter(names).items() if n > 1]


class MixedLevelsError(Exception):
    """Blocks of a column, of which some hold numbers and others text."""


class ColumnOfBlocks:
    """Adds up a column whose blocks have codes of their own.

    Parameters
    ----------
    most_levels : int or None
        Beyond so many levels they are forgotten; None: never.
    """

    def __init__(self, most_levels: int | None) -> None:
        self._most_levels = most_levels
        self._codes: list[NDArray[np.int32]] = []
        self._levels: dict[Any, int] = {}
        self._kind: str | None = None
        self._is_full = False

    def add(self, block: CodedColumn) -> None:
        """Add a block."""
        self._is_full |= block.levels is None
        if self._is_full or block.levels is None or not len(block.codes):
            return
        if self._kind not in (None, block.levels.dtype.kind):
            raise MixedLevelsError
        self._kind, known = block.levels.dtype.kind, self._levels
        new = np.array([known.setdefault(level, len(known)) for level in block.levels.tolist()])
        self._codes.append(new.astype(np.int32)[block.codes])
        self._is_full = self._most_levels is not None and len(known) > self._most_levels

    def column(self) -> CodedColumn:
        """Return the column."""
        if self._is_full:
            return CodedColumn(np.empty(0, np.int32), None)
        levels = np.array(list(self._levels), dtype=self._kind or "O")
        return CodedColumn(np.concatenate([np.empty(0, np.int32), *self._codes]), levels)


def coded_numbers(values: NDArray[np.float64], most_levels: int | None) -> CodedColumn:
    """Return numbers as codes; see `ColumnBuilder`."""
    levels, codes = np.unique(values, return_inverse=True)
    is_full = most_levels is not None and len(levels) > most_levels
    return CodedColumn(codes.astype(np.int32), None if is_full else levels)
