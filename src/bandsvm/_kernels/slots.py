"""Slots of rows in a store of bounded size; the least recently used rows are replaced."""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Found(NamedTuple):
    """Slots of all requested rows, the rows still to be computed, and their slots."""

    slots: NDArray[np.intp]
    missing: NDArray[np.intp]
    places: NDArray[np.intp]


class SlotTable:
    """An index of the rows in a store.

    Threads may share it if there is a slot for every sample. A row belongs to the thread that
    missed it first; others wait until it is written.
    """

    def __init__(self, n_samples: int, capacity: int) -> None:
        self.capacity = capacity
        self._slot_of = np.full(n_samples, -1, dtype=np.intp)
        self._sample_in = np.full(capacity, -1, dtype=np.intp)
        self._last_use = np.zeros(capacity, dtype=np.int64)
        self._n_touched = 0  # the first slots; all others were never used
        self._clock = 0
        self._is_written = np.zeros(n_samples, dtype=bool)
        self._changed = threading.Condition()

    def find(self, indices: NDArray) -> Found:
        """Return the slots of at most ``capacity`` samples, making room for new ones."""
        with self._changed:
            self._clock += 1
            present = self._slot_of[indices]
            self._last_use[present[present >= 0]] = self._clock
            missing = indices[present < 0]
            if len(missing) == 0:
                return Found(present, missing, missing)
            places = self._least_used(len(missing))
            evicted = self._sample_in[places]
            self._drop(evicted[evicted >= 0])
            self._slot_of[missing] = places
            self._sample_in[places] = missing
            self._last_use[places] = self._clock
            return Found(self._slot_of[indices], missing, places)

    def _least_used(self, number: int) -> NDArray[np.intp]:
        """Return the least recently used slots; those never used come first."""
        end = self._n_touched + number
        if end <= self.capacity:
            places = np.arange(self._n_touched, end)
        else:
            places = np.argsort(self._last_use, kind="stable")[:number]
        self._n_touched = min(end, self.capacity)
        return places

    def peek(self, indices: NDArray) -> NDArray[np.intp]:
        """Return the slots of rows, or -1 for rows that are not stored."""
        with self._changed:
            return np.where(self._is_written[indices], self._slot_of[indices], -1)

    def written(self, samples: NDArray) -> None:
        """Offer rows that were missing, and are now in their slots, to all threads."""
        with self._changed:
            self._is_written[samples] = True
            self._changed.notify_all()

    def forget(self, samples: NDArray) -> None:
        """Drop rows that could not be computed."""
        with self._changed:
            self._sample_in[self._slot_of[samples]] = -1
            self._drop(samples)
            self._changed.notify_all()

    def wait_for(self, indices: NDArray) -> bool:
        """Wait until rows are written; return False if a thread could not compute one of them."""
        with self._changed:
            while not self._is_written[indices].all():
                if (self._slot_of[indices] < 0).any():
                    return False
                self._changed.wait()
            return True

    def _drop(self, samples: NDArray) -> None:
        self._slot_of[samples] = -1
        self._is_written[samples] = False
