"""What ``verbose`` shows while a fit runs: lines through `logging`, or a bar on a terminal."""

from __future__ import annotations

import logging
import math
import sys
import time
from contextlib import suppress
from typing import Any

from bandsvm._fitting.run import FitRun, Observer

logger = logging.getLogger("bandsvm")
SECONDS_BETWEEN_LINES = 1.0
# More problems than this share a bar, and few of them have lines of their own.
MAX_PROBLEMS_SHOWN = 12
# Widths of a line with a bar: it fits into 80 columns with a million support vectors.
TITLE_WIDTH, MIN_BAR_WIDTH, MAX_BAR_WIDTH, WITHOUT_BAR = 18, 10, 40, 70


def report(line: str) -> None:
    """Log a line, or print it to standard error if the log has no handler."""
    if logger.isEnabledFor(logging.INFO) and logger.hasHandlers():
        logger.info(line)
    else:
        # One write, so that lines of several threads do not run into each other.
        print(f"[bandsvm] {line}\n", end="", file=sys.stderr, flush=True)


def progress_shower(verbose: int) -> Observer[FitRun]:
    """Return the observer that shows progress: a bar on a terminal if possible, else lines."""
    somebody_listens = logger.isEnabledFor(logging.INFO) and logger.hasHandlers()
    if verbose == 1 and sys.stderr.isatty() and not somebody_listens:
        with suppress(ImportError):
            return ProgressBar()
    return ProgressLines(verbose)


def share_done(first: float, violation: float, tol: float) -> float:
    """Return the progress from the first violation to ``tol``, from 0 to 1 on a log scale."""
    if violation <= tol:
        return 1.0
    if not tol < first < math.inf:
        return 0.0
    return min(max(math.log(first / violation) / math.log(first / tol), 0.0), 1.0)


class ProgressLines(Observer[FitRun]):
    """Reports a line per second, or one per outer step if ``verbose > 1``."""

    may_interleave = True

    def __init__(self, verbose: int) -> None:
        self._verbose = verbose
        self._last_line_at: dict[int, float] = {}
        self._last_end_at = -math.inf
        self._ended: set[int] = set()

    def begin(self, run: FitRun) -> None:
        """Report nothing yet, so that a short fit prints only one line."""
        self._last_line_at[run.index] = -math.inf if run.shows_start else 0.0

    def step(self, run: FitRun) -> None:
        """Report the state of the fit if a line is due."""
        progress = run.progress
        due = progress.seconds - self._last_line_at[run.index] >= SECONDS_BETWEEN_LINES
        ends = run.distance <= progress.tol and self._shows_end(run)
        if due or self._verbose > 1 or ends:
            self._last_line_at[run.index] = progress.seconds
            self._last_end_at = time.monotonic()
            title = run.titles[run.index]
            report((f"{title} " if title else "") + run.describe())

    def _shows_end(self, run: FitRun) -> bool:
        """Return whether the end of a problem has a line: of many problems, one per second."""
        if run.shows_start:
            return False
        self._ended.add(run.index)
        n_problems = len(run.titles)
        waited = time.monotonic() - self._last_end_at >= SECONDS_BETWEEN_LINES
        return n_problems <= MAX_PROBLEMS_SHOWN or waited or len(self._ended) == n_problems


class ProgressBar(Observer[FitRun]):
    """A bar from the first violation to ``tol``, on a log scale, drawn by `rich`."""

    may_interleave = True

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.table import Column

        console = Console(file=sys.stderr)
        title = Column(max_width=TITLE_WIDTH, no_wrap=True, overflow="ellipsis")
        # A bar shrinks to nothing where the rest leaves no room.
        width = min(max(console.width - WITHOUT_BAR, MIN_BAR_WIDTH), MAX_BAR_WIDTH)
        self._bar = Progress(
            # A label in brackets is not markup.
            TextColumn("{task.description}", markup=False, table_column=title),
            BarColumn(bar_width=width),
            TextColumn("{task.fields[figures]}"),
            TimeElapsedColumn(),
            console=console,
        )
        self._tasks: dict[int, Any] = {}
        self._first: dict[int, float] = {}  # distance of each problem from its end
        self._task_of_all: Any = None
        self._ended: set[int] = set()

    def __enter__(self) -> ProgressBar:
        """Start drawing."""
        self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        """Stop drawing; keep the last state and restore the cursor."""
        self._bar.stop()

    def begin(self, run: FitRun) -> None:
        """Add a bar for the next problem, or one for all if they are many."""
        n_problems = len(run.titles)
        if n_problems <= MAX_PROBLEMS_SHOWN:
            title = run.titles[run.index].rstrip(":") or "fit"
            self._tasks[run.index] = self._bar.add_task(title, total=1.0, figures="")
            self._first[run.index] = 0.0
        elif self._task_of_all is None:
            self._task_of_all = self._bar.add_task("fit", total=n_problems, figures="")

    def step(self, run: FitRun) -> None:
        """Move the bar."""
        index, n_problems = run.index, len(run.titles)
        if n_problems > MAX_PROBLEMS_SHOWN:
            if run.distance <= run.progress.tol:
                self._ended.add(index)
            done = len(self._ended)
            figures = f"problem {min(done + 1, n_problems)} of {n_problems}"
            self._bar.update(self._task_of_all, completed=done, figures=figures)
            return
        first = self._first[index] = max(self._first[index], run.distance)
        done_share = share_done(first, run.distance, run.progress.tol)
        self._bar.update(self._tasks[index], completed=done_share, figures=run.figures())
