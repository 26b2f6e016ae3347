"""Long work looks up between its pieces: somebody may want it to end.

Whoever starts long work says with `watched` how to find out. Whoever does it calls `look` often
enough, at the least every few tenths of a second, and leaves nothing broken behind when that
raises `Stop`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_reason: ContextVar[Callable[[], Any] | None] = ContextVar("reason", default=None)


class Stop(Exception):  # noqa: N818  (like StopIteration, it is no error)
    """Work must end, for the reason that it gives."""

    def __init__(self, reason: Any) -> None:
        super().__init__(reason)
        self.reason = reason


@contextmanager
def watched(reason: Callable[[], Any] | None) -> Iterator[None]:
    """Let `look` ask for a ``reason`` to end, in this context; None lets it ask nobody."""
    token = _reason.set(reason)
    try:
        yield
    finally:
        _reason.reset(token)


def look() -> None:
    """Raise `Stop` if there is a reason to end."""
    find_reason = _reason.get()
    if find_reason is not None and (reason := find_reason()) is not None:
        raise Stop(reason)


def within(seconds: float) -> Callable[[], Any]:
    """Return a reason to end after so many seconds."""
    end = time.monotonic() + seconds
    return lambda: "time is up" if time.monotonic() >= end else None
