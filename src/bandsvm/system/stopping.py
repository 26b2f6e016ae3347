"""Long work can be stopped between its pieces.

The caller of long work states with `stop_when` what would be a reason to end it. The work itself
calls `check_stop` at least every few tenths of a second, and leaves nothing broken behind when that
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
def stop_when(reason: Callable[[], Any] | None) -> Iterator[None]:
    """Let `check_stop` ask ``reason`` whether to end, in this context; None never ends."""
    token = _reason.set(reason)
    try:
        yield
    finally:
        _reason.reset(token)


def check_stop() -> None:
    """Raise `Stop` if there is a reason to end."""
    find_reason = _reason.get()
    if find_reason is not None and (reason := find_reason()) is not None:
        raise Stop(reason)


def within(seconds: float) -> Callable[[], Any]:
    """Return a reason to end after so many seconds."""
    end = time.monotonic() + seconds
    return lambda: "time is up" if time.monotonic() >= end else None
