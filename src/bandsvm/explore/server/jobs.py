"""Long work that goes on while its page is reloaded; a page watches it, and may come back to it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from bandsvm._workflow.work import Work
from bandsvm.explore.server.frames import Answer
from bandsvm.explore.server.wishes import NoLongerWanted, Wanted, Wish

# How often a request that waits for a job looks whether its page is still there.
SECONDS_BETWEEN_CHECKS_OF_PAGE = 0.05
# Work notices within half a second that it is no longer wanted.
SECONDS_TO_END = 5.0


class Job(Wanted):
    """Work in a thread of its own.

    Parameters
    ----------
    name : str
        What kind of work it is.
    run : callable
        Does the work: takes this job, returns the answer.
    """

    def __init__(self, name: str, run: Callable[[Job], Answer]) -> None:
        self.name = name
        self.work = Work(self._report, lambda: self.is_wanted)
        self._run = run
        self._said: dict[str, Any] = {}  # the newest value of each field, for who comes later
        self._listeners: list[Callable[[dict[str, Any]], None]] = []
        self._lock = threading.Lock()
        self._is_done = threading.Event()
        self._answer: Answer | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    @property
    def is_under_way(self) -> bool:
        """Whether the work has not ended yet."""
        return not self._is_done.is_set()

    def watch(self, wish: Wish) -> Answer:
        """Report to a page until the work ends; return its answer, or raise its error."""
        with self._lock:
            if self._said:
                wish.report(dict(self._said))
            self._listeners.append(wish.report)
        try:
            while not self._is_done.wait(SECONDS_BETWEEN_CHECKS_OF_PAGE):
                wish.check()
        finally:
            with self._lock:
                self._listeners.remove(wish.report)
        if self._error is not None:
            raise self._error
        assert self._answer is not None
        return self._answer

    def end(self) -> None:
        """Cancel the work and wait until it has ended."""
        self.cancel()
        self._thread.join(SECONDS_TO_END)

    def _report(self, values: dict[str, Any]) -> None:
        with self._lock:
            self._said |= values
            for listener in self._listeners:
                listener(values)

    def _work(self) -> None:
        try:
            with self.watched():
                self._answer = self._run(self)
        except Exception as error:
            # What ends work that nobody wants is not of interest.
            self._error = error if self.is_wanted else NoLongerWanted()
        finally:
            self._is_done.set()
