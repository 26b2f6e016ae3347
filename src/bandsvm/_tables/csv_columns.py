"""CSV files, read in blocks of lines: numbers into a matrix, text into codes."""

from __future__ import annotations

import contextlib
import copy
import warnings
from collections.abc import Iterator
from itertools import chain, islice
from operator import eq

import numpy as np
from numpy.typing import NDArray

from bandsvm._system.text import short_list, short_text
from bandsvm._tables.cells import (
    CELLS_OF_HEAD,
    LINES_OF_HEAD,
    NumberStyle,
    converts,
    has_decimal_commas,
    has_names,
    is_number,
    kind_and_style,
    kind_of,
    not_a_number,
    number,
    number_with_comma,
)
from bandsvm._tables.columns import (
    CodedColumn,
    ColumnBuilder,
    Columns,
    Kind,
    MixedLevelsError,
    coded_numbers,
    twice,
)
from bandsvm._tables.csv_lines import SPACE, Lines
from bandsvm._tables.data_file import DataFile
from bandsvm._tables.large import LargeFile
from bandsvm._tables.remarks import DataFileError
from bandsvm._tables.scratch import DiskMatrix

# Cells that are converted together.
CELLS_AT_ONCE = 2**15


class CsvColumns(Columns):
    """The columns of a CSV file.

    Parameters
    ----------
    file : DataFile
        The file, in UTF-8.
    has_header : bool or None
        Whether it begins with names; None: judged by the columns below the first line.
    expected : list of str or None
        Names that a model knows: a first line that has them all holds names.
    """

    def __init__(
        self, file: DataFile, has_header: bool | None, expected: list[str] | None = None
    ) -> None:
        self._file, self._lines = file, Lines(file)
        n_columns = self._lines.n_columns
        n_lines = min(LINES_OF_HEAD, CELLS_OF_HEAD // n_columns)
        line, top = next(iter(self._lines))
        below = [cells for _, cells in islice(self._lines, 1, 1 + max(1, n_lines))]
        if has_header is None:
            is_expected = expected is not None and set(map(str.strip, top)).issuperset(expected)
            has_header = is_expected or has_names(top, below)
        self._n_names = int(has_header)
        self._n_skipped = line if has_header else 0
        names = None
        if has_header:
            # Columns without a name get one as pandas gives it.
            names = [cell.strip() or f"Unnamed: {k}" for k, cell in enumerate(top)]
        if twins := twice(names or []):
            raise DataFileError(
                f"{file.source}, line 1: two columns have the same name: {short_list(twins)}."
            )
        lines = below if has_header else [top, *below]
        has_commas = self._lines.delimiter != "," and has_decimal_commas(zip(*lines, strict=True))
        # The first is faster, the last knows all that may stand in a cell.
        self._converters = (number_with_comma,) if has_commas else (float, number)
        if has_commas:
            lines = [[cell.replace(",", ".") for cell in cells] for cells in lines]
        is_all_numbers = all(is_number(cell) for cells in lines for cell in cells)
        self._may_be_plain = is_all_numbers and not has_commas and self._lines.delimiter != SPACE
        # Numbers with decimal commas have no signs of money, per cent or thousands.
        kinds: list[Kind] = []
        self._styles: dict[int, NumberStyle] = {}
        # One column at a time: tuples of a few cells take many times the bytes of these.
        for k, cells in enumerate(zip(*lines, strict=True)):
            kind, style = (kind_of(cells), None) if has_commas else kind_and_style(cells)
            kinds.append(kind)
            if style is not None:
                self._styles[k] = style
        kinds = kinds or [Kind.NUMBER] * n_columns
        notes = ["Numbers have decimal commas."] if has_commas else []
        examples = {k: style.example for k, style in self._styles.items()}
        super().__init__(file.source, names, n_columns, kinds, notes, examples)

    def read(
        self, numbers: list[int], coded: dict[int, int | None], labels: int | None = None
    ) -> tuple[NDArray, dict[int, CodedColumn]]:
        """Return numbers and codes."""
        if not isinstance(self._file, LargeFile):
            return self._read_block(numbers, coded, labels)
        try:
            return self._read_on_disk(self._file, numbers, coded, labels)
        except MixedLevelsError:
            # Labels that are numbers at first are text after all.
            self._may_be_plain = False
            return self._read_on_disk(self._file, numbers, coded, labels)

    def _read_on_disk(
        self,
        file: LargeFile,
        numbers: list[int],
        coded: dict[int, int | None],
        labels: int | None,
    ) -> tuple[NDArray, dict[int, CodedColumn]]:
        """Return the columns, block by block."""
        X, columns = DiskMatrix(), {k: ColumnBuilder(most) for k, most in coded.items()}
        for content, n_before in file.blocks():
            if content.count(b'"') % 2:
                raise file.needs_memory("has a cell in quotes that goes over several lines")
            rows, texts = self._of_block(content, n_before)._read_block(numbers, coded, labels)
            X.append(rows)
            for k, column in texts.items():
                columns[k].add_block(column)
        return X.finished(), {k: column.column() for k, column in columns.items()}

    def _of_block(self, content: bytes, n_before: int) -> CsvColumns:
        """Return a part of the same file as `CsvColumns`; so many lines come before it."""
        part = copy.copy(self)
        part._lines = self._lines.of_block(content, n_before)
        if n_before:
            part._n_names, part._n_skipped = 0, 0
        return part

    def _read_block(
        self, numbers: list[int], coded: dict[int, int | None], labels: int | None
    ) -> tuple[NDArray[np.float64], dict[int, CodedColumn]]:
        """Return the columns of a block, or of a file in memory."""
        if self._may_be_plain and coded.keys() <= {labels}:
            plain = self._read_plain()
            if plain is not None and not np.isnan(plain[:, list(coded)]).any():
                X = _columns(plain, numbers)
                return X, {k: coded_numbers(plain[:, k], most) for k, most in coded.items()}
        max_lines = self._lines.max_count()
        X = np.empty((max_lines, len(numbers)))
        builders = {k: ColumnBuilder(most) for k, most in coded.items()}
        # Where in X a column belongs; -1: nowhere.
        wanted, places = np.array(numbers, np.intp), np.full(self.n_columns, -1, np.int32)
        places[wanted] = np.arange(len(wanted))
        rows, keeps_blanks = self._sample_lines(), self._lines.has_quoted_blanks
        start, n_lines = 0, max(1, CELLS_AT_ONCE // self.n_columns)
        while block := list(islice(rows, n_lines)):
            stop = start + len(block)
            for k, column in enumerate(zip(*(cells for _, cells in block), strict=True)):
                if places[k] >= 0:
                    X[start:stop, places[k]] = self._numbers(column, k, block)
                if k in builders:
                    builders[k].add_cells(column if keeps_blanks else map(str.strip, column))
            start = stop
        # A model may name a column twice.
        twins = np.flatnonzero(places[wanted] != np.arange(len(wanted)))
        X[:, twins] = X[:, places[wanted[twins]]]
        return X[:start], {k: builder.column() for k, builder in builders.items()}

    def _sample_lines(self) -> Iterator[tuple[int, list[str]]]:
        """Return number and cells of every line that holds a sample."""
        return islice(self._lines, self._n_names, None)

    def place(self, sample: int) -> str:
        """Return where a sample is in the file."""
        blocks = (self._of_block(*block) for block in self._file.blocks())
        lines = chain.from_iterable(block._sample_lines() for block in blocks)
        return f"line {next(islice(lines, sample, None))[0]}"

    def _read_plain(self) -> NDArray[np.float64] | None:
        """Return all cells, by NumPy, which is several times faster; None if some are no numbers.

        It refuses all that the reader above refuses, and more.
        """
        # With a bound on lines, which most files reach, NumPy (from 2.5) copies nothing at the end.
        # Bad lines count as well: none may be left unread.
        most_lines = self._lines.n_physical() - self._n_skipped
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", "Input line .* contained no data")
            try:
                return np.loadtxt(
                    self._lines.stream(),
                    delimiter=self._lines.delimiter,
                    comments=None,
                    quotechar='"',
                    skiprows=self._n_skipped,
                    max_rows=most_lines,
                    ndmin=2,
                )
            except (ValueError, UserWarning):
                return None

    def _numbers(
        self, cells: tuple[str, ...], column: int, block: list[tuple[int, list[str]]]
    ) -> list[float]:
        """Return the numbers in the cells of a column."""
        style = self._styles.get(column)
        converters = self._converters if style is None else (style.number,)
        for convert in converters:
            with contextlib.suppress(ValueError):
                return list(map(convert, cells))
        bad = [
            (f"line {line}", cell)
            for (line, _), cell in zip(block, cells, strict=True)
            if not converts(converters[-1], cell)
        ]
        name = short_text(repr(self.names[column]) if self.names else column + 1)
        raise not_a_number(self.source, name, bad)


def _columns(matrix: NDArray, numbers: list[int]) -> NDArray:
    """Return columns of a matrix, without a copy if they lie side by side."""
    first, last = min(numbers, default=0), max(numbers, default=-1)
    # A list of the range would take five times as much as a line of the matrix.
    if len(numbers) == last + 1 - first and all(map(eq, numbers, range(first, last + 1))):
        return matrix[:, first : last + 1]
    return matrix[:, numbers]
