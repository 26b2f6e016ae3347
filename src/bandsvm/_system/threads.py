"""How many threads a fit or a prediction may use."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from functools import cache
from threading import RLock, get_ident, local
from typing import Any, TypeVar

# Dependencies of scikit-learn, so they are always installed.
import joblib
import numpy as np
import threadpoolctl
from threadpoolctl import ThreadpoolController

from bandsvm._compat import openmp_threads

# More threads than cores gain nothing, and all of them are woken for every piece of work.
MAX_THREADS_PER_CORE = 2
Result = TypeVar("Result")
# Most seconds that a fork waits for another thread to change the limit of BLAS.
MAX_WAIT = 1.0
SECONDS_BETWEEN_SIGNALS = 0.1


def n_cores() -> int:
    """Return the number of cores that this process may use, quotas of containers included."""
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0
    return _n_cores(affinity, os.environ.get("LOKY_MAX_CPU_COUNT"))


@cache
def _n_cores(affinity: int, limit: str | None) -> int:
    """Return joblib's count, which reads quotas from files: once for all that may change it."""
    return int(joblib.cpu_count())


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads for ``n_jobs``.

    None is as many as scikit-learn's own compiled code uses: all cores, unless OMP_NUM_THREADS,
    a worker of joblib or `threadpoolctl.threadpool_limits` sets a limit.
    """
    cores = n_cores()
    if n_jobs is None:
        variable = os.environ.get("OMP_NUM_THREADS", "")
        limit = int(variable) if variable.isdigit() and int(variable) > 0 else cores
        return min(cores, limit, openmp_threads() or cores)
    if n_jobs < 0:
        return max(1, cores + 1 + int(n_jobs))
    return int(min(n_jobs, MAX_THREADS_PER_CORE * cores))


def in_threads(jobs: Sequence[Callable[[], Result]], number: int) -> list[Result]:
    """Return what jobs return, in their order; so many of them run at a time.

    Each runs in a copy of the caller's context, and with its settings of NumPy.
    """
    return list(results_in_threads(jobs, number))


def results_in_threads(
    jobs: Sequence[Callable[[], Result]], number: int
) -> Generator[Result, None, None]:
    """Yield what jobs return, in their order, as soon as it is known; see `in_threads`.

    With one at a time, a job starts when its result is asked for.
    """
    if number == 1 or len(jobs) <= 1:
        for job in jobs:
            yield job()
        return
    settings = np.geterr()

    def run(job: Callable[[], Result]) -> Result:
        with np.errstate(**settings):
            return job()

    with ThreadPoolExecutor(min(number, len(jobs))) as pool:
        futures = [pool.submit(copy_context().run, run, job) for job in jobs]
        try:
            for future in futures:
                yield result_of(future)
        finally:
            for future in futures:
                future.cancel()  # those that have not begun, if one failed


def result_of(future: Future[Result]) -> Result:
    """Return the result of a future as soon as it is known, and let handlers of signals run.

    They run in the main thread, whose wait no signal ends that another thread receives, or that
    arrives just before the wait.
    """
    while not future.done():
        wait([future], timeout=SECONDS_BETWEEN_SIGNALS)
    return future.result()


class _SingleThreadedBlas:
    """Keeps BLAS on one thread while at least one thread is in this context.

    Results of BLAS depend on its number of threads, and its threads keep spinning after a call, on
    cores that compiled kernel rows need.
    """

    def __init__(self) -> None:
        self._lock = RLock()  # a signal handler may fork
        self._depths: Counter[int] = Counter()  # of contexts, by thread
        self._limiter: Any = None
        self._fork = local()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self._begin_fork,
                after_in_parent=self._end_fork,
                after_in_child=self._forget_other_threads,
            )

    @contextmanager
    def __call__(self) -> Iterator[None]:
        shared, own = _blas()
        thread = get_ident()
        own_limiter = own.limit(limits=1) if own.lib_controllers else None
        with self._lock:
            if not self._depths:
                self._limiter = _limited(shared)
            self._depths[thread] += 1
        try:
            yield
        finally:
            with self._lock:
                self._depths[thread] -= 1
                self._depths += Counter()  # drops threads that have left
                self._restore_if_unused()
            if own_limiter is not None:
                own_limiter.restore_original_limits()

    def _restore_if_unused(self) -> None:
        """Restore the threads of BLAS when no thread is in the context."""
        if not self._depths and self._limiter is not None:
            with _control_of_openblas():
                self._limiter.restore_original_limits()
            self._limiter = None

    def _begin_fork(self) -> None:
        """Prevent changes of the limit during a fork: the child would inherit OpenBLAS's locks."""
        self._fork.has_lock = self._lock.acquire(timeout=MAX_WAIT)

    def _end_fork(self) -> None:
        if self._fork.has_lock:
            self._lock.release()

    def _forget_other_threads(self) -> None:
        """Reset in a forked child: other threads are gone, and may have left the lock taken."""
        self._lock = RLock()
        thread = get_ident()
        self._depths = +Counter({thread: self._depths[thread]})  # empty if it is not in a context
        self._restore_if_unused()


single_threaded_blas = _SingleThreadedBlas()


def _limited(blas: ThreadpoolController) -> Any:
    """Set the process-wide limit of BLAS to one thread; return the object that restores it."""
    with _control_of_openblas():
        return blas.limit(limits=1)


@contextmanager
def _control_of_openblas() -> Iterator[None]:
    """Let this thread set limits: since threadpoolctl 3.8 only one thread at a time can.

    Calls of other threads are ignored, although the limit applies to the whole process.
    """
    openblas = getattr(threadpoolctl, "OpenBLASController", None)
    release = getattr(openblas, "clear_controlling_thread", lambda force: None)
    release(force=True)
    try:
        yield
    finally:
        release(force=True)


@cache
def _blas() -> tuple[ThreadpoolController, ThreadpoolController]:
    """Return the BLAS libraries with one limit per process, and those with one per thread.

    Finding them takes milliseconds, hence the cache.
    """
    blas = ThreadpoolController().select(user_api="blas")
    by_thread = [lib["filepath"] for lib in blas.info() if lib.get("threading_layer") == "openmp"]
    by_process = [lib["filepath"] for lib in blas.info() if lib["filepath"] not in by_thread]
    return blas.select(filepath=by_process), blas.select(filepath=by_thread)
