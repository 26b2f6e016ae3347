"""The observer that ends a fit early: at its time limit or on Ctrl-C."""

from __future__ import annotations

import math
import signal
import threading
import time
from contextlib import AbstractContextManager
from types import FrameType

from bandsvm._fitting.run import FitRun, Observer
from bandsvm._problem import Status
from bandsvm._system.stopping import current_reason, stop_when

try:
    # What the module `signal` calls: its own functions look for names of handlers among those of an
    # enumeration, which takes a share of a small fit.
    from _signal import getsignal as handler_of
    from _signal import signal as set_handler
except ImportError:
    from signal import getsignal as handler_of
    from signal import signal as set_handler

SIGINT = int(signal.SIGINT)
# Share of a time limit, and largest number of seconds, reserved for work after the solver.
SHARE_FOR_THE_END, MAX_FOR_THE_END = 0.1, 0.3


class Limits(Observer[FitRun]):
    """Ends work that was interrupted or takes longer than ``time_limit`` seconds.

    Solvers, kernel rows and certificates check it between pieces of work. A reason to stop that the
    caller set with `stop_when`, say from another thread, ends the work too.

    Ctrl-C is recorded instead of raising an exception, so that work can end with a usable result.
    The caller raises KeyboardInterrupt once that is safe; a second Ctrl-C raises it at once.
    Signals reach the main thread only. A program's own handler of SIGINT is left in place.
    """

    may_interleave, watches_steps = True, False

    def __init__(self, time_limit: float | None = None) -> None:
        self._seconds = math.inf if time_limit is None else time_limit
        self.was_interrupted = False
        self._has_taken_over = False

    def __enter__(self) -> Limits:
        """Start the clock and take over Ctrl-C if Python's default handler is in place."""
        for_the_end = min(SHARE_FOR_THE_END * self._seconds, MAX_FOR_THE_END)
        self._end = time.monotonic() + self._seconds - for_the_end
        self._reason_of_caller = current_reason()
        in_main_thread = threading.current_thread() is threading.main_thread()
        if in_main_thread and handler_of(SIGINT) is signal.default_int_handler:
            set_handler(SIGINT, self._interrupt)
            self._has_taken_over = True
        self._stopping = stop_when(self.reason)
        self._stopping.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        """Restore the handler of Ctrl-C."""
        try:
            self._stopping.__exit__()
            del self._stopping  # it refers to this object
        finally:
            if self._has_taken_over:
                set_handler(SIGINT, signal.default_int_handler)
                self._has_taken_over = False

    def reason(self) -> Status | None:
        """Return why work must end, or None."""
        if self.was_interrupted:
            return Status.INTERRUPTED
        if self._reason_of_caller is not None and (reason := self._reason_of_caller()) is not None:
            return reason
        return Status.TIME_LIMIT if time.monotonic() >= self._end else None

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        """Record the first Ctrl-C; raise on the second."""
        if self.was_interrupted:
            signal.default_int_handler(number, frame)
        self.was_interrupted = True


def interruptions_only() -> AbstractContextManager[None]:
    """Return a context for work that Ctrl-C may cut short, but no time limit."""
    find_reason = current_reason()

    def reason() -> Status | None:
        found = None if find_reason is None else find_reason()
        return found if found is Status.INTERRUPTED else None

    return stop_when(reason)
