"""How numbers become band problems: every decision value shall lie in the tube of its target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._decisions.multiclass import EVERYTHING
from bandsvm._fitting.spread import units_of
from bandsvm._fitting.task import NO_CLASSES
from bandsvm._fitting.training import Training
from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.band_problems import BandProblems, joined
from bandsvm._problem.units import DecisionUnits

TubeTraining = Training["TubeTargets"]


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
class Numbers:
    """Targets and weights, independent of costs and tube; and the units that solvers see."""

    y: NDArray[np.float64]  # (n_samples,), or (n_samples, 2) for intervals
    weights: NDArray[np.float64]  # (n_samples,)
    units: DecisionUnits


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
        (lower, upper), (below, above) = ends_of(y), self.settings.epsilon
        size, origin = self.units
        # In this order no digit is lost where the origin is large.
        return (lower - origin - below) / size, (upper - origin + above) / size

    def _written(self, lo: NDArray, hi: NDArray, weights: NDArray, k: int) -> BandProblem:
        """Return edges and costs; where one side is open, the other edge stands for both."""
        has_lo, has_hi = np.isfinite(lo), np.isfinite(hi)
        factors = weights if self.loss == "squared_hinge" else weights / self.units.size
        below = np.where(has_lo, self.settings.below[k] * factors, 0.0)
        above = np.where(has_hi, self.settings.above[k] * factors, 0.0)
        if not (has_lo.all() and has_hi.all()):
            lo = np.where(has_lo, lo, np.where(has_hi, hi, 0.0))
            hi = np.where(has_hi, hi, lo)
        return BandProblem(lo, hi, below, above, self.has_intercept, self.loss)


def ends_of(y: NDArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the ends of targets that are intervals; both are the same for numbers."""
    return (y, y) if y.ndim == 1 else (y[:, 0], y[:, 1])


def tube_units(settings: TubeSettings, y: NDArray, weights: NDArray) -> DecisionUnits:
    """Return units that follow the spread of targets."""
    return units_of(*ends_of(y), weights, sum(settings.epsilon), settings.fit_intercept)


def tube_problems(
    settings: TubeSettings, numbers: Numbers, *, keep_all: bool = False
) -> TubeTraining:
    """Return the band problems of targets.

    With ``keep_all``, samples of weight 0 stay in the problems with zero cost: they do not affect
    the solution, but get decision values.
    """
    y, weights = numbers.y, numbers.weights
    targets = TubeTargets(settings, numbers.units)
    tubes = Tubes(*targets.tube_of(y), weights)
    kept = np.arange(len(weights)) if keep_all else (weights > 0.0).nonzero()[0]
    problems = targets.problems(tubes, kept)
    _check_values(settings, tubes, y, problems.values)
    signs = np.ones((len(problems), len(weights)))
    return Training(targets, tubes, signs, kept, problems)


def _check_values(settings: TubeSettings, tubes: Tubes, y: NDArray, values: BandProblem) -> None:
    """Refuse targets without any end, and values that overflow."""
    (lower, upper), names = ends_of(y), " and ".join(settings.costs)
    if not (values.below.any() or values.above.any()):
        raise ValueError(
            "y must hold at least one finite end of an interval on a side that has a cost and in a "
            f"sample with a weight greater than 0; check the intervals and {names}."
        )
    if not (np.isfinite(values.below).all() and np.isfinite(values.above).all()):
        raise ValueError(
            f"{names} times the weights of samples must be finite in units of the spread of y, got "
            f"{', '.join(f'{name}={value!r}' for name, value in settings.costs.items())} and a "
            f"largest weight of {tubes.weights.max()}; lower them, or scale y."
        )
    for seen, given in ((tubes.lo, lower), (tubes.hi, upper)):
        if (np.isfinite(given) & ~np.isfinite(seen)).any():
            raise ValueError("y holds values whose differences overflow; scale y.")
