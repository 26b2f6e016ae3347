"""Which solver suits a set of samples, by the work and the memory that each would take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from bandsvm._linear.executor import Executor, Method
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
# Problems of so few samples end exactly, as far as rounding allows, so that results depend neither
# on ``tol`` nor on the order of samples. Newton steps get there.
SMALL = 1000
# The method that tries coordinate descent first, and takes Newton steps where that is too slow.
CD_THEN_NEWTON = "cd, then newton"
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


def choose_method(samples: Sizes) -> str:
    """Return what "auto" does on one machine: "cd", "newton", or the first and then the second.

    Newton steps on dense samples of few features take no longer than to try coordinate descent.
    """
    solver = choose_solver(samples)
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


class DescentThenNewton:
    """Coordinate descent, and Newton steps from the start where it is too slow.

    How many passes coordinate descent needs is not known beforehand: a dozen or ten thousand. How
    its gap falls in the first passes tells, and these cost little next to Newton steps.
    """

    def __init__(self, executor: Executor, start: Start | None = None) -> None:
        self._executor, self._start, self.n_iter = executor, start, 0
        self._use(executor.descent(start))

    def _use(self, method: Method) -> None:
        self._method, self.name = method, method.name  # that of the solver that is at work
        self.patience, self.is_steady = method.patience, method.is_steady

    def candidates(self) -> Iterator[Any]:
        return self._method.candidates()

    def steps(self, aim: float, max_iter: int) -> Iterator[tuple[float, bool]]:
        for estimate, is_promising in self._method.steps(aim, max_iter):
            self.n_iter = self._method.n_iter
            yield estimate, is_promising
            is_slow = self.n_iter >= TRIAL_PASSES and estimate > PROMISING_GAP
            if is_slow or self.n_iter >= MAX_DESCENT_PASSES:
                break
        n_before = self.n_iter
        self._use(InteriorPoint(self._executor, self._start))
        for step in self._method.steps(aim, max_iter - n_before):
            self.n_iter = n_before + self._method.n_iter
            yield step
