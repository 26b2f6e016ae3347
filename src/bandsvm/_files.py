"""Files that are whole or not there."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

# Characters of a file's name that its unfinished successor shows; names have bounded lengths.
SHOWN = 40
# Features that a file may name; some numbers are kept for each of them, whether it occurs or not.
MOST_FEATURES = 2**24


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that its name always stands for a complete one: the old or the new.

    A link goes on pointing where it does; pipes and devices, which have one name only, are written
    to.
    """
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            target.write_bytes(content)
        else:
            _write_beside(target, content)
    except OSError as error:
        # A full disk speaks up without naming the file.
        raise type(error)(error.errno, error.strerror, str(path)) from error


def _write_beside(path: Path, content: bytes) -> None:
    """Write to another name in the same folder, then take over the name and the permissions."""
    unfinished = path.with_name(f".{path.name[:SHOWN]}.{secrets.token_hex(8)}")
    try:
        with open(unfinished, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            os.chmod(unfinished, stat.S_IMODE(path.stat().st_mode))
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
