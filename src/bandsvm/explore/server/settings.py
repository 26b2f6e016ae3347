"""What can be chosen when the server starts: the file to open, limits, a listener of progress."""

from __future__ import annotations

from dataclasses import dataclass

from bandsvm._workflow.source import MAX_FILE_BYTES
from bandsvm.explore.server.requests import Report


def _ignore(values: object) -> None:
    pass


@dataclass(frozen=True)
class Settings:
    """Settings of the server.

    Parameters
    ----------
    file : str or None, default=None
        The data file or model file that pages open first.
    max_file_size : int
        Bytes of a file, unpacked, at most.
    max_kept_sessions : int, default=4
        Sessions without a page; each may hold a file and what came of it.
    seconds_to_leave : float, default=1.0
        How long a reloaded page waits until the server has noticed the end of its last load.
    seconds_without_page : float, default=60.0
        How long work goes on without a page.
    on_progress : callable
        Hears what long work reports, in the thread of that work.
    """

    file: str | None = None
    max_file_size: int = MAX_FILE_BYTES
    max_kept_sessions: int = 4
    seconds_to_leave: float = 1.0
    seconds_without_page: float = 60.0
    on_progress: Report = _ignore
