"""The CPU engine: a point in NumPy arrays, moved by compiled functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._engines.engine import BlockStep
from bandsvm._kernels import Rows
from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.slopes import ascent_slopes, free_variables, violation


class CpuEngine:
    """A point of one band problem over shared kernel rows; see `Engine` for its methods.

    The arrays of the initial point, ``c`` and ``f``, belong to the engine from now on. None: zero.
    """

    def __init__(
        self,
        problem: BandProblem,
        rows: Rows,
        c: NDArray | None = None,
        f: NDArray | None = None,
    ) -> None:
        self.problem = problem
        self._rows = rows
        self._memory = _core.SelectionMemory()
        self.c = np.zeros(problem.n_samples) if c is None else c
        self.f = np.zeros(problem.n_samples) if f is None else f

    @property
    def largest_block(self) -> int:
        """Number of rows that the store can hold at once."""
        return self._rows.capacity

    def violation(self) -> float:
        """Return how far the point is from optimality."""
        return violation(self.problem, *self._slopes())

    def violators(self, tol: float) -> tuple[float, int]:
        """Return the violation, and how many variables violate optimality by more than tol."""
        rise, fall = self._slopes()
        # Without an intercept, slopes are compared with 0.
        m, M = (rise.max(), fall.min()) if self.problem.has_intercept else (0.0, 0.0)
        number = int(np.count_nonzero((rise > M + tol) | (fall < m - tol)))
        return violation(self.problem, rise, fall), number

    def in_play(self, margin: float) -> NDArray[np.intp]:
        """Return the variables that could move if the violation grew by this share."""
        chosen = np.empty(self.problem.n_samples, dtype=np.intp)
        number = _core.variables_in_play(
            *self._point(), margin, chosen, self._memory, self._rows.n_threads
        )
        return chosen[:number]

    def free(self) -> NDArray[np.intp]:
        """Return the variables strictly inside a piece."""
        return free_variables(self.problem, self.c)

    def at(self, indices: NDArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return ``c`` and the gradient of the dual's quadratic part at some variables."""
        return self.c[indices], self._gradient()[indices]

    def dual_value(self) -> float:
        """Return the dual's value."""
        return _core.dual_value(self._bands(), self.c, self._gradient(), self._rows.n_threads)

    def select(self, kept: NDArray, number: int) -> tuple[float, NDArray[np.intp]]:
        """Return the violation, and at most ``number`` of the worst violators beside ``kept``."""
        chosen = np.empty(number, dtype=np.intp)
        violation, n_chosen = _core.select_variables(
            *self._point(), kept, chosen, self._memory, self._rows.n_threads
        )
        return violation, chosen[:n_chosen]

    def solve_block(self, block: NDArray, tol: float, max_steps: int) -> BlockStep:
        """Take pair steps on the block's variables until its own violation is at most ``tol``."""
        problem, kernel, c, f = self.problem, self.block(block), self.c[block], self.f[block]
        is_whole = len(block) == problem.n_samples and (np.diff(block) == 1).all()
        bands = self._bands(slice(None) if is_whole else block)
        n_steps, _, stalled = _core.solve_block(
            kernel, bands, c, f, tol, max_steps, problem.has_intercept
        )
        return BlockStep(c, n_steps, stalled)

    def move(self, indices: NDArray, values: NDArray) -> None:
        """Set ``c[indices]`` to ``values`` and bring ``f`` up to date; all or nothing."""
        change = values - self.c[indices]
        moved = change != 0.0
        if moved.any():
            f = self.f.copy()
            self._rows.update(f, indices[moved], change[moved])
            self.f, self.c[indices] = f, values

    def put(self, indices: NDArray, values: NDArray) -> None:
        """Set ``c[indices]`` to ``values`` and leave ``f`` as it is."""
        self.c[indices] = values

    def place(self, c: NDArray, f: NDArray) -> None:
        """Set all of ``c`` and ``f = K c``."""
        self.c[:], self.f[:] = c, f

    def refresh(self) -> None:
        """Recompute ``f`` without the rounding errors that updates accumulate."""
        support = np.flatnonzero(self.c)
        self.f[:] = self.product(support, self.c[support])

    def part(self, indices: NDArray) -> CpuEngine | None:
        """Return the point of some samples while others are fixed; None if that saves no time."""
        rows = self._rows.part(indices)
        if rows is None:
            return None
        return CpuEngine(self.problem.part(indices), rows, self.c[indices], self.f[indices])

    def diagonal(self) -> NDArray[np.float64]:
        """Return the diagonal of K."""
        return self._rows.diagonal()

    def sizes(self) -> NDArray[np.float64]:
        """Return bounds of kernel values."""
        return self._rows.sizes()

    def block(self, indices: NDArray) -> NDArray[np.float64]:
        """Return K[indices, indices]."""
        return self._rows.block(indices)

    def product(self, indices: NDArray, values: NDArray) -> NDArray[np.float64]:
        """Return K[:, indices] @ values."""
        return self._rows.product(indices, values)

    def _bands(self, indices: NDArray | slice = slice(None)) -> _core.Bands:
        problem = self.problem
        arrays = problem.lo, problem.hi, *problem.bounds, *problem.ridge
        return _core.Bands(*(values[indices] for values in arrays))

    def _point(self) -> tuple[_core.Bands, NDArray, NDArray, bool]:
        return self._bands(), self.c, self._gradient(), self.problem.has_intercept

    def _gradient(self) -> NDArray[np.float64]:
        return self.problem.gradient(self.c, self.f)

    def _slopes(self) -> tuple[NDArray, NDArray]:
        return ascent_slopes(self.problem, self.c, self.f)
