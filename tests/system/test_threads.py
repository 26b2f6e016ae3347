"""Fits in several threads at once: same bits, and BLAS gets its own threads back."""

import os
import signal
import threading
import time

import joblib
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_info, threadpool_limits

from bandsvm import BandedSVC
from bandsvm._kernels import resolve_gamma
from bandsvm._system import threads
from bandsvm._system.threads import in_threads, single_threaded_blas
from tests.helpers.forks import child_holds

ROUNDS = 2


def my_kernel(A, B):
    return (1 + A @ B.T) ** 2


def blas_threads():
    return {lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"}


@pytest.fixture
def two_blas_threads():
    """BLAS as on a machine with two cores, whose main thread has set that."""
    with threadpool_limits(2, user_api="blas"):
        if blas_threads() != {2}:
            pytest.skip("BLAS has one thread, or one limit for each of its threads")
        yield


def in_thread(function, *arguments):
    """Return what a function returns in a thread of its own."""
    results = []
    thread = threading.Thread(target=lambda: results.append(function(*arguments)))
    thread.start()
    thread.join()
    return results[0]


def problems():
    """Yield training sets and kernels; medium ones are large enough for BLAS to use threads."""
    kernels = ("rbf", "linear", "poly", "laplacian", "precomputed", my_kernel, "sparse rbf")
    for k in range(21):
        n_samples, n_features = (60, 150, 400, 700, 1100)[k % 5], (7, 20, 60)[k % 3]
        X, y = make_classification(
            n_samples, n_features, n_informative=4, flip_y=0.2, random_state=k
        )
        X, kernel = X / X.std(), kernels[k % len(kernels)]
        if kernel == "sparse rbf":
            X, kernel = sp.csr_array(np.maximum(X, 0.0)), "rbf"
        yield (X @ X.T if kernel == "precomputed" else X), y, kernel


def bits(X, y, kernel):
    """Return everything that a fit and a prediction come to."""
    model = BandedSVC(kernel=kernel).fit(X, y)
    certificate = model.certificate_
    parts = (model.dual_coef_, model.intercept_, model.decision_function(X))
    return *(part.tobytes() for part in parts), certificate.primal, certificate.gap


@pytest.mark.heavy
def test_fits_at_the_same_time_come_to_the_same_bits(two_blas_threads):
    sets = list(problems())
    alone = [bits(*given) for given in sets]
    for _ in range(ROUNDS):
        together = joblib.Parallel(n_jobs=4, backend="threading")(
            joblib.delayed(bits)(*given) for given in sets
        )
        assert [k for k, (a, b) in enumerate(zip(alone, together, strict=True)) if a != b] == []


@pytest.mark.parametrize("kernel", ["laplacian", "precomputed", my_kernel])
def test_threads_do_not_change_kernels_in_numpy(two_blas_threads, kernel):
    X, y = make_classification(700, random_state=0)
    X = X @ X.T if kernel == "precomputed" else X
    one, two = (BandedSVC(kernel=kernel, n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)


def test_gamma_of_sparse_samples_does_not_depend_on_blas():
    X = sp.random_array((3000, 40), density=0.5, format="csr", rng=0)
    weights = np.random.default_rng(0).random(3000)
    gammas = set()
    for n_threads in (1, 2):
        with threadpool_limits(n_threads, user_api="blas"):
            gammas.add(resolve_gamma("scale", X, weights))
    assert len(gammas) == 1


def test_blas_is_limited_in_whatever_thread(two_blas_threads):
    def threads_within():
        with single_threaded_blas():
            return blas_threads()

    assert threads_within() == {1}
    assert in_thread(threads_within) == {1}
    assert blas_threads() == {2}


def test_blas_gets_its_threads_back_from_whoever_leaves_last(two_blas_threads):
    first_entered, second_entered, first_left, end = (threading.Event() for _ in range(4))

    def first():
        with single_threaded_blas():
            first_entered.set()
            second_entered.wait()
        first_left.set()
        end.wait()  # alive to the end

    thread = threading.Thread(target=first)
    thread.start()
    first_entered.wait()
    with single_threaded_blas():
        second_entered.set()
        first_left.wait()
        assert blas_threads() == {1}
    assert blas_threads() == {2}
    end.set()
    thread.join()


def test_contexts_may_be_nested(two_blas_threads):
    with single_threaded_blas():
        with single_threaded_blas():
            pass
        assert blas_threads() == {1}
    assert blas_threads() == {2}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.timeout(60)
def test_child_forked_while_a_thread_enters_or_fits(two_blas_threads):
    """The lock is taken in the parent, and nobody in the child will ever let go of it."""
    inside, end = threading.Event(), threading.Event()

    def other():
        with single_threaded_blas(), single_threaded_blas._lock:
            inside.set()
            end.wait()

    thread = threading.Thread(target=other)
    thread.start()
    inside.wait()

    def child():
        before = blas_threads()
        with single_threaded_blas():
            within = blas_threads()
        return (before, within, blas_threads()) == ({2}, {1}, {2})

    try:
        assert child_holds(child)
    finally:
        end.set()
        thread.join()
    assert blas_threads() == {2}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_child_forked_within_a_fit_stays_within(two_blas_threads):
    with single_threaded_blas():

        def child():
            return blas_threads() == {1} and sum(single_threaded_blas._depths.values()) == 1

        assert child_holds(child)
    assert blas_threads() == {2}


def test_limits_of_each_thread_are_restored(monkeypatch):
    """Where OpenBLAS runs on OpenMP, every thread has a limit of its own."""
    calls = []

    class Libraries:
        lib_controllers = (None,)

        def limit(self, limits):
            calls.append(limits)
            return self

        def restore_original_limits(self):
            calls.append("restored")

    monkeypatch.setattr(threads, "_blas", lambda: (Libraries(), Libraries()))
    single = threads._SingleThreadedBlas()
    with single():
        with single():  # sets the limit of its thread, not again that of the process
            assert calls == [1, 1, 1]
        assert calls == [1, 1, 1, "restored"]
    assert calls == [1, 1, 1, "restored", "restored", "restored"]


def test_limits_of_threadpoolctl_are_honoured():
    with threadpool_limits(1):
        assert threads.n_threads(None) == 1
        assert threads.n_threads(2) == 2  # as the user says


def test_quotas_of_containers_count(monkeypatch):
    monkeypatch.setattr(threads.joblib, "cpu_count", lambda: 3)
    threads._n_cores.cache_clear()
    try:
        assert threads.n_cores() == 3
        assert threads.n_threads(-1) == 3
    finally:
        threads._n_cores.cache_clear()


def test_signals_that_another_thread_receives_are_handled_while_the_main_thread_waits():
    handled = threading.Event()
    previous = signal.signal(signal.SIGINT, lambda *_: handled.set())
    try:

        def job():
            time.sleep(0.2)  # until the main thread waits
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
            return handled.wait(timeout=20.0)

        assert in_threads([job, lambda: True], 2) == [True, True]
    finally:
        signal.signal(signal.SIGINT, previous)
