"""How many threads a fit or a prediction may use."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext

# It comes with scikit-learn, which cannot be installed without it.
from threadpoolctl import threadpool_limits


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` stands for.

    None is all cores, or what OMP_NUM_THREADS says: joblib's workers set it to share the cores.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    cores = cores or 1
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return min(cores, int(limit)) if limit.isdigit() and int(limit) > 0 else cores
    return int(n_jobs) if n_jobs > 0 else max(1, cores + 1 + int(n_jobs))


def limited_threads(n_jobs: int | None) -> AbstractContextManager:
    """Return a context in which BLAS uses ``n_jobs`` threads; None leaves it alone."""
    return nullcontext() if n_jobs is None else threadpool_limits(n_threads(n_jobs))
