"""The band problem, which is all that solvers and certificates know.

- `band_problem`: the problem, from labels, edges and costs.
- `piecewise`: piecewise linear equations.
"""

from bandsvm._problem.band_problem import LOSSES, BandProblem, band_problem

__all__ = ["LOSSES", "BandProblem", "band_problem"]
