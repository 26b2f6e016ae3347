"""What ``verbose`` shows while a linear model is fitted: lines, or a bar on a terminal."""

from __future__ import annotations

from collections.abc import Callable

from bandsvm._fitting.progress import SECONDS_BETWEEN_LINES, new_bar, report
from bandsvm._linear.solving import LinearProgress


class LinearShower:
    """A context in which problems show their progress, as `verbose` asks for.

    Parameters
    ----------
    verbose : int
        0 shows nothing, 1 a bar or a line a second, 2 a line for every step.
    tol : float
        The relative gap that is asked for.
    """

    def __init__(self, verbose: int, tol: float) -> None:
        self._verbose, self._tol = verbose, tol
        self._bar = new_bar(verbose)

    def __enter__(self) -> LinearShower:
        """Start drawing."""
        if self._bar is not None:
            self._bar.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        """Stop drawing."""
        if self._bar is not None:
            self._bar.__exit__(*error)

    def of_problem(self, title: str) -> Callable[[LinearProgress], None]:
        """Return what to call after every step of a problem of this title."""
        if self._bar is None:
            return _Lines(title, self._tol, self._verbose)
        move = self._bar.add(title)

        def show(progress: LinearProgress) -> None:
            gap, tol = progress.relative_gap, self._tol
            move(gap, tol, f"gap {gap:.1e}, tol {tol:.0e}, step {progress.n_iter}")

        return show


class _Lines:
    """A line a second, or for every step if ``verbose`` is greater than 1."""

    def __init__(self, title: str, tol: float, verbose: int) -> None:
        self._title = f"{title} " if title else ""
        self._tol, self._verbose, self._next_at = tol, verbose, 0.0

    def __call__(self, progress: LinearProgress) -> None:
        if not self._verbose:
            return
        if self._verbose > 1 or progress.seconds >= self._next_at:
            self._next_at = progress.seconds + SECONDS_BETWEEN_LINES
            report(
                f"{self._title}step {progress.n_iter}: relative gap "
                f"{progress.relative_gap:.1e} (tol {self._tol:.0e}), {progress.seconds:.1f} s"
            )
