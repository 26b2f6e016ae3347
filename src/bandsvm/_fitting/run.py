"""The run of a fit: problems that are solved, and observers that watch and may end it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any, Generic, TypeVar

from bandsvm._problem import Status


class FitRun:
    """The problems of a fit and their observers; what solves them is a subclass."""

    # Whether lines show where a problem starts, rather than where it ends.
    shows_start = False
    index: int  # the problem whose step it is
    progress: Any  # where it stands, during a step: `n_iter`, `seconds`, `tol` and more

    def __init__(self, observers: Sequence[Observer[Any]]) -> None:
        self.index = 0
        self._observers = observers
        self._turn = RLock()  # of observers
        self._has_failed = False

    @property
    def titles(self) -> list[str]:
        """A title for each problem, for progress and messages."""
        raise NotImplementedError

    @property
    def distance(self) -> float:
        """How far the problem is from its end, where it is at most ``progress.tol``."""
        raise NotImplementedError

    def describe(self) -> str:
        """Return a line on the current state."""
        raise NotImplementedError

    def figures(self) -> str:
        """Return the most important figures of that line, for a bar."""
        raise NotImplementedError

    def _begin(self, index: int) -> None:
        """Tell all observers that a problem begins."""
        with self._turn:
            self.index = index
            for observer in self._observers:
                observer.begin(self)

    def _step(self, index: int, progress: Any) -> Status | None:
        """Call all observers after a step; return the first reason to end."""
        with self._turn:
            if self._has_failed:
                return Status.STOPPED
            self.index, self.progress = index, progress
            self._before_observers()
            reasons = [observer.step(self) for observer in self._observers]
            # It would keep rows in memory while those of the next problem are made.
            del self.progress
            return next((reason for reason in reasons if reason is not None), None)

    def _before_observers(self) -> None:
        """Do what is needed before observers see a step."""

    @contextmanager
    def _ending_others(self) -> Iterator[None]:
        """End all problems at their next step if an error is raised."""
        try:
            yield
        except BaseException:
            self._has_failed = True
            raise


Run = TypeVar("Run", bound=FitRun, contravariant=True)


class Observer(Generic[Run]):
    """Watches a fit: a context around it that is called for every problem and every step.

    Calls never overlap, but problems that are solved at the same time take turns. An observer that
    `may_interleave` tells them apart by ``run.index``; otherwise problems are solved one by one.
    """

    may_interleave = False
    # Whether it does anything in `begin` and `step`; if none of them does, steps may be skipped.
    watches_steps = True

    def __enter__(self) -> Observer[Run]:
        """Start, before anything is computed."""
        return self

    def __exit__(self, *error: object) -> None:
        """Clean up, whether or not the fit succeeded."""

    def begin(self, run: Run) -> None:
        """Called before problem ``run.index``."""

    def step(self, run: Run) -> Status | None:
        """Called after a step, see ``run.progress``; returning a status ends the fit with it."""
        return None
