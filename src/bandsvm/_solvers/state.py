"""The point that a solver moves, and what it has cost so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm._engines import Engine
from bandsvm._kernels import KernelOperator
from bandsvm._problem import BandProblem, Solution, Start, Status, moved_by
from bandsvm._system.cached import cached_property
from bandsvm._system.stopping import Stop, stop_when, within


def meter(kernel: KernelOperator) -> Callable[[], dict[str, Any]]:
    """Return a function that returns what a solve has spent since: kernel rows and seconds."""
    began, n_before = time.perf_counter(), kernel.n_computed
    return lambda: {
        "n_kernel_rows": kernel.n_computed - n_before,
        "seconds": time.perf_counter() - began,
    }


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
        return self.engine.kernel.sizes()

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

    def solution(self, status: Status, n_iter: int, **spent: Any) -> Solution:
        """Return this point as the result of a solve; see `meter` for what was ``spent``."""
        engine, n_steps = self.engine, self.n_pair_steps
        return Solution(
            engine.c, engine.f, status, n_iter, n_pair_steps=n_steps, moved=self.moved, **spent
        )

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
