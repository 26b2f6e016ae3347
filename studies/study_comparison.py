"""Models compared over data sets: gains, Wilcoxon's test with Holm's correction, mean ranks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binom, friedmanchisquare, rankdata, studentized_range, wilcoxon

from study_measures import MEASURES

LEVEL = 0.05
# Means of rounded numbers that differ by less are equal.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Results:
    """What a run found: its header, and one record per task with measures by model and name."""

    header: dict[str, Any]
    tasks: list[dict[str, Any]]

    def where(self, counts: Callable[[dict], bool]) -> Results:
        """Return the tasks that count."""
        return Results(self.header, [task for task in self.tasks if counts(task)])

    def group(self, name: str) -> Results:
        """Return the tasks of a group."""
        return self.where(lambda task: task["group"] == name)

    @property
    def groups(self) -> list[str]:
        """Return the groups: sizes in ascending order, then several classes."""
        found = {task["group"] for task in self.tasks}
        return sorted(found, key=lambda name: (name == "multi-class", len(name), name))

    @property
    def names(self) -> list[str]:
        """Return the data sets."""
        return sorted({task["name"] for task in self.tasks})

    def means(self, measure: str, models: Iterable[str]) -> dict[str, list[float]]:
        """Return means over the tasks of a data set, for data sets where all models have them."""
        found: dict[str, list[list[float]]] = {}
        for task in self.tasks:
            values = [task["measures"].get(model, {}).get(measure) for model in models]
            if None not in values:
                found.setdefault(task["name"], []).append(values)
        return {name: np.mean(found[name], axis=0).tolist() for name in sorted(found)}


def read(path: Path) -> Results:
    """Read a file of results: a header, then one line per task."""
    header, *tasks = (json.loads(line) for line in path.read_text().splitlines())
    for task in tasks:
        task["measures"] = {
            model: dict(zip(header["measures"], values, strict=True))
            for model, values in task["measures"].items()
        }
    return Results(header, tasks)


def gains_over(results: Results, measure: str, first: str, second: str) -> np.ndarray:
    """Return by how much one model is better than another, one number per data set."""
    pairs = np.array(list(results.means(measure, (first, second)).values())).reshape(-1, 2)
    gains = (pairs[:, 0] - pairs[:, 1]) * (1.0 if MEASURES[measure][0] else -1.0)
    return np.where(np.abs(gains) < ROUNDING, 0.0, gains)


@dataclass(frozen=True)
class Row:
    """A measure of two models, compared over data sets; gains are positive if the first is better."""

    measure: str
    means: tuple[float, float]
    gains: np.ndarray
    p: float
    corrected_p: float

    @property
    def counts(self) -> tuple[int, int, int]:
        """Return numbers of wins, ties and losses of the first model."""
        return tuple(
            int(n)
            for n in ((self.gains > 0).sum(), (self.gains == 0).sum(), (self.gains < 0).sum())
        )

    @property
    def verdict(self) -> str:
        """Return who is better, where chance does not explain it."""
        if self.corrected_p >= LEVEL:
            return "not significantly different"
        return "better" if rank_correlation(self.gains) > 0 else "worse"

    def evidence(self) -> str:
        """Return the numbers behind a verdict, in brackets."""
        wins, ties, losses = self.counts
        return (
            f"{self.measure} (median gain {np.median(self.gains):+.4f}; {wins} wins, {ties} ties, "
            f"{losses} losses; p {p_text(self.corrected_p)})"
        )


def compare(results: Results, first: str, second: str) -> list[Row]:
    """Compare two models in all measures that both have on at least one data set."""
    values = {
        measure: np.array(list(results.means(measure, (first, second)).values()))
        for measure in MEASURES
    }
    values = {measure: pairs for measure, pairs in values.items() if len(pairs)}
    gains = {measure: gains_over(results, measure, first, second) for measure in values}
    p = [p_value(one) for one in gains.values()]
    return [
        Row(measure, tuple(values[measure].mean(axis=0)), gains[measure], p[k], corrected)
        for k, (measure, corrected) in enumerate(zip(values, holm(p), strict=True))
    ]


def rank_correlation(gains: np.ndarray) -> float:
    """Return the matched-pairs rank-biserial correlation: 1 if the first model always wins."""
    ranks = rankdata(np.abs(gains))
    return float(np.sign(gains) @ ranks / ranks.sum()) if len(gains) else 0.0


def p_value(gains: np.ndarray) -> float:
    """Return the p-value of Wilcoxon's signed-rank test; zeros are divided between both sides."""
    if not gains.any():
        return 1.0
    return float(wilcoxon(gains, zero_method="zsplit").pvalue)


def holm(p: list[float]) -> list[float]:
    """Return p-values corrected by Holm's step-down procedure."""
    corrected, largest = [0.0] * len(p), 0.0
    for rank, k in enumerate(np.argsort(p, kind="stable")):
        largest = max(largest, min(1.0, (len(p) - rank) * p[k]))
        corrected[k] = largest
    return corrected


def median_interval(gains: np.ndarray) -> tuple[float, float]:
    """Return an interval that contains the median at 95 per cent, from order statistics."""
    place = max(int(binom.ppf(0.025, len(gains), 0.5)) - 1, 0)
    ordered = np.sort(gains)
    return float(ordered[place]), float(ordered[-1 - place])


def p_text(p: float) -> str:
    """Return a p-value after its sign."""
    return "< 0.0001" if p < 1e-4 else f"= {p:.4f}"


@dataclass(frozen=True)
class Ranks:
    """Mean ranks of models over data sets, and how far apart chance can bring them."""

    mean_ranks: dict[str, float]  # the best model first
    n_sets: int
    p: float  # Friedman's test: all models are equally good
    critical_difference: float  # Nemenyi's test

    def cliques(self) -> list[tuple[str, str]]:
        """Return the first and last model of every run of models that do not differ significantly."""
        names, ranks = list(self.mean_ranks), list(self.mean_ranks.values())
        found: list[tuple[int, int]] = []
        for start, rank in enumerate(ranks):
            end = max(k for k, r in enumerate(ranks) if r - rank <= self.critical_difference)
            if end > start and not any(end <= last for _, last in found):
                found.append((start, end))
        return [(names[start], names[end]) for start, end in found]


# Friedman's test needs three models, and its approximation some data sets.
MIN_MODELS = 3


def mean_ranks(results: Results, measure: str, models: list[str]) -> Ranks | None:
    """Return mean ranks over the data sets that all models have; None if there are too few."""
    models = [m for m in models if results.means(measure, [m])]
    table = np.array(list(results.means(measure, models).values()))
    if len(models) < MIN_MODELS or len(table) < 2:
        return None
    losses = -table if MEASURES[measure][0] else table
    ranks = rankdata(losses.round(9), axis=1)
    order = np.argsort(ranks.mean(axis=0), kind="stable")
    is_constant = bool((ranks == ranks[:, :1]).all())
    k, n = len(models), len(table)
    quantile = studentized_range.ppf(1.0 - LEVEL, k, np.inf) / np.sqrt(2.0)
    return Ranks(
        {models[j]: float(ranks[:, j].mean()) for j in order},
        n,
        1.0 if is_constant else float(friedmanchisquare(*losses.T).pvalue),
        float(quantile * np.sqrt(k * (k + 1) / (6.0 * n))),
    )
