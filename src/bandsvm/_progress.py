"""What ``verbose`` prints while a fit runs."""

from __future__ import annotations

from bandsvm.solvers import Progress

SECONDS_BETWEEN_LINES = 1.0


class ProgressPrinter:
    """A callback that prints a line now and then, or at every outer step if ``verbose > 1``."""

    def __init__(self, verbose: int, title: str = "") -> None:
        self.verbose = verbose
        self.title = f" {title}" if title else ""
        self._last_line_at = -float("inf")

    def __call__(self, progress: Progress) -> None:
        """Print where the solver stands."""
        due = progress.seconds - self._last_line_at >= SECONDS_BETWEEN_LINES
        if not (due or self.verbose > 1 or progress.violation <= progress.tol):
            return
        self._last_line_at = progress.seconds
        print(
            f"[bandsvm]{self.title} step {progress.n_iter}: violation {progress.violation:.2e} "
            f"(tol {progress.tol:.0e}), {progress.n_support} support vectors, "
            f"{progress.n_kernel_rows} kernel rows, {progress.n_pair_steps} pair steps, "
            f"{progress.seconds:.1f} s",
            flush=True,
        )
