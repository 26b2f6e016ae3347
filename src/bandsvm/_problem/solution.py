"""What a solver returns: a solution, why it stopped, and its progress on the way."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray


class Status(Enum):
    """Why a solver stopped."""

    CONVERGED = "converged"
    ITERATION_LIMIT = "iteration limit"
    NO_PROGRESS = "no progress"
    WORK_LIMIT = "work limit"
    NOT_FINITE = "not finite"
    NOT_SEPARABLE = "not separable"
    STOPPED = "stopped by a callback"
    TIME_LIMIT = "time limit"
    INTERRUPTED = "interrupted"

    @property
    def is_limit(self) -> bool:
        """Whether the solve ended for a reason outside the problem, such as a time limit."""
        return self not in (
            Status.CONVERGED,
            Status.NO_PROGRESS,
            Status.NOT_FINITE,
            Status.NOT_SEPARABLE,
        )


class Point(Protocol):
    """A point of the dual, wherever its arrays are stored."""

    @property
    def c(self) -> NDArray[np.float64]:
        """Coefficients."""

    @property
    def f(self) -> NDArray[np.float64]:
        """``K c``."""


@dataclass(frozen=True)
class Progress:
    """The state of a solver after an outer step; the argument of every callback.

    ``c`` and ``f`` belong to the solver: copy them to keep them. While `is_current` is False, ``f``
    belongs to an earlier ``c``.
    """

    n_iter: int
    violation: float
    tol: float
    n_kernel_rows: int
    n_pair_steps: int
    seconds: float
    point: Point
    is_current: bool
    moved: float = 0.0

    @property
    def c(self) -> NDArray[np.float64]:
        """Coefficients."""
        return self.point.c

    @property
    def f(self) -> NDArray[np.float64]:
        """``K c``."""
        return self.point.f


@dataclass(frozen=True)
class Solution:
    """The result of a solve: coefficients ``c``, gradient ``f = K c`` and their cost.

    ``moved`` is the root of the summed squares of all moves since ``f`` was last computed as a
    whole, each in units of its kernel values. Rounding errors of ``f`` grow with it.
    """

    c: NDArray[np.float64]
    f: NDArray[np.float64]
    status: Status
    n_iter: int
    n_pair_steps: int
    n_kernel_rows: int
    seconds: float
    moved: float = 0.0


class Start(NamedTuple):
    """Coefficients to start from; ``K c`` and its `Solution.moved` if they are known already."""

    c: NDArray[np.float64]
    gradient: NDArray[np.float64] | None = None
    moved: float = 0.0

    @classmethod
    def at(cls, solution: Solution) -> Start:
        """Return the start that continues from a solution."""
        return cls(solution.c, solution.f, solution.moved)


Counted = TypeVar("Counted", Progress, Solution)


def after(earlier: Solution, later: Counted) -> Counted:
    """Return the result of a solve that continued another, with the cost of both."""
    return replace(
        later,
        n_iter=earlier.n_iter + later.n_iter,
        n_pair_steps=earlier.n_pair_steps + later.n_pair_steps,
        n_kernel_rows=earlier.n_kernel_rows + later.n_kernel_rows,
        seconds=earlier.seconds + later.seconds,
    )


def moved_by(moved: float, sizes: NDArray, change: NDArray) -> float:
    """Return `Solution.moved` after one more move."""
    sized = sizes * change
    return math.hypot(moved, math.sqrt(float(sized @ sized)))
