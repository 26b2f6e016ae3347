"""One class as a task: samples alone become a band problem whose sum is not zero.

Every decision value shall be at least 0: the band of every sample is ``[0, inf)``. The intercept,
which is minus the offset, costs ``total`` times its value, so that it is as low as it can be; the
sum of the coefficients is ``total``, ``nu`` times the weights of all samples.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._certificate.not_optimal import PYTHON, Cure
from bandsvm._checks.data import check_samples
from bandsvm._checks.one_class_parameters import check_one_class_parameters
from bandsvm._decisions.multiclass import EVERYTHING
from bandsvm._fitting.spread import power_of_two
from bandsvm._fitting.task import NO_CLASSES, Blocks, Diagonal
from bandsvm._fitting.training import Training
from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.band_problems import BandProblems
from bandsvm._problem.units import DecisionUnits

# There are no costs but weights, and no linear model to go to.
CURES: Mapping[Cure, str] = {
    cure: words
    for cure, words in PYTHON.items()
    if cure not in (Cure.LINEAR_MODEL, Cure.LOWER_COSTS, Cure.LOWER_COSTS_AND_WEIGHTS)
}


@dataclass(frozen=True)
class OneClassSettings:
    """What is minimised."""

    nu: float

    @property
    def costs(self) -> dict[str, Any]:
        """What messages name of it."""
        return {"nu": self.nu}


@dataclass(frozen=True)
class OneClassTargets:
    """Writes band problems: every decision value shall be at least 0."""

    settings: OneClassSettings
    units: DecisionUnits

    has_intercept, loss = True, "hinge"

    @property
    def classes(self) -> NDArray:
        """None: there are no targets."""
        return NO_CLASSES

    @property
    def titles(self) -> list[str]:
        """No title for the only problem."""
        return [""]

    def blocks(self, coefficients: NDArray) -> list[tuple[Any, Any]]:
        """Return a single block."""
        return [EVERYTHING]

    def all_signs(self, known: None, n_samples: int) -> NDArray[np.float64]:
        """Return +1 for all samples."""
        return np.ones((1, n_samples))

    def own_signs(self, known: None, problems: NDArray, samples: NDArray) -> NDArray[np.float64]:
        """Return +1."""
        return np.ones(len(samples))

    def signs(self, y: NDArray, k: int) -> NDArray[np.float64]:
        """Return +1: coefficients are multipliers of the lower edge."""
        return np.ones(len(y))

    def problem(self, y: NDArray, weights: NDArray, k: int) -> BandProblem:
        """Return the problem over samples, as solvers see it."""
        edges, costs = np.zeros(len(y)), weights / self.units.size
        total = self.settings.nu * float(costs.sum())
        # Without a cost above, the upper edge does not matter.
        return BandProblem(edges, edges, costs, np.zeros(len(y)), total=total)

    def edges(self, known: None, samples: NDArray) -> tuple[NDArray, NDArray]:
        """Return 0 and infinity."""
        return np.zeros(len(samples)), np.full(len(samples), np.inf)

    def attributes(self, y: NDArray, support: NDArray) -> dict[str, Any]:
        """Return none."""
        return {}


class OneClass:
    """The task of `OneClassBandedSVM`; see `bandsvm._fitting.task`."""

    # Decision values are differences of sums over many samples.
    keeps_single = False
    cures = CURES
    check_parameters = staticmethod(check_one_class_parameters)

    def check_samples(self, model: Any, X: Any, y: Any, *, reset: bool) -> tuple[Any, NDArray]:
        """Return samples, checked, and the value that all decision values shall have at least."""
        X = check_samples(model, X, reset=reset)
        return X, np.zeros(X.shape[0])

    def band(self, model: Any) -> OneClassSettings:
        """Return what is minimised."""
        return OneClassSettings(float(model.nu))

    def training(
        self,
        model: Any,
        y: NDArray,
        weights: NDArray,
        diagonal: Diagonal | None = None,
        *,
        share_samples: bool = False,
    ) -> Training[OneClassTargets]:
        """Return the band problem of samples and weights."""
        (kept,) = (weights > 0.0).nonzero()
        own, sum_of_weights = weights[kept], float(weights.sum())
        if not math.isfinite(sum_of_weights):
            raise ValueError(
                f"sample_weight must have a finite sum, got a largest weight of {weights.max()}; "
                "lower all weights by the same factor, which does not change the labels."
            )
        assert diagonal is not None, "no band says how large decision values are"
        settings = self.band(model)
        units = units_of(diagonal()[kept], own, settings.nu)
        targets = OneClassTargets(settings, units)
        if not math.isfinite(sum_of_weights / units.size):
            raise ValueError(
                "Weights must be finite in units of what a sample adds to its own decision value, "
                f"but kernel values are so small that this is about {units.size:.1g}; scale X, or "
                "the kernel matrix."
            )
        values = targets.problem(y[kept], own, 0)
        problems = BandProblems(values, np.array([0, len(kept)]), kept, True)
        return Training(targets, None, len(y), kept, problems)

    def blocks(self, model: Any) -> Blocks:
        """Return a single block."""
        return lambda coefficients: [EVERYTHING]

    def advice(self, model: Any) -> str:
        """Return nothing: samples that are all alike are one class."""
        return ""


def units_of(diagonal: NDArray, weights: NDArray, nu: float) -> DecisionUnits:
    """Return units in which most samples can add at most about 1 to their own decision values.

    They follow the sizes of kernel values and weights. With kernel values of 1 and without weights,
    they are those of LIBSVM, unless a single coefficient may be all of the sum.
    """
    largest = np.minimum(weights, nu * float(weights.sum()))
    with np.errstate(over="ignore", invalid="ignore"):
        sizes = largest * np.abs(diagonal)
        middle = np.sort(sizes)[len(sizes) // 2]  # NumPy's median takes as long as all else here
        return DecisionUnits(power_of_two(float(middle or np.mean(sizes))))


ONE_CLASS = OneClass()
