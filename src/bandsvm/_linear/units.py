"""Samples in extreme units, which solvers see in units of their largest value.

Samples divided by s, with costs times s^2, have the same decision values: weights are s times as
large, and multipliers s^2 times.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from bandsvm._linear.point import Start
from bandsvm._linear.solving import LinearSolution
from bandsvm._problem.band_problem import BandProblem

# Between its inverse and this, squares of values are far from overflow and underflow.
EXTREME = 1e60


def _is_extreme(value: float) -> bool:
    return not 1.0 / EXTREME <= value <= EXTREME


class Units(NamedTuple):
    """The size of samples in which a solver sees them: a power of two, so that no digit is lost."""

    size: float

    @classmethod
    def of(cls, X: Any, largest_cost: float) -> Units:
        """Return units in which neither samples nor costs are huge or tiny, if there are any."""
        values = X.data if sp.issparse(X) else X
        largest = max(float(np.max(values, initial=0.0)), -float(np.min(values, initial=0.0)))
        if largest == 0.0 or not _is_extreme(largest):
            return cls(1.0)
        size = float(2.0 ** np.frexp(largest)[1])
        return cls(1.0 if _is_extreme(largest_cost * size * size) else size)

    def samples(self, X: Any) -> Any:
        """Return samples in these units; they are copied only if that changes them."""
        return X if self.size == 1.0 else X / X.dtype.type(self.size)

    def problem(self, problem: BandProblem) -> BandProblem:
        """Return a problem in these units."""
        if self.size == 1.0:
            return problem
        below, above = (cost * self.size * self.size for cost in (problem.below, problem.above))
        return replace(problem, below=below, above=above)

    def start(self, start: Start) -> Start:
        """Return a start in these units."""
        if self.size == 1.0:
            return start
        c = None if start.c is None else start.c * self.size * self.size
        return replace(start, w=start.w * self.size, c=c)

    def solution(self, solution: LinearSolution) -> LinearSolution:
        """Return a solution in the units of the samples as they were given."""
        if self.size == 1.0:
            return solution
        point = solution.point
        c, w = point.c / self.size / self.size, point.w / self.size
        return replace(solution, point=replace(point, c=c, w=w))
