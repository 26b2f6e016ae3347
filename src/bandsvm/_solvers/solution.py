"""The input of a solver and its output."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from bandsvm._engines import Engine
from bandsvm._problem.band_problem import BandProblem
from bandsvm._system.cached import cached_property
from bandsvm._system.stopping import Stop, stop_when, within


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


@dataclass(frozen=True)
class Progress:
    """The state of a solver after an outer step; the argument of every callback.

    ``c`` and ``f`` belong to the engine: copy them to keep them. While `is_current` is False, ``f``
    belongs to an earlier ``c``.
    """

    n_iter: int
    violation: float
    tol: float
    n_kernel_rows: int
    n_pair_steps: int
    seconds: float
    engine: Engine
    is_current: bool
    moved: float = 0.0

    @property
    def c(self) -> NDArray[np.float64]:
        """Coefficients."""
        return self.engine.c

    @property
    def f(self) -> NDArray[np.float64]:
        """``K c``."""
        return self.engine.f

    @property
    def n_support(self) -> int:
        """Number of support vectors."""
        return int(np.count_nonzero(self.c))


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
    way = sizes * change
    return math.hypot(moved, math.sqrt(float(way @ way)))


class Part(NamedTuple):
    """A subset of samples that a solver moves: indices, their state, and the earlier ``c``."""

    indices: NDArray[np.intp]
    state: State
    before: NDArray[np.float64]


@dataclass
class State:
    """The point that a solver moves, and the cost so far.

    While a solver moves only a `part` of the samples, the engine's ``f`` belongs to an earlier
    ``c``. A move that is cut short changes nothing; it stays `unfinished`.
    """

    engine: Engine
    moved: float = 0.0  # see `Solution`
    n_pair_steps: int = 0
    face_work: float = 0.0  # multiplications in steps on faces
    part: Part | None = None
    unfinished: tuple[NDArray, NDArray] | None = None

    @property
    def problem(self) -> BandProblem:
        """The problem that is being solved."""
        return self.engine.problem

    @property
    def is_current(self) -> bool:
        """Whether ``f`` belongs to the current ``c``."""
        return self.part is None

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """Bounds of kernel values, ``|K_ij| <= sizes_i sizes_j``."""
        return self.engine.sizes()

    def move(self, indices: NDArray, values: NDArray) -> None:
        """Set ``c[indices]`` to ``values`` and bring ``f`` up to date."""
        change = values - self.engine.at(indices)[0]
        self.unfinished = indices, values
        self.engine.move(indices, values)
        self.unfinished = None
        self.moved = moved_by(self.moved, self.sizes[indices], change)

    def place(self, c: NDArray, f: NDArray) -> None:
        """Set all of ``c`` and ``f``, which was brought up to date with the change of ``c``."""
        self.moved = moved_by(self.moved, self.sizes, c - self.engine.c)
        self.engine.place(c, f)

    def refresh(self) -> None:
        """Recompute ``f`` without the rounding errors that moves accumulate."""
        self.engine.refresh()
        self.moved = self.size

    @property
    def reach(self) -> float:
        """A bound of all values of ``f``, whatever the signs of their terms are."""
        sizes = self.sizes
        return float(sizes.max()) * float(sizes @ np.abs(self.engine.c))

    @property
    def start(self) -> Start:
        """The start that continues from this point."""
        return Start(self.engine.c, self.engine.f, self.moved)

    @property
    def size(self) -> float:
        """What `moved` would be after `refresh`."""
        return moved_by(0.0, self.sizes, self.engine.c)

    def catch_up(self) -> None:
        """Finish an unfinished move, and update ``f`` with the result of a part."""
        if self.part is not None:
            indices, partial, before = self.part
            self.engine.put(indices, before)
            self.move(indices, partial.engine.c)
            self.n_pair_steps += partial.n_pair_steps
            self.part = None
        elif self.unfinished is not None:
            self.move(*self.unfinished)

    def catch_up_within(self, seconds: float) -> None:
        """Do so within some seconds, or else restore the earlier point."""
        try:
            with stop_when(within(seconds)):
                self.catch_up()
        except Stop:
            self.part = self.unfinished = None
