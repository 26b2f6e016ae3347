"""How pictures on the page count samples, and name their positions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bandsvm._decisions.position import POSITIONS

MIN_BINS, MAX_BINS = 10, 40


def n_bins(n_samples: int) -> int:
    """Return the number of bins of a histogram."""
    return int(np.clip(2.0 * np.sqrt(n_samples), MIN_BINS, MAX_BINS))


def position_codes(names: NDArray[np.str_]) -> list[int]:
    """Return positions by name as places among `POSITIONS`."""
    known = POSITIONS.tolist()
    return [known.index(name) for name in names.tolist()]
