"""The hypotheses of the study, written down before its run, and how each is decided.

Every part is decided by one test over data sets, at one level, with Holm's correction over all parts:

- holds: p < 0.05, and the signed ranks favour the claim. A part that claims no loss has no p-value;
  it holds if the 95 % interval of the median excludes a loss of `MARGIN` or more.
- does not hold: p < 0.05 in the other direction, or the 95 % interval of the median gain excludes a
  gain of `MARGIN` or more.
- undecided: everything else, and all that has fewer than `MIN_SETS` data sets.

A hypothesis holds if all its parts do; it does not hold if one of them does not. The run stores
these texts in its results, and the page prints them from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from study_comparison import (
    LEVEL,
    Results,
    gains_over,
    holm,
    median_interval,
    p_text,
    p_value,
    rank_correlation,
)
from study_tasks import MAX_FOR_NOISE

# Smallest difference, in accuracy or area, that matters in practice.
MARGIN = 0.005
MANY_CLASSES = 5
# With fewer data sets no interval from order statistics reaches 95 %, and no test a p-value of 5 %.
MIN_SETS = 6
HYPOTHESES = {
    "H1": "Many classes: where validation prefers a band, it beats the one-vs-rest C-SVM, and it "
    "gains on images and signals.",
    "H2": "Overfitted C: at C1 = 10, untuned, a band raises accuracy.",
    "H3": "A band limits overfitting to wrong labels, and it raises the sensitivity area without "
    "cost in accuracy.",
}
VERDICTS = ("holds", "does not hold", "undecided")


@dataclass(frozen=True)
class Part:
    """One test: which gains of one model over another, on which data sets."""

    hypothesis: str
    text: str
    measure: str
    first: str
    second: str
    counts: Callable[[dict], bool]
    is_cost: bool = False  # whether the claim is only that nothing is lost


def is_small(task: dict) -> bool:
    """Return whether rivals were tuned again with wrong labels."""
    return task["n_classes"] == 2 and task["n_train"] <= MAX_FOR_NOISE


PARTS = (
    Part(
        "H1",
        f"accuracy on sets of {MANY_CLASSES} classes or more, splits in which a band was chosen: "
        "`band` against `C-SVM`",
        "accuracy",
        "band",
        "C-SVM",
        lambda task: task["n_classes"] >= MANY_CLASSES and task["chosen"]["band"]["C2"] > 0.0,
    ),
    Part(
        "H1",
        "accuracy on images and signals with more than two classes, all splits: `band` against "
        "`C-SVM`",
        "accuracy",
        "band",
        "C-SVM",
        lambda task: task["group"] == "multi-class" and task["kind"] != "table",
    ),
    Part(
        "H2",
        "accuracy on all sets and sizes: `untuned band` against `untuned C-SVM`",
        "accuracy",
        "untuned band",
        "untuned C-SVM",
        lambda task: True,
    ),
    Part(
        "H3",
        "accuracy after a search with 20 % wrong labels, two classes, up to 1000 training samples: "
        "`band` against `C-SVM`",
        "accuracy, 20 % noise",
        "band",
        "C-SVM",
        is_small,
    ),
    Part(
        "H3",
        "sensitivity area on the same sets, labels as they are: `band` against `C-SVM`",
        "sensitivity area",
        "band",
        "C-SVM",
        is_small,
    ),
    Part(
        "H3",
        "accuracy on the same sets is not lower: `band` against `C-SVM`",
        "accuracy",
        "band",
        "C-SVM",
        is_small,
        is_cost=True,
    ),
)


@dataclass(frozen=True)
class Decision:
    """The verdict on a part, and its evidence."""

    part: Part
    gains: np.ndarray
    corrected_p: float

    @property
    def interval(self) -> tuple[float, float]:
        """Return the 95 % interval of the median gain."""
        return median_interval(self.gains)

    @property
    def verdict(self) -> str:
        """Return one of `VERDICTS`."""
        if len(self.gains) < MIN_SETS:
            return "undecided"
        low, high = self.interval
        if self.part.is_cost:
            return "holds" if low > -MARGIN else "does not hold" if high < 0.0 else "undecided"
        if self.corrected_p < LEVEL and not self.is_loss:
            return "holds"
        return "does not hold" if self.is_loss or high < MARGIN else "undecided"

    @property
    def is_loss(self) -> bool:
        """Return whether the first model is significantly worse."""
        return self.corrected_p < LEVEL and rank_correlation(self.gains) < 0.0

    def evidence(self) -> str:
        """Return the numbers behind the verdict."""
        if len(self.gains) < MIN_SETS:
            return f"too few data sets: {len(self.gains)}"
        low, high = self.interval
        wins, losses = int((self.gains > 0).sum()), int((self.gains < 0).sum())
        test = "" if self.part.is_cost else f"; Wilcoxon, Holm: p {p_text(self.corrected_p)}"
        return (
            f"median gain {np.median(self.gains):+.4f}, 95 % interval {low:+.4f} to {high:+.4f}; "
            f"{wins} wins, {len(self.gains) - wins - losses} ties, {losses} losses{test}"
        )


def decide(results: Results, parts: Sequence[Part] = PARTS) -> list[Decision]:
    """Return the verdicts on all parts."""
    gains = [
        gains_over(results.where(part.counts), part.measure, part.first, part.second)
        for part in parts
    ]
    is_tested = [not part.is_cost for part in parts]
    corrected = iter(holm([p_value(one) for one in compress(gains, is_tested)]))
    return [
        Decision(part, one, next(corrected) if tested else 1.0)
        for part, one, tested in zip(parts, gains, is_tested, strict=True)
    ]


def verdict_on(hypothesis: str, decisions: list[Decision]) -> str:
    """Return the verdict on a hypothesis: that of its weakest part."""
    verdicts = [one.verdict for one in decisions if one.part.hypothesis == hypothesis]
    for verdict in ("does not hold", "undecided"):
        if verdict in verdicts:
            return verdict
    return "holds"
