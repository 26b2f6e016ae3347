"""Many fits at once, in threads and in forked children: each as if it were alone, bit by bit."""

from __future__ import annotations

import hashlib
import os
import threading
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import make_classification

from bandsvm import BandedSVC

N_THREADS, N_FORKS = 8, 2
KERNELS = ("rbf", "linear", "laplacian", "poly")


def describe(number: int) -> str:
    """Return what a case does."""
    kernel, n_samples = KERNELS[number % len(KERNELS)], 300 if number % 2 else 1300
    return f"{N_THREADS} threads and {N_FORKS} forks, {kernel}, {n_samples} samples"


def fingerprint(number: int, member: int) -> str:
    """Return a hash of all that one of a crowd fits and predicts."""
    n_samples, n_classes = 300 if number % 2 else 1300, 3 if member % 3 == 0 else 2
    X, y = make_classification(
        n_samples,
        n_informative=5,
        n_classes=n_classes,
        flip_y=0.1,
        random_state=100 * number + member,
    )
    samples: Any = sp.csr_array(np.where(X > 0, X, 0)) if member % 4 == 1 else X
    model = BandedSVC(kernel=KERNELS[number % len(KERNELS)], degree=2, time_limit=60.0).fit(
        samples, y
    )
    parts = (model.dual_coef_, model.intercept_, model.decision_function(samples))
    return hashlib.sha256(b"".join(np.ascontiguousarray(p).tobytes() for p in parts)).hexdigest()


def case(number: int) -> tuple[str, str]:
    """Fit alone, then in a crowd, and compare."""
    alone = [fingerprint(number, member) for member in range(N_THREADS)]
    found: dict[int, str] = {}

    def fit(member: int) -> None:
        found[member] = fingerprint(number, member)

    threads = [threading.Thread(target=fit, args=[member]) for member in range(N_THREADS)]
    forks = [_fork(number, member) for member in range(N_FORKS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wrong = [f"thread {k}" for k in range(N_THREADS) if found.get(k) != alone[k]]
    for member, (child, pipe) in enumerate(forks):
        with os.fdopen(pipe) as answers:
            answer = answers.read()
        os.waitpid(child, 0)
        wrong += [f"fork {member}"] if answer != alone[member] else []
    return "compared", f"other answers in {wrong}" if wrong else ""


def _fork(number: int, member: int) -> tuple[int, int]:
    """Fit in a forked child; return its id and where its answer comes from."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writing, fingerprint(number, member).encode())
        finally:
            os._exit(0)
    os.close(writing)
    return child, reading
