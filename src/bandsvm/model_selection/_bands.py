"""The candidates of BandedSVCCV: first C-SVMs, then bands at the best of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from bandsvm._checks.parameters import band_parameters
from bandsvm._defaults import DEFAULT_C1, DEFAULT_C2_SHARES, DEFAULT_RHO2_FACTORS
from bandsvm._kernels import uses_gamma
from bandsvm.model_selection._grid import (
    Candidate,
    as_gammas,
    as_grid,
    kernels_of,
    places_of,
    snake,
)


@dataclass(frozen=True)
class BandCandidate(Candidate):
    """One choice of parameters of `BandedSVC`."""

    rho2: float

    def simplicity(self) -> tuple[float, ...]:
        """Return a sort key: no band, then small costs."""
        return self.C2, self.C1, self._size_of_gamma()


class BandGrid:
    """The values that a BandedSVCCV will try, checked before any work begins.

    ``model`` has the parameters that are not searched, ``classes`` are those of the labels.
    """

    first_words, other_words = "without a band", "bands"

    def __init__(
        self, estimator: Any, model: Any, classes: NDArray, X: Any, weights: NDArray
    ) -> None:
        self.classes = classes
        for name in ("C1", "C2", "rho2", "gamma"):
            _refuse_mapping(name, getattr(estimator, name))
        # With rho2 = rho1, a band of zero width, only an invalid rho1 can raise an error here.
        rho1 = band_parameters(model.set_params(rho2=estimator.rho1), classes).rho1
        lowest_rho2 = float(rho1.max())
        self._kernels = kernels_of(estimator)
        self._C1s = as_grid("C1", estimator.C1, DEFAULT_C1)
        self._C2s = None if estimator.C2 is None else as_grid("C2", estimator.C2)
        self._rho2s = as_grid(
            "rho2", estimator.rho2, [lowest_rho2 * factor for factor in DEFAULT_RHO2_FACTORS]
        )
        self._gammas = []
        if any(uses_gamma(kernel) for kernel in self._kernels):
            self._gammas = as_gammas(estimator.gamma, X, weights)
        if not self._C1s[0] > 0.0:
            raise ValueError(f"C1 must be greater than 0, got {self._C1s[0]!r}.")
        if self._C2s is not None and self._C2s[0] < 0.0:
            raise ValueError(f"C2 must be at least 0, got {self._C2s[0]!r}.")
        if self._rho2s[0] < lowest_rho2:
            raise ValueError(
                f"rho2 must not be less than rho1, got rho1={estimator.rho1} and "
                f"rho2={self._rho2s[0]}; the band is [rho1, rho2]."
            )

    @property
    def _widest_rho2(self) -> float:
        """The upper edge of C-SVMs, without effect on the fit; `band_position` needs some width."""
        return self._rho2s[-1]

    def first(self) -> list[BandCandidate]:
        """Return the C-SVMs to try, kernel by kernel."""
        return [
            BandCandidate(*place, C1, 0.0, self._widest_rho2)
            for place in places_of(self._kernels, self._gammas)
            for C1 in self._C1s
        ]

    def others(self, leader: BandCandidate) -> list[BandCandidate]:
        """Return the bands to try for a C-SVM."""
        C2s = self._C2s
        if C2s is None:
            C2s = [leader.C1 * share for share in DEFAULT_C2_SHARES]
        # Solutions change less from one rho2 to the next than from one C2 to the next.
        pairs = snake([C2 for C2 in C2s if C2 > 0.0], self._rho2s[::-1])
        return [leader.changed(C2=C2, rho2=rho2) for C2, rho2 in pairs]

    def without_effect(self, candidate: BandCandidate) -> BandCandidate:
        """Return the candidate; without a band, rho2 has no effect."""
        return candidate if candidate.C2 > 0.0 else candidate.changed(rho2=self._widest_rho2)

    def simpler(self, best: BandCandidate) -> list[BandCandidate]:
        """Return the same without a band."""
        return [best.changed(C2=0.0)]


def _refuse_mapping(name: str, values: Any) -> None:
    """Refuse values that differ by class."""
    if isinstance(values, Mapping):
        weigh = "to weight classes, use class_weight; " if name in ("C1", "C2") else ""
        raise TypeError(
            f"{name} must be a number, numbers to try or None, got a mapping; {weigh}to try values "
            "that differ by class, use sklearn.model_selection.GridSearchCV with BandedSVC."
        )
