"""Stopping of long-running work between pieces.

The caller sets with `stop_when` a function that returns a reason to stop, or None. The work calls
`check_stop` at least every few tenths of a second, and leaves a consistent state behind if that
raises `Stop`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar, Token
from typing import Any

_reason: ContextVar[Callable[[], Any] | None] = ContextVar("reason", default=None)


class Stop(Exception):  # noqa: N818  (like StopIteration, not an error)
    """Work must end; ``reason`` is why."""

    def __init__(self, reason: Any) -> None:
        super().__init__(reason)
        self.reason = reason


class stop_when:  # noqa: N801  (a context, used like a function)
    """Makes `check_stop` call ``reason`` within this context; None means never stop."""

    _before: Token[Callable[[], Any] | None]

    def __init__(self, reason: Callable[[], Any] | None) -> None:
        self._reason = reason

    def __enter__(self) -> None:
        """Take effect."""
        self._before = _reason.set(self._reason)

    def __exit__(self, *error: object) -> None:
        """Restore what was before."""
        _reason.reset(self._before)


def current_reason() -> Callable[[], Any] | None:
    """Return the function that `check_stop` calls here, None if there is none."""
    return _reason.get()


def check_stop() -> None:
    """Raise `Stop` if there is a reason to end."""
    find_reason = _reason.get()
    if find_reason is not None and (reason := find_reason()) is not None:
        raise Stop(reason)


def stoppable_slices(number: int, size: int) -> Iterator[slice]:
    """Yield slices of at most ``size`` out of a number of items; check before each."""
    for start in range(0, number, size):
        check_stop()
        yield slice(start, min(start + size, number))


def within(seconds: float) -> Callable[[], Any]:
    """Return a function that gives a reason to end after this many seconds."""
    end = time.monotonic() + seconds
    return lambda: "time is up" if time.monotonic() >= end else None
