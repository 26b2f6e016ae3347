"""Long work that goes on while its page is reloaded; a page watches it, and may come back to it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from bandsvm._workflow.work import Work
from bandsvm.explore.server.requests import Cancellable, Report, Request, Superseded
from bandsvm.explore.server.responses import Response

# How often a request that waits for a job looks whether its page is still there.
SECONDS_BETWEEN_CHECKS_OF_PAGE = 0.05
# Work notices within half a second that it is cancelled.
SECONDS_TO_END = 5.0


class Job(Cancellable):
    """Work of some kind, ``name``, in a thread of its own; ``run`` takes this job and does it.

    ``on_progress`` hears all that the work reports, after the pages that watch it.
    """

    def __init__(self, name: str, run: Callable[[Job], Response], on_progress: Report) -> None:
        self.name = name
        self.work = Work(self._report, lambda: not self.is_cancelled)
        self._run, self._on_progress = run, on_progress
        # The newest value of each field, for a page that comes later.
        self._reported: dict[str, Any] = {}
        self._listeners: list[Report] = []
        self._lock = threading.Lock()
        self._is_done = threading.Event()
        self._response: Response | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    @property
    def is_under_way(self) -> bool:
        """Whether the work has not ended yet."""
        return not self._is_done.is_set()

    def watch(self, request: Request) -> Response:
        """Report to a page until the work ends; return its response, or raise its error."""
        with self._lock:
            if self._reported:
                request.report(dict(self._reported))
            self._listeners.append(request.report)
        try:
            while not self._is_done.wait(SECONDS_BETWEEN_CHECKS_OF_PAGE):
                request.check()
        finally:
            with self._lock:
                self._listeners.remove(request.report)
        if self._error is not None:
            raise self._error
        assert self._response is not None
        return self._response

    def end(self) -> None:
        """Cancel the work and wait until it has ended."""
        self.cancel()
        self._thread.join(SECONDS_TO_END)

    def _report(self, values: dict[str, Any]) -> None:
        with self._lock:
            self._reported |= values
            for listener in self._listeners:
                listener(values)
        self._on_progress(values)

    def _work(self) -> None:
        try:
            with self.watched():
                self._response = self._run(self)
        except Exception as error:
            # What ends cancelled work is not of interest.
            self._error = Superseded() if self.is_cancelled else error
        finally:
            self._is_done.set()
