"""Atomic writes of files, also in folders that other users may write to."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from pathlib import Path

# Characters of a file's name in the name of its temporary file; names have bounded lengths.
SHOWN = 40
# Most features of a file; memory is allocated for each of them, whether it occurs or not.
MAX_FEATURES = 2**24
# Most links that are followed on the way to a file, as in Linux.
MAX_LINKS = 40
_SHARED = stat.S_ISVTX | stat.S_IWOTH
# Not available on all systems.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)
_BINARY = getattr(os, "O_BINARY", 0)


def atomic_write(path: Path, content: bytes) -> None:
    """Write a file atomically: its name always refers to the complete old or new content.

    Links are followed and stay links; pipes and devices, which cannot be replaced, are written to
    directly. In a world-writable folder, links and pipes of other users are refused.
    """
    try:
        target = follow_links(path)
        if target.exists() and not target.is_file():
            _require_own(target, os.lstat(target))
            target.write_bytes(content)
        else:
            _write_beside(target, content)
    except OSError as error:
        # The error of a full disk does not name the file.
        raise type(error)(error.errno, error.strerror, str(path)) from error


def follow_links(path: Path) -> Path:
    """Resolve a path, like `os.path.realpath`, but do not follow links of other users.

    Linux has the same rule (protected_symlinks), which resolving links ourselves would bypass.
    """
    # Not normalized: the meaning of ".." depends on the links before it.
    absolute = Path.cwd() / path
    here, ahead, n_links = Path(absolute.anchor), [*reversed(absolute.parts[1:])], 0
    while ahead:
        part = ahead.pop()
        step = here.parent if part == ".." else here / part
        try:
            found = os.lstat(step)
        except (FileNotFoundError, NotADirectoryError):
            return step.joinpath(*reversed(ahead))
        if not stat.S_ISLNK(found.st_mode):
            here = step
            continue
        _require_own(step, found)
        n_links += 1
        if n_links > MAX_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        leads_to = Path(os.readlink(step))
        here = Path(leads_to.anchor) if leads_to.is_absolute() else here
        ahead += reversed(leads_to.parts[1:] if leads_to.is_absolute() else leads_to.parts)
    return here


def is_own(found: os.stat_result) -> bool:
    """Return whether a file belongs to the user of this process."""
    return not hasattr(os, "geteuid") or found.st_uid == os.geteuid()


def _require_own(path: Path, found: os.stat_result) -> None:
    """Raise if something in a shared folder belongs neither to us nor to the folder's owner."""
    folder = path.parent.stat()
    if folder.st_mode & _SHARED == _SHARED and not is_own(found) and found.st_uid != folder.st_uid:
        raise PermissionError(
            errno.EACCES,
            f"{path} is a link or pipe of another user in a world-writable folder; choose another "
            "folder",
        )


def _write_beside(path: Path, content: bytes) -> None:
    """Write to a temporary file in the same folder, then rename it and copy the permissions."""
    unfinished = path.with_name(f".{path.name[:SHOWN]}.{secrets.token_hex(8)}")
    old = _stat_or_none(path)
    # Nobody else may read the temporary file, since the file that it replaces may be private. A new
    # file gets the permissions of the umask from the start.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK | _BINARY
    handle = os.open(unfinished, flags, 0o666 if old is None else 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            if old is not None:
                os.chmod(handle if os.chmod in os.supports_fd else unfinished, _mode(old))
            os.fsync(handle)
        os.replace(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def _stat_or_none(path: Path) -> os.stat_result | None:
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None


def _mode(old: os.stat_result) -> int:
    """Return the permissions of a file, without write access for others if it is not ours."""
    mode = stat.S_IMODE(old.st_mode)
    return mode if is_own(old) else mode & 0o744
