"""Problems that are solved at the same time: same bits, each row once, and observers as ever."""

import gc
import signal
import threading
import time
import tracemalloc
import weakref
from itertools import count

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

from bandsvm import BandedSVC, _core
from bandsvm._fitting import kernel_run
from bandsvm._fitting.fit import fit_model
from bandsvm._fitting.kernel_run import KernelRun
from bandsvm._fitting.rows import OwnRows
from bandsvm._fitting.run import Observer
from bandsvm._fitting.settings import FitSettings
from bandsvm._kernels import PackedRows, packed
from bandsvm._kernels import rows as rows_module
from bandsvm._problem import Status
from bandsvm._system.memory import MEGABYTE
from bandsvm._system.stopping import current_reason, stop_when
from tests.helpers.watching import AfterEveryStep

BAND = {"C1": 10.0, "C2": 10.0, "rho2": 1.5}
LONG = 60.0  # seconds after which a test that waits has failed


def classes(n_features, n_samples=1100, n_classes=3):
    return make_classification(
        n_samples,
        n_features,
        n_informative=5,
        n_redundant=0,
        n_classes=n_classes,
        n_clusters_per_class=1,
        flip_y=0.05,
        random_state=0,
    )


class Interleaved(Observer):
    """An observer that lets classes be solved at the same time."""

    may_interleave = True


def same_bits(one, other):
    return np.array_equal(one.dual_coef_, other.dual_coef_) and np.array_equal(
        one.intercept_, other.intercept_
    )


# Rows of 6 features are not kept, those of 200 are; in 4 MB there is no room for all of them.
@pytest.mark.parametrize(
    ("n_features", "kind", "cache_size"),
    [
        (6, np.asarray, None),
        (6, sp.csr_array, None),
        (6, np.asarray, 4),
        (100, np.asarray, None),
        (200, np.asarray, None),
        (200, sp.csr_array, None),
    ],
)
def test_classes_at_the_same_time_come_to_the_same_bits(n_features, kind, cache_size):
    X, y = classes(n_features)
    X = kind(X)
    one, three = (
        BandedSVC(n_jobs=n_jobs, cache_size=cache_size, **BAND).fit(X, y) for n_jobs in (1, 3)
    )
    assert one.certificate_.is_optimal
    assert same_bits(one, three)
    for a, b in zip(one.certificate_.parts, three.certificate_.parts, strict=True):
        assert (a.n_iter, a.n_pair_steps) == (b.n_iter, b.n_pair_steps)
        assert a.gradient_drift == b.gradient_drift


@pytest.fixture
def small_store(monkeypatch):
    """Let blocks be so small, and rows worth so much, that views keep some in a tight store."""
    for module in (rows_module, packed):
        monkeypatch.setattr(module, "MAX_BLOCK", 96)
    monkeypatch.setattr(packed, "uses_worth_keeping", lambda n_products: 3.5)
    return {"cache_size": 3, **BAND}


def test_views_with_a_store_of_their_own_come_to_the_same_bits(small_store, monkeypatch):
    views, original = [], PackedRows.views

    def noted(self, *args):
        views.extend(found := original(self, *args))
        return found

    monkeypatch.setattr(PackedRows, "views", noted)
    X, y = classes(6)
    one, three = (
        BandedSVC(n_jobs=n_jobs, multi_class="ovr", **small_store).fit(X, y) for n_jobs in (1, 3)
    )
    assert same_bits(one, three)
    assert len(views) == 1 + 3
    assert len({id(view._table) for view in views}) == len(views)
    assert all((view._table.peek(np.arange(len(X))) >= 0).any() for view in views)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_models_asked_for_meanwhile_change_no_bit(small_store, n_jobs):
    class Asks(Interleaved):
        def step(self, run):
            run.model()

    X, y = classes(6)
    plain, asked = (BandedSVC(n_jobs=n_jobs, warm_start=True, **small_store) for _ in range(2))
    plain.set_params(C1=1.0).fit(X, y).set_params(C1=10.0).fit(X, y)
    asked.set_params(C1=1.0).fit(X, y).set_params(C1=10.0)
    fit_model(asked, X, y, None, Asks())
    assert same_bits(plain, asked)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_an_observer_that_wants_classes_one_by_one_changes_no_bit(multi_class):
    class Follows(Observer):
        def __init__(self):
            self.indices = []

        def step(self, run):
            self.indices.append(run.index)

    X, y = classes(6, n_samples=2000)
    alone, together, follows = (
        BandedSVC(multi_class=multi_class, n_jobs=3),
        BandedSVC(multi_class=multi_class, n_jobs=3),
        Follows(),
    )
    fit_model(alone, X, y, None, follows)
    assert follows.indices == sorted(follows.indices)
    assert same_bits(alone, together.fit(X, y))


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_classes_are_solved_at_the_same_time(monkeypatch, multi_class, side_by_side):
    both, solve = threading.Barrier(2, timeout=LONG), kernel_run.solve

    def meet(*args, **options):
        both.wait()  # breaks if one class waits for the other to end
        return solve(*args, **options)

    monkeypatch.setattr(kernel_run, "solve", meet)
    X, y = classes(6, n_samples=2400, n_classes=4)
    assert BandedSVC(multi_class=multi_class, n_jobs=2).fit(X, y).certificate_.is_optimal


