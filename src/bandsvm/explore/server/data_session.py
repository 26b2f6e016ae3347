"""What the server keeps for the view "Your data" of one page: a file, a holdout, a fitted model."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sklearn.pipeline import Pipeline

from bandsvm._workflow.holdout import Holdout, TablePart
from bandsvm._workflow.search import SearchResult
from bandsvm._workflow.source import Choices, Source
from bandsvm.explore.server.jobs import Job
from bandsvm.explore.server.requests import Report
from bandsvm.explore.server.responses import Response


@dataclass(frozen=True)
class Result:
    """A fitted model, and everything that its tabs need."""

    holdout: Holdout  # what it was fitted to
    model: Pipeline  # the model, with the steps that prepare samples
    parts: dict[str, TablePart]  # what it says of the parts of the table
    sentences: list[str]  # what is worth knowing
    found: SearchResult | None  # the search that chose the parameters
    command: list[str]  # what fits the same parameters at the shell
    parameters: dict[str, Any]  # the parameters of the classifier
    settings: str  # what the page called its settings when it asked for the fit
    left_out: list[dict[str, Any]]  # the columns that are no features, each with the reason
    # Paths of models from there, by the parameter that varies.
    paths: dict[str, dict[str, Any]] = field(default_factory=dict, repr=False)


@dataclass
class DataSession:
    """A file and what came of it; requests on several channels may use it at once."""

    on_progress: Report  # hears what long work reports
    source: Source | None = None  # the file that is open
    result: Result | None = None  # what the last fit gave
    job: Job | None = None  # the last long work
    _holdout: tuple[Choices, Holdout] | None = field(default=None, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _starting: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def open(self, source: Source) -> None:
        """Look at another file; what was found in the last one is forgotten."""
        self.cancel_work()
        with self._lock:
            self.source, self.result, self._holdout = source, None, None
            self.job = None

    def holdout(self, choices: Choices, scale: str) -> Holdout:
        """Return the table as chosen, part of it held out; the last one is kept."""
        source, last = self.opened(), self._holdout
        if last is not None and last[0] == choices and last[1].scale == scale:
            return last[1]
        holdout = Holdout(source.table(choices), scale)
        with self._lock:
            if source is self.source:
                self._holdout = (choices, holdout)
        return holdout

    def opened(self) -> Source:
        """Return the file that is open."""
        if self.source is None:
            raise ValueError("No file is open; choose one first.")
        return self.source

    def fitted(self) -> Result:
        """Return the result of the last fit."""
        if self.result is None:
            raise ValueError("No model is fitted yet; press Fit.")
        return self.result

    def start(self, name: str, run: Callable[[Job], Response]) -> Job:
        """Start work; what was under way is cancelled."""
        with self._starting:
            self.end_work()
            self.job = Job(name, run, self.on_progress)
            return self.job

    def stop(self) -> None:
        """End the work that is under way, with the best result so far."""
        if self.job is not None:
            self.job.work.stop()

    def cancel_work(self) -> None:
        """Let the work that is under way end without a result."""
        if self.job is not None:
            self.job.cancel()

    def end_work(self) -> None:
        """Cancel the work that is under way, and wait until it has ended."""
        if self.job is not None:
            self.job.end()

    def keep(self, source: Source, result: Result) -> bool:
        """Keep the result of a fit; return False if another file has been opened meanwhile."""
        with self._lock:
            if source is not self.source:
                return False
            self.result = result
            return True
