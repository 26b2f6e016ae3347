"""The chunks of the interior point method on the workers of a cluster.

A call of a method of all chunks is one task per chunk, from the chunk as it was made and its state
after the last call to its state after this one. States are immutable and stay on their workers; the
results alone are added up. A state that is lost with a worker is computed again by repeating the
calls, whose arguments the scheduler keeps.
"""

from __future__ import annotations

import copy
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from bandsvm._linear.team import LocalTeam
from bandsvm.dask.crew import Crew, PerChunk
from bandsvm.dask.ground import Ground


class ClusterTeam:
    """All chunks of the interior point method, as `bandsvm._linear.team.Team` describes them.

    Parameters
    ----------
    crew : Crew
        The workers.
    grounds : PerChunk
        The samples and the band problem of each chunk.
    """

    def __init__(self, crew: Crew, grounds: PerChunk) -> None:
        self._crew = crew
        self._teams = crew.each(_team, grounds)
        self._last: PerChunk | None = None

    def total(self, method: str, *args: Any) -> tuple[Any, ...]:
        """Call a method of every chunk; return the sums of what it returns, item by item."""
        outcomes = self._outcomes("total", method, args)
        sums = self._crew.total(_result, outcomes)
        self._last = outcomes  # a call that was cut short changes nothing
        return sums

    def joined(self, method: str, *args: Any) -> PerChunk:
        """Call a method of every chunk; the results stay on the workers."""
        return self._crew.each(_result, self._outcomes("joined", method, args))

    def _outcomes(self, kind: str, method: str, args: tuple[Any, ...]) -> PerChunk:
        return self._crew.each(_outcome, self._teams, self._last, kind, method, *args)


@dataclass(frozen=True)
class Outcome:
    """The state of some chunks after a call, as what differs from how they were made; its result.

    Attributes
    ----------
    state : list of dict
        Attributes of each chunk.
    result : object
        What the call returned.
    """

    state: list[dict[str, Any]]
    result: Any

    def __sizeof__(self) -> int:
        """Return the bytes that the scheduler should expect to move or to spill."""
        return object.__sizeof__(self) + _n_bytes(self.state) + _n_bytes(self.result)


def _team(ground: Ground) -> LocalTeam:
    return LocalTeam(ground.problem, ground.samples)


def _outcome(team: LocalTeam, last: Outcome | None, kind: str, method: str, *args: Any) -> Outcome:
    """Call a method of some chunks that are in the state of the last outcome."""
    made = team.chunks
    current = [copy.copy(chunk) for chunk in made]
    if last is not None:
        for chunk, state in zip(current, last.state, strict=True):
            vars(chunk).update(state)
    result = getattr(team.of(current), kind)(method, *args)
    states = [
        {name: value for name, value in vars(now).items() if vars(then).get(name, ...) is not value}
        for now, then in zip(current, made, strict=True)
    ]
    return Outcome(states, result)


def _result(outcome: Outcome) -> Any:
    return outcome.result


def _n_bytes(value: Any) -> int:
    """Return the bytes of all arrays in a value."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, dict):
        return sum(_n_bytes(item) for item in value.values())
    if isinstance(value, (list, tuple)):
        return sum(_n_bytes(item) for item in value)
    return _n_bytes(vars(value)) if hasattr(value, "__dict__") else sys.getsizeof(value)
