"""Of several requests for the same thing the last one wins; earlier ones are cancelled.

A page names with each request a channel. While one request of a channel is being answered, at most
one more waits; a newer one replaces it and cancels the one under way. So a slider that moves faster
than fits end never builds a queue.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bandsvm._problem import Status
from bandsvm._system.advice import AdvisedError
from bandsvm._system.stopping import Stop, stop_when
from bandsvm._workflow.naming import page_name
from bandsvm.explore.server.fields import Fields
from bandsvm.explore.server.responses import Response, pack

if TYPE_CHECKING:
    from bandsvm.explore.server.sessions import Session

logger = logging.getLogger("bandsvm.explore")
# What a user can correct; anything else is a defect of ours.
EXPECTED_ERRORS = (ValueError, TypeError, OSError, ImportError, MemoryError)

Report = Callable[[dict[str, Any]], None]


class Superseded(Exception):  # noqa: N818  (like Stop, not an error)
    """A newer request has taken the place of this one."""


class Cancellable:
    """Something that a page waits for, until it is cancelled."""

    is_cancelled = False

    def cancel(self) -> None:
        """Say that no page waits any more; safe from any thread."""
        self.is_cancelled = True

    def check(self) -> None:
        """Raise if no page waits any more."""
        if self.is_cancelled:
            raise Superseded

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Let library code within this context end early when no page waits any more."""
        try:
            with stop_when(lambda: Status.STOPPED if self.is_cancelled else None):
                yield
        except (Stop, KeyboardInterrupt):
            # A fit that is stopped before its first step raises KeyboardInterrupt.
            self.check()
            raise
        self.check()


@dataclass
class Request(Cancellable):
    """A request: its fields, what its page keeps, and whether it was cancelled."""

    number: int  # what the page calls it
    kind: str  # which handler answers it
    fields: Fields  # what the page sent
    session: Session  # what handlers keep for later requests of the same page
    report: Report = lambda values: None  # sends a dictionary to the page before the response


Handler = Callable[[Request], Response]


class Channel:
    """Answers the newest request of one channel, in a thread."""

    def __init__(self, handler: Handler, send: Callable[[bytes], Awaitable[None]]) -> None:
        self._handler, self._send = handler, send
        self._current: Request | None = None
        self._next: Request | None = None
        self._task: asyncio.Task[None] | None = None

    async def ask(self, request: Request) -> None:
        """Answer this request next; earlier ones are cancelled."""
        replaced = self._next
        self.cancel()
        self._next = request
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        if replaced is not None:
            await self._send(pack("cancelled", replaced.number, Response()))

    def cancel(self) -> None:
        """Cancel the request that is being answered, and forget the one that waits."""
        self._next = None
        if self._current is not None:
            self._current.cancel()

    async def _run(self) -> None:
        while self._next is not None:
            self._current, self._next = self._next, None
            frame = await asyncio.to_thread(answer, self._current, self._handler)
            await self._send(frame)
        self._current = self._task = None


def answer(request: Request, handler: Handler) -> bytes:
    """Return the frame that answers a request: its response, an error, or that it is cancelled."""
    try:
        with request.watched():
            return pack(request.kind, request.number, handler(request))
    except Superseded:
        return pack("cancelled", request.number, Response())
    except EXPECTED_ERRORS as error:
        return pack("error", request.number, Response({"message": message_of(error)}))
    except Exception as error:
        logger.exception("the answer to %s failed", request.kind)
        message = f"This is a defect of bandsvm: {type(error).__name__}: {error}"
        return pack("error", request.number, Response({"message": message}))


def message_of(error: Exception) -> str:
    """Return what the page says of an error: parameters have the labels of their controls."""
    if isinstance(error, AdvisedError):
        return error.render(page_name)
    return str(error) or repr(error)
