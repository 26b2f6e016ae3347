"""One budget of memory per call: what the process may use, and how stores of rows share it."""

import threading
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification

from bandsvm import BandedSVC, BandedSVCCV
from bandsvm._fitting.fit import fit_model
from bandsvm._fitting.run import Observer
from bandsvm._kernels import KernelRows, KernelSettings, PackedRows, Samples
from bandsvm._kernels.distances import Rbf
from bandsvm._kernels.packed import useful_bytes
from bandsvm._solvers import left_out
from bandsvm._system import memory, threads
from bandsvm._system.memory import MEGABYTE, available_bytes, default_bytes, stores_at_once
from bandsvm.model_selection import _score_pool, leave_one_out

GIGABYTE = 2**30
pytestmark = pytest.mark.filterwarnings("ignore:BandedSVCCV found its best:UserWarning")


def system(root, files):
    """Write files of a system under a folder, and return it."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(content))
    return root


def meminfo(available):
    """Return the file that says how many bytes a system has."""
    kilobytes = available // 1024
    text = f"MemTotal: 67108864 kB\nMemAvailable: {kilobytes} kB\nSwapFree: 0 kB\n"
    return {"proc/meminfo": text}


FREE = 8 * GIGABYTE
V2, V1 = {"proc/self/cgroup": "0::/a/b\n"}, {"proc/self/cgroup": "5:cpu:/\n4:memory:/a/b\n"}


def group(folder, limit, usage, inactive=0):
    if "memory" in folder.split("/"):
        names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
    else:
        names = ("memory.max", "memory.current", "inactive_file")
    stat = f"anon 12\n{names[2]} {inactive}\nodd line here\n"
    folder = f"sys/fs/cgroup/{folder}"
    return {
        f"{folder}/{names[0]}": limit,
        f"{folder}/{names[1]}": usage,
        f"{folder}/memory.stat": stat,
    }


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, FREE),
        (V2, FREE),
        ({**V2, **group("a/b", "max\n", GIGABYTE)}, FREE),
        ({**V2, **group("a/b", 4 * GIGABYTE, GIGABYTE)}, 3 * GIGABYTE),
        ({**V2, **group("a/b", 4 * GIGABYTE, GIGABYTE, GIGABYTE // 2)}, 3.5 * GIGABYTE),
        ({**V2, **group("a/b", 4 * GIGABYTE, GIGABYTE, 2 * GIGABYTE)}, 4 * GIGABYTE),
        ({**V2, **group("a/b", GIGABYTE, 2 * GIGABYTE)}, 0),
        ({**V2, **group("a/b", "max", 0), **group("a", 2 * GIGABYTE, GIGABYTE)}, GIGABYTE),
        ({**V2, **group("", 2 * GIGABYTE, GIGABYTE)}, GIGABYTE),  # seen from inside a container
        ({**V2, **group("unified/a/b", 2 * GIGABYTE, GIGABYTE)}, GIGABYTE),
        ({**V1, **group("memory/a/b", 4 * GIGABYTE, GIGABYTE, 0)}, 3 * GIGABYTE),
        ({**V1, **group("memory", 4 * GIGABYTE, GIGABYTE, GIGABYTE)}, 4 * GIGABYTE),
        ({**V1, **group("memory/a/b", 9223372036854771712, GIGABYTE)}, FREE),
        ({**V1, **group("memory/a/b", "nonsense", GIGABYTE)}, FREE),
        ({"proc/self/cgroup": "nonsense:\n"}, FREE),
    ],
)
def test_what_the_process_may_use(files, expected, tmp_path):
    assert available_bytes(system(tmp_path, {**meminfo(FREE), **files})) == expected


def test_systems_that_do_not_tell(tmp_path, monkeypatch):
    assert available_bytes(tmp_path) > 0
    monkeypatch.delattr(memory.os, "sysconf")
    assert available_bytes(tmp_path) == memory.FALLBACK_BYTES


@pytest.mark.parametrize(
    ("available", "expected"), [(100 * GIGABYTE, 2000 * MEGABYTE), (GIGABYTE, GIGABYTE / 4)]
)
def test_default(available, expected, tmp_path):
    assert default_bytes(np.inf, system(tmp_path, meminfo(available))) == expected


def test_little_is_not_asked_for(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: pytest.fail("the system was asked"))
    default_bytes(memory.LITTLE_BYTES)
    BandedSVC().fit(*make_classification(1200, random_state=0))


def test_workers_share_memory_as_they_share_cores(monkeypatch, tmp_path):
    root = system(tmp_path, meminfo(4 * GIGABYTE))
    monkeypatch.setattr(threads, "n_cores", lambda: 16)
    monkeypatch.setattr(memory, "n_cores", lambda: 16)
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    assert default_bytes(np.inf, root) == GIGABYTE  # who sets it alone has the machine alone

    class Worker:
        name = "LokyProcess-3"

    monkeypatch.setattr(memory.multiprocessing, "current_process", Worker)
    assert default_bytes(np.inf, root) == GIGABYTE / 8


@pytest.mark.parametrize(
    ("budget", "useful", "most", "expected"),
    [(100.0, 10.0, 16, 10), (100.0, 10.0, 4, 4), (5.0, 10.0, 4, 1), (100.0, 0.0, 4, 4)],
)
def test_stores_at_once(budget, useful, most, expected):
    assert stores_at_once(budget, useful, most) == expected


def bytes_of_store(rows):
    """Return what a store takes when it is full, but for rows that no solver uses."""
    n_bytes = rows._store.base.nbytes if isinstance(rows, KernelRows) else rows._store.nbytes
    if isinstance(rows, PackedRows):
        n_bytes += rows._packed.n_bytes + 2 * rows._dtype().itemsize * rows.capacity**2
    return n_bytes


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("megabytes", [20, 60, 300])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_stores_stay_within_their_memory(dtype, megabytes, kind, rng):
    X = rng.normal(size=(3000, 100)).astype(np.float32)
    X = X if kind == "dense" else sp.csr_array(X * (rng.random(X.shape) < 0.1))
    rows = PackedRows(Rbf(0.01), X, megabytes * MEGABYTE, 1, dtype, 1e9)
    assert bytes_of_store(rows) <= megabytes * MEGABYTE
    slow = KernelRows(
        KernelSettings("laplacian", 0.1, 0.0, 3).function(), Samples(X), megabytes * MEGABYTE
    )
    assert bytes_of_store(slow) <= megabytes * MEGABYTE


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_features", [5, 300])
def test_useful_memory_limits_neither_blocks_nor_sums(dtype, n_features, rng):
    X = rng.normal(size=(2500, n_features))
    few, many = (
        PackedRows(Rbf(0.01), X, memory, 1, dtype, 1e9)
        for memory in (useful_bytes(X), 100 * GIGABYTE)
    )
    assert few.capacity == many.capacity == 1920
    values = rng.normal(size=2500)
    everything = np.arange(2500)
    np.testing.assert_array_equal(few.product(everything, values), many.product(everything, values))


@pytest.fixture
def asked(monkeypatch):
    """Note what each group of a search gets, and how many work at once."""
    noted, at_work, lock = [], [], threading.Lock()
    cross_validate = _score_pool.cross_validate
    monkeypatch.setattr(threads, "MAX_THREADS_PER_CORE", 16)

    def counted(group, *rest):
        with lock:
            at_work.append(1)
            solving = group.settings.solving
            noted.append((solving.cache_bytes, solving.n_jobs, len(at_work)))
        try:
            return cross_validate(group, *rest)
        finally:
            with lock:
                at_work.pop()

    monkeypatch.setattr(_score_pool, "cross_validate", counted)
    return noted


@pytest.mark.parametrize(("n_jobs", "stores"), [(1, 1), (2, 2), (8, 3), (16, 3)])
def test_a_search_divides_one_budget(n_jobs, stores, asked):
    X, y = make_classification(1100, 5, flip_y=0.1, random_state=0)
    megabytes = 3.5 * useful_bytes(X) / MEGABYTE
    search = BandedSVCCV(
        C1=1.0, gamma=np.geomspace(0.01, 1.0, 6), C2=0.0, refine=0, cv=2, give_up=False, refit=False
    )
    search.set_params(n_jobs=n_jobs, cache_size=megabytes).fit(X, y)
    assert len(asked) == 6
    for share, jobs, at_once in asked:
        assert share == pytest.approx(megabytes * MEGABYTE / stores)
        assert share >= useful_bytes(X)
        assert at_once <= stores
        assert jobs == n_jobs // stores


@pytest.mark.heavy
def test_scores_do_not_depend_on_how_memory_is_divided(asked):
    X, y = make_classification(1100, 5, flip_y=0.1, random_state=0)
    options = {"C1": 1.0, "gamma": [0.03, 0.1, 0.3], "refine": 0, "cv": 2, "scoring": "roc_auc"}
    many, few = 3.5 * useful_bytes(X) / MEGABYTE, 1.5 * useful_bytes(X) / MEGABYTE
    scores = [
        BandedSVCCV(**options, refit=False, n_jobs=n_jobs, cache_size=megabytes)
        .fit(X, y)
        .cv_results_["mean_test_score"]
        for n_jobs, megabytes in ((1, many), (8, many), (2, few), (1, None))
    ]
    for other in scores[1:]:
        np.testing.assert_array_equal(other, scores[0])


def test_a_given_kernel_takes_no_memory(asked):
    X, y = make_classification(300, 5, flip_y=0.1, random_state=0)
    grid = {"C1": np.geomspace(0.01, 100.0, 60), "C2": 0.0, "refine": 0, "cv": 2, "give_up": False}
    BandedSVCCV(**grid, kernel="precomputed", cache_size=1e-3, n_jobs=2, refit=False).fit(
        X @ X.T, y
    )
    assert {jobs for _, jobs, _ in asked} == {1}


def test_coarse_rows_are_gone_when_sharper_ones_take_over(monkeypatch):
    X, y = make_classification(1500, flip_y=0.1, random_state=0)
    left = []
    sharper = PackedRows.more_precise

    def noted(self):
        left.append(weakref.ref(self))
        return sharper(self)

    monkeypatch.setattr(PackedRows, "more_precise", noted)

    class Looks(Observer):
        def __init__(self):
            self.alive = []

        def step(self, run):
            self.alive += [ref() is not None for ref in left]

    looks = Looks()
    fit_model(BandedSVC(tol=1e-5, C1=10.0), X, y, None, looks)
    assert len(left) == 1
    assert looks.alive
    assert not any(looks.alive)


def test_leave_one_out_goes_the_long_way_without_memory_for_the_short_one(monkeypatch):
    X, y = make_classification(200, flip_y=0.1, random_state=0)
    model = BandedSVC().fit(X, y)
    expected = leave_one_out(model, X, y)
    short = []
    fast_refit = left_out.LeftOut._fast_refit

    def noted(self, *arguments):
        short.append(1)
        return fast_refit(self, *arguments)

    monkeypatch.setattr(left_out.LeftOut, "_fast_refit", noted)
    leave_one_out(model, X, y)
    assert short
    short.clear()
    found = leave_one_out(model.set_params(cache_size=0.5), X, y)
    assert not short
    np.testing.assert_allclose(found.decision, expected.decision, atol=2 * model.tol)
    assert found.error == expected.error
