"""What a picture on the page can show of samples: bins, positions, and not too many points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bandsvm._decisions.position import POSITIONS

MIN_BINS, MAX_BINS = 10, 40
# Points that a picture shows; more would hide each other.
MAX_POINTS_DRAWN = 3000
SEED_OF_POINTS = 0


def n_bins(n_samples: int) -> int:
    """Return the number of bins of a histogram."""
    return int(np.clip(2.0 * np.sqrt(n_samples), MIN_BINS, MAX_BINS))


def position_codes(names: NDArray[np.str_]) -> list[int]:
    """Return positions by name as places among `POSITIONS`."""
    known = POSITIONS.tolist()
    return [known.index(name) for name in names.tolist()]


def drawn_samples(n_samples: int) -> NDArray[np.intp]:
    """Return which samples are drawn: all, or as many as a picture can show, at random."""
    if n_samples <= MAX_POINTS_DRAWN:
        return np.arange(n_samples)
    generator = np.random.default_rng(SEED_OF_POINTS)
    return np.sort(generator.choice(n_samples, MAX_POINTS_DRAWN, replace=False))
