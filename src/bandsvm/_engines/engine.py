"""The interface of engines: what solvers ask of a point."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from bandsvm._kernels import KernelOperator
from bandsvm._problem.band_problem import BandProblem


class BlockStep(NamedTuple):
    """The result of pair steps on a block: its coefficients and the cost."""

    c: NDArray[np.float64]
    n_steps: int
    stalled: bool


class Engine(Protocol):
    """A point ``c`` with ``f = K c``, and the operations that solvers use.

    Indices and values of some variables are passed as NumPy arrays. Arrays as long as the problem
    stay in the engine, unless a solver asks for `c` or `f`.
    """

    @property
    def problem(self) -> BandProblem:
        """The problem whose dual is maximised."""

    @property
    def kernel(self) -> KernelOperator:
        """The kernel matrix K."""

    @property
    def c(self) -> NDArray[np.float64]:
        """Coefficients, read-only; copy them to keep them."""

    @property
    def f(self) -> NDArray[np.float64]:
        """``K c``, read-only; copy it to keep it."""

    # Queries of the point

    def violation(self) -> float:
        """Return how far the point is from optimality: ``m - M``, ``max(m, -M, 0)`` without b."""

    def violators(self, tol: float) -> tuple[float, int]:
        """Return the violation, and how many variables violate optimality by more than tol."""

    def in_play(self, margin: float) -> NDArray[np.intp]:
        """Return the variables that could move if the violation grew by this share."""

    def free(self) -> NDArray[np.intp]:
        """Return the variables strictly inside a piece: at no bound and not at the kink."""

    def at(self, indices: NDArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return ``c`` and the gradient of the dual's quadratic part at some variables."""

    def dual_value(self) -> float:
        """Return the dual's value, which every step of every solver raises."""

    def select(self, kept: NDArray, number: int) -> tuple[float, NDArray[np.intp]]:
        """Return the violation, and at most ``number`` of the worst violators beside ``kept``."""

    # Moves

    def solve_block(self, block: NDArray, tol: float, max_steps: int) -> BlockStep:
        """Take pair steps on the block's variables until its own violation is at most ``tol``.

        The point itself does not change; call `move` with the result.
        """

    def move(self, indices: NDArray, values: NDArray) -> None:
        """Set ``c[indices]`` to ``values`` and bring ``f`` up to date; all or nothing."""

    def put(self, indices: NDArray, values: NDArray) -> None:
        """Set ``c[indices]`` to ``values`` and leave ``f`` as it is."""

    def place(self, c: NDArray, f: NDArray) -> None:
        """Set all of ``c`` and ``f = K c``."""

    def refresh(self) -> None:
        """Recompute ``f`` without the rounding errors that updates accumulate."""

    def part(self, indices: NDArray) -> Engine | None:
        """Return the point of some samples while others are fixed; None if that saves no time."""
