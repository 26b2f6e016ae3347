"""Which solver suits a set of samples, by the work and the memory that each would take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bandsvm._linear.executor import Executor, LocalExecutor, Method
from bandsvm._linear.few_samples import SMALL, is_at_once
from bandsvm._linear.interior_point import InteriorPoint
from bandsvm._linear.point import Start
from bandsvm._system.memory import LITTLE_BYTES, available_bytes, process_share

# Steps of the interior point method, and passes over all samples of coordinate descent, that a
# problem of some difficulty takes.
PASSES_OF_NEWTON, DESCENT_PASSES = 25, 1000
# Products with X in a step of the interior point method, and in a pass of coordinate descent.
NEWTON_PRODUCTS, DESCENT_PRODUCTS = 8, 2
# Products of matrices do so many multiplications in the time of one in a product with a vector.
MATRIX_SPEED = 8.0
# Square matrices of the number of features that a Newton step holds. It may be some more with many
# threads, but the choice of a solver must not depend on their number.
MATRICES = 6
# The method that tries coordinate descent first, and takes Newton steps where that is too slow; and
# the one that first takes all steps at once.
CD_THEN_NEWTON, AT_ONCE = "cd, then newton", "at once, then newton"
# The solvers that these begin with.
FIRST = {CD_THEN_NEWTON: "cd", AT_ONCE: "newton"}
# Descent goes on if its gap is this small a share of the objective after so many passes, but for no
# more passes than a fit by Newton steps costs.
TRIAL_PASSES, PROMISING_GAP, MAX_DESCENT_PASSES = 32, 0.05, 150


class Sizes(Protocol):
    """How much there is of the samples, wherever they are; see `LinearSamples`."""

    n_samples: int
    n_features: int
    n_values: int  # those that are stored
    is_sparse: bool

    @property
    def n_pairs(self) -> float:
        """Number of pairs of values of a sample, over all samples."""


def choose_solver(samples: Sizes) -> str:
    """Return "newton" or "cd", whichever should take less work.

    A Newton step multiplies every pair of values of a sample and factors a matrix. Coordinate
    descent multiplies every value twice, but may need many passes.
    """
    products = NEWTON_PRODUCTS * samples.n_values
    newton = PASSES_OF_NEWTON * (_newton_multiplications(samples) / MATRIX_SPEED + products)
    descent = DESCENT_PASSES * DESCENT_PRODUCTS * samples.n_values
    if newton > descent:
        return "cd"
    needed = newton_bytes(samples)
    # To ask the system takes as long as a small fit.
    fits = needed <= LITTLE_BYTES or needed <= _free_bytes()
    return "newton" if fits else "cd"


def choose_method(samples: Sizes, is_squared: bool) -> str:
    """Return what "auto" does on one machine: a solver, or something quicker before it.

    Newton steps on dense samples of few features take no longer than to try coordinate descent.
    """
    solver = choose_solver(samples)
    if is_at_once(samples, is_squared, solver):
        return AT_ONCE
    tries_descent = samples.is_sparse and samples.n_samples > SMALL
    return CD_THEN_NEWTON if solver == "newton" and tries_descent else solver


def _newton_multiplications(samples: Sizes) -> float:
    """Return the multiplications for ``X'DX`` and for its Cholesky factor."""
    pairs = samples.n_pairs * (MATRIX_SPEED if samples.is_sparse else 1.0)
    return pairs / 2.0 + samples.n_features**3 / 6.0


def newton_bytes(samples: Sizes) -> float:
    """Return the memory that the matrices of a Newton step take."""
    return 8.0 * samples.n_features**2 * MATRICES


def check_memory(solver: str, samples: Sizes) -> None:
    """Refuse a Newton step whose matrices do not fit into memory."""
    needed = newton_bytes(samples)
    if solver != "cd" and needed > LITTLE_BYTES and needed > (free := _free_bytes()):
        raise ValueError(
            f"solver='newton' needs {needed / 1e9:.1f} GB for matrices of {samples.n_features} "
            f"features, more than the {free / 1e9:.1f} GB that are free; set solver='cd'."
        )


def _free_bytes() -> float:
    """Return the memory that this process may still use."""
    return process_share() * available_bytes()


class Then:
    """A method, and another one from the start where it gives up or ends."""

    def __init__(
        self, first: Method, second: Callable[[], Method], gives_up: Callable[[float], bool]
    ) -> None:
        self._second, self._gives_up = second, gives_up
        self._use(first)

    def _use(self, method: Method) -> None:
        """Take over what the driver asks of the method that is at work."""
        self._method, self.name, self.patience = method, method.name, method.patience
        self.is_steady, self.is_exact, self.n_iter = method.is_steady, method.is_exact, 0

    def candidates(self) -> Iterator[Any]:
        return self._method.candidates()

    def steps(self, aim: float, max_iter: int) -> Iterator[tuple[float, bool]]:
        for estimate, is_promising in self._method.steps(aim, max_iter):
            self.n_iter, self.is_exact = self._method.n_iter, self._method.is_exact
            yield estimate, is_promising
            if self._gives_up(estimate):
                break
        n_before = self.n_iter
        self._use(self._second())
        for step in self._method.steps(aim, max_iter - n_before):
            self.n_iter = n_before + self._method.n_iter
            yield step


def descent_then_newton(executor: Executor, start: Start | None = None) -> Method:
    """Return coordinate descent, and Newton steps from the start where it is too slow.

    How many passes coordinate descent needs is not known beforehand: a dozen or ten thousand. How
    its gap falls in the first passes tells, and these cost little next to Newton steps.
    """
    first = executor.descent(start)

    def gives_up(estimate: float) -> bool:
        is_slow = first.n_iter >= TRIAL_PASSES and estimate > PROMISING_GAP
        return is_slow or first.n_iter >= MAX_DESCENT_PASSES

    return Then(first, lambda: InteriorPoint(executor, start), gives_up)


class AtOnce:
    """All steps on few samples, taken before anything is evaluated; see `few_samples`."""

    name, patience, is_steady, is_exact = "newton", 1, True, False

    def __init__(self, executor: LocalExecutor) -> None:
        self._executor, self.n_iter = executor, 0

    def candidates(self) -> Iterator[NDArray[np.float64]]:
        """Yield the dual point that was reached."""
        yield self._c

    def steps(self, aim: float, max_iter: int) -> Iterator[tuple[float, bool]]:
        found = self._executor.at_once(max_iter)
        if found is not None:
            self._c, self.n_iter, self.is_exact = found
            yield 1.0, True


def at_once(executor: LocalExecutor, start: Start | None = None) -> Method:
    """Return all steps at once, and the solver of more samples where they are not enough."""
    is_newton = choose_solver(executor.samples) == "newton"

    def usual() -> Method:
        return InteriorPoint(executor, start) if is_newton else executor.descent(start)

    return Then(AtOnce(executor), usual, lambda estimate: False)
