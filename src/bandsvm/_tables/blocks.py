"""Text files that stay on disk, read in blocks of lines into matrices on disk."""

from __future__ import annotations

from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._tables import svmlight as svmlight_module
from bandsvm._tables.bytes import DataFile
from bandsvm._tables.columns import CodedColumn, ColumnOfBlocks, MixedLevelsError
from bandsvm._tables.csv import Text
from bandsvm._tables.large import LargeFile
from bandsvm._tables.scratch import DiskMatrix, mapped_rows


class TextOnDisk:
    """A CSV file of numbers that stays on disk; see `Text`, which reads its blocks."""

    def __init__(
        self, file: LargeFile, has_header: bool | None, expected: list[str] | None = None
    ) -> None:
        self._file = file
        self._text = Text(file, has_header, expected)
        self.names, self.kinds = self._text.names, self._text.kinds
        self.n_columns, self.notes = self._text.n_columns, self._text.notes
        self.disguises = self._text.disguises

    def read(
        self,
        numbers: list[int],
        coded: dict[int, int | None],
        labels: int | None = None,
    ) -> tuple[NDArray, dict[int, CodedColumn]]:
        """Return columns of numbers as a matrix on disk, and others as codes; see `Text.read`."""
        try:
            return self._read(numbers, coded, labels)
        except MixedLevelsError:
            # Labels that are numbers at first are text after all.
            self._text.may_be_plain = False
            return self._read(numbers, coded, labels)

    def _read(
        self,
        numbers: list[int],
        coded: dict[int, int | None],
        labels: int | None,
    ) -> tuple[NDArray, dict[int, CodedColumn]]:
        X, columns = DiskMatrix(), {k: ColumnOfBlocks(most) for k, most in coded.items()}
        for content, n_before in self._file.blocks():
            if content.count(b'"') % 2:
                raise self._file.needs_memory("has a cell in quotes that goes over several lines")
            block = self._text.of_block(content, n_before)
            rows, texts = block.read(numbers, coded, labels)
            X.append(rows)
            for k, column in texts.items():
                columns[k].add(column)
        return X.finished(), {k: column.column() for k, column in columns.items()}

    def place(self, sample: int) -> str:
        """Return where a sample is in the file."""
        blocks = (self._text.of_block(*block) for block in self._file.blocks())
        lines = chain.from_iterable(block.sample_lines() for block in blocks)
        return f"line {next(islice(lines, sample, None))[0]}"


def read_svmlight(file: LargeFile, n_features: int | None, zero_based: bool) -> tuple[Any, NDArray]:
    """Return samples, dense or CSR, on disk, and labels; see `svmlight_module.read`."""
    X, labels = DiskMatrix(), []
    for content, n_before in file.blocks():
        block = DataFile(file.source, content, len(content))
        rows, y = svmlight_module.parsed(block, zero_based, n_before)
        svmlight_module.check_width(file, rows.shape[1], n_features, zero_based)
        X.append(rows)
        labels.append(y)
    samples = X.finished()
    if n_features is not None:
        samples.resize(samples.shape[0], n_features)
    if svmlight_module.is_dense(samples):
        samples = mapped_rows(samples, lambda rows: rows.toarray())
    return samples, np.concatenate(labels)


def counts_from_zero(file: LargeFile) -> bool:
    """Return whether a line of an svmlight file has a feature 0."""
    return any(svmlight_module.has_zero(content) for content, _ in file.blocks())
