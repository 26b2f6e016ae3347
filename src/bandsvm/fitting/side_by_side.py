"""Problems solved at the same time: who has which view of the kernel rows, and how many threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from bandsvm.kernels import KernelOperator


class SharedRows:
    """Views of kernel rows for some problems, as many at a time as threads and memory allow.

    Parameters
    ----------
    rows : KernelOperator
        The rows.
    n_problems : int
        Number of problems to solve with them.
    most : int
        Largest number of problems at a time.
    """

    def __init__(self, rows: KernelOperator, n_problems: int, most: int) -> None:
        self._views: list[Any] = list(rows.views(n_problems, most))
        self._free = self._views.copy()
        self._n_left = n_problems
        self._n_threads: int = getattr(rows, "n_threads", 1)
        self._lock = Lock()

    @property
    def n_at_once(self) -> int:
        """Number of problems that can be solved at the same time."""
        return len(self._views)

    @contextmanager
    def for_problem(self) -> Iterator[KernelOperator]:
        """Lend a view to a problem; the last problems get the threads of those that are done."""
        with self._lock:
            view = self._free.pop()
        view.begin_problem()
        try:
            yield view
        finally:
            with self._lock:
                self._free.append(view)
                self._n_left -= 1
                if 0 < self._n_left < len(self._views):
                    for other in self._views:
                        other.n_threads = max(1, self._n_threads // self._n_left)
