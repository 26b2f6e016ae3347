"""ARFF files: the names of the header and the lines of data make a CSV file."""

from __future__ import annotations

import csv
import io
import re

from bandsvm.cli._bytes import DataFile, DataFileError
from bandsvm.system.text import shown

_ATTRIBUTE = re.compile(r"\s*@attribute\s+(?:'([^']*)'|\"([^\"]*)\"|(\S+))\s", re.IGNORECASE)
_DATA = re.compile(rb"^[ \t]*@data\b.*$", re.IGNORECASE | re.MULTILINE)
_COMMENT = re.compile(rb"^[ \t]*%.*$", re.MULTILINE)
_SPARSE = re.compile(rb"\s*\{")


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
                    f"{file.source}, line {number}: {shown(repr(line.strip()))} lacks name or type."
                )
            names.append(next(group for group in found.groups() if group is not None))
    samples = _COMMENT.sub(b"", file.content[start.end() :])
    if _SPARSE.match(samples):
        raise DataFileError(f"{file.source} is a sparse ARFF file; save it as svmlight or CSV.")
    top = io.StringIO()
    csv.writer(top, lineterminator="").writerow(names)
    # ARFF quotes with either sign, CSV with one.
    lines = b"\n" * header.count("\n") + top.getvalue().encode() + samples.replace(b"'", b'"')
    return DataFile(file.source, lines, file.n_stored)