# Rows of 100 features are worth keeping at their second use, and so for several classes.
@pytest.mark.parametrize("n_features", [100, 200])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_every_row_is_computed_once_for_all_classes(monkeypatch, n_features, n_jobs):
    computed, original = [], _core.compute_rows

    def counted(left, indices, *others):
        computed.extend(indices.tolist())
        original(left, indices, *others)

    monkeypatch.setattr(_core, "compute_rows", counted)
    X, y = classes(n_features)
    model = BandedSVC(n_jobs=n_jobs, multi_class="ovr", **BAND).fit(X, y)
    # Rows of variables that move and return to zero are needed too.
    assert len(set(computed)) == len(computed) <= 1.2 * len(model.support_)
    assert sum(part.n_kernel_rows for part in model.certificate_.parts) == len(computed)


@pytest.mark.usefixtures("rows_in_single_precision")
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_rows_in_double_precision_finish_what_others_began(multi_class):
    X, y = classes(6, n_samples=2000)
    one, two = (
        BandedSVC(multi_class=multi_class, tol=1e-8, n_jobs=n_jobs, **BAND).fit(X, y)
        for n_jobs in (1, 2)
    )
    assert one.certificate_.is_optimal
    assert one.certificate_.gradient_drift < 1e-10
    assert same_bits(one, two)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_observers_are_never_called_at_the_same_time(multi_class):
    class Checks(Interleaved):
        def __init__(self):
            self.alone, self.begun, self.ends = threading.Lock(), [], set()

        def begin(self, run):
            self.begun.append(run.index)

        def step(self, run):
            assert self.alone.acquire(blocking=False)
            assert run.index in self.begun
            if run.progress.violation <= run.progress.tol:
                self.ends.add(run.index)
            self.alone.release()

    X, y = classes(6, n_samples=2000)
    checks = Checks()
    fit_model(BandedSVC(multi_class=multi_class, n_jobs=3), X, y, None, checks)
    assert sorted(checks.begun) == sorted(checks.ends) == [0, 1, 2]


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_models_asked_for_meanwhile_are_whole(multi_class):
    class Asks(Interleaved):
        def __init__(self):
            self.models = []

        def step(self, run):
            if run.progress.is_current:
                self.models.append(run.model())

    X, y = classes(6, n_samples=2000)
    asks, model = Asks(), BandedSVC(multi_class=multi_class, n_jobs=3, **BAND)
    fit_model(model, X, y, None, asks)
    for found in asks.models:
        assert found.dual_coef_.shape[0] == 3
        # c and f of every class belong together.
        assert found.certificate_.gradient_drift < 1e-2
        assert found.certificate_.dual <= model.certificate_.primal * (1 + 1e-6)


class PressesAt(Interleaved):
    """Sends SIGINT to its thread at the first step that meets a condition."""

    def __init__(self, condition):
        self.condition, self.has_pressed = condition, False

    def step(self, run):
        if not self.has_pressed and self.condition(run):
            self.has_pressed = True
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
            end = time.monotonic() + LONG
            while current_reason()() is None:  # the main thread has not noted it yet
                assert time.monotonic() < end
                time.sleep(0.001)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_ctrl_c_ends_all_classes(multi_class):
    steps = count(1)
    X, y = classes(6, n_samples=2000)
    model = BandedSVC(multi_class=multi_class, n_jobs=2, tol=1e-6, warm_start=True, **BAND)
    assert fit_model(model, X, y, None, PressesAt(lambda run: next(steps) == 4))
    assert model.certificate_.status is Status.INTERRUPTED
    assert model.certificate_.gradient_drift < 1e-2
    model.fit(X, y)
    assert model.certificate_.is_optimal


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_time_limit_ends_all_classes(multi_class):
    counts = AfterEveryStep()
    X, y = classes(6, n_samples=2000)
    model = BandedSVC(multi_class=multi_class, n_jobs=2, tol=1e-6, time_limit=1e6, **BAND)
    with stop_when(lambda: Status.TIME_LIMIT if counts.n_steps >= 4 else None):
        fit_model(model, X, y, None, counts)
    assert model.certificate_.status is Status.TIME_LIMIT
    assert counts.n_steps <= 4 + 3  # each class looks at most once more


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_an_error_in_one_class_ends_the_others(multi_class):
    class Fails(Interleaved):
        n_steps, has_failed = 0, False

        def step(self, run):
            assert not self.has_failed
            self.n_steps += 1
            if self.n_steps == 3:
                self.has_failed = True
                raise OSError("the disk is full")

    X, y = classes(6, n_samples=2000)
    model = BandedSVC(multi_class=multi_class, n_jobs=2)
    with pytest.raises(OSError, match="the disk is full"):
        fit_model(model, X, y, None, Fails())
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_keeps_classes_that_have_not_begun_at_their_last_solution(multi_class, n_jobs):
    X, y = classes(6, n_samples=2000)
    model = BandedSVC(multi_class=multi_class, n_jobs=n_jobs, warm_start=True, **BAND).fit(X, y)
    last = model.dual_coef_[-1]
    used = model.support_[last != 0.0]
    presses = PressesAt(lambda run: True)
    assert fit_model(model.set_params(tol=1e-8), X, y, None, presses)
    assert [part.status for part in model.certificate_.parts] == [Status.INTERRUPTED] * 3
    assert model.certificate_.gradient_drift < 1e-2
    now = np.zeros(len(X))
    now[model.support_] = model.dual_coef_[-1]
    np.testing.assert_allclose(now[used], last[last != 0.0])


