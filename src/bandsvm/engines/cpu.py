"""The CPU engine: the verbs of the solvers' loops, over kernel rows held in memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm.kernels import Rows
from bandsvm.problem import BandProblem


class BlockStep(NamedTuple):
    """What pair steps on a block reached."""

    c: NDArray[np.float64]
    n_steps: int
    stalled: bool


class CpuEngine:
    """Kernel products and compiled pair steps for one band problem over shared rows."""

    def __init__(self, problem: BandProblem, rows: Rows) -> None:
        self.problem = problem
        self.rows = rows

    @property
    def largest_block(self) -> int:
        """Number of rows that the store can hold at once."""
        return self.rows.capacity

    def part(self, indices: NDArray, problem: BandProblem) -> CpuEngine | None:
        """Return the engine of a problem over some samples, None where that saves no time."""
        rows = self.rows.part(indices)
        return None if rows is None else CpuEngine(problem, rows)

    def diagonal(self) -> NDArray[np.float64]:
        """Return the diagonal of K."""
        return self.rows.diagonal()

    def block(self, indices: NDArray) -> NDArray[np.float64]:
        """Return K[indices, indices]."""
        return self.rows.block(indices)

    def product(self, indices: NDArray, values: NDArray) -> NDArray[np.float64]:
        """Return K[:, indices] @ values."""
        return self.rows.product(indices, values)

    def update(self, f: NDArray, indices: NDArray, values: NDArray) -> None:
        """Add K[:, indices] @ values to f."""
        self.rows.update(f, indices, values)

    def select(
        self, c: NDArray, f: NDArray, kept: NDArray, number: int
    ) -> tuple[float, NDArray[np.intp]]:
        """Return the violation, and at most ``number`` of the worst violators beside ``kept``."""
        problem = self.problem
        chosen = np.empty(number, dtype=np.intp)
        violation, n_chosen = _core.select_variables(
            problem.lo,
            problem.hi,
            problem.bounds.below,
            problem.bounds.above,
            c,
            problem.gradient(c, f),
            problem.has_intercept,
            kept,
            chosen,
            self.rows.n_threads,
        )
        return violation, chosen[:n_chosen]

    def solve_block(
        self, block: NDArray, c: NDArray, f: NDArray, tol: float, max_steps: int
    ) -> BlockStep:
        """Take pair steps on the block's variables until its own violation is at most ``tol``."""
        problem, kernel, moved, f = self.problem, self.block(block), c[block], f[block]
        bands = (problem.lo, problem.hi, *problem.bounds, *problem.bends)
        if len(block) < problem.n_samples or (np.diff(block) != 1).any():
            bands = tuple(values[block] for values in bands)
        n_steps, _, stalled = _core.solve_block(
            kernel, *bands, moved, f, tol, max_steps, problem.has_intercept
        )
        return BlockStep(moved, n_steps, stalled)
