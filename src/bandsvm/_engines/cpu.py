"""The CPU engine: a point in NumPy arrays, moved by compiled functions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._engines.engine import BlockStep
from bandsvm._kernels import KernelOperator
from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.slopes import ascent_slopes, free_variables, violation
from bandsvm._system.cached import cached_property


class CpuEngine:
    """A point of one band problem over shared kernel rows; see `Engine` for its methods.

    The arrays of the initial point, ``c`` and ``f``, belong to the engine from now on. None: zero.
    """

    def __init__(
        self,
        problem: BandProblem,
        kernel: KernelOperator,
        c: NDArray | None = None,
        f: NDArray | None = None,
    ) -> None:
        self.problem = problem
        self.kernel = kernel
        self._memory = _core.SelectionMemory()
        self.c = np.zeros(problem.n_samples) if c is None else c
        self.f = np.zeros(problem.n_samples) if f is None else f

    def violation(self) -> float:
        return violation(self.problem, *self._slopes())

    def violators(self, tol: float) -> tuple[float, int]:
        rise, fall = self._slopes()
        # Without an intercept, slopes are compared with 0.
        m, M = (rise.max(), fall.min()) if self.problem.has_intercept else (0.0, 0.0)
        number = int(np.count_nonzero((rise > M + tol) | (fall < m - tol)))
        return violation(self.problem, rise, fall), number

    def in_play(self, margin: float) -> NDArray[np.intp]:
        chosen = np.empty(self.problem.n_samples, dtype=np.intp)
        number = _core.variables_in_play(
            *self._point(), margin, chosen, self._memory, self.kernel.n_threads
        )
        return chosen[:number]

    def free(self) -> NDArray[np.intp]:
        return free_variables(self.problem, self.c)

    def at(self, indices: NDArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self.c[indices], self._gradient()[indices]

    def dual_value(self) -> float:
        return _core.dual_value(self._all_bands, self.c, self._gradient(), self.kernel.n_threads)

    def select(self, kept: NDArray, number: int) -> tuple[float, NDArray[np.intp]]:
        chosen = np.empty(number, dtype=np.intp)
        violation, n_chosen = _core.select_variables(
            *self._point(), kept, chosen, self._memory, self.kernel.n_threads
        )
        return violation, chosen[:n_chosen]

    def solve_block(self, block: NDArray, tol: float, max_steps: int) -> BlockStep:
        problem, c, f = self.problem, self.c[block], self.f[block]
        is_whole = len(block) == problem.n_samples and (np.diff(block) == 1).all()
        bands = self._all_bands if is_whole else self._bands(block)
        values = self.kernel.block(block)
        n_steps, _, stalled = _core.solve_block(
            values, bands, c, f, tol, max_steps, problem.has_intercept
        )
        return BlockStep(c, n_steps, stalled)

    def move(self, indices: NDArray, values: NDArray) -> None:
        change = values - self.c[indices]
        moved = change != 0.0
        if moved.any():
            f = self.f.copy()
            self.kernel.update(f, indices[moved], change[moved])
            self.f, self.c[indices] = f, values

    def put(self, indices: NDArray, values: NDArray) -> None:
        self.c[indices] = values

    def place(self, c: NDArray, f: NDArray) -> None:
        self.c[:], self.f[:] = c, f

    def refresh(self) -> None:
        support = np.flatnonzero(self.c)
        self.f[:] = self.kernel.product(support, self.c[support])

    def part(self, indices: NDArray) -> CpuEngine | None:
        kernel = self.kernel.part(indices)
        if kernel is None:
            return None
        return CpuEngine(self.problem.part(indices), kernel, self.c[indices], self.f[indices])

    @cached_property
    def _all_bands(self) -> _core.Bands:
        problem = self.problem
        return _core.Bands(problem.lo, problem.hi, *problem.bounds, *problem.ridge)

    def _bands(self, indices: NDArray) -> _core.Bands:
        problem = self.problem
        arrays = problem.lo, problem.hi, *problem.bounds, *problem.ridge
        return _core.Bands(*(values[indices] for values in arrays))

    def _point(self) -> tuple[_core.Bands, NDArray, NDArray, bool]:
        return self._all_bands, self.c, self._gradient(), self.problem.has_intercept

    def _gradient(self) -> NDArray[np.float64]:
        return self.problem.gradient(self.c, self.f)

    def _slopes(self) -> tuple[NDArray, NDArray]:
        return ascent_slopes(self.problem, self.c, self.f)
