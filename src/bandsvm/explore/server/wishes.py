"""Of several requests for the same thing the last one wins; earlier ones are cancelled.

A page names with each request a channel. While one request of a channel is being answered, at most
one more waits; a newer one replaces it and tells the one under way that it is no longer wanted. So
a slider that moves faster than fits end never builds a queue.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from bandsvm._problem import Status
from bandsvm._system.stopping import Stop, stop_when
from bandsvm.explore.server.frames import Answer, pack
from bandsvm.explore.server.requests import Fields

logger = logging.getLogger("bandsvm.explore")
# What a user can mend; anything else is a defect of ours.
EXPECTED_ERRORS = (ValueError, TypeError, OSError, ImportError, MemoryError)


class NoLongerWanted(Exception):  # noqa: N818  (like Stop, not an error)
    """A newer request has taken the place of this one."""


class Wanted:
    """Something that somebody waits for, until it is cancelled."""

    is_wanted = True

    def cancel(self) -> None:
        """Say that nobody waits any more; safe from any thread."""
        self.is_wanted = False

    def reason_to_stop(self) -> Status | None:
        """Return a reason to end a fit early, as `stop_when` wants it."""
        return None if self.is_wanted else Status.STOPPED

    def check(self) -> None:
        """Raise if nobody waits any more."""
        if not self.is_wanted:
            raise NoLongerWanted

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Let library code within this context end early when nobody waits any more."""
        try:
            with stop_when(self.reason_to_stop):
                yield
        except (Stop, KeyboardInterrupt):
            # A fit that is stopped before its first step raises KeyboardInterrupt.
            self.check()
            raise
        self.check()


@dataclass
class Wish(Wanted):
    """A request: its fields, what its page keeps, and whether its answer is still wanted.

    Attributes
    ----------
    number : int
        What the page calls it.
    kind : str
        Which function answers it.
    fields : Fields
        What the page sent.
    session : dict
        What functions keep for later requests of the same page.
    report : callable
        Sends a dictionary to the page while the answer is under way.
    """

    number: int
    kind: str
    fields: Fields
    session: dict[str, Any]
    report: Callable[[dict[str, Any]], None] = lambda values: None


class Channel:
    """Answers the newest wish of one channel, in a thread."""

    def __init__(
        self,
        answer: Callable[[Wish], Answer],
        send: Callable[[bytes], Awaitable[None]],
    ) -> None:
        self._answer, self._send = answer, send
        self._current: Wish | None = None
        self._next: Wish | None = None
        self._task: asyncio.Task | None = None

    async def ask(self, wish: Wish) -> None:
        """Answer this wish next; whatever was asked before is no longer wanted."""
        replaced = self._next
        self.cancel()
        self._next = wish
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        if replaced is not None:
            await self._send(pack("cancelled", replaced.number, Answer()))

    def cancel(self) -> None:
        """Cancel the wish that is being answered, and forget the one that waits."""
        self._next = None
        if self._current is not None:
            self._current.cancel()

    async def _run(self) -> None:
        while self._next is not None:
            self._current, self._next = self._next, None
            frame = await asyncio.to_thread(answered, self._current, self._answer)
            await self._send(frame)
        self._current = self._task = None


def answered(wish: Wish, answer: Callable[[Wish], Answer]) -> bytes:
    """Return the frame that answers a wish: what was asked for, an error, or that it is stale."""
    try:
        with wish.watched():
            return pack(wish.kind, wish.number, answer(wish))
    except NoLongerWanted:
        return pack("cancelled", wish.number, Answer())
    except EXPECTED_ERRORS as error:
        return pack("error", wish.number, Answer({"message": str(error) or repr(error)}))
    except Exception as error:
        logger.exception("the answer to %s failed", wish.kind)
        message = f"This is a defect of bandsvm: {type(error).__name__}: {error}"
        return pack("error", wish.number, Answer({"message": message}))
