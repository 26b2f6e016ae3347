"""How numbers become band problems: every decision value shall lie in the tube of its target."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._checks.numbers import ends_of
from bandsvm._decisions.multiclass import EVERYTHING
from bandsvm._fitting.sources import LocalSource, TargetSource, TargetSummary, joint_summary
from bandsvm._fitting.spread import units_of
from bandsvm._fitting.task import NO_CLASSES
from bandsvm._fitting.training import Training
from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.band_problems import BandProblems, joined
from bandsvm._problem.units import DecisionUnits

TubeTraining = Training["TubeTargets"]

# Units follow the spread of targets, so that edges near 0 are as far from others as any.
EDGE_UNIT = 1.0


@dataclass(frozen=True)
class TubeSettings:
    """Costs, tube and loss of a regression: what is minimised, for each of its problems."""

    costs: dict[str, Any]  # as the user gave them, by name
    below: tuple[float, ...]  # of each problem: cost of a prediction below the tube
    above: tuple[float, ...]  # and above
    epsilon: tuple[float, float]  # how far tubes extend below and above targets
    loss: str  # in the words of `BandProblem`
    fit_intercept: bool
    titles: tuple[str, ...] = ("",)  # of each problem


@dataclass(frozen=True)
class KnownNumbers:
    """Targets and weights, independent of costs and tube, and the units that solvers see."""

    y: NDArray[np.float64]  # (n_samples,), or (n_samples, 2) for intervals
    weights: NDArray[np.float64]  # (n_samples,)
    units: DecisionUnits | None = None  # None: those of the targets' spread


@dataclass(frozen=True)
class Tubes:
    """The tubes of a training set, as solvers see them; open sides are infinite."""

    lo: NDArray[np.float64]
    hi: NDArray[np.float64]
    weights: NDArray[np.float64]


@dataclass(frozen=True)
class TubeTargets:
    """Writes band problems: every decision value shall lie in the tube of its target.

    The tube of a number y is ``[y - epsilon, y + epsilon]``, and that of an interval begins so much
    below and ends so much above it. Where an interval has no end, the other one stands for both and
    that side has no cost.
    """

    settings: TubeSettings
    units: DecisionUnits

    @property
    def classes(self) -> NDArray:
        """None: targets are numbers."""
        return NO_CLASSES

    @property
    def has_intercept(self) -> bool:
        """Whether decision rules have an intercept."""
        return self.settings.fit_intercept

    @property
    def loss(self) -> str:
        """The loss, in the words of `BandProblem`."""
        return self.settings.loss

    @property
    def titles(self) -> list[str]:
        """A title for each problem, for progress and messages."""
        return list(self.settings.titles)

    def blocks(self, coefficients: NDArray) -> list[tuple[Any, Any]]:
        """Return a single block: all samples take part in all problems."""
        return [EVERYTHING]

    def all_signs(self, known: Tubes, n_samples: int) -> NDArray[np.float64]:
        """Return +1 for all samples in all problems."""
        return np.ones((len(self.settings.below), n_samples))

    def own_signs(self, known: Tubes, problems: NDArray, samples: NDArray) -> NDArray[np.float64]:
        """Return +1."""
        return np.ones(len(samples))

    def signs(self, y: NDArray, k: int) -> NDArray[np.float64]:
        """Return +1: coefficients above 0 are multipliers of the lower edge."""
        return np.ones(len(y))

    def problem(self, y: NDArray, weights: NDArray, k: int) -> BandProblem:
        """Return the k-th problem over samples, as solvers see it."""
        return self._written(*self.tube_of(y), weights, k)

    def problems(self, tubes: Tubes, kept: NDArray[np.intp]) -> BandProblems:
        """Return all problems over the samples ``kept`` of a training set, which they share."""
        own = tubes.lo[kept], tubes.hi[kept], tubes.weights[kept]
        number = len(self.settings.below)
        values = joined([self._written(*own, k) for k in range(number)])
        return BandProblems(values, len(kept) * np.arange(number + 1), kept, True)

    def edges(self, known: Tubes, samples: NDArray) -> tuple[NDArray, NDArray]:
        """Return the tubes of samples of a training set."""
        return known.lo[samples], known.hi[samples]

    def attributes(self, y: NDArray, support: NDArray) -> dict[str, Any]:
        """Return none."""
        return {}

    def tube_of(self, y: NDArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the tubes of targets, as solvers see them."""
        return self.edges_of(*ends_of(y))

    def edges_of(self, lower: Any, upper: Any) -> tuple[Any, Any]:
        """Return the ends of tubes as solvers see them, from ends of targets."""
        (below, above), (size, origin) = self.settings.epsilon, self.units
        # In this order no digit is lost where the origin is large.
        return (lower - origin - below) / size, (upper - origin + above) / size

    def _written(self, lo: NDArray, hi: NDArray, weights: NDArray, k: int) -> BandProblem:
        """Return edges and costs; where one side is open, the other edge stands for both."""
        factors = weights if self.loss == "squared_hinge" else weights / self.units.size
        below, above = self.settings.below[k] * factors, self.settings.above[k] * factors
        # A sum takes half of the time of a look at every number, and is finite with few exceptions.
        if not math.isfinite(float(lo.sum()) - float(hi.sum())):
            has_lo, has_hi = np.isfinite(lo), np.isfinite(hi)
            below, above = np.where(has_lo, below, 0.0), np.where(has_hi, above, 0.0)
            lo = np.where(has_lo, lo, np.where(has_hi, hi, 0.0))
            hi = np.where(has_hi, hi, lo)
        return BandProblem(lo, hi, below, above, self.has_intercept, self.loss, edge_unit=EDGE_UNIT)


