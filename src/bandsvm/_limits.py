"""What ends a fit early: a limit on its time, and Ctrl-C."""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType

from bandsvm._course import Course, Observer
from bandsvm.solvers import Status

# Seconds after an interrupted fit in which one more Ctrl-C ends the program, as it usually does:
# who wants out of a loop over fits presses it again.
SECOND_PRESS = 1.0


class TimeLimit(Observer):
    """Ends a fit after a number of seconds, counted from its first check of X."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def __enter__(self) -> TimeLimit:
        """Start the clock."""
        self._end = time.monotonic() + self._seconds
        return self

    def step(self, course: Course) -> Status | None:
        """End the fit when its time is over."""
        return Status.TIME_LIMIT if time.monotonic() >= self._end else None


class Interruption(Observer):
    """Makes Ctrl-C end a fit after the outer step it is in, with what was reached.

    A second one in the same fit, or soon after an interrupted one, is a KeyboardInterrupt again.
    Signals reach the main thread only, and a program's own handler of SIGINT is left alone.
    """

    _last_interrupted_at = -float("inf")

    def __enter__(self) -> Interruption:
        """Take over Ctrl-C where it is Python's own."""
        self._pressed = False
        self._is_ours = (
            threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        )
        if self._is_ours:
            signal.signal(signal.SIGINT, self._press)
        return self

    def __exit__(self, *error: object) -> None:
        """Give Ctrl-C back."""
        if self._is_ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def step(self, course: Course) -> Status | None:
        """End the fit if Ctrl-C was pressed."""
        return Status.INTERRUPTED if self._pressed else None

    def _press(self, number: int, frame: FrameType | None) -> None:
        """Remember the first Ctrl-C; raise at the second."""
        now = time.monotonic()
        if self._pressed or now - Interruption._last_interrupted_at < SECOND_PRESS:
            signal.default_int_handler(number, frame)
        self._pressed = True
        Interruption._last_interrupted_at = now
