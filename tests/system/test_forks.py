"""Children forked while other threads fit: they fit too, and end."""

import os
import threading

import pytest
from sklearn.datasets import make_classification

from bandsvm import BandedSVC
from bandsvm._system import threads
from bandsvm._system.cached import cached_property
from bandsvm._system.threads import single_threaded_blas
from tests.helpers.forks import child_holds

if not hasattr(os, "fork"):
    pytest.skip("needs fork", allow_module_level=True)


class Slow:
    """Something with a property that takes long to compute."""

    inside, end = threading.Event(), threading.Event()

    @cached_property
    def value(self):
        """Anything."""
        self.inside.set()
        self.end.wait()
        return 7


def test_child_forked_while_a_property_is_computed():
    """The cached properties of Python 3.11 would leave their lock behind, taken."""
    slow = Slow()
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    Slow.inside.wait()

    def child():
        other = Slow()
        other.end = threading.Event()
        other.end.set()
        return other.value == 7

    try:
        assert child_holds(child)
    finally:
        Slow.end.set()
        thread.join()
    assert slow.value == 7


def test_properties_are_computed_once():
    Slow.end.set()
    slow = Slow()
    assert slow.value == 7
    assert vars(slow) == {"value": 7}
    assert Slow.value.__doc__ == "Anything."


def test_forks_wait_for_changes_of_the_limit(monkeypatch):
    """A child must not inherit what a change locks, in OpenBLAS and in threadpoolctl."""
    inside, end, is_changing = threading.Event(), threading.Event(), []
    limited = threads._limited

    def slowly_limited(blas):
        is_changing.append(True)
        inside.set()
        end.wait(0.2)
        limiter = limited(blas)
        is_changing.clear()
        return limiter

    monkeypatch.setattr(threads, "_limited", slowly_limited)

    def other():
        with single_threaded_blas():
            pass

    thread = threading.Thread(target=other)
    thread.start()
    inside.wait()
    try:
        assert child_holds(lambda: not is_changing)
    finally:
        end.set()
        thread.join()


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_children_forked_while_threads_fit(kernel):
    X, y = make_classification(700, 60, n_informative=8, flip_y=0.2, random_state=0)
    expected = BandedSVC(kernel=kernel).fit(X, y).dual_coef_.tobytes()
    end = threading.Event()

    def fit():
        return BandedSVC(kernel=kernel).fit(X, y).dual_coef_.tobytes() == expected

    def fit_on():
        while not end.is_set():
            fit()

    threads = [threading.Thread(target=fit_on) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        assert [k for k in range(100) if not child_holds(fit)] == []
    finally:
        end.set()
        for thread in threads:
            thread.join()
