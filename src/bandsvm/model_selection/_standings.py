"""The candidates of a search, their scores by fold, and their ranking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm.model_selection._folds import Scores
from bandsvm.model_selection._grid import Candidate, best_of

# A candidate is compared with the one that has the most folds if it has this share of their number.
SHARE_OF_FOLDS = 0.5


class Standings:
    """All candidates so far and their scores."""

    def __init__(self, n_folds: int) -> None:
        self.candidates: list[Candidate] = []
        self.scores = np.empty((0, n_folds))
        self._seconds = np.empty((0, n_folds))

    def add(self, candidates: Sequence[Candidate], scores: Scores) -> None:
        """Add candidates and their scores."""
        self.candidates += candidates
        self.scores = np.vstack([self.scores, scores.values])
        self._seconds = np.vstack([self._seconds, scores.seconds])

    def means(self) -> NDArray[np.float64]:
        """Return mean scores; NaN for candidates without a score in every fold."""
        return self.scores.mean(axis=1)

    def mean_so_far(self, k: int) -> float:
        """Return a candidate's mean score over the folds that it has; NaN if it has none."""
        return float(fold_means(self.scores[[k]])[0])

    def n_folds_of(self, k: int) -> int:
        """Return the number of folds in which a candidate was scored."""
        return int(np.isfinite(self.scores[k]).sum())

    def on_shared_folds(self) -> NDArray[np.float64]:
        """Return comparable scores of candidates that have different folds.

        The reference is the best of the candidates with the most folds, with its mean score. Any
        candidate with at least half as many folds gets this score plus its mean difference from
        the reference on the folds that both have. NaN for the rest.
        """
        n_folds = np.isfinite(self.scores).sum(axis=1)
        most = int(n_folds.max(initial=0))
        if most == 0:
            return np.full(len(self.candidates), np.nan)
        with_most = np.where(n_folds == most, fold_means(self.scores), np.nan)
        reference = best_of(with_most, self.candidates)
        ahead = fold_means(self.scores - self.scores[reference])
        comparable = n_folds >= SHARE_OF_FOLDS * most
        return np.where(comparable, with_most[reference] + ahead, np.nan)

    def leaders(self, number: int) -> list[Candidate]:
        """Return the best candidates with a score in every fold, the best first."""
        means = self.means()
        leaders = []
        for _ in range(min(number, int(np.isfinite(means).sum()))):
            k = best_of(means, self.candidates)
            leaders.append(self.candidates[k])
            means[k] = np.nan
        return leaders

    def results(self, compared: NDArray) -> dict[str, Any]:
        """Return all candidates in the form of scikit-learn's searches, ranked by ``compared``."""
        results: dict[str, Any] = {"params": [c.parameters() for c in self.candidates]}
        for name in Candidate._fields:
            results[f"param_{name}"] = self._column(name)
        for fold in range(self.scores.shape[1]):
            results[f"split{fold}_test_score"] = self.scores[:, fold]
        results |= {
            "mean_test_score": self.means(),
            "std_test_score": self.scores.std(axis=1),
            "rank_test_score": ranks(compared),
            "mean_fit_time": self._seconds.mean(axis=1),
        }
        return results

    def _column(self, name: str) -> np.ma.MaskedArray:
        """Return a parameter of all candidates, masked for kernels that do not use it."""
        values = [getattr(candidate, name) for candidate in self.candidates]
        absent = [value is None for value in values]
        if name == "kernel":
            column = np.ma.MaskedArray(np.empty(len(values), dtype=object), mask=absent)
            column.data[:] = values
            return column
        numbers = [np.nan if value is None else value for value in values]
        return np.ma.MaskedArray(np.array(numbers, dtype=np.float64), mask=absent)


def ranks(scores: NDArray) -> NDArray[np.int32]:
    """Return ranks from 1, the best; scores that differ by rounding are equal, NaN comes last."""
    keys = -np.nan_to_num(np.round(scores, 12), nan=-np.inf)
    return (1 + np.searchsorted(np.sort(keys), keys)).astype(np.int32)


def fold_means(scores: NDArray) -> NDArray[np.float64]:
    """Return mean scores over the folds that candidates have, the rows; NaN if they have none."""
    counts = np.isfinite(scores).sum(axis=1)
    sums = np.nansum(scores, axis=1)
    return np.divide(sums, counts, out=np.full(len(scores), np.nan), where=counts > 0)
