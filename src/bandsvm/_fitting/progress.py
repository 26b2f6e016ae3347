"""What ``verbose`` shows while a fit runs: lines through `logging`, or a bar on a terminal."""

from __future__ import annotations

import logging
import math
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from bandsvm._fitting.run import FitRun, Observer

logger = logging.getLogger("bandsvm")
SECONDS_BETWEEN_LINES = 1.0
# More problems than this share a bar, and few of them have lines of their own.
MAX_PROBLEMS_SHOWN = 12
# Widths of a line with a bar: it fits into 80 columns with a million support vectors.
TITLE_WIDTH, SHORTEST_BAR, LONGEST_BAR, WITHOUT_BAR = 18, 10, 40, 70


def report(line: str) -> None:
    """Log a line, or print it to standard error if the log has no handler."""
    if logger.isEnabledFor(logging.INFO) and logger.hasHandlers():
        logger.info(line)
    else:
        # One write, so that lines of several threads do not run into each other.
        print(f"[bandsvm] {line}\n", end="", file=sys.stderr, flush=True)


def progress_shower(verbose: int) -> Observer:
    """Return the observer that shows progress: a bar on a terminal if possible, else lines."""
    return new_bar(verbose) or ProgressLines(verbose)


def new_bar(verbose: int) -> ProgressBar | None:
    """Return a bar if somebody looks at a terminal, and it can be drawn."""
    somebody_listens = logger.isEnabledFor(logging.INFO) and logger.hasHandlers()
    if verbose == 1 and sys.stderr.isatty() and not somebody_listens:
        with suppress(ImportError):
            return ProgressBar()
    return None


def share_done(first: float, violation: float, tol: float) -> float:
    """Return the progress from the first violation to ``tol``, from 0 to 1 on a log scale."""
    if violation <= tol:
        return 1.0
    if not tol < first < math.inf:
        return 0.0
    return min(max(math.log(first / violation) / math.log(first / tol), 0.0), 1.0)


def describe(run: FitRun) -> str:
    """Return a line on the current state of a fit."""
    progress, (n_lower, n_upper) = run.progress, run.n_support()
    return (
        f"step {progress.n_iter}: violation {progress.violation:.2e} (tol {progress.tol:.0e}), "
        f"{n_lower} + {n_upper} support vectors (lower + upper edge), "
        f"{progress.n_kernel_rows} kernel rows, {progress.n_pair_steps} pair steps, "
        f"{progress.seconds:.1f} s"
    )


class ProgressLines(Observer):
    """Reports a line per second, or one per outer step if ``verbose > 1``."""

    may_interleave = True

    def __init__(self, verbose: int) -> None:
        self._verbose = verbose
        self._last_line_at: dict[int, float] = {}
        self._last_end_at = -math.inf
        self._ended: set[int] = set()

    def begin(self, run: FitRun) -> None:
        """Report nothing yet, so that a short fit prints only one line."""
        self._last_line_at[run.index] = 0.0

    def step(self, run: FitRun) -> None:
        """Report the state of the fit if a line is due."""
        progress = run.progress
        due = progress.seconds - self._last_line_at[run.index] >= SECONDS_BETWEEN_LINES
        ends = progress.violation <= progress.tol and self._shows_end(run)
        if due or self._verbose > 1 or ends:
            self._last_line_at[run.index] = progress.seconds
            self._last_end_at = time.monotonic()
            title = run.training.titles[run.index]
            report((f"{title} " if title else "") + describe(run))

    def _shows_end(self, run: FitRun) -> bool:
        """Return whether the end of a problem has a line: of many problems, one per second."""
        self._ended.add(run.index)
        n_problems = len(run.training.titles)
        waited = time.monotonic() - self._last_end_at >= SECONDS_BETWEEN_LINES
        return n_problems <= MAX_PROBLEMS_SHOWN or waited or len(self._ended) == n_problems


class ProgressBar(Observer):
    """A bar from the first violation to ``tol``, on a log scale, drawn by `rich`."""

    may_interleave = True

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
        from rich.table import Column

        console = Console(file=sys.stderr)
        title = Column(max_width=TITLE_WIDTH, no_wrap=True, overflow="ellipsis")
        # A bar shrinks to nothing where the rest leaves no room.
        width = min(max(console.width - WITHOUT_BAR, SHORTEST_BAR), LONGEST_BAR)
        self._bar = Progress(
            # A label in brackets is not markup.
            TextColumn("{task.description}", markup=False, table_column=title),
            BarColumn(bar_width=width),
            TextColumn("{task.fields[figures]}"),
            TimeElapsedColumn(),
            console=console,
        )
        self._moves: dict[int, Callable[[float, float, str], None]] = {}
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
        n_problems = len(run.training.titles)
        if n_problems <= MAX_PROBLEMS_SHOWN:
            self._moves[run.index] = self.add(run.training.titles[run.index])
        elif self._task_of_all is None:
            self._task_of_all = self._bar.add_task("fit", total=n_problems, figures="")

    def step(self, run: FitRun) -> None:
        """Move the bar."""
        progress, (n_lower, n_upper) = run.progress, run.n_support()
        n_problems = len(run.training.titles)
        if n_problems > MAX_PROBLEMS_SHOWN:
            if progress.violation <= progress.tol:
                self._ended.add(run.index)
            done = len(self._ended)
            figures = f"problem {min(done + 1, n_problems)} of {n_problems}"
            self._bar.update(self._task_of_all, completed=done, figures=figures)
            return
        figures = f"violation {progress.violation:.1e}, tol {progress.tol:.0e}, "
        figures = f"{figures}{n_lower + n_upper} SVs"
        self._moves[run.index](progress.violation, progress.tol, figures)

    def add(self, title: str) -> Callable[[float, float, str], None]:
        """Add a bar for a problem of this title; return what moves it, from what was reached."""
        task = self._bar.add_task(title.rstrip(":") or "fit", total=1.0, figures="")
        first = 0.0

        def move(reached: float, tol: float, figures: str) -> None:
            nonlocal first
            first = max(first, reached)
            self._bar.update(task, completed=share_done(first, reached, tol), figures=figures)

        return move
