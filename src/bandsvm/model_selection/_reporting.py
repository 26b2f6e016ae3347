"""What a search does while it works: say where it stands, and look for a reason to stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bandsvm.fitting.progress import SECONDS_BETWEEN_LINES, report
from bandsvm.kernels import uses_gamma
from bandsvm.model_selection._grid import Candidate
from bandsvm.solvers import Progress, Status


class Watch:
    """Watches the fits of a search, from whatever thread.

    Parameters
    ----------
    reason : callable
        Returns why the search must end, or None.
    is_verbose : bool
        Whether to say lines.
    n_folds : int
        Number of folds.
    """

    def __init__(self, reason: Callable[[], Status | None], is_verbose: bool, n_folds: int) -> None:
        self._reason = reason
        self._is_over = False
        self._is_verbose, self._n_folds = is_verbose, n_folds
        self._lock = threading.Lock()
        self._last_line_at = -np.inf

    def reason(self) -> Status | None:
        """Return why work must end, or None."""
        return Status.STOPPED if self._is_over else self._reason()

    def end(self) -> None:
        """Let all work end: nobody will ask for what comes of it."""
        self._is_over = True

    def report(self, line: str) -> None:
        """Say a line, if anybody wants to hear it."""
        if self._is_verbose:
            with self._lock:
                self._last_line_at = time.monotonic()
            report(line)

    def step(self, candidate: Candidate, fold: int, progress: Progress) -> Status | None:
        """Say where a long fit stands, at most a line a second; return a reason to end it."""
        if self._is_verbose and self._is_due():
            report(
                f"{describe(candidate)}, {self._fold(fold)}: step {progress.n_iter}, violation "
                f"{progress.violation:.2e} (tol {progress.tol:.0e}), {progress.n_kernel_rows} "
                f"kernel rows, {progress.seconds:.1f} s"
            )
        return self.reason()

    def fold(self, candidates: Sequence[Candidate], fold: int, scores: NDArray) -> None:
        """Say how candidates of one kernel score in a fold; NaN for those that were given up."""
        if not np.isfinite(scores).any():
            return
        best = int(np.nanargmax(scores))
        self.report(
            f"{place(candidates[0])}, {self._fold(fold)}: "
            f"{counted(int(np.isfinite(scores).sum()))}; the best in this fold scores "
            f"{scores[best]:.4f}: {numbers(candidates[best])}"
        )

    def _fold(self, fold: int) -> str:
        return f"fold {fold + 1} of {self._n_folds}"

    def _is_due(self) -> bool:
        """Return whether nothing was said for long enough; who hears so is the next to speak."""
        with self._lock:
            now = time.monotonic()
            if now - self._last_line_at < SECONDS_BETWEEN_LINES:
                return False
            self._last_line_at = now
            return True


def describe(candidate: Candidate) -> str:
    """Return a candidate's parameters, in a line."""
    return f"{place(candidate)}, {numbers(candidate)}"


def numbers(candidate: Candidate) -> str:
    """Return a candidate's costs and band, in a line."""
    return ", ".join(f"{name}={getattr(candidate, name):.4g}" for name in ("C1", "C2", "rho2"))


def place(candidate: Candidate) -> str:
    """Return a candidate's kernel, in words."""
    name = candidate.kernel if isinstance(candidate.kernel, str) else "callable"
    return f"{name}, gamma={candidate.gamma:.4g}" if uses_gamma(candidate.kernel) else name


def counted(number: int) -> str:
    """Return a number of candidates, in words."""
    return "1 candidate" if number == 1 else f"{number} candidates"
