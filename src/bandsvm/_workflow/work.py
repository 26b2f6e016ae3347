"""Long work that somebody watches: it reports its progress and its warnings, and can be stopped."""

from __future__ import annotations

import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import Any

from bandsvm._fitting.kernel_run import KernelRun
from bandsvm._fitting.progress import share_done
from bandsvm._fitting.run import Observer
from bandsvm._problem import Status

SECONDS_BETWEEN_REPORTS = 0.1

_collected: ContextVar[list[str] | None] = ContextVar("collected", default=None)
_lock = threading.Lock()
_n_collecting = 0
_filters = ExitStack()


class Work:
    """What long work needs to know of whoever waits for it.

    ``report`` takes a dictionary on the progress. ``is_wanted`` returns whether anybody still
    waits; if not, the work ends at once.
    """

    def __init__(
        self,
        report: Callable[[dict[str, Any]], None] = lambda values: None,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> None:
        self.report, self._is_wanted = report, is_wanted
        self._stop = threading.Event()

    def stop(self) -> None:
        """End the work with the best result so far; safe from any thread."""
        self._stop.set()

    def reason(self) -> Status | None:
        """Return why to stop, as `stop_when` wants it, or None."""
        return None if self._is_wanted() and not self._stop.is_set() else Status.INTERRUPTED

    def take_stop(self) -> bool:
        """Return whether a stop was asked for, and forget it: what follows may be stopped again."""
        was_set = self._stop.is_set()
        self._stop.clear()
        return was_set


class FitProgress(Observer[KernelRun]):
    """Reports how far a fit is: the share done over all its problems, and where it stands."""

    may_interleave = True

    def __init__(self, report: Callable[[dict[str, Any]], None]) -> None:
        self._report, self._last = report, -SECONDS_BETWEEN_REPORTS
        self._first: dict[int, float] = {}  # violation of each problem
        self._done: dict[int, float] = {}  # share of each problem

    def begin(self, run: KernelRun) -> None:
        """Start the next problem."""
        self._first[run.index] = 0.0

    def step(self, run: KernelRun) -> None:
        """Report, but not too often."""
        progress, index = run.progress, run.index
        self._first[index] = max(self._first[index], progress.violation)
        self._done[index] = share_done(self._first[index], progress.violation, progress.tol)
        now = time.monotonic()
        if now - self._last < SECONDS_BETWEEN_REPORTS:
            return
        self._last = now
        self._report(
            {
                "stage": "fit",
                "share": sum(self._done.values()) / len(run.training.problems),
                "problem": run.titles[index].rstrip(":"),
                "n_steps": progress.n_iter,
                "violation": progress.violation,
                "tol": progress.tol,
                "n_support": sum(run.n_support()),
            }
        )


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Collect what warnings of this thread say, each sentence once, instead of showing them.

    `warnings.catch_warnings` changes what all threads do, and with two of them at work it restores
    the wrong filters. Here the filters change once, for as long as any thread collects.
    """
    global _n_collecting
    with _lock:
        if _n_collecting == 0:
            _filters.enter_context(warnings.catch_warnings())
            shown_before = warnings.showwarning
            warnings.simplefilter("always")
            warnings.showwarning = _collecting(shown_before)
        _n_collecting += 1
    sentences: list[str] = []
    token = _collected.set(sentences)
    try:
        yield sentences
    finally:
        _collected.reset(token)
        with _lock:
            _n_collecting -= 1
            if _n_collecting == 0:
                _filters.close()


def _collecting(show: Any) -> Any:
    """Return a function that collects a warning where its thread does so, and else shows it."""

    def collect(message: Any, category: Any, filename: str, lineno: int, *rest: Any) -> None:
        sentences = _collected.get()
        if sentences is None:
            show(message, category, filename, lineno, *rest)
        elif str(message) not in sentences:
            sentences.append(str(message))

    return collect
