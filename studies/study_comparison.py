"""Two models compared on many data sets: the measures, and tests over data sets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom, rankdata, wilcoxon

# name -> whether larger is better, what it is
MEASURES = {
    "accuracy": (True, "share of correctly predicted test samples"),
    "AUC": (True, "area under the ROC curve of the decision value"),
    "Brier score": (
        False,
        "mean squared error of the probabilities of `CalibratedClassifierCV` (sigmoid, "
        "`ensemble=False`) around the chosen model",
    ),
    "risk-coverage area": (
        False,
        "mean error over all coverages, abstaining on the smallest absolute decision values first",
    ),
    "sensitivity area": (
        True,
        "mean signed decision value, with negative values set to 0, relative to the largest: the "
        "area under the paper's sensitivity curve",
    ),
    "accuracy lost to noise": (
        False,
        "drop in accuracy after a refit, with the chosen parameters, to partly flipped training "
        "labels",
    ),
    "change by noise": (
        False,
        "mean absolute change of decision values caused by that refit, in units of their standard "
        "deviation before it",
    ),
    "bootstrap disagreement": (
        False,
        "share of test samples on which two models, fitted with the chosen parameters to two "
        "bootstrap samples of the training set, disagree",
    ),
    "bootstrap correlation": (True, "correlation of the decision values of these two models"),
}
LEVEL = 0.05
# Means of rounded numbers that differ by less are equal.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Row:
    """A measure, compared over data sets; differences are the first model's less the second's."""

    measure: str
    means: tuple[float, float]
    differences: np.ndarray
    p: float
    corrected_p: float

    @property
    def gains(self) -> np.ndarray:
        """Return the differences, positive where the first model is better."""
        return self.differences if MEASURES[self.measure][0] else -self.differences

    @property
    def counts(self) -> tuple[int, int, int]:
        """Return numbers of wins, ties and losses of the first model."""
        return (
            int((self.gains > 0).sum()),
            int((self.gains == 0).sum()),
            int((self.gains < 0).sum()),
        )

    @property
    def rank_correlation(self) -> float:
        """Return the matched-pairs rank-biserial correlation: 1 if the first always wins."""
        ranks = rankdata(np.abs(self.gains))
        return float(np.sign(self.gains) @ ranks / ranks.sum())

    @property
    def verdict(self) -> str:
        """Return who is better, where chance does not explain it."""
        if self.corrected_p >= LEVEL:
            return "not significantly different"
        return "better" if self.rank_correlation > 0 else "worse"

    def evidence(self) -> str:
        """Return the numbers behind a verdict, in brackets."""
        wins, ties, losses = self.counts
        return (
            f"{self.measure} (median difference {np.median(self.differences):+.4f}; {wins} wins, "
            f"{ties} ties, {losses} losses; p {p_text(self.corrected_p)})"
        )


def compare(
    sets: list[dict], first: str, second: str, counts: Callable[[dict], bool] = lambda split: True
) -> list[Row]:
    """Compare two models: means over the splits that count, then tests over data sets."""
    kept = [[s["measures"] for s in one["splits"] if counts(s)] for one in sets]
    kept = [splits for splits in kept if splits]
    if not kept:
        return []
    values = {
        measure: np.array(
            [
                [np.mean([split[model][measure] for split in splits]) for model in (first, second)]
                for splits in kept
            ]
        )
        for measure in MEASURES
    }
    differences = {name: pairs[:, 0] - pairs[:, 1] for name, pairs in values.items()}
    differences = {name: np.where(np.abs(d) < ROUNDING, 0.0, d) for name, d in differences.items()}
    p = [p_value(d) for d in differences.values()]
    return [
        Row(name, tuple(values[name].mean(axis=0)), differences[name], p[k], corrected)
        for k, (name, corrected) in enumerate(zip(MEASURES, holm(p), strict=True))
    ]


def p_value(differences: np.ndarray) -> float:
    """Return the p-value of Wilcoxon's signed-rank test; zeros are shared out to both sides."""
    if not differences.any():
        return 1.0
    return float(wilcoxon(differences, zero_method="zsplit").pvalue)


def holm(p: list[float]) -> list[float]:
    """Return p-values corrected by Holm's step-down procedure."""
    corrected, largest = [0.0] * len(p), 0.0
    for rank, k in enumerate(np.argsort(p, kind="stable")):
        largest = max(largest, min(1.0, (len(p) - rank) * p[k]))
        corrected[k] = largest
    return corrected


def median_interval(differences: np.ndarray) -> tuple[float, float]:
    """Return an interval that holds the median at 95 per cent, from order statistics."""
    place = max(int(binom.ppf(0.025, len(differences), 0.5)) - 1, 0)
    ordered = np.sort(differences)
    return float(ordered[place]), float(ordered[-1 - place])


def p_text(p: float) -> str:
    """Return a p-value after its sign."""
    return "< 0.0001" if p < 1e-4 else f"= {p:.4f}"
