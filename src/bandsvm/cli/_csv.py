"""CSV files, with or without a header."""

from __future__ import annotations

import csv
import io

import numpy as np
from numpy.typing import NDArray

from bandsvm.cli._bytes import DataFileError

DELIMITERS = ",;\t"


class Text:
    """A CSV file: its names and its columns, all lines as long as the first.

    Parameters
    ----------
    content : bytes
        The file, in UTF-8.
    source : str
        Its name.
    has_header : bool or None
        Whether it begins with names; None: if its first line holds no number.
    """

    def __init__(self, content: bytes, source: str, has_header: bool | None) -> None:
        self._source = source
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content[: error.start].count(b"\n") + 1
            raise DataFileError(f"{source}, line {line}: this is not text in UTF-8.") from None
        if "\0" in text:
            raise DataFileError(f"{source} is not a CSV file: it holds bytes that are zero.")
        first = next((line for line in text.splitlines() if line.strip()), None)
        if first is None:
            raise DataFileError(f"{source} is empty.")
        self._delimiter = max(DELIMITERS, key=first.count)
        try:
            self._cells = self._read(text)
        except csv.Error as error:
            raise DataFileError(f"{source} is not a CSV file: {error}.") from None
        top = self._cells[0][1]
        self.n_columns = len(top)
        if has_header is None:
            has_header = not any(_is_number(cell) for cell in top)
        self.names = [cell.strip() for cell in top] if has_header else None
        if self.names is not None:
            del self._cells[0]
            if len(set(self.names)) < len(self.names):
                raise DataFileError(f"{source}, line 1: two columns have the same name.")

    def _read(self, text: str) -> list[tuple[int, list[str]]]:
        """Return the cells of every line that is not blank, with its number."""
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=self._delimiter)
        lines = [
            (reader.line_num, cells) for cells in reader if any(cell.strip() for cell in cells)
        ]
        for number, cells in lines:
            if len(cells) != len(lines[0][1]):
                raise DataFileError(
                    f"{self._source}, line {number}: {len(cells)} cells, where the first line has "
                    f"{len(lines[0][1])}."
                )
        return lines

    def numbers(self, columns: list[int]) -> NDArray[np.float64]:
        """Return columns as numbers."""
        try:
            rows = [[float(cells[k]) for k in columns] for _, cells in self._cells]
        except ValueError:
            raise self._first_bad_cell(columns) from None
        return np.array(rows, dtype=np.float64).reshape(len(self._cells), len(columns))

    def strings(self, column: int) -> NDArray[np.str_]:
        """Return a column as text."""
        labels = [cells[column].strip() for _, cells in self._cells]
        if "" in labels:
            number = self._cells[labels.index("")][0]
            raise DataFileError(f"{self._source}, line {number}: the label is missing.")
        return np.array(labels, dtype=str)

    def _first_bad_cell(self, columns: list[int]) -> DataFileError:
        """Return the error that the first cell that is no number deserves."""
        number, column, cell = next(
            (number, k, cells[k])
            for number, cells in self._cells
            for k in columns
            if not _is_number(cells[k])
        )
        name = repr(self.names[column]) if self.names else str(column + 1)
        wrong = f"{cell!r} is not a number" if cell.strip() else "a value is missing"
        return DataFileError(f"{self._source}, line {number}, column {name}: {wrong}.")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
