"""Parquet files, by pyarrow: sizes are checked before anything is unpacked."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._system.text import short_list, short_text
from bandsvm._tables.cells import (
    CELLS_OF_HEAD,
    LINES_OF_HEAD,
    MAX_NUMBERED_CATEGORIES,
    NumberStyle,
    is_missing,
    kind_and_style,
    not_a_number,
    number,
)
from bandsvm._tables.columns import CodedColumn, ColumnBuilder, Columns, Kind, twice
from bandsvm._tables.data_file import DataFile, reason
from bandsvm._tables.large import LargeFile
from bandsvm._tables.remarks import DataFileError
from bandsvm._tables.scratch import DiskMatrix

# Every value becomes a float64.
BYTES_PER_VALUE = 8
# Columns that are unpacked together, and values of them at a time.
COLUMNS_AT_ONCE = 64
VALUES_AT_ONCE = 2**18
# Cells that are no numbers which are looked at for a message.
MAX_BAD_CELLS = 1000
# Numbers of articles, postal codes.
ZEROS_IN_FRONT = re.compile(r"0\d+")


class ParquetColumns(Columns):
    """The columns of a Parquet file."""

    def __init__(self, file: DataFile) -> None:
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError:
            raise ImportError(
                "Parquet files need pyarrow: install the extra 'bandsvm[parquet]'."
            ) from None
        self._file, self._pa = file, pa
        self._errors = (pa.ArrowException, OSError, UnicodeDecodeError)
        try:
            # Threads of pyarrow that are still busy when the command ends can abort the process.
            stored = pq.ParquetFile(self._stream(), pre_buffer=False)
            self._names = list(stored.schema_arrow.names)
            self._types = [field.type for field in stored.schema_arrow]
            self._n_rows: int = stored.metadata.num_rows
            n_unpacked = unpacked_bytes(stored.metadata)
        except self._errors as error:
            raise self._unreadable(error) from None
        if twins := twice(self._names):
            raise DataFileError(
                f"{file.source}: two columns have the same name: {short_list(twins)}."
            )
        kinds = [_kind(pa.types, stored_as) for stored_as in self._types]
        super().__init__(file.source, self._names, len(self._names), kinds)
        self._are_texts = [kind is Kind.TEXT for kind in kinds]
        self._styles: dict[int, NumberStyle] = {}
        file.require_room(n_unpacked)
        # What is wrong with a column is said if it is used.
        with contextlib.suppress(DataFileError):
            self._judge_texts()

    def _judge_texts(self) -> None:
        """Find columns of text that hold numbers or dates, as in a CSV file."""
        is_dictionary = self._pa.types.is_dictionary
        # Texts by a dictionary are categories by intention.
        texts = [
            k
            for k, stored_as in enumerate(self._types)
            if self._are_texts[k] and not is_dictionary(stored_as)
        ]
        if not texts or self._n_rows == 0:
            return
        n_rows = max(1, min(LINES_OF_HEAD, CELLS_OF_HEAD // len(texts)))
        _, head = next(self._batches(texts, n_rows))
        for k, column in zip(texts, head.columns, strict=True):
            cells = _cells(self._encoded(column))
            known = {cell.strip() for cell in cells if not is_missing(cell)}
            if not known or _are_names(known):
                continue
            self.kinds[k], style = kind_and_style(cells)
            if self.kinds[k] is Kind.NUMBER:
                self.styled_examples[k] = next(cell for cell in cells if not is_missing(cell))
            if style is not None:
                self._styles[k] = style

    def read(
        self, numbers: list[int], coded: dict[int, int | None], labels: int | None = None
    ) -> tuple[NDArray, dict[int, CodedColumn]]:
        """Return numbers and codes."""
        self._file.require_room(BYTES_PER_VALUE * self._n_rows * (len(numbers) + len(coded)))
        is_large = isinstance(self._file, LargeFile)
        X = self._on_disk(numbers) if is_large else self._in_memory(numbers)
        return X, {k: self._coded(k, most) for k, most in coded.items()}

    def place(self, sample: int) -> str:
        """Return where a sample is in the file."""
        return f"sample {sample + 1}"

    def _in_memory(self, numbers: list[int]) -> NDArray:
        """Return columns as a matrix; few of them at a time, which takes less memory."""
        X = np.empty((self._n_rows, len(numbers)), self._dtype(numbers))
        for first in range(0, len(numbers), COLUMNS_AT_ONCE):
            part = numbers[first : first + COLUMNS_AT_ONCE]
            for start, batch in self._batches(part):
                rows = X[start : start + batch.num_rows, first : first + len(part)]
                self._fill(rows, batch, part, start)
        return X

    def _on_disk(self, numbers: list[int]) -> NDArray:
        """Return columns as a matrix on disk, which takes whole rows."""
        X, dtype = DiskMatrix(), self._dtype(numbers)
        if not numbers:
            return np.empty((self._n_rows, 0))
        for start, batch in self._batches(numbers):
            rows = np.empty((batch.num_rows, len(numbers)), dtype)
            self._fill(rows, batch, numbers, start)
            X.append(rows)
        return X.finished()

    def _dtype(self, numbers: list[int]) -> Any:
        is_single = all(self._pa.types.is_float32(self._types[k]) for k in numbers)
        return np.float32 if is_single else np.float64

    def _fill(self, rows: NDArray, batch: Any, numbers: list[int], start: int) -> None:
        """Write the columns of a batch, which begins with a row of the file, into a matrix."""
        kind = self._pa.float32() if rows.dtype == np.float32 else self._pa.float64()
        for place, (k, column) in enumerate(zip(numbers, batch.columns, strict=True)):
            if self._are_texts[k]:
                rows[:, place] = self._numbers_in_text(k, column, start)
                continue
            if self._pa.types.is_dictionary(column.type):
                column = column.dictionary_decode()
            rows[:, place] = column.cast(kind, safe=False).to_numpy(zero_copy_only=False)

    def _numbers_in_text(self, k: int, column: Any, start: int) -> NDArray[np.float64]:
        """Return the numbers that a piece of a column of text holds."""
        convert = self._styles[k].number if k in self._styles else number
        column = self._encoded(column)
        levels = column.dictionary
        codes = column.indices.fill_null(len(levels)).to_numpy(zero_copy_only=False)
        values, bad = np.full(len(levels) + 1, np.nan), {}
        for code in np.unique(codes[codes < len(levels)]).tolist():
            cell = levels[code].as_py()
            try:
                values[code] = convert(cell)
            except ValueError:
                bad[code] = cell
        if bad:
            rows = np.flatnonzero(np.isin(codes, list(bad)))[:MAX_BAD_CELLS].tolist()
            cells = [(self.place(start + row), bad[codes[row]]) for row in rows]
            raise not_a_number(self.source, self.quoted_name(k), cells)
        return values[codes]

    def _stream(self) -> Any:
        """Return the file as pyarrow reads it."""
        if isinstance(self._file, LargeFile):
            return self._pa.memory_map(self._file.path)
        return self._pa.BufferReader(self._file.content)

    @property
    def n_bytes(self) -> int:
        """Bytes that all columns take as numbers."""
        return BYTES_PER_VALUE * self._n_rows * self.n_columns

    def _batches(self, columns: list[int], n_rows: int | None = None) -> Iterator[tuple[int, Any]]:
        """Yield pieces of some columns, each with the number of its first row."""
        import pyarrow.parquet as pq

        names = [self._names[k] for k in columns]
        texts = [self._names[k] for k in columns if self._are_texts[k]]
        rows = n_rows or max(1, VALUES_AT_ONCE // len(columns))
        start = 0
        try:
            # A long text that occurs often is stored once, and must stay so.
            dictionaries = texts or None
            stored = pq.ParquetFile(self._stream(), pre_buffer=False, read_dictionary=dictionaries)
            for batch in stored.iter_batches(rows, columns=names, use_threads=False):
                # Names with dots may stand for parts of other columns.
                if batch.num_columns != len(names) or start + batch.num_rows > self._n_rows:
                    raise DataFileError(f"{self.source} has columns that do not fit together.")
                batch.validate(full=True)
                yield start, batch.select(names)
                start += batch.num_rows
        except self._errors as error:
            raise self._unreadable(error) from None
        if start != self._n_rows:
            raise DataFileError(f"{self.source} has {start} samples where it says {self._n_rows}.")

    def _coded(self, k: int, max_levels: int | None) -> CodedColumn:
        """Return a column of text or numbers as codes."""
        if self.kinds[k] is Kind.OTHER:
            raise DataFileError(
                f"{self.source} holds {short_text(self._types[k])} in its column "
                f"{self.quoted_name(k)}; it must hold numbers or text."
            )
        builder = ColumnBuilder(max_levels)
        for _, batch in self._batches([k]):
            column = self._encoded(batch.column(0))
            levels, indices = self._levels(k, column), column.indices
            if column.null_count:
                indices = indices.fill_null(len(levels))
                levels.append("")
            builder.add_codes(indices.to_numpy(zero_copy_only=False), levels)
        return builder.column()

    def _levels(self, k: int, column: Any) -> list[Any]:
        """Return the values of a column that is stored as codes."""
        try:
            return list(column.dictionary.to_pylist())
        except (OverflowError, ValueError) as error:
            raise DataFileError(
                f"{self.source} holds {short_text(self._types[k])} in its column "
                f"{self.quoted_name(k)}, which Python cannot represent: {reason(error)}."
            ) from None

    def _encoded(self, column: Any) -> Any:
        """Return a column as codes and a dictionary of its values."""
        is_encoded = self._pa.types.is_dictionary(column.type)
        return column if is_encoded else column.dictionary_encode()

    def _unreadable(self, error: Exception) -> DataFileError:
        said = short_text(reason(error))
        return DataFileError(f"{self._file.source} is not a Parquet file that can be read: {said}.")


def unpacked_bytes(metadata: Any) -> int:
    """Return the bytes that a file says its columns unpack to."""
    return sum(
        # Not by column: pyarrow aborts the process where a column's statistics do not fit it.
        max(0, metadata.row_group(group).total_byte_size)
        for group in range(metadata.num_row_groups)
    )


def _kind(types: Any, stored_as: Any) -> Kind:
    """Return what a column of a type of Arrow holds."""
    if types.is_dictionary(stored_as):
        # Numbers by a dictionary are categories too, unless they are labels.
        return _kind(types, stored_as.value_type)
    if types.is_string(stored_as) or types.is_large_string(stored_as):
        return Kind.TEXT
    if types.is_temporal(stored_as):
        return Kind.DATE
    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal)
    return Kind.NUMBER if any(test(stored_as) for test in tests) else Kind.OTHER


def _cells(column: Any) -> list[str]:
    """Return the texts of a short piece of a column; missing ones are ""."""
    codes = column.indices.to_pylist()
    levels = {code: column.dictionary[code].as_py() for code in set(codes) - {None}}
    return ["" if code is None else levels[code] for code in codes]


def _are_names(texts: set[str]) -> bool:
    """Return whether texts are names that look like numbers, where numbers have types of their own.

    Zeros in front are part of a name, and few whole numbers as text are categories.
    """
    if any(map(ZEROS_IN_FRONT.fullmatch, texts)):
        return True
    return all(map(str.isdecimal, texts)) and len(texts) <= MAX_NUMBERED_CATEGORIES
