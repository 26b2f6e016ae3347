"""The bytes of data files, unpacked."""

from __future__ import annotations

import bz2
import gzip
import io
import sys
import zlib
from pathlib import Path
from typing import Any

# Compressed text rarely shrinks a hundredfold; beyond this a file wants to fill the memory.
LARGEST_RATIO = 1000
ALWAYS_FINE = 2**20
_KINDS = {".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".pq": "parquet", ".npz": "npz"}


class DataFileError(ValueError):
    """A data file that cannot be read, with its name and the line."""


def reason(error: Exception) -> str:
    """Return what another library says of a file, as the end of a sentence."""
    return " ".join(str(error).split()).rstrip(" .") or type(error).__name__


def suffix_of(path: str) -> str:
    """Return the kind of file that a name stands for; svmlight files have all kinds of names."""
    name = Path(path.lower())
    if name.suffix in (".gz", ".bz2"):
        name = name.with_suffix("")
    return _KINDS.get(name.suffix, "svmlight")


def content_of(path: str) -> bytes:
    """Return the bytes of a file or, for "-", of standard input, unpacked if they are packed."""
    packed = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    if packed.startswith(b"\x1f\x8b"):
        return _unpacked(gzip.GzipFile(fileobj=io.BytesIO(packed)), packed, path)
    if packed.startswith(b"BZh"):
        return _unpacked(bz2.BZ2File(io.BytesIO(packed)), packed, path)
    return packed


def _unpacked(file: Any, packed: bytes, path: str) -> bytes:
    """Return what a compressed file holds, within reason."""
    largest = ALWAYS_FINE + LARGEST_RATIO * len(packed)
    try:
        content = file.read(largest + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise DataFileError(f"{path} is damaged or incomplete: {reason(error)}.") from None
    if len(content) > largest:
        raise DataFileError(f"{path} unpacks to more than {LARGEST_RATIO} times its size.")
    return content
