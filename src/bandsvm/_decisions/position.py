"""Where samples lie relative to the band: below, inside or above it.

This is the only place that compares decision values with the edges of a band. Use

- `band_positions` for decision values, new or of training samples;
- `BandPositions.from_slacks` for the slacks ``xi_`` and ``eta_`` of a fitted model.

Samples on an edge are inside. Decision values lie on an edge if they differ from it by no more than
their rounding errors, which depend on the float type, or by ``tol``. A fit leaves the decision
values of its support vectors open by its own ``tol``, so pass that for training samples; for new
samples leave it at 0::

    positions = band_positions(signed_values, model.rho1, model.rho2)
    positions.names    # array of "below", "inside" and "above"
    positions.shares   # the share of samples in each of them
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# Largest rounding error of the decision values of float32 samples, unless ``tol`` is smaller.
MAX_ROUNDING = 1e-3
# Relative rounding error within which a sample counts as lying on an edge, by float type.
ROUNDING = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): MAX_ROUNDING}
POSITIONS = np.array(["below", "inside", "above"])


class BandCoverage(NamedTuple):
    """Shares of the samples below, inside and above the band.

    Examples
    --------
    >>> from bandsvm.metrics import band_coverage
    >>> coverage = band_coverage([0, 0, 1, 1], [-1.2, 0.3, 1.0, 4.0])
    >>> coverage.below, coverage.inside, coverage.above
    (0.25, 0.5, 0.25)
    """

    below: float
    inside: float
    above: float


class BandPositions(NamedTuple):
    """Which samples lie below and which above the band; all others are inside."""

    is_below: NDArray[np.bool_]
    is_above: NDArray[np.bool_]

    @classmethod
    def from_slacks(cls, xi: NDArray, eta: NDArray, tol: float) -> BandPositions:
        """Return the positions that distances below and above the band give."""
        is_below = xi > tol
        return cls(is_below, (eta > tol) & ~is_below)

    @property
    def is_inside(self) -> NDArray[np.bool_]:
        """Which samples lie inside the band."""
        return ~self.is_below & ~self.is_above

    @property
    def names(self) -> NDArray[np.str_]:
        """'below', 'inside' or 'above' for each sample."""
        return POSITIONS[1 - self.is_below.astype(np.intp) + self.is_above]

    @property
    def shares(self) -> BandCoverage:
        """The share of samples below, inside and above the band."""
        return BandCoverage(
            float(self.is_below.mean()), float(self.is_inside.mean()), float(self.is_above.mean())
        )


def band_positions(
    values: NDArray, rho1: float | NDArray, rho2: float | NDArray, *, tol: float = 0.0
) -> BandPositions:
    """Return where samples lie relative to a band, or each to the band of its class.

    Positive values favour the class in question. With several per sample, one for each pair of
    classes, the least decides whether the sample is below and the largest whether it is above; a
    sample that is both is below. ``tol`` is the distance from an edge up to which samples lie on it
    even if their rounding errors are smaller.
    """
    rounding = ROUNDING[values.dtype]
    least, largest = (values, values) if values.ndim == 1 else (values.min(1), values.max(1))
    is_below = least < rho1 - np.maximum(rounding * rho1, tol)
    return BandPositions(is_below, ~is_below & (largest > rho2 + np.maximum(rounding * rho2, tol)))
