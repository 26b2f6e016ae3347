"""The band problem and its solution: all that solvers and certificates exchange.

- `band_problem`: the problem, from labels, edges and costs; `band_problems`: several of them.
- `piecewise`: piecewise linear equations.
- `slopes`: the slopes of the dual, by which solvers select variables and stop.
- `units`: the units in which solvers see decision values.
- `solution`: what a solver returns, why it stopped, and where the next one may start.
"""

from bandsvm._problem.band_problem import BandProblem, band_problem
from bandsvm._problem.solution import Progress, Solution, Start, Status, after, moved_by

__all__ = [
    "BandProblem",
    "Progress",
    "Solution",
    "Start",
    "Status",
    "after",
    "band_problem",
    "moved_by",
]
