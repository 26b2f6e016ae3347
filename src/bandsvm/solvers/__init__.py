"""Solvers of the band problem, a file each, and the one loop that drives them all."""

from bandsvm.solvers._driver import available_solvers, solve
from bandsvm.solvers._solution import Progress, Solution, Status, after
from bandsvm.solvers.block import LARGEST_BLOCK, block_size, solve_for

__all__ = [
    "LARGEST_BLOCK",
    "Progress",
    "Solution",
    "Status",
    "after",
    "available_solvers",
    "block_size",
    "solve",
    "solve_for",
]
