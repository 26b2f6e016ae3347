"""ARFF files: the names of the header and the lines of data make a CSV file."""

from __future__ import annotations

import csv
import io
import re

from bandsvm._system.text import short_text
from bandsvm._tables.data_file import DataFile
from bandsvm._tables.remarks import DataFileError

# Repeats that never go back take no memory of their own.
_QUOTED = r"""'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.|"")*+\""""
_ATTRIBUTE = re.compile(rf"\s*@attribute\s+({_QUOTED}|[^\s{{]+)[\s{{]", re.IGNORECASE)
_DATA = re.compile(rb"^[ \t]*@data\b.*$", re.IGNORECASE | re.MULTILINE)
_COMMENT = re.compile(rb"^[ \t]*%.*$", re.MULTILINE)
_SPARSE = re.compile(rb"\s*\{")
# A quote counts where a value begins; within a value that has begun, it is a letter.
_VALUE = re.compile(rf"\s*(?:({_QUOTED})\s*|([^'\",\s][^,]*|))(?=,|\Z)")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[nrt'\"\\%])")
_LETTERS = {"n": "\n", "r": "\r", "t": "\t"}
# A missing value.
_UNKNOWN = "?"
_UNKNOWN_AMONG = re.compile(rb"(?<=,)[ \t]*\?[ \t]*(?=,|\r?$)|^[ \t]*\?[ \t]*(?=,)", re.MULTILINE)


def as_csv(file: DataFile) -> DataFile:
    """Return the table of an ARFF file as CSV, every sample on the line that it has in the file."""
    start = _DATA.search(file.content)
    if start is None:
        raise DataFileError(f"{file.source} is not an ARFF file: it has no line @data.")
    try:
        header = file.content[: start.start()].decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataFileError(f"{file.source}: its header is not text in UTF-8.") from None
    names = []
    for number, line in enumerate(header.splitlines(), start=1):
        if line.strip().lower().startswith("@attribute"):
            found = _ATTRIBUTE.match(line)
            if found is None:
                raise DataFileError(
                    f"{file.source}, line {number}: {short_text(repr(line.strip()))} lacks "
                    "name or type."
                )
            names.append(_unquoted(found[1]) if found[1][0] in "'\"" else found[1])
    samples = _COMMENT.sub(b"", file.content[start.end() :])
    if _SPARSE.match(samples):
        raise DataFileError(f"{file.source} is a sparse ARFF file; save it as svmlight or CSV.")
    top = io.StringIO()
    csv.writer(top, lineterminator="").writerow(names)
    n_above = header.count("\n")
    lines = b"\n" * n_above + top.getvalue().encode() + _without_quotes(file, samples, n_above)
    return DataFile(file.source, lines, file.n_stored)


def _without_quotes(file: DataFile, samples: bytes, n_above: int) -> bytes:
    """Return lines of data with the quotes of CSV instead of ARFF's."""
    if b"'" not in samples and b'"' not in samples:
        return _UNKNOWN_AMONG.sub(b"", samples)
    lines = samples.split(b"\n")
    for k, line in enumerate(lines):
        if b"'" in line or b'"' in line:
            lines[k] = _in_csv(file, line, n_above + k + 1)
        elif b"?" in line:
            lines[k] = _UNKNOWN_AMONG.sub(b"", line)
    return b"\n".join(lines)


def _in_csv(file: DataFile, line: bytes, number: int) -> bytes:
    """Return a line of data as a line of CSV."""
    where = f"{file.source}, line {number}"
    try:
        text = line.decode().strip()
    except UnicodeDecodeError:
        return line  # the reader of CSV says so
    cells, place = [], 0
    while True:
        found = _VALUE.match(text, place)
        if found is None:
            rest = text[place:].strip()
            quoted = re.match(_QUOTED, rest)
            if quoted is None:
                raise DataFileError(f"{where}: a quote is not closed in {short_text(repr(rest))}.")
            after = rest[quoted.end() :].strip()
            raise DataFileError(
                f"{where}: {short_text(repr(after))} follows a quote, where a comma must."
            )
        quoted_value, bare = found.groups()
        if quoted_value is not None:
            value = _unquoted(quoted_value).replace('"', '""')
            cells.append(f'"{value}"')
        elif bare.strip() == _UNKNOWN:
            cells.append("")
        else:
            # Letters that are quotes of CSV.
            value = bare.strip()
            cells.append('"' + value.replace('"', '""') + '"' if '"' in value else value)
        place = found.end() + 1
        if found.end() == len(text):
            return ",".join(cells).encode()


def _unquoted(value: str) -> str:
    """Return what stands between quotes, without its escapes."""
    quote, inner = value[0], value[1:-1]
    if quote == '"':
        inner = inner.replace('""', '"')
    return _ESCAPE.sub(lambda found: _letter(found[1]), inner)


def _letter(escape: str) -> str:
    """Return the letter that an escape stands for."""
    if escape[0] == "u":
        return chr(int(escape[1:], 16))
    return _LETTERS.get(escape, escape)
