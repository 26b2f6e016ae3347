"""Results of Dask's futures, waited for so that Ctrl-C and time limits end the wait."""

from __future__ import annotations

import time
from concurrent.futures import CancelledError
from threading import Event
from typing import Any

from distributed import Client, Future, KilledWorker

from bandsvm._system.stopping import check_stop

# Seconds between two looks at Ctrl-C and the time limit while workers work.
SECONDS_BETWEEN_LOOKS = 0.05
# Seconds between two looks at whether there are workers, and of patience if there are none.
SECONDS_BETWEEN_ROLL_CALLS, MAX_SECONDS_ALONE = 2.0, 60.0


def value_of(client: Client, future: Future) -> Any:
    """Return the value of a future, unless Ctrl-C or a time limit comes first.

    Raises RuntimeError if it was lost, or if the cluster has no workers for long.
    """
    arrival = arrival_of(future)
    last_seen = next_call = time.monotonic() + SECONDS_BETWEEN_ROLL_CALLS
    while not future.done():
        check_stop()
        if (now := time.monotonic()) >= next_call:
            next_call = now + SECONDS_BETWEEN_ROLL_CALLS
            last_seen = now if client.nthreads() else last_seen
            if now - last_seen > MAX_SECONDS_ALONE:
                raise RuntimeError(
                    f"The cluster has had no workers for {MAX_SECONDS_ALONE:.0f} s; start some "
                    "and fit again."
                )
        arrival.wait(SECONDS_BETWEEN_LOOKS)
    try:
        return future.result()
    except CancelledError as error:
        raise RuntimeError(
            "Chunks of X were lost with their worker and cannot be computed again, because they "
            "are not results of tasks (they were scattered, or their futures were released). Pass "
            "a lazy collection that reads or computes its chunks, or scatter them again and fit."
        ) from error
    except KilledWorker as error:
        raise RuntimeError(
            f"Workers that worked on chunks of X died again and again, perhaps for lack of memory; "
            f"use smaller chunks or more workers. {error}"
        ) from error


def arrival_of(future: Future) -> Event:
    """Return what is set once a future is done, with whatever outcome.

    `distributed.wait` with a timeout would do, but its TimeoutErrors keep all frames, and so all
    futures of the caller, until the garbage collector comes.
    """
    arrival = Event()
    if future.done():
        arrival.set()
    else:
        future.add_done_callback(lambda _: arrival.set())
    return arrival
