"""Loops over fits, predictions and files: memory, open files and threads stay what they were."""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_iris, make_classification

import bandsvm
from bandsvm import BandedSVC

N_ROUNDS, N_WARM_UP = 200, 50
# A heap that lies badly grows by a step, once; what leaks grows in every stretch of rounds.
N_STRETCHES = 3
# Bytes that allocators may take and not give back.
ALLOWED = 6 * 2**20
X, Y = make_classification(300, random_state=0)
LARGE_X, LARGE_Y = make_classification(1200, random_state=0)
IRIS = load_iris(return_X_y=True)
SPARSE = sp.csr_array(np.where(X > 0, X, 0.0))


def save_and_load() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.bsvm"
        bandsvm.save(FITTED, path)
        bandsvm.load(path)


def failed_fit() -> None:
    with contextlib.suppress(ValueError):
        BandedSVC().fit(X * np.nan, Y)


def damaged_file() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.bsvm"
        path.write_bytes(b"BANDSVM\n" + bytes(1000))
        with contextlib.suppress(ValueError):
            bandsvm.load(path)


def interrupted_fit() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        BandedSVC(max_iter=1, tol=1e-12).fit(LARGE_X, LARGE_Y)


FITTED = BandedSVC().fit(X, Y)
LOOPS: list[tuple[str, Callable[[], object]]] = [
    ("fits of two classes", lambda: BandedSVC().fit(X, Y)),
    ("fits of three classes", lambda: BandedSVC().fit(*IRIS)),
    ("fits of sparse samples", lambda: BandedSVC().fit(SPARSE, Y)),
    ("fits of float32 rows", lambda: BandedSVC().fit(LARGE_X, LARGE_Y)),
    ("fits by conjugate gradients", lambda: BandedSVC(solver="pcg").fit(X, Y)),
    ("fits of a callable kernel", lambda: BandedSVC(kernel=lambda a, b: a @ b.T).fit(X, Y)),
    ("predictions", lambda: FITTED.predict(LARGE_X)),
    ("predictions of sparse samples", lambda: FITTED.predict(SPARSE)),
    ("models saved and loaded", save_and_load),
    ("fits that fail", failed_fit),
    ("fits that are cut short", interrupted_fit),
    ("damaged files", damaged_file),
]


def describe(number: int) -> str:
    """Return what a loop does."""
    return LOOPS[number][0]


def case(number: int) -> tuple[str, str]:
    """Run a loop; return what it left behind in every stretch of it."""
    _, once = LOOPS[number]
    _repeat(once, N_WARM_UP)
    for _ in range(N_STRETCHES):
        before = _in_use()
        _repeat(once, N_ROUNDS)
        memory, files, threads = (new - old for new, old in zip(_in_use(), before, strict=True))
        if memory <= ALLOWED and files <= 0 and threads <= 0:
            return "flat", ""
    return "grown", f"{memory} bytes, {files} files and {threads} threads more after each stretch"


def _repeat(once: Callable[[], object], number: int) -> None:
    for _ in range(number):
        once()


def _in_use() -> tuple[int, int, int]:
    """Return bytes of memory, open files and threads of this process."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    threads = len(os.listdir("/proc/self/task")) + threading.active_count()
    return pages * resource.getpagesize(), len(os.listdir("/proc/self/fd")), threads
