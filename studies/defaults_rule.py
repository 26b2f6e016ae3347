"""Which band should be the default? The rule that chooses among candidates, and its measures.

1. A set *loses* to a candidate if its accuracy falls by more than `MAX_LOST` against C2 = 0 at any
   C1, and by more than `NOISE` standard errors of that difference. At most `MAX_LOSERS` sets may lose.
2. A candidate must bound scores. Scores run away if the largest |g| of test samples exceeds
   `RUNAWAY` with C2 = 0; in the median of these cases (sets and C1) it must fall to at most
   `MIN_BOUND` of that.
3. Of those that remain, the one that bounds scores most is chosen. Candidates within `CLOSE` of the
   best count as equal. Among these, what is easier to remember comes first: a fixed C2 before one
   that follows C1, whole numbers before others; then the candidate with fewer pair steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

MAX_LOST = 0.005
NOISE = 2.0
MAX_LOSERS = 2
RUNAWAY = 3.0
MIN_BOUND = 0.9
CLOSE = 0.05
# A difference in accuracy that is worth counting in the table.
NOTABLE = 0.002


class Band(NamedTuple):
    """A default: C2, or C2 as a share of C1, and the upper edge."""

    C2: float
    follows_C1: bool
    rho2: float

    def cost_at(self, C1: float) -> float:
        """Return C2 for a C1."""
        return self.C2 * C1 if self.follows_C1 else self.C2

    @property
    def is_whole(self) -> bool:
        """Return whether both numbers are whole."""
        return self.C2.is_integer() and self.rho2.is_integer()

    def __str__(self) -> str:
        """Return the values as the page shows them."""
        cost = f"{self.C2:g}"
        if self.follows_C1:
            cost = "C1" if self.C2 == 1.0 else f"{cost} C1"
        return f"C2 = {cost}, rho2 = {self.rho2:g}"


class Fit(NamedTuple):
    """The parameters of one fit; C2 = 0 has no upper edge, whatever rho2 is."""

    C1: float
    C2: float
    rho2: float


@dataclass(frozen=True)
class Verdict:
    """What a candidate does, over all sets, against C2 = 0."""

    band: Band
    losers: list[str]  # sets that lose, by the rule
    n_lower: int  # sets of which the accuracy is lower by more than NOTABLE, at any C1
    n_much_lower: int  # the same with MAX_LOST, whether it is noise or not
    n_higher: int
    accuracy: float  # mean difference
    worst: tuple[float, str]  # smallest difference, and its set
    sensitivity: float  # mean difference of the sensitivity area
    bound: float  # median ratio of the largest score, where scores run away
    cost: float  # geometric mean of the ratio of pair steps

    @property
    def is_allowed(self) -> bool:
        """Return whether the rule allows the candidate."""
        return len(self.losers) <= MAX_LOSERS and self.bound <= MIN_BOUND


def bands(settings: dict[str, Any]) -> list[Band]:
    """Return the candidates."""
    return [
        Band(C2, follows, rho2)
        for follows in (False, True)
        for C2 in settings["C2"]
        for rho2 in settings["rho2"]
    ]


def fits(settings: dict[str, Any]) -> list[Fit]:
    """Return what must be fitted on every set: C2 = 0 first, at every C1, then all candidates."""
    found = [Fit(C1, 0.0, 1.0) for C1 in settings["C1"]]
    for C1 in settings["C1"]:
        found += [Fit(C1, band.cost_at(C1), band.rho2) for band in bands(settings)]
    return list(dict.fromkeys(found))


class Comparison:
    """A candidate against C2 = 0 on one set; all values are arrays with one entry per C1."""

    def __init__(self, one: dict[str, Any], band: Band, settings: dict[str, Any]) -> None:
        place = {fit: k for k, fit in enumerate(fits(settings))}
        with_band = [place[Fit(C1, band.cost_at(C1), band.rho2)] for C1 in settings["C1"]]
        without = [place[Fit(C1, 0.0, 1.0)] for C1 in settings["C1"]]

        def both(measure: str) -> tuple[np.ndarray, np.ndarray]:
            values = np.array(one[measure], dtype=float)
            return values[with_band], values[without]

        new, self.before = both("accuracy")
        self.accuracy = new - self.before
        won, lost = (both(name)[0] for name in ("won", "lost"))
        # Of samples that only one of the two models gets right, each is heads or tails.
        n_predictions = one["n_test"] * one["n_splits"]
        self.noise = np.sqrt(won + lost) / n_predictions
        new, self.largest_before = both("largest")
        self.bound = new / self.largest_before
        new, old = both("pair_steps")
        self.cost = (new + 1.0) / (old + 1.0)
        self.sensitivity = None
        if "sensitivity" in one:
            new, old = both("sensitivity")
            self.sensitivity = new - old

    @property
    def loses(self) -> bool:
        """Return whether the set loses."""
        return bool(((self.accuracy < -MAX_LOST) & (self.accuracy < -NOISE * self.noise)).any())


def verdict(band: Band, results: dict[str, Any]) -> Verdict:
    """Return what a candidate does over all sets."""
    names = [one["name"] for one in results["sets"]]
    found = [Comparison(one, band, results["settings"]) for one in results["sets"]]
    accuracy = np.array([one.accuracy for one in found])
    worst = int(accuracy.min(axis=1).argmin())
    sensitivity = [one.sensitivity for one in found if one.sensitivity is not None]
    bounds = [ratio for one in found for ratio in one.bound[one.largest_before > RUNAWAY]]
    return Verdict(
        band,
        [name for name, one in zip(names, found, strict=True) if one.loses],
        int((accuracy < -NOTABLE).any(axis=1).sum()),
        int((accuracy < -MAX_LOST).any(axis=1).sum()),
        int((accuracy > NOTABLE).any(axis=1).sum()),
        float(accuracy.mean()),
        (float(accuracy[worst].min()), names[worst]),
        float(np.mean(sensitivity)) if sensitivity else float("nan"),
        float(np.median(bounds)) if bounds else float("nan"),
        float(np.exp(np.mean([np.log(one.cost) for one in found]))),
    )


def choose(verdicts: list[Verdict]) -> Verdict | None:
    """Return the candidate that the rule chooses, or None if it allows none."""
    allowed = [one for one in verdicts if one.is_allowed]
    if not allowed:
        return None
    best = min(one.bound for one in allowed)
    close = [one for one in allowed if one.bound <= best + CLOSE]
    return min(close, key=lambda one: (one.band.follows_C1, not one.band.is_whole, one.cost))
