"""CSV files, with or without a header, read line by line into arrays."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bandsvm.cli._bytes import ALWAYS_FINE, DataFile, DataFileError
from bandsvm.system.text import shown

DELIMITERS = ",;\t"
# A line of cells takes many times its length while it is taken apart.
MOST_COLUMNS = 2**20
# Labels of all samples take as much as the longest; this many times the file at most.
LABELS_PER_BYTE = 16
LABELS_AT_ONCE = 2**14
BYTES_PER_CHARACTER = 4


class Text:
    """A CSV file: its names and its columns, all lines as long as the first.

    Parameters
    ----------
    file : DataFile
        The file, in UTF-8.
    has_header : bool or None
        Whether it begins with names; None: if its first line holds no number.
    """

    def __init__(self, file: DataFile, has_header: bool | None) -> None:
        self._content, self._source = file.content, file.source
        if b"\0" in self._content:
            raise DataFileError(f"{self._source} is not a CSV file: it holds bytes that are zero.")
        first = next((line for line in io.BytesIO(self._content) if line.strip()), None)
        if first is None:
            raise DataFileError(f"{self._source} is empty.")
        self._delimiter = max(DELIMITERS, key=lambda char: first.count(char.encode()))
        if first.count(self._delimiter.encode()) >= MOST_COLUMNS:
            raise DataFileError(
                f"{self._source} has more columns than {MOST_COLUMNS}, the most that a CSV file "
                "may have; write it as svmlight, Parquet or NPZ."
            )
        self.n_columns = 0  # not known yet
        _, top = next(self._lines())
        self.n_columns = len(top)
        self._has_header = (
            not any(_is_number(cell) for cell in top) if has_header is None else has_header
        )
        self.names: list[str] | None = None
        if self._has_header:
            self.names = [cell.strip() for cell in top]
            if len(set(self.names)) < len(self.names):
                raise DataFileError(f"{self._source}, line 1: two columns have the same name.")

    def read(
        self, features: list[int], target: int | None
    ) -> tuple[NDArray[np.float64], NDArray[np.str_] | None]:
        """Return some columns as numbers and one, unless it is None, as text."""
        X = np.empty((self._most_lines(), len(features)))
        labels = _Labels(LABELS_PER_BYTE * len(self._content))
        n_lines, lines = 0, self._lines()
        if self._has_header:
            next(lines)
        for number, cells in lines:
            try:
                X[n_lines] = [float(cells[k]) for k in features]
            except ValueError:
                raise self._bad_cell(number, cells, features) from None
            if target is not None:
                try:
                    labels.add(cells[target].strip())
                except ValueError as error:
                    raise DataFileError(f"{self._source}, line {number}: {error}.") from None
            n_lines += 1
        return X[:n_lines], None if target is None else labels.all()

    def _lines(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the number and the cells of every line that is not blank."""
        stream = io.TextIOWrapper(io.BytesIO(self._content), encoding="utf-8-sig", newline="")
        reader = csv.reader(stream, delimiter=self._delimiter)
        try:
            for cells in reader:
                if not any(cell.strip() for cell in cells):
                    continue
                if self.n_columns and len(cells) != self.n_columns:
                    raise DataFileError(
                        f"{self._source}, line {reader.line_num}: {len(cells)} cells, where the "
                        f"first line has {self.n_columns}."
                    )
                yield reader.line_num, cells
        except UnicodeDecodeError:
            raise self._first_line_that_is_no_text() from None
        except csv.Error as error:
            raise DataFileError(f"{self._source} is not a CSV file: {error}.") from None

    def _most_lines(self) -> int:
        """Return a number that the lines of cells do not exceed, nor the bytes of the file."""
        count = self._content.count
        n_ends = count(b"\n") + count(b"\r") - count(b"\r\n")
        n_cells = count(self._delimiter.encode()) + n_ends + 1
        return n_cells // self.n_columns

    def _first_line_that_is_no_text(self) -> DataFileError:
        lines = enumerate(io.BytesIO(self._content), start=1)
        number = next(number for number, line in lines if not _is_utf8(line))
        return DataFileError(f"{self._source}, line {number}: this is not text in UTF-8.")

    def _bad_cell(self, number: int, cells: list[str], columns: list[int]) -> DataFileError:
        """Return the error that the first cell of a line that is no number deserves."""
        column = next(k for k in columns if not _is_number(cells[k]))
        name = repr(self.names[column]) if self.names else str(column + 1)
        cell = cells[column]
        wrong = f"{shown(repr(cell))} is not a number" if cell.strip() else "a value is missing"
        return DataFileError(f"{self._source}, line {number}, column {shown(name)}: {wrong}.")


class _Labels:
    """Labels as arrays of text, some thousands at a time."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = max(ALWAYS_FINE, most_bytes)
        self._count = self._longest = 0
        self._arrays: list[NDArray[np.str_]] = []
        self._new: list[str] = []

    def add(self, label: str) -> None:
        """Add a label; raise if it is missing or so long that all of them take too much."""
        if not label:
            raise ValueError("the label is missing")
        self._count += 1
        self._longest = max(self._longest, len(label))
        if BYTES_PER_CHARACTER * self._count * self._longest > self._most_bytes:
            raise ValueError(
                f"labels of up to {self._longest} characters take too much memory; shorten them, "
                "or name the column of labels with --target"
            )
        self._new.append(label)
        if len(self._new) == LABELS_AT_ONCE:
            self._store()

    def all(self) -> NDArray[np.str_]:
        """Return all labels."""
        self._store()
        return np.concatenate(self._arrays)

    def _store(self) -> None:
        self._arrays.append(np.array(self._new, dtype=str))
        self._new = []


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
