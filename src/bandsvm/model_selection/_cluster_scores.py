"""Groups of candidates of a search, scored by the workers of a cluster.

A group shares a kernel, and so its rows: it is one task, on the thread that runs it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from uuid import uuid4

import numpy as np
from distributed import Client, Event, Future, get_worker
from numpy.typing import NDArray

from bandsvm._problem import Status
from bandsvm._system.dask_futures import SECONDS_BETWEEN_LOOKS, arrival_of, value_of
from bandsvm._system.memory import default_bytes
from bandsvm._system.stopping import stop_when
from bandsvm._system.threads import single_threaded_blas
from bandsvm.model_selection._folds import Folds, Group, Scores, cross_validate
from bandsvm.model_selection._grid import Candidate
from bandsvm.model_selection._reporting import Watch

# Seconds between two questions of a worker to the scheduler whether the search has ended.
SECONDS_BETWEEN_QUESTIONS = 1.0


class ClusterScores:
    """The workers of a cluster and the training set of a search, of which each gets a copy."""

    def __init__(self, client: Client, folds: Folds, watch: Watch) -> None:
        self._client, self._folds, self._watch = client, folds, watch
        # A key made from the content could be that of a copy which is just being forgotten.
        (self._sent,) = client.scatter([folds], broadcast=True, hash=False)

    def score(
        self,
        groups: list[Group],
        order: list[int],
        reference: NDArray | None,
    ) -> Iterator[tuple[list[Candidate], Scores]]:
        """Yield candidates and their scores, in the order of the groups.

        Groups are started in the given order. Scores in ``reference``, one per fold, are those
        relative to which a candidate becomes hopeless.
        """
        client, name = self._client, f"search-{uuid4()}"
        over = Event(name, client=client)
        futures = {}
        for place, k in enumerate(order):
            task = groups[k], self._sent, reference, name
            futures[k] = client.submit(_scored, *task, pure=False, priority=-place)
        try:
            for k, group in enumerate(groups):
                candidates = group.candidates
                reason = self._reason_to_stop_before(futures[k])
                if reason is None:
                    yield candidates, value_of(client, futures[k])
                else:
                    n_folds = len(self._folds.splits)
                    yield candidates, Scores.none_yet(len(candidates), n_folds, reason)
        finally:
            over.set()

    def _reason_to_stop_before(self, future: Future) -> Status | None:
        """Wait for a result; return None once it is there, or why not to wait any longer."""
        arrival = arrival_of(future)
        while not arrival.wait(SECONDS_BETWEEN_LOOKS):
            if (reason := self._watch.reason()) is not None:
                return reason
        return None


def _scored(
    group: Group,
    folds: Folds,
    reference: NDArray | None,
    name: str,
) -> Scores:
    """Score candidates that share a kernel, on one thread of a worker."""
    worker = get_worker()
    n_bytes = group.settings.solving.cache_bytes
    n_bytes = default_bytes(np.inf) if n_bytes is None else n_bytes
    settings = group.settings.sharing(1, n_bytes / worker.state.nthreads)
    watch = Watch(_has_ended(name), False, len(folds.splits))
    ignored = np.errstate(over="ignore", invalid="ignore")
    with single_threaded_blas(), ignored, stop_when(watch.reason):
        return cross_validate(replace(group, settings=settings), folds, reference, watch)


def _has_ended(name: str) -> Callable[[], Status | None]:
    """Return a function that tells whether a search has ended; it asks now and then."""
    over, next_at = Event(name), [0.0]

    def reason() -> Status | None:
        if time.monotonic() < next_at[0]:
            return None
        next_at[0] = time.monotonic() + SECONDS_BETWEEN_QUESTIONS
        return Status.STOPPED if over.is_set() else None

    return reason
