"""What ends a fit early: a limit on its time, and Ctrl-C."""

from __future__ import annotations

import math
import signal
import threading
import time
from types import FrameType

from bandsvm._course import Course, Observer
from bandsvm.solvers import Status

# Seconds after an interrupted fit in which one more Ctrl-C ends the program, as it usually does:
# who wants out of a loop over fits presses it again.
SECOND_PRESS = 1.0


class Limits(Observer):
    """Ends work that was interrupted or takes longer than ``time_limit`` seconds."""

    def __init__(self, time_limit: float | None = None) -> None:
        self._seconds = math.inf if time_limit is None else time_limit
        self._interruption = Interruption()

    def __enter__(self) -> Limits:
        """Start the clock and listen to Ctrl-C."""
        self._end = time.monotonic() + self._seconds
        self._interruption.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        """Give Ctrl-C back."""
        self._interruption.__exit__(*error)

    def step(self, course: Course) -> Status | None:
        """End the fit for a reason, if there is one."""
        return self.reason()

    def reason(self) -> Status | None:
        """Return why work must end, or None."""
        if self._interruption.was_pressed:
            return Status.INTERRUPTED
        return Status.TIME_LIMIT if time.monotonic() >= self._end else None


class Interruption:
    """Turns Ctrl-C from an exception into a fact, so that a fit can end with what was reached.

    A second one in the same fit, or soon after an interrupted one, is a KeyboardInterrupt again.
    Signals reach the main thread only, and a program's own handler of SIGINT is left alone.
    """

    _last_interrupted_at = -float("inf")

    def __enter__(self) -> Interruption:
        """Take over Ctrl-C where it is Python's own."""
        self.was_pressed = False
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

    def _press(self, number: int, frame: FrameType | None) -> None:
        """Remember the first Ctrl-C; raise at the second."""
        now = time.monotonic()
        if self.was_pressed or now - Interruption._last_interrupted_at < SECOND_PRESS:
            signal.default_int_handler(number, frame)
        self.was_pressed = True
        Interruption._last_interrupted_at = now
