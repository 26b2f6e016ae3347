"""What the server keeps for pages, so that a page finds its files and results when it is reloaded.

Each load of a page has a key of its own, and names the key of the load before. A tab that was
duplicated names a load that is still there: it begins with nothing, and disturbs no other.
"""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

from bandsvm.explore.server.data_session import DataSession
from bandsvm.explore.server.model import OpenModel
from bandsvm.explore.server.settings import Settings
from bandsvm.explore.server.uploads import Uploads

SECONDS_BETWEEN_TRIES = 0.02


@dataclass
class Session:
    """What the server keeps for one page between requests.

    Parameters
    ----------
    settings : Settings
        Those of the server.
    uploads : Uploads
        Files that pages have sent and not yet opened.
    model : OpenModel or None
        What the view "A model" shows.
    data : DataSession
        What the view "Your data" shows.
    """

    settings: Settings = field(default_factory=Settings)
    uploads: Uploads = field(default_factory=Uploads)
    model: OpenModel | None = None
    data: DataSession = field(init=False)

    def __post_init__(self) -> None:
        """Begin without a data file."""
        self.data = DataSession(self.settings.on_progress)


class Sessions:
    """The sessions of all pages, by key; for the thread of the event loop only.

    Parameters
    ----------
    settings : Settings
        Those of the server.
    uploads : Uploads
        Files that pages have sent.
    """

    def __init__(self, settings: Settings, uploads: Uploads) -> None:
        self._settings, self._uploads = settings, uploads
        self._in_use: dict[str, Session] = {}
        self._kept: dict[str, Session] = {}  # without a page, the oldest first

    async def enter(self, key: str, before: str) -> Session:
        """Return the session of a page: that of its last load if it is still kept, else a new one.

        Parameters
        ----------
        key : str
            What this load of the page is called; "" if it does not come back.
        before : str
            What the last one was called; "" if there was none.
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