@pytest.mark.usefixtures("rows_in_single_precision")
@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_before_more_precise_rows_keeps_what_others_reached(multi_class, n_jobs):
    X, y = classes(6, n_samples=2000)
    model = BandedSVC(multi_class=multi_class, n_jobs=n_jobs, tol=1e-8, **BAND)
    presses = PressesAt(lambda run: len(run._earlier) == 3)  # all with float64 rows
    assert fit_model(model, X, y, None, presses)
    assert presses.has_pressed
    assert [part.status for part in model.certificate_.parts] == [Status.INTERRUPTED] * 3
    assert model.certificate_.kkt_violation < 1e-3


@pytest.mark.heavy
@pytest.mark.usefixtures("rows_in_single_precision")
def test_only_pairs_with_rows_in_single_precision_get_more_precise_ones(monkeypatch):
    X, y = classes(6, n_samples=2000)
    kept = (y < 2) | (np.cumsum(y == 2) <= 250)  # one pair of more than 1000 samples
    made, original = [], OwnRows.of
    monkeypatch.setattr(OwnRows, "of", lambda self, k: made.append(k) or original(self, k))
    model = BandedSVC(multi_class="ovo", n_jobs=1, tol=1e-15, **BAND)
    with pytest.warns(ConvergenceWarning):
        model.fit(X[kept], y[kept])
    assert made == [0, 1, 2, 0]
    assert model.certificate_.parts[0].gradient_drift < 1e-10


# 400 samples per pair have rows by NumPy or written by the core; 1300 have packed ones.
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(("n_samples", "kernel"), [(600, "laplacian"), (600, "rbf"), (2000, "rbf")])
def test_no_more_stores_than_threads(monkeypatch, n_jobs, n_samples, kernel):
    stores, counts, original = weakref.WeakSet(), [], FitSettings.rows

    def counted(self, *args, **options):
        rows = original(self, *args, **options)
        stores.add(rows)
        counts.append(len(stores))
        return rows

    monkeypatch.setattr(FitSettings, "rows", counted)
    X, y = classes(6, n_samples=n_samples, n_classes=4)
    gc.disable()
    try:
        fit_model(
            BandedSVC(multi_class="ovo", kernel=kernel, n_jobs=n_jobs), X, y, None, Interleaved()
        )
    finally:
        gc.enable()
    assert len(counts) == 6
    assert max(counts) <= n_jobs


@pytest.mark.heavy
def test_the_first_problem_without_a_solution_is_reported_if_a_later_one_ends_first(
    monkeypatch, side_by_side
):
    has_ended, job, solution = threading.Event(), KernelRun._solve, KernelRun._solution

    def ends(run, index, *args):
        try:
            return job(run, index, *args)
        finally:
            has_ended.set()

    def waits(run, index, *args):
        assert index > 0 or has_ended.wait(LONG)
        return solution(run, index, *args)

    monkeypatch.setattr(KernelRun, "_solve", ends)
    monkeypatch.setattr(KernelRun, "_solution", waits)
    X, y = classes(6, n_samples=300)
    model = BandedSVC(multi_class="ovo", kernel="linear", C1=np.inf, n_jobs=2)
    with pytest.raises(ValueError, match=r"cannot be separated .*class 0 against 1\)"):
        model.fit(X, y)


@pytest.mark.parametrize(("n_features", "megabytes"), [(6, 60), (150, 60), (150, 120)])
def test_classes_at_the_same_time_stay_within_the_cache(n_features, megabytes):
    X, y = classes(n_features, n_samples=2500)
    model = BandedSVC(n_jobs=3, cache_size=megabytes, **BAND)
    tracemalloc.start()
    try:
        model.fit(X, y)
        assert tracemalloc.get_traced_memory()[1] <= 1.1 * megabytes * MEGABYTE
    finally:
        tracemalloc.stop()
