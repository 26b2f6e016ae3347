"""Parquet files, by pyarrow: sizes are checked before anything is unpacked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm.cli._bytes import ALWAYS_FINE, DataFile, DataFileError, reason
from bandsvm.system.text import shown

# Every value becomes a float64.
BYTES_PER_VALUE = 8
# Columns that are unpacked together, and values of them at a time.
COLUMNS_AT_ONCE = 64
VALUES_AT_ONCE = 2**18
# Labels of all samples take as much as the longest; this many times the file at most.
LABELS_PER_BYTE = 16
BYTES_PER_CHARACTER = 4


class Parquet:
    """A Parquet file: its names, and some of its columns.

    Parameters
    ----------
    file : DataFile
        The file.
    """

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
            stored = pq.ParquetFile(pa.BufferReader(file.content), pre_buffer=False)
            self.names: list[str] = list(stored.schema_arrow.names)
            self.n_columns = len(self.names)
            self._types = [field.type for field in stored.schema_arrow]
            self._n_rows: int = stored.metadata.num_rows
            n_unpacked = unpacked_bytes(stored.metadata)
        except self._errors as error:
            raise self._unreadable(error) from None
        if len(set(self.names)) < len(self.names):
            raise DataFileError(f"{file.source}: two columns have the same name.")
        file.require_room(n_unpacked)

    def read(self, features: list[int], target: int | None) -> tuple[NDArray, NDArray | None]:
        """Return some columns as numbers and one, unless it is None, as labels."""
        types = self._pa.types
        for k in features:
            kind = self._types[k]
            if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
                raise DataFileError(
                    f"{self._file.source} holds {shown(kind)} in its column "
                    f"{shown(repr(self.names[k]))}; features must be numbers, so encode or drop it."
                )
        self._file.require_room(BYTES_PER_VALUE * self._n_rows * (len(features) + 1))
        is_single = all(types.is_float32(self._types[k]) for k in features)
        X = np.empty((self._n_rows, len(features)), np.float32 if is_single else np.float64)
        kind = self._pa.float32() if is_single else self._pa.float64()
        for first in range(0, len(features), COLUMNS_AT_ONCE):
            part = features[first : first + COLUMNS_AT_ONCE]
            for start, batch in self._batches(part):
                for k, column in enumerate(batch.columns):
                    numbers = column.cast(kind, safe=False).to_numpy(zero_copy_only=False)
                    X[start : start + len(numbers), first + k] = numbers
        return X, None if target is None else self._labels(target)

    def _batches(self, columns: list[int], is_text: bool = False) -> Iterator[tuple[int, Any]]:
        """Yield pieces of some columns, each with the number of its first row."""
        import pyarrow.parquet as pq

        names = [self.names[k] for k in columns]
        rows = max(1, VALUES_AT_ONCE // len(columns))
        start = 0
        try:
            # A long text that occurs often is stored once, and must stay so.
            stored = pq.ParquetFile(
                self._pa.BufferReader(self._file.content),
                pre_buffer=False,
                read_dictionary=names if is_text else None,
            )
            for batch in stored.iter_batches(rows, columns=names, use_threads=False):
                # Names with dots may stand for parts of other columns.
                if batch.num_columns != len(names) or start + batch.num_rows > self._n_rows:
                    raise DataFileError(
                        f"{self._file.source} has columns that do not fit together."
                    )
                batch.validate(full=True)
                yield start, batch.select(names)
                start += batch.num_rows
        except self._errors as error:
            raise self._unreadable(error) from None
        if start != self._n_rows:
            raise DataFileError(
                f"{self._file.source} has {start} samples where it says {self._n_rows}."
            )

    def _labels(self, target: int) -> NDArray:
        """Return a column of labels: numbers, or text."""
        types, kind = self._pa.types, self._types[target]
        if types.is_dictionary(kind):
            kind = kind.value_type
        is_text = types.is_string(kind) or types.is_large_string(kind)
        is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
        if not (is_text or is_number or types.is_decimal(kind)):
            raise DataFileError(
                f"{self._file.source} holds {shown(self._types[target])} in its column of labels "
                f"{shown(repr(self.names[target]))}; labels must be numbers or text."
            )
        pieces = []
        for start, batch in self._batches([target], is_text=is_text):
            column = batch.column(0)
            if column.null_count:
                row = start + column.is_null().index(True).as_py() + 1
                raise DataFileError(f"{self._file.source} lacks the label of sample {row}.")
            if is_text and not types.is_dictionary(column.type):
                column = column.dictionary_encode()
            if types.is_dictionary(column.type):
                values = column.dictionary.to_pylist()
                if is_text:
                    self._require_short(values)
                pieces.append(np.array(values)[column.indices.to_numpy(zero_copy_only=False)])
            else:
                column = column.cast(self._pa.float64()) if types.is_decimal(kind) else column
                pieces.append(column.to_numpy(zero_copy_only=False))
        return np.concatenate(pieces) if pieces else np.empty(0)

    def _require_short(self, labels: list[str]) -> None:
        """Raise if as many labels as there are samples, of the same length, take too much."""
        most = max(ALWAYS_FINE, LABELS_PER_BYTE * len(self._file.content))
        longest = max(map(len, labels), default=0)
        if BYTES_PER_CHARACTER * longest * max(self._n_rows, len(labels)) > most:
            raise DataFileError(
                f"{self._file.source}: labels of up to {longest} characters take too much "
                "memory; shorten them, or name the column of labels with --target."
            )

    def _unreadable(self, error: Exception) -> DataFileError:
        return DataFileError(
            f"{self._file.source} is not a Parquet file that can be read: {shown(reason(error))}."
        )


def unpacked_bytes(metadata: Any) -> int:
    """Return the bytes that a file says its columns unpack to."""
    return sum(
        # Not by column: pyarrow aborts the process where a column's statistics do not fit it.
        max(0, metadata.row_group(group).total_byte_size)
        for group in range(metadata.num_row_groups)
    )
