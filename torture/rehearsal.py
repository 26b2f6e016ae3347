"""Cases that go wrong on purpose: a report that misses one of them is worth nothing."""

from __future__ import annotations

import os
import signal


def describe(number: int) -> str:
    """Return what a case is."""
    return f"case {number}"


def case(number: int) -> tuple[str, str]:
    """Crash, raise or object."""
    if number == 1:
        os.kill(os.getpid(), signal.SIGSEGV)
    if number == 2:
        raise OSError("surprise")
    return "ended", "wrong" if number == 3 else ""
