"""Who works on chunks: here one process."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import reduce
from typing import Any, Protocol

import numpy as np

from bandsvm._linear.chunk import Chunk
from bandsvm._linear.samples import LinearSamples
from bandsvm._problem.band_problem import BandProblem
from bandsvm._system.stopping import check_stop


class Team(Protocol):
    """Chunks, wherever they are."""

    def total(self, method: str, *args: Any) -> tuple[Any, ...]:
        """Call a method of every chunk; return the sums of what it returns, item by item."""

    def joined(self, method: str, *args: Any) -> Any:
        """Call a method of every chunk; return the results joined in the order of samples."""


class LocalTeam:
    """Chunks in the memory of this process.

    Which samples make a chunk, and the order in which results are added up, do not depend on the
    number of threads, so neither does any bit of the sums.

    Parameters
    ----------
    problem : BandProblem
        What to solve.
    samples : LinearSamples
        The samples.
    """

    def __init__(self, problem: BandProblem, samples: LinearSamples) -> None:
        self.chunks = [
            Chunk(samples.part(rows).for_newton_steps(), problem.part(rows))
            for rows in samples.newton_chunks()
        ]

    def of(self, chunks: list[Chunk]) -> LocalTeam:
        """Return a team for other chunks."""
        team = copy.copy(self)
        team.chunks = chunks
        return team

    def total(self, method: str, *args: Any) -> tuple[Any, ...]:
        """Call a method of every chunk; return the sums of what it returns, item by item."""
        return reduce(add_items, self._each(method, args))

    def joined(self, method: str, *args: Any) -> Any:
        """Call a method of every chunk; return the results joined in the order of samples."""
        return np.concatenate(list(self._each(method, args)))

    def _each(self, method: str, args: tuple[Any, ...]) -> Iterator[Any]:
        """Yield what a method of every chunk returns.

        One chunk follows the other: within a chunk the core uses all threads.
        """
        for chunk in self.chunks:
            check_stop()
            yield getattr(chunk, method)(*args)


def add_items(left: tuple[Any, ...], right: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the sums of two tuples, item by item."""
    return tuple(a + b for a, b in zip(left, right, strict=True))
