"""Arrays that another thread writes while they are used: answers may be wrong, memory is not.

A process that writes a shared memory map does the same. Each case runs in a process of its own,
because what this is about ends in a crash; `make sanitize` also sees overflows that do not crash.
"""

import subprocess
import sys

import pytest

BEGIN = """
import threading, warnings
import numpy as np
from bandsvm import BandedSVC, _core

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
end = threading.Event()

def write(array, *contents):
    def work():
        while not end.is_set():
            for content in contents:
                np.copyto(array, content)
    return threading.Thread(target=work)

def repeat(times, function, *arguments):
    refused = 0
    for _ in range(times):
        try:
            function(*arguments)
        except (ValueError, IndexError):
            refused += 1
    return refused
"""
END = """
writer.start()
try:
    work()
finally:
    end.set()
    writer.join()
"""

# Values that are counted in one pass, and written in another one.
PACK = """
full = rng.normal(size=(600, 50))
few = np.where(rng.random(size=full.shape) < 0.02, full, 0.0)
X = few.copy()
writer = write(X, full, few)

def work():
    for pack in (_core.pack_32, _core.pack_64):
        for n_threads in (1, 2):
            repeat(100, pack, X, np.zeros(50), 1.0, 3.0, n_threads)
"""
# Columns that are looked up after they were counted, and starts that may fall; n_features decides
# between a table of columns and a search among them.
COMPRESS = """
starts, columns = np.arange(0, 3001, 10), rng.integers(0, 40, size=3000)
values, right = rng.normal(size=3000), columns.copy()
writer = write(columns, right, rng.integers(-(2**62), 2**62, size=3000), right)
other = write(starts, starts.copy(), rng.integers(-(2**62), 2**62, size=301), starts.copy())

def work():
    other.start()
    try:
        for n_features in (40, 10**12):
            repeat(300, _core.compress_64, starts, columns, values, n_features, 1.0, 3.0)
    finally:
        end.set()
        other.join()
"""
# Indices that are checked before they are used.
INDICES = """
packed = _core.pack_64(rng.normal(size=(500, 4)), np.zeros(4), 1.0, 3.0, 1)
good = np.arange(96)
indices, store, f = good.copy(), np.zeros((96, packed.stride)), np.zeros(500)
kernel = _core.Kernel("rbf", 1.0, 0.0, 3)
block, none = np.zeros((96, 96)), np.full(96, -1)
writer = write(indices, good, np.full(96, 2**40), good)

def exact(X, targets, terms):
    products = np.zeros((96, 1))
    _core.exact_products(X, targets, X, terms, 4, kernel, np.ones((1, 96)), products, 1)

def work():
    repeat(200, packed.take, indices, 1)
    repeat(200, _core.compute_rows, packed, indices, packed, indices, kernel, store, indices, 1)
    repeat(200, _core.accumulate_rows, packed, good, packed, indices, kernel, np.ones(96), f, 1)
    X = rng.normal(size=(500, 4))
    repeat(200, exact, X, indices, good)
    repeat(200, exact, X, good, indices)
    repeat(200, _core.update_gradient, store, indices, np.ones(96), f, 1)
    repeat(200, _core.compute_block, packed, good, kernel, block, block, indices, store, none, 1)
    repeat(200, _core.compute_block, packed, good, kernel, block, block, none, store, indices, 1)
    zeros = np.zeros(500)
    bands, chosen = _core.Bands(*6 * [zeros]), np.zeros(40, dtype=int)
    point, memory = (bands, zeros, zeros, True), _core.SelectionMemory()
    for _ in range(200):
        repeat(1, _core.select_variables, *point, indices, chosen, memory, 2)
"""
FIT = """
full = rng.normal(size=(1200, 30)).astype(DTYPE)
few = np.where(rng.random(size=full.shape) < 0.02, full, 0).astype(DTYPE)
y = full[:, 0] > 0
X = few.copy()
writer = write(X, full, few)

def work():
    model = BandedSVC(kernel=KERNEL, max_iter=5, time_limit=5.0).fit(few, y)
    repeat(1, lambda: BandedSVC(kernel=KERNEL, max_iter=5, time_limit=5.0).fit(X, y))
    repeat(5, model.decision_function, X)
"""
CASES = {
    "pack": PACK,
    "compress": COMPRESS,
    "indices": INDICES,
    "fit rbf": FIT.replace("DTYPE", "np.float64").replace("KERNEL", "'rbf'"),
    "fit linear": FIT.replace("DTYPE", "np.float32").replace("KERNEL", "'linear'"),
}


@pytest.mark.parametrize("case", CASES)
def test_memory_holds_while_another_thread_writes(case):
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + CASES[case] + END], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
