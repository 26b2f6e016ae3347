"""How many threads matrix products may use."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext

# It comes with scikit-learn, which cannot be installed without it.
from threadpoolctl import threadpool_limits


def limited_threads(n_jobs: int | None) -> AbstractContextManager:
    """Return a context in which BLAS uses ``n_jobs`` threads; None leaves it alone."""
    if n_jobs is None:
        return nullcontext()
    cores = os.cpu_count() or 1
    return threadpool_limits(int(n_jobs) if n_jobs > 0 else max(1, cores + 1 + int(n_jobs)))
