"""The format of a file: by its name or, if that does not tell, by its first bytes or lines."""

from __future__ import annotations

import io
import re
from itertools import islice
from pathlib import Path

from bandsvm._tables.data_file import DataFile
from bandsvm._tables.remarks import DataFileError

_KINDS = {
    **{".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".pq": "parquet", ".npz": "npz"},
    **{".arff": "arff", ".svm": "svmlight", ".svmlight": "svmlight", ".libsvm": "svmlight"},
}
_PACKED = (".gz", ".bz2", ".xz", ".zst")
_MAGIC = {b"PAR1": "parquet", b"PK\x03\x04": "npz"}
_ARFF = re.compile(rb"\A(\s|%[^\n]*\n)*@relation\b", re.IGNORECASE)
# A label and at least one feature with its value.
_PAIRS = re.compile(rb"\s*[^\s:,;]+(,[^\s:,;]+)*(\s+(qid|\d+):\S+)+")
# Lines that are looked at.
N_LINES = 20
# Files that people try, and what they are.
_FOREIGN = {
    **dict.fromkeys((".xlsx", ".xls", ".xlsm", ".ods"), "a workbook of Excel or a like program"),
    **dict.fromkeys((".pkl", ".pickle", ".joblib"), "a file of Python objects"),
    **dict.fromkeys((".h5", ".hdf5", ".mat", ".rds", ".rdata", ".sav", ".dta"), "a data file"),
    **dict.fromkeys((".feather", ".arrow", ".orc"), "a file of Arrow"),
    **dict.fromkeys((".json", ".jsonl", ".xml", ".html", ".yaml"), "a document"),
    **dict.fromkeys((".zip", ".tar", ".7z", ".rar"), "an archive"),
}


def format_of(file: DataFile, asked: str | None = None) -> str:
    """Return the format of a file: the one that was asked for, else by its name or its content."""
    return asked or format_by_name(file.source) or format_by_content(file)


def format_by_name(path: str) -> str | None:
    """Return the kind of file that a name stands for, None if it says nothing."""
    name = Path(path.lower())
    if name.suffix in _PACKED:
        name = name.with_suffix("")
    return _KINDS.get(name.suffix)


def require_data(path: str) -> None:
    """Raise if a name says that a file is of a kind that is not read."""
    what = _FOREIGN.get(Path(path.lower()).suffix)
    if what is not None:
        raise DataFileError(
            f"{path} is {what}, which bandsvm does not read",
            "save the table as CSV or Parquet, or set {format} if the name is wrong",
        )


def format_by_content(file: DataFile) -> str:
    """Return the format that a file seems to be in: svmlight, or a table of text, if it is text."""
    for magic, kind in _MAGIC.items():
        if file.content.startswith(magic):
            return kind
    if _ARFF.match(file.content):
        return "arff"
    lines = islice((line for line in io.BytesIO(file.content) if line.strip()), N_LINES)
    return "svmlight" if any(_PAIRS.match(line) for line in lines) else "csv"
