"""What problems that are solved at the same time share: rows of a store, and threads."""

import threading
from itertools import pairwise

import numpy as np

from bandsvm._kernels import PackedRows
from bandsvm._kernels.distances import Rbf
from bandsvm._kernels.sizes import MAX_BLOCK
from bandsvm._kernels.slots import SlotTable
from bandsvm._system.memory import MEGABYTE
from bandsvm._system.threads import results_in_threads

LONG = 60.0  # seconds after which a test that waits has failed


def rows_of(X, cache_bytes, n_jobs=4):
    return PackedRows(Rbf(0.01), X, cache_bytes, n_jobs)


def test_views_share_the_memory_of_the_rows(rng):
    few, many = rng.normal(size=(4000, 5)), rng.normal(size=(4000, 200))
    assert len(rows_of(few, 500 * MEGABYTE).views(8, 8)) == 4  # threads
    assert len(rows_of(few, 500 * MEGABYTE).views(8, 3)) == 3
    assert len(rows_of(many, 500 * MEGABYTE).views(8, 8)) == 4
    # Views of kept rows would replace each other's.
    assert len(rows_of(many, 80 * MEGABYTE).views(8, 8)) == 1
    # Otherwise each view has enough of the store for itself.
    few = rng.normal(size=(8000, 5))
    assert len(rows_of(few, 100 * MEGABYTE).views(8, 8)) == 1
    views = rows_of(few, 300 * MEGABYTE).views(8, 8)
    assert len(views) > 1
    assert all(MAX_BLOCK <= view.capacity < len(few) for view in views)
    stores = [view._store for view in views]
    assert not any(np.shares_memory(a, b) for a, b in pairwise(stores))


def test_a_row_that_another_thread_computes_is_waited_for():
    table, some = SlotTable(4, 4), np.arange(3)
    assert table.find(some).missing.tolist() == [0, 1, 2]
    found = table.find(some[1:])
    assert len(found.missing) == 0
    assert table.peek(some).tolist() == [-1, -1, -1]  # nothing to read yet
    waited = []
    waiting = threading.Thread(target=lambda: waited.append(table.wait_for(some[1:])))
    waiting.start()
    table.written(some)
    waiting.join(LONG)
    assert waited == [True]
    assert table.peek(some[1:]).tolist() == found.slots.tolist()


def test_a_row_that_another_thread_gave_up_is_computed_here():
    table, some = SlotTable(4, 4), np.arange(3)
    table.find(some)
    waited = []
    waiting = threading.Thread(target=lambda: waited.append(table.wait_for(some)))
    waiting.start()
    table.forget(some)
    waiting.join(LONG)
    assert waited == [False]
    assert table.find(some).missing.tolist() == [0, 1, 2]


def test_results_come_in_order_and_jobs_one_by_one_when_asked():
    begun = []

    def job(k):
        begun.append(k)
        return k

    jobs = [lambda k=k: job(k) for k in range(5)]
    results = results_in_threads(jobs, 1)
    assert next(results) == 0
    assert begun == [0]
    results.close()
    assert list(results_in_threads(jobs, 3)) == [0, 1, 2, 3, 4]
