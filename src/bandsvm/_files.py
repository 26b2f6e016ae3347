"""Files that are whole or not there."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that its name always stands for a complete one: the old or the new."""
    try:
        _write_beside(path, content)
    except OSError as error:
        # A full disk speaks up without naming the file.
        raise type(error)(error.errno, error.strerror, str(path)) from error


def _write_beside(path: Path, content: bytes) -> None:
    """Write to another name in the same folder, then take over the name."""
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes files that only their owner can read.
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(unfinished, 0o666 & ~umask)
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise
