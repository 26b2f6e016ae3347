"""Data files that are larger than memory: when they are read in blocks, and the blocks."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bandsvm._system.advice import ParameterError, literal
from bandsvm._system.memory import available_bytes
from bandsvm._tables.data_file import PACKED, DataFile
from bandsvm._tables.formats import format_by_content
from bandsvm._tables.remarks import DataFileError, Remark
from bandsvm._tables.scratch import gigabytes, require_disk

# A file whose text and numbers would take more than this share of the free memory is read in
# blocks: scaling and checks take copies.
MEMORY_SHARE = 0.3
# A smaller file does no harm, and the system need not be asked.
NEVER_LARGE = 64 * 2**20
# Text that is read at a time, and by which a file is judged: more than the lines that tell names.
TEXT_BYTES, JUDGED_BYTES = 8 * 2**20, 4 * 2**20
KINDS = ("csv", "svmlight", "parquet")
# Characters that separate numbers, and bytes that each of these takes on disk.
SEPARATORS = {"csv": (b",;|\t \n", 8), "svmlight": (b":", 12)}
# Numbers are written as they are, and once more as the model takes them.
COPIES = 2


class NeedsMemoryError(DataFileError):
    """A file that cannot be read in blocks."""


@dataclass(frozen=True)
class LargeFile(DataFile):
    """A data file that stays on disk; its ``content`` is the beginning."""

    path: str = ""

    def blocks(self) -> Iterator[tuple[bytes, int]]:
        """Yield blocks of whole lines, each with the number of lines before it."""
        n_before, rest = 0, b""
        with open(self.path, "rb") as stream:
            while piece := stream.read(TEXT_BYTES):
                if len(rest) > TEXT_BYTES:
                    raise self.needs_memory("has a line of several megabytes")
                piece = rest + piece
                end = piece.rfind(b"\n") + 1
                rest = piece[end:]
                if end:
                    yield piece[:end], n_before
                    n_before += piece.count(b"\n", 0, end)
        if rest:
            yield rest, n_before

    def needs_memory(self, why: str, or_else: str = "") -> NeedsMemoryError:
        """Return the error of a file that cannot be read in blocks."""
        return NeedsMemoryError(
            f"{self.source} {why}, so it cannot be read in blocks",
            or_else + "leave {on_disk} out to read it into memory",
        )


def open_large(path: str, kind: str | None, is_asked: bool) -> LargeFile | None:
    """Return a file to be read in blocks; None if it is small, unless that is asked for.

    Its format may be given, if the name or an option tells it.
    """
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
        if is_asked:
            rule = literal(f"needs a file, and {path} is a stream")
            raise ParameterError("on_disk", rule, cure="write it to a file first")
        return None
    size = os.path.getsize(path)
    if size <= NEVER_LARGE and not is_asked:
        return None
    with Path(path).open("rb") as stream:
        head = stream.read(JUDGED_BYTES)
    if len(head) < size:
        head = head[: head.rfind(b"\n") + 1] or head
    file = LargeFile(path, head, size, path)
    is_packed = head.startswith(tuple(PACKED))
    kind = kind or format_by_content(file)
    if is_packed or kind not in KINDS:
        if is_asked:
            raise file.needs_memory("is packed" if is_packed else f"is of the format {kind}")
        return None
    if is_asked:
        return file
    needed = size + COPIES * number_bytes(file, kind)
    return file if needed > MEMORY_SHARE * available_bytes() else None


def number_bytes(file: LargeFile, kind: str) -> float:
    """Return about how many bytes the numbers of a file take."""
    if kind == "parquet":
        from bandsvm._tables.parquet import ParquetColumns

        return ParquetColumns(file).n_bytes
    separators, n_bytes = SEPARATORS[kind]
    n_numbers = sum(file.content.count(bytes([char])) for char in separators)
    return n_bytes * n_numbers / max(1, len(file.content)) * file.n_stored


def check_disk(file: LargeFile, kind: str) -> Remark:
    """Raise unless the disk has room for the numbers; say where they are."""
    n_bytes = number_bytes(file, kind)
    require_disk(COPIES * n_bytes, file.source)
    return Remark(
        f"The file of {gigabytes(file.n_stored)} is read in blocks; its numbers, about "
        f"{gigabytes(n_bytes)}, are in temporary files in {tempfile.gettempdir()} (see TMPDIR), "
        "which are removed at the end."
    )
