"""Coordinate descent first, then the interior point method where it gets on too slowly.

How many passes coordinate descent needs is not known beforehand: a dozen or ten thousand. How its
gap falls in the first passes tells, and these cost little next to Newton steps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bandsvm._linear.executor import Executor, Method
from bandsvm._linear.interior_point import InteriorPoint
from bandsvm._linear.point import Start

# Descent goes on if its gap is this small a share of the objective after so many passes, but for no
# more passes than a fit by Newton steps costs.
TRIAL_PASSES, PROMISING_GAP, MAX_DESCENT_PASSES = 32, 0.05, 150


class DescentThenNewton:
    """Coordinate descent, and Newton steps from the start where it is too slow."""

    def __init__(self, executor: Executor, start: Start | None = None) -> None:
        self._executor, self._start = executor, start
        self._method: Method = executor.descent(start)
        self._n_before = 0

    @property
    def name(self) -> str:
        """The solver that is at work."""
        return self._method.name

    @property
    def n_iter(self) -> int:
        return self._n_before + self._method.n_iter

    @property
    def patience(self) -> int:
        return self._method.patience

    @property
    def is_steady(self) -> bool:
        return self._method.is_steady

    def candidates(self) -> Iterator[Any]:
        return self._method.candidates()

    def steps(self, aim: float, max_iter: int) -> Iterator[tuple[float, bool]]:
        for estimate, is_promising in self._method.steps(aim, max_iter):
            yield estimate, is_promising
            is_slow = self.n_iter >= TRIAL_PASSES and estimate > PROMISING_GAP
            if is_slow or self.n_iter >= MAX_DESCENT_PASSES:
                break
        self._n_before = self.n_iter
        self._method = InteriorPoint(self._executor, self._start)
        yield from self._method.steps(aim, max_iter - self._n_before)
