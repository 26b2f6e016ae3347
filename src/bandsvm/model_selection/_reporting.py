"""Progress of a search, and reasons to stop it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bandsvm._fitting.progress import SECONDS_BETWEEN_LINES, report
from bandsvm._kernels import uses_gamma
from bandsvm._problem import Progress, Status
from bandsvm.model_selection._grid import Candidate


class SearchObserver:
    """Watches a search."""

    def planned(self, n_candidates: int) -> None:
        """Called with how many candidates there will be in all, as far as is known by now."""

    def fold_ended(self, n_candidates: int) -> None:
        """Called when so many candidates are done with one more fold; from any thread."""

    def line(self, text: str) -> None:
        """Called with a line on what was done; from any thread."""

    def scored(self, candidates: Sequence[Candidate], scores: NDArray) -> None:
        """Called with all candidates so far and their scores per fold, when there are new ones."""


class Watch:
    """Reports the progress of a search and ends it; usable from any thread.

    ``reason`` returns why the search must end, or None. The observer gets all lines, printed or
    not.
    """

    def __init__(
        self,
        reason: Callable[[], Status | None],
        is_verbose: bool,
        n_folds: int,
        observer: SearchObserver | None = None,
    ) -> None:
        self._reason = reason
        self.observer = observer or SearchObserver()
        self._is_over = False
        self._is_verbose, self._n_folds = is_verbose, n_folds
        self._lock = threading.Lock()
        self._last_line_at = -np.inf

    def reason(self) -> Status | None:
        """Return why work must end, or None."""
        return Status.STOPPED if self._is_over else self._reason()

    def end(self) -> None:
        """End all work, because its results are no longer needed."""
        self._is_over = True

    def report(self, line: str) -> None:
        """Print a line if the search is verbose."""
        self.observer.line(line)
        if self._is_verbose:
            with self._lock:
                self._last_line_at = time.monotonic()
            report(line)

    def report_now_and_then(self, line: str) -> None:
        """Print a line if the search is verbose and the last one is a second old."""
        self.observer.line(line)
        if self._is_verbose and self._is_due():
            report(line)

    def step(self, candidate: Candidate, fold: int, progress: Progress) -> Status | None:
        """Report a long fit, at most one line per second; return a reason to end it, or None."""
        if self._is_verbose and self._is_due():
            report(
                f"{describe(candidate)}, {self._fold(fold)}: step {progress.n_iter}, violation "
                f"{progress.violation:.2e} (tol {progress.tol:.0e}), {progress.n_kernel_rows} "
                f"kernel rows, {progress.seconds:.1f} s"
            )
        return self.reason()

    def fold(self, candidates: Sequence[Candidate], fold: int, scores: NDArray) -> None:
        """Report the scores of one kernel's candidates in a fold; NaN means given up."""
        self.observer.fold_ended(len(candidates))
        if not np.isfinite(scores).any():
            return
        best = int(np.nanargmax(scores))
        self.report_now_and_then(
            f"{kernel_text(candidates[0])}, {self._fold(fold)}: "
            f"{counted(int(np.isfinite(scores).sum()))}; the best in this fold scores "
            f"{scores[best]:#.4g}: {candidates[best].text()}"
        )

    def _fold(self, fold: int) -> str:
        return f"fold {fold + 1} of {self._n_folds}"

    def _is_due(self) -> bool:
        """Return whether the last line is old enough; if so, the caller must print the next."""
        with self._lock:
            now = time.monotonic()
            if now - self._last_line_at < SECONDS_BETWEEN_LINES:
                return False
            self._last_line_at = now
            return True


def describe(candidate: Candidate) -> str:
    """Return a candidate's parameters as text."""
    return f"{kernel_text(candidate)}, {candidate.text()}"


def kernel_text(candidate: Candidate) -> str:
    """Return a candidate's kernel as text."""
    name = candidate.kernel if isinstance(candidate.kernel, str) else "callable"
    return f"{name}, gamma={candidate.gamma:.4g}" if uses_gamma(candidate.kernel) else name


def counted(number: int) -> str:
    """Return a number of candidates as text."""
    return "1 candidate" if number == 1 else f"{number} candidates"