def tube_targets(
    settings: TubeSettings, source: TargetSource, units: DecisionUnits | None = None
) -> TubeTargets:
    """Return how targets, wherever they are, become band problems.

    None as units are those of the targets' spread.
    """
    summary = joint_summary(source.summaries)
    if units is None:
        units = units_of(source, summary, sum(settings.epsilon), settings.fit_intercept)
    targets = TubeTargets(settings, units)
    _check_values(targets, summary)
    return targets


def tube_units(settings: TubeSettings, source: TargetSource) -> DecisionUnits:
    """Return units that follow the spread of targets, wherever they are."""
    summary = joint_summary(source.summaries)
    return units_of(source, summary, sum(settings.epsilon), settings.fit_intercept)


def tube_problems(
    settings: TubeSettings, known: KnownNumbers, *, keep_all: bool = False
) -> TubeTraining:
    """Return the band problems of targets in the memory of this process.

    With ``keep_all``, samples of weight 0 stay in the problems with zero cost: they do not affect
    the solution, but get decision values.
    """
    y, weights = known.y, known.weights
    targets = tube_targets(settings, LocalSource(y, weights), known.units)
    tubes = Tubes(*targets.tube_of(y), weights)
    kept = np.arange(len(weights)) if keep_all else (weights > 0.0).nonzero()[0]
    problems = targets.problems(tubes, kept)
    return Training(targets, tubes, len(weights), kept, problems)


def _check_values(targets: TubeTargets, summary: TargetSummary) -> None:
    """Refuse targets without any end, and values that overflow."""
    settings, weight = targets.settings, summary.largest_weight
    names = " and ".join(settings.costs)
    factor = weight if targets.loss == "squared_hinge" else weight / targets.units.size
    sides = (summary.has_lower, settings.below), (summary.has_upper, settings.above)
    costs = [cost * factor for is_there, costs in sides if is_there for cost in costs if cost]
    if not any(costs):
        raise ValueError(
            "y must hold at least one finite end of an interval on a side that has a cost and in a "
            f"sample with a weight greater than 0; check the intervals and {names}."
        )
    if not all(map(math.isfinite, costs)):
        raise ValueError(
            f"{names} times the weights of samples must be finite in units of the spread of y, got "
            f"{', '.join(f'{name}={value!r}' for name, value in settings.costs.items())} and a "
            f"largest weight of {weight}; lower them, or scale y."
        )
    ends = (summary.lowest, summary.highest)
    if not all(math.isfinite(edge) for end in ends for edge in targets.edges_of(end, end)):
        raise ValueError("y holds values whose differences overflow; scale y.")
