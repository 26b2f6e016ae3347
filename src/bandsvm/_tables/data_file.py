"""The bytes of data files, unpacked within limits."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bandsvm._tables.remarks import DataFileError

# Text of one-hot columns shrinks a hundredfold. Beyond both of these a file may be made to fill the
# memory, and whoever trusts it has to say so.
MAX_RATIO = 100
ALWAYS_FINE = 32 * 2**20
RATIO_VARIABLE = "BANDSVM_LARGEST_RATIO"
PIECE_BYTES = 2**20
# What the highest usual setting of xz needs to unpack.
XZ_MEMORY = 80 * 2**20


@dataclass(frozen=True)
class DataFile:
    """A data file in memory."""

    source: str  # its name, for messages
    content: bytes  # what it holds, unpacked
    # Its size as stored; it bounds what reading may take, however often the content is packed.
    n_stored: int

    def blocks(self) -> Iterator[tuple[bytes, int]]:
        """Yield the content in blocks of whole lines, each with the number of lines before it."""
        yield self.content, 0

    def require_room(self, n_bytes: int) -> None:
        """Raise unless what the file holds may take so many bytes of memory."""
        ratio = max_ratio()
        if n_bytes > max(ALWAYS_FINE, ratio * self.n_stored):
            raise DataFileError(
                f"{self.source} unpacks to {n_bytes} bytes or more, over {ratio} times its size of "
                f"{self.n_stored}; if you trust it, unpack it first or set {RATIO_VARIABLE} to a "
                "larger ratio."
            )


def max_ratio() -> int:
    """Return how many times its size a file may unpack to."""
    text = os.environ.get(RATIO_VARIABLE, str(MAX_RATIO))
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"{RATIO_VARIABLE} must be a whole number of at least 1, got {text!r}.")
    return int(text)


def reason(error: Exception) -> str:
    """Return what another library says of a file, as the end of a sentence."""
    return " ".join(str(error).split()).rstrip(" .") or type(error).__name__


def read_file(path: str) -> DataFile:
    """Return a file or, for "-", standard input, unpacked if it is packed."""
    source = "standard input" if path == "-" else path
    stored = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    return unpacked(source, stored)


def unpacked(source: str, stored: bytes) -> DataFile:
    """Return the bytes of a file of that name, unpacked if they are packed."""
    file = DataFile(source, stored, len(stored))
    for magic, stream in PACKED.items():
        if stored.startswith(magic):
            return _unpacked(stream(stored), file)
    return file


class _XzStream:
    """Unpacks XZ with a limit on its own memory, which a file may ask for without need."""

    def __init__(self, stored: bytes) -> None:
        self._left, self._reader = stored, self._new_reader()

    def read(self, n_bytes: int) -> bytes:
        """Return at most so many bytes, none at the end."""
        while True:
            if self._reader.eof:
                self._left = self._reader.unused_data.lstrip(b"\0")
                if not self._left:
                    return b""
                self._reader = self._new_reader()
            piece = self._reader.decompress(self._left, max_length=n_bytes)
            self._left = b""
            if piece:
                return piece
            if self._reader.needs_input and not self._reader.eof:
                raise EOFError("it ends before its end-of-stream marker")

    @staticmethod
    def _new_reader() -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY)


def _zstandard(stored: bytes) -> Any:
    """Return a stream that unpacks Zstandard, by pyarrow."""
    try:
        import pyarrow as pa
    except ImportError:
        raise ImportError(
            "Files packed with Zstandard need pyarrow: install the extra 'bandsvm[cli]', or "
            "unpack them first."
        ) from None
    return pa.CompressedInputStream(pa.BufferReader(stored), "zstd")


# How packed files begin, and what unpacks them.
PACKED: dict[bytes, Callable[[bytes], Any]] = {
    b"\x1f\x8b": lambda stored: gzip.GzipFile(fileobj=io.BytesIO(stored)),
    b"BZh": lambda stored: bz2.BZ2File(io.BytesIO(stored)),
    b"\xfd7zXZ\0": _XzStream,
    b"\x28\xb5\x2f\xfd": _zstandard,
}


def _unpacked(stream: Any, file: DataFile) -> DataFile:
    """Return what a compressed file holds; it is unpacked piece by piece, so that it can stop."""
    content = io.BytesIO()
    try:
        while piece := stream.read(PIECE_BYTES):
            content.write(piece)
            file.require_room(content.tell())
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise DataFileError(f"{file.source} is damaged or incomplete: {reason(error)}.") from None
    return DataFile(file.source, content.getvalue(), file.n_stored)
