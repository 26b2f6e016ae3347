"""Slots of rows in a store of bounded size; the least recently used rows are replaced."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Found(NamedTuple):
    """Slots of all requested rows, the rows still to be computed, and their slots."""

    slots: NDArray[np.intp]
    missing: NDArray[np.intp]
    places: NDArray[np.intp]


class SlotTable:
    """An index of the rows in a store."""

    def __init__(self, n_samples: int, capacity: int) -> None:
        self.capacity = capacity
        self._slot_of = np.full(n_samples, -1, dtype=np.intp)
        self._sample_in = np.full(capacity, -1, dtype=np.intp)
        self._last_use = np.zeros(capacity, dtype=np.int64)
        self._clock = 0

    def find(self, indices: NDArray) -> Found:
        """Return the slots of at most ``capacity`` samples, making room for new ones."""
        self._clock += 1
        present = self._slot_of[indices]
        self._last_use[present[present >= 0]] = self._clock
        missing = indices[present < 0]
        if len(missing) == 0:
            return Found(present, missing, missing)
        places = np.argsort(self._last_use, kind="stable")[: len(missing)]
        evicted = self._sample_in[places]
        self._slot_of[evicted[evicted >= 0]] = -1
        self._slot_of[missing] = places
        self._sample_in[places] = missing
        self._last_use[places] = self._clock
        return Found(self._slot_of[indices], missing, places)

    def peek(self, indices: NDArray) -> NDArray[np.intp]:
        """Return the slots of rows, or -1 for rows that are not stored."""
        return self._slot_of[indices]

    def forget(self, samples: NDArray) -> None:
        """Drop rows that could not be computed."""
        self._sample_in[self._slot_of[samples]] = -1
        self._slot_of[samples] = -1
