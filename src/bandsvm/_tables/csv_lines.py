"""The lines of a CSV file: which character separates cells, and cells line by line."""

from __future__ import annotations

import copy
import csv
import io
import re
from collections.abc import Iterator
from itertools import islice

from bandsvm._tables.cells import converts
from bandsvm._tables.data_file import DataFile
from bandsvm._tables.remarks import DataFileError

# Before the comma: where cells are separated by one of these, commas belong to decimals.
DELIMITERS = "\t;|"
# Any white space, if no other character separates cells.
SPACE = " "
N_LINES_FOR_DELIMITER = 10
# A line of cells takes many times its length while it is taken apart.
MAX_COLUMNS = 2**20
# The end of the first lines may cut a cell off.
_QUOTED = re.compile(rb'"[^"]*(?:"|\Z)')
_BLANK_AT_QUOTE = re.compile(rb'\s"|"\s')


class Lines:
    """Iterates over the number and the cells of every line that is not blank.

    Parameters
    ----------
    file : DataFile
        The file, in UTF-8.

    Attributes
    ----------
    has_quoted_blanks : bool
        Whether white space around cells, where there is any left, stood within quotes and is part
        of them. Otherwise it does not count.
    """

    def __init__(self, file: DataFile) -> None:
        self._content, self._source, self._n_before = file.content, file.source, 0
        if self._content.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise DataFileError(f"{self._source} is text in UTF-16; save it as UTF-8.")
        self._check_bytes()
        filled = (line for line in io.BytesIO(self._content) if line.strip())
        first = list(islice(filled, N_LINES_FOR_DELIMITER))
        if not first:
            raise DataFileError(f"{self._source} is empty.")
        self.delimiter = _delimiter(first)
        if first[0].count(self.delimiter.encode()) >= MAX_COLUMNS:
            raise DataFileError(
                f"{self._source} has more columns than {MAX_COLUMNS}, the most that a CSV file "
                "may have; write it as svmlight, Parquet or NPZ."
            )
        self.n_columns = 0  # not known yet
        line = next(iter(self), None)
        if line is None:
            raise DataFileError(f"{self._source} is empty: all of its cells are.")
        self.n_columns = len(line[1])

    def of_block(self, content: bytes, n_before: int) -> Lines:
        """Return the lines of another part of the same file, which so many lines come before."""
        part = copy.copy(self)
        part._content, part._n_before = content, n_before
        part._check_bytes()
        return part

    def _check_bytes(self) -> None:
        if b"\0" in self._content:
            raise DataFileError(f"{self._source} is not a CSV file: it holds bytes that are zero.")
        # Line ends do not count, unless a quote is open.
        has_quotes = b'"' in self._content
        self.has_quoted_blanks = has_quotes and bool(_BLANK_AT_QUOTE.search(self._content))

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        stream = self.stream()
        lines: Iterator[str] = iter(stream)
        if self.delimiter == SPACE:
            # Numbers are often aligned by several of them.
            lines = map(_with_single_blanks, stream)
        record: list[str] = []
        if self.has_quoted_blanks:
            lines = _noted(lines, record)
        reader = csv.reader(lines, delimiter=self.delimiter, skipinitialspace=True)
        try:
            for cells in reader:
                if self.has_quoted_blanks:
                    cells = _stripped(cells, "".join(record), self.delimiter)
                    record.clear()
                if not any(cell.strip() for cell in cells):
                    continue
                if self.n_columns and len(cells) != self.n_columns:
                    raise DataFileError(
                        f"{self._source}, line {self._n_before + reader.line_num}: {len(cells)} "
                        f"cells, where the first line has {self.n_columns}."
                    )
                yield self._n_before + reader.line_num, cells
        except UnicodeDecodeError:
            numbered = enumerate(io.BytesIO(self._content), start=self._n_before + 1)
            number = next(number for number, line in numbered if not converts(bytes.decode, line))
            raise DataFileError(
                f"{self._source}, line {number}: this is not text in UTF-8; save the file as UTF-8."
            ) from None
        except csv.Error as error:
            raise DataFileError(f"{self._source} is not a CSV file: {error}.") from None

    def stream(self) -> io.TextIOWrapper:
        """Return the text of the file."""
        return io.TextIOWrapper(io.BytesIO(self._content), encoding="utf-8-sig", newline="")

    def n_physical(self) -> int:
        """Return the number of lines of text, blank ones and those within cells included."""
        count = self._content.count
        n_ends = count(b"\n") + count(b"\r") - count(b"\r\n")
        return n_ends + (not self._content.endswith((b"\n", b"\r")))

    def max_count(self) -> int:
        """Return a number that the lines of cells do not exceed, nor the bytes of the file."""
        if self.delimiter == SPACE:
            return self.n_physical()
        n_cells = self._content.count(self.delimiter.encode()) + self.n_physical()
        return n_cells // self.n_columns


def _delimiter(lines: list[bytes]) -> str:
    """Return the character that separates cells, judged by the first lines."""
    bare = _without_quoted(b"".join(lines)).splitlines() or [b""]
    commas = bare[0].count(b",")
    for delimiter in DELIMITERS:
        counts = {line.count(delimiter.encode()) for line in bare}
        count = min(counts)
        # Between n separators there are at most n + 1 decimal commas.
        if len(counts) == 1 and count and commas <= count + 1:
            return delimiter
    best = max("," + DELIMITERS, key=lambda char: bare[0].count(char.encode()))
    if bare[0].count(best.encode()):
        return best
    return SPACE if len(lines[0].split()) > 1 else ","


def _without_quoted(text: bytes) -> bytes:
    """Return text without what is in quotes."""
    # `re.sub` would hold a list of all that is left, an object per cell.
    bare, end = bytearray(), 0
    for quoted in _QUOTED.finditer(text):
        bare += text[end : quoted.start()]
        end = quoted.end()
    bare += text[end:]
    return bytes(bare)


def _with_single_blanks(line: str) -> str:
    """Return a line whose cells have one blank between them, unless there are quotes."""
    return line.strip() if '"' in line else SPACE.join(line.split())


def _noted(lines: Iterator[str], record: list[str]) -> Iterator[str]:
    """Yield lines, and add them to a list."""
    for line in lines:
        record.append(line)
        yield line


def _stripped(cells: list[str], record: str, delimiter: str) -> list[str]:
    """Return the cells of some lines without the white space around those that have no quotes."""
    if not any(cell != cell.strip() for cell in cells):
        return cells
    cell = re.compile(rf' *("(?:[^"]|"")*+")?[^{re.escape(delimiter)}]*')
    are_quoted, place = [], 0
    while place <= len(record):
        found = cell.match(record, place)
        assert found is not None
        are_quoted.append(found[1] is not None)
        place = found.end() + 1
    if len(are_quoted) != len(cells):
        return [cell.strip() for cell in cells]
    return [
        cell if is_quoted else cell.strip()
        for cell, is_quoted in zip(cells, are_quoted, strict=True)
    ]
