"""Columns of a file: names and kinds of all, and text as codes of its levels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._system.text import short_text

# A column of one of these names holds the labels, unless the option `target` says otherwise.
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
    """A column as codes: the value of sample i is ``levels[codes[i]]``."""

    codes: NDArray[np.int32]  # a level per sample
    # The different values, of text or of numbers; None: more than `MAX_LEVELS`. A missing text is
    # the level "".
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


@dataclass
class Columns:
    """The columns of a file, before any of them is read."""

    source: str  # the file
    names: list[str] | None  # None: the file has none
    n_columns: int
    kinds: list[Kind]
    # What was decided about the file, in sentences.
    notes: list[str] = field(default_factory=list)
    # An example of each column whose numbers are written as texts.
    styled_examples: dict[int, str] = field(default_factory=dict)

    def name(self, k: int) -> str:
        """Return the name of a column; without names its number."""
        return self.names[k] if self.names else f"column {k + 1}"

    def quoted_name(self, k: int) -> str:
        """Return the name of a column for a sentence."""
        return short_text(repr(self.name(k))) if self.names else self.name(k)

    def read(
        self, numbers: list[int], coded: dict[int, int | None], labels: int | None = None
    ) -> tuple[NDArray, dict[int, CodedColumn]]:
        """Return columns of numbers as a matrix, on disk if the file is large, and others as codes.

        Missing numbers become nan. Coded columns, of which one may hold labels, come each with the
        number of levels beyond which they are of no interest; a missing text is "".
        """
        raise NotImplementedError

    def place(self, sample: int) -> str:
        """Return where a sample is in the file."""
        raise NotImplementedError


class MixedLevelsError(Exception):
    """Blocks of a column, of which some hold numbers and others text."""


class ColumnBuilder:
    """Codes a column as its cells come, or its blocks; too many levels are forgotten."""

    def __init__(self, max_levels: int | None) -> None:
        self._max_levels = max_levels
        self._codes = [np.empty(0, np.int32)]
        self._levels: dict[Any, int] = {}
        self._kind: str | None = None
        self._is_full = False

    def add_cells(self, cells: Iterable[str]) -> None:
        """Add some cells of text."""
        if not self._is_full:
            known = self._levels
            self._add([known.setdefault(cell, len(known)) for cell in cells])

    def add_codes(self, codes: NDArray[np.integer], levels: Iterable[Any]) -> None:
        """Add a block that has codes of its own."""
        if not self._is_full:
            known = self._levels
            places = [known.setdefault(level, len(known)) for level in levels]
            self._add(np.array(places, np.int32)[codes])

    def add_block(self, block: CodedColumn) -> None:
        """Add a block, which must hold numbers or text as those before it do."""
        if block.levels is None:
            self._forget()
        elif len(block.codes):
            if self._kind not in (None, block.levels.dtype.kind):
                raise MixedLevelsError
            self._kind = block.levels.dtype.kind
            self.add_codes(block.codes, block.levels.tolist())

    def column(self) -> CodedColumn:
        """Return the column."""
        levels = None if self._is_full else _as_array(list(self._levels))
        return CodedColumn(np.concatenate(self._codes), levels)

    def _add(self, codes: Any) -> None:
        self._codes.append(np.asarray(codes, np.int32))
        if self._max_levels is not None and len(self._levels) > self._max_levels:
            self._forget()

    def _forget(self) -> None:
        self._is_full, self._levels, self._codes = True, {}, self._codes[:1]


def _as_array(levels: list[Any]) -> NDArray:
    """Return levels as an array: decimals as floats, what is not a number as text."""
    if all(isinstance(level, Decimal) for level in levels):
        return np.array(levels, np.float64)
    if all(isinstance(level, (bool, int, float)) for level in levels):
        return np.array(levels)
    return np.array([str(level) for level in levels], dtype=object)


def twice(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once."""
    return [name for name, n in Counter(names).items() if n > 1]


def coded_numbers(values: NDArray[np.float64], max_levels: int | None) -> CodedColumn:
    """Return numbers, none of them nan, as codes; see `ColumnBuilder`."""
    levels = np.unique(values)
    is_full = max_levels is not None and len(levels) > max_levels
    # Inverse indices of `np.unique` take five times the memory of the values.
    codes = np.searchsorted(levels, values).astype(np.int32)
    return CodedColumn(codes, None if is_full else levels)
