"""The candidates of a search, their scores by fold, their ranking, and the verdict: the best."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from bandsvm._kernels import uses_gamma
from bandsvm._problem import Status
from bandsvm.model_selection._folds import Scores
from bandsvm.model_selection._grid import (
    ROUNDING,
    Candidate,
    best_of,
    is_on_edge,
    largest_score,
)
from bandsvm.model_selection._reporting import counted, describe

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
        return float(mean_fold_scores(self.scores[[k]])[0])

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
        with_most = np.where(n_folds == most, mean_fold_scores(self.scores), np.nan)
        reference = best_of(with_most, self.candidates)
        ahead = mean_fold_scores(self.scores - self.scores[reference])
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
        for name in self.candidates[0].names():
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
    unit = ROUNDING * largest_score(scores) or 1.0
    keys = -np.nan_to_num(np.round(scores / unit), nan=-np.inf)
    return (1 + np.searchsorted(np.sort(keys), keys)).astype(np.int32)


def mean_fold_scores(scores: NDArray) -> NDArray[np.float64]:
    """Return mean scores of candidates (rows) over the folds that they have; NaN without any."""
    counts = np.isfinite(scores).sum(axis=1)
    sums = np.nansum(scores, axis=1)
    return np.divide(sums, counts, out=np.full(len(scores), np.nan), where=counts > 0)


@dataclass
class Verdict:
    """What a search found, and what went wrong meanwhile."""

    name: str  # of the estimator
    standings: Standings  # all candidates and their scores
    tol: float  # what fits were to reach
    likely: Candidate  # what to choose if there was no time to score any
    ended_by: Status | None = None  # why the search ended early, if it did
    # n_unconverged, n_undefined: fits that did not reach ``tol``, and fits whose score is no finite
    # number.
    n_unconverged: int = 0
    n_undefined: int = 0

    def best(self) -> int:
        """Return the best candidate; warn about problems with it."""
        standings, compared = self.standings, self.compared()
        if not np.isfinite(compared).any():
            return self._without_scores()
        best = best_of(compared, standings.candidates)
        if self.ended_by is Status.INTERRUPTED:
            return best  # KeyboardInterrupt follows; a warning must not replace it
        if self.ended_by is Status.TIME_LIMIT:
            n_folds = int(np.isfinite(standings.scores[best]).sum())
            _warn(
                f"{self.name} ended early (time limit) after {counted(len(standings.candidates))}; "
                f"it keeps the best so far, with a score of {standings.mean_so_far(best):.4g} in "
                f"{n_folds} of {standings.scores.shape[1]} folds. Raise "
                "time_limit to try all."
            )
        if self.n_unconverged:
            _warn(
                f"{self.name}: {self.n_unconverged} fits did not reach tol={self.tol}; "
                "raise max_iter, scale X, or try smaller costs."
            )
        if self.n_undefined:
            _warn(
                f"{self.name}: scoring gave no finite number for {self.n_undefined} fits; their "
                "candidates cannot be chosen."
            )
        self._warn_of_edges(best, compared)
        return best

    def compared(self) -> NDArray[np.float64]:
        """Return the scores by which candidates are compared: over all folds, if there was time."""
        if self.ended_by is None:
            return self.standings.means()
        return self.standings.on_shared_folds()

    def _without_scores(self) -> int:
        """Return the most likely candidate if time ran out; raise if there is none."""
        if self.ended_by is Status.TIME_LIMIT:
            _warn(
                f"{self.name} reached its time_limit before any candidate was scored in any fold; "
                f"it chose the middle of its grid, {describe(self.likely)}. Raise time_limit.",
                stacklevel=6,
            )
            return self.standings.candidates.index(self.likely)
        if self.ended_by is not None:
            raise KeyboardInterrupt(f"{self.name} was interrupted before any candidate was scored.")
        if self.n_undefined:
            raise ValueError(
                "scoring gave no finite number for any candidate in all folds; choose another "
                "scoring, or folds that hold samples of all classes."
            )
        raise ValueError(
            "The decision values of all candidates overflow; scale X or try smaller costs."
        )

    def _warn_of_edges(self, best: int, means: NDArray) -> None:
        """Warn if the best candidate lies at the edge of the grid and beats all inside."""
        candidates = self.standings.candidates
        chosen = candidates[best]
        names = ["C1"] + (["gamma"] if uses_gamma(chosen.kernel) else [])
        for name in names:
            same = [k for k, c in enumerate(candidates) if c.kernel == chosen.kernel]
            grid = sorted({getattr(candidates[k], name) for k in same})
            value = getattr(chosen, name)
            if not (len(grid) > 2 and is_on_edge(value, grid)):
                continue
            inner = [
                means[k]
                for k in same
                if np.isfinite(means[k]) and not is_on_edge(getattr(candidates[k], name), grid)
            ]
            if means[best] > max(inner, default=-np.inf):
                side = "lower" if value == grid[0] else "higher"
                warnings.warn(
                    f"{self.name} found its best {name}={value:.4g} at the edge of the grid "
                    f"[{grid[0]:.4g}, {grid[-1]:.4g}]; {side} values might score better.",
                    UserWarning,
                    stacklevel=5,
                )


def _warn(message: str, stacklevel: int = 5) -> None:
    warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel)
