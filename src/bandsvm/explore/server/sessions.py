"""What the server keeps for pages, so that a page finds its files and results when it is reloaded.

Each load of a page has a key of its own, and names the key of the load before. A tab that was
duplicated names a load that is still there: it begins with nothing, and disturbs no other.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

from bandsvm._workflow.source import MAX_FILE_BYTES
from bandsvm.explore.server.data_session import DataSession
from bandsvm.explore.server.model import OpenModel
from bandsvm.explore.server.requests import Report
from bandsvm.explore.server.uploads import Uploads

SECONDS_BETWEEN_TRIES = 0.02


@dataclass(frozen=True)
class Settings:
    """What can be chosen when the server starts: the file to open, limits, a listener."""

    file: str | None = None  # the data file or model file that pages open first
    max_file_size: int = MAX_FILE_BYTES  # bytes of a file, unpacked, at most
    max_kept_sessions: int = 4  # sessions without a page; each may hold a file and what came of it
    # How long a reloaded page waits until the server has noticed the end of its last load.
    seconds_to_leave: float = 1.0
    seconds_without_page: float = 60.0  # how long work goes on without a page
    # Hears what long work reports, in the thread of that work.
    on_progress: Report = lambda values: None


@dataclass
class Session:
    """What the server keeps for one page between requests."""

    settings: Settings = field(default_factory=Settings)  # those of the server
    # Files that pages have sent and not yet opened.
    uploads: Uploads = field(default_factory=Uploads)
    model: OpenModel | None = None  # what the view "A model" shows
    data: DataSession = field(init=False)  # what the view "Your data" shows

    def __post_init__(self) -> None:
        """Begin without a data file."""
        self.data = DataSession(self.settings.on_progress)


class Sessions:
    """The sessions of all pages, by key; for the thread of the event loop only."""

    def __init__(self, settings: Settings, uploads: Uploads) -> None:
        self._settings, self._uploads = settings, uploads
        self._in_use: dict[str, Session] = {}
        self._kept: dict[str, Session] = {}  # without a page, the oldest first

    async def enter(self, key: str, before: str) -> Session:
        """Return the session of a page: that of its last load if it is still kept, else a new one.

        ``key`` is what this load of the page is called, "" if it does not come back; ``before`` is
        the key of the last load, "" if there was none.
        """
        end = time.monotonic() + self._settings.seconds_to_leave
        while before in self._in_use and time.monotonic() < end:
            await asyncio.sleep(SECONDS_BETWEEN_TRIES)
        session = self._kept.pop(before, None) or Session(self._settings, self._uploads)
        if key and key not in self._in_use:
            self._in_use[key] = session
        return session

    def leave(self, key: str, session: Session) -> None:
        """Keep the session of a page that is gone; the oldest one that is kept may have to go."""
        if self._in_use.get(key) is not session:
            session.data.cancel_work()
            return
        del self._in_use[key]
        self._kept[key] = session
        while len(self._kept) > self._settings.max_kept_sessions:
            self._kept.pop(next(iter(self._kept))).data.cancel_work()
        loop = asyncio.get_running_loop()
        loop.call_later(self._settings.seconds_without_page, self._end_waiting, key, session)

    def _end_waiting(self, key: str, session: Session) -> None:
        """Cancel the work of a page that has not come back."""
        if self._kept.get(key) is session:
            session.data.cancel_work()

    def close(self) -> None:
        """End all work, after the event loop has ended."""
        for session in (*self._in_use.values(), *self._kept.values()):
            session.data.end_work()
