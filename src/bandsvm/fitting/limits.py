"""What ends a fit early: a limit on its time, and Ctrl-C."""

from __future__ import annotations

import math
import signal
import threading
import time
from contextlib import ExitStack
from types import FrameType

from bandsvm.fitting.run import Observer
from bandsvm.solvers import Status
from bandsvm.system.stopping import stop_when

# Share of a time limit, and seconds at most, that are kept for what comes after the solver.
SHARE_FOR_THE_END, MOST_FOR_THE_END = 0.1, 0.3


class Limits(Observer):
    """Ends work that was interrupted or takes longer than ``time_limit`` seconds.

    Solvers, kernel rows and certificates look at it between their pieces.
    """

    def __init__(self, time_limit: float | None = None) -> None:
        self._seconds = math.inf if time_limit is None else time_limit
        self._interruption = Interruption()
        self._entered = ExitStack()

    def __enter__(self) -> Limits:
        """Start the clock and listen to Ctrl-C."""
        for_the_end = min(SHARE_FOR_THE_END * self._seconds, MOST_FOR_THE_END)
        self._end = time.monotonic() + self._seconds - for_the_end
        self._entered.enter_context(self._interruption)
        self._entered.enter_context(stop_when(self.reason))
        return self

    def __exit__(self, *error: object) -> None:
        """Give Ctrl-C back."""
        self._entered.close()

    @property
    def was_interrupted(self) -> bool:
        """Whether somebody pressed Ctrl-C."""
        return self._interruption.was_pressed

    def reason(self) -> Status | None:
        """Return why work must end, or None."""
        if self._interruption.was_pressed:
            return Status.INTERRUPTED
        return Status.TIME_LIMIT if time.monotonic() >= self._end else None


class Interruption:
    """Turns Ctrl-C from an exception into a fact, so that work can end with what was reached.

    Whoever uses it raises KeyboardInterrupt once that is safe. A second Ctrl-C meanwhile raises it
    at once. Signals reach the main thread only; a program's own handler of SIGINT is left alone.
    """

    def __init__(self) -> None:
        self.was_pressed = False

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
        if self.was_pressed:
            signal.default_int_handler(number, frame)
        self.was_pressed = True
