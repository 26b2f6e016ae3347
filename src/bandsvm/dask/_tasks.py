"""Tasks on the chunks that workers of a Dask cluster hold, and sums over these.

Every task is a pure function of futures and small arguments, so the scheduler can compute again
whatever is lost with a worker. Nothing as long as a chunk comes to the client, and of the sums only
the last one: chunks are added up in a tree, whose shape depends on the number of chunks alone, so
that no bit of a sum depends on the workers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain
from typing import Any

import numpy as np
from distributed import Client, Future

from bandsvm._linear.newton_sums import added
from bandsvm._system.dask_futures import value_of
from bandsvm._system.threads import single_threaded_blas

# Results that one task of a tree adds up.
BRANCHES = 8
# Arguments of more bytes are sent to the scheduler once, not once per chunk.
BYTES_TO_SHARE = 1000


@dataclass(frozen=True)
class PerChunk:
    """One future for each chunk; as an argument of a task, that of its own chunk."""

    futures: Sequence[Future]


class ChunkTasks:
    """Submits tasks for the chunks of a data set to the workers that hold them.

    Tasks run where their chunk is, unless that worker is gone. If chunks have not been computed
    (``is_there``), tasks run where the scheduler likes.
    """

    def __init__(self, client: Client, chunks: PerChunk, is_there: bool = True) -> None:
        self._client = client
        places = client.who_has(list(chunks.futures)) if is_there else {}
        self._homes = [list(places.get(chunk.key, ())) for chunk in chunks.futures]

    def __len__(self) -> int:
        return len(self._homes)

    def each(self, function: Callable, *args: Any) -> PerChunk:
        """Call a function for every chunk; results stay on the workers."""
        shared = [self._shared(argument) for argument in args]
        return PerChunk(
            [
                self._submit(home, function, *(_of_chunk(argument, k) for argument in shared))
                for k, home in enumerate(self._homes)
            ]
        )

    def total(self, function: Callable, *args: Any) -> Any:
        """Call a function for every chunk; return the sum of its results, tuples item by item."""
        return self._reduced(sum_of, self.each(function, *args))

    def listed(self, function: Callable, *args: Any) -> list[Any]:
        """Call a function for every chunk; return all results, which must be small."""
        return self._reduced(_lists, self.each(_in_list, function, *args))

    def _submit(self, home: list[str], function: Callable, *args: Any) -> Future:
        """Submit a task, to its home if that is still there."""
        where = {"workers": home, "allow_other_workers": True} if home else {}
        return self._client.submit(_called, function, *args, pure=False, **where)

    def _shared(self, argument: Any) -> Any:
        """Return an argument, or the future of a task that returns it if it is large."""
        if isinstance(argument, np.ndarray) and argument.nbytes > BYTES_TO_SHARE:
            return self._client.submit(_itself, argument, pure=False)
        return argument

    def _reduced(self, join: Callable, results: PerChunk) -> Any:
        """Return what a tree of tasks makes of all results."""
        level, homes = list(results.futures), self._homes
        while len(level) > 1:
            starts = range(0, len(level), BRANCHES)
            homes = [homes[start] for start in starts]
            level = [
                self._submit(home, join, level[start : start + BRANCHES])
                for home, start in zip(homes, starts, strict=True)
            ]
        return value_of(self._client, level[0])


def _of_chunk(argument: Any, k: int) -> Any:
    """Return what an argument is for the k-th chunk."""
    return argument.futures[k] if isinstance(argument, PerChunk) else argument


def _called(function: Callable, *args: Any) -> Any:
    """Call a function on a worker as a fit on one machine would."""
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        return function(*args)


def _itself(value: Any) -> Any:
    return value


def sum_of(results: list[Any]) -> Any:
    """Return the sum of results, tuples item by item."""
    return reduce(added, results)


def _in_list(function: Callable, *args: Any) -> list[Any]:
    return [function(*args)]


def _lists(results: list[list[Any]]) -> list[Any]:
    return list(chain.from_iterable(results))
