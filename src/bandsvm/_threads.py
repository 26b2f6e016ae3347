"""How many threads a fit or a prediction may use."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from threading import Lock
from typing import Any

# It comes with scikit-learn, which cannot be installed without it.
from threadpoolctl import ThreadpoolController, threadpool_limits

# More threads than cores gain nothing, and idle ones are woken for every piece of work.
MOST_THREADS_PER_CORE = 2


def n_cores() -> int:
    """Return the number of cores that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return cores or 1


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` stands for.

    None is all cores, or what OMP_NUM_THREADS says: joblib's workers set it to share the cores.
    """
    cores = n_cores()
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return min(cores, int(limit)) if limit.isdigit() and int(limit) > 0 else cores
    if n_jobs < 0:
        return max(1, cores + 1 + int(n_jobs))
    return int(min(n_jobs, MOST_THREADS_PER_CORE * cores))


def limited_threads(n_jobs: int | None) -> AbstractContextManager:
    """Return a context in which BLAS uses ``n_jobs`` threads; None leaves it alone."""
    return nullcontext() if n_jobs is None else threadpool_limits(n_threads(n_jobs))


class _SingleThreadedBlas:
    """BLAS on one thread for as long as anyone, in whatever thread, wants it so."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._n_users = 0
        self._limiter: Any = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._lock:
            self._n_users += 1
            if self._n_users == 1:
                self._limiter = _blas().limit(limits=1)
        try:
            yield
        finally:
            with self._lock:
                self._n_users -= 1
                if self._n_users == 0:
                    self._limiter.restore_original_limits()


# Threads of BLAS go on spinning after a call, where compiled kernel rows need the cores.
single_threaded_blas = _SingleThreadedBlas()


@cache
def _blas() -> ThreadpoolController:
    """Return what limits the threads of BLAS; to find its libraries takes milliseconds."""
    return ThreadpoolController().select(user_api="blas")
