"""What the server keeps for pages, so that a page finds its files and results when it is reloaded.

Each load of a page has a key of its own, and names the key of the load before. A tab that was
duplicated names a load that is still there: it begins with nothing, and disturbs nobody.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from bandsvm.explore.server.data_session import DataSession

# Sessions without a page: each may hold a file and what came of it.
MAX_KEPT = 4
# A page may be back before the server has noticed the end of its last load.
SECONDS_TO_LEAVE = 1.0
SECONDS_BETWEEN_TRIES = 0.02
# How long work goes on without a page.
SECONDS_WITHOUT_PAGE = 60.0


class Sessions:
    """What pages keep between requests, by key; for the thread of the event loop only.

    Parameters
    ----------
    shared : dict
        What every session begins with.
    """

    def __init__(self, shared: dict[str, Any]) -> None:
        self._shared = shared
        self._in_use: dict[str, dict[str, Any]] = {}
        self._kept: dict[str, dict[str, Any]] = {}  # without a page, the oldest first

    async def enter(self, key: str, before: str) -> dict[str, Any]:
        """Return the session of a page: that of its last load if it is still kept, else a new one.

        Parameters
        ----------
        key : str
            What this load of the page is called; "" if it does not come back.
        before : str
            What the last one was called; "" if there was none.
        """
        end = time.monotonic() + SECONDS_TO_LEAVE
        while before in self._in_use and time.monotonic() < end:
            await asyncio.sleep(SECONDS_BETWEEN_TRIES)
        session = self._kept.pop(before, None)
        if session is None:
            session = dict(self._shared)
        if key and key not in self._in_use:
            self._in_use[key] = session
        return session

    def leave(self, key: str, session: dict[str, Any]) -> None:
        """Keep the session of a page that is gone; the oldest one that is kept may have to go."""
        if self._in_use.get(key) is not session:
            _cancel_work(session)
            return
        del self._in_use[key]
        self._kept[key] = session
        while len(self._kept) > MAX_KEPT:
            _cancel_work(self._kept.pop(next(iter(self._kept))))
        loop = asyncio.get_running_loop()
        loop.call_later(SECONDS_WITHOUT_PAGE, self._end_waiting, key, session)

    def _end_waiting(self, key: str, session: dict[str, Any]) -> None:
        """Cancel the work of a page that has not come back."""
        if self._kept.get(key) is session:
            _cancel_work(session)

    def close(self) -> None:
        """End all work, after the event loop has ended."""
        for session in (*self._in_use.values(), *self._kept.values()):
            if "data" in session:
                session["data"].end_work()


def _cancel_work(session: dict[str, Any]) -> None:
    data: DataSession | None = session.get("data")
    if data is not None:
        data.cancel_work()
