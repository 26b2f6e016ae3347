"""The verdict of a search: its best candidate, and warnings about it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from bandsvm._kernels import uses_gamma
from bandsvm._problem import Status
from bandsvm.model_selection._grid import Candidate, best_of, is_on_edge
from bandsvm.model_selection._reporting import counted, describe
from bandsvm.model_selection._standings import Standings


@dataclass
class Verdict:
    """What a search found, and what went wrong meanwhile."""

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
            _warn(
                f"BandedSVCCV ended early (time limit) after {counted(len(standings.candidates))}; "
                f"it keeps the best so far, with a score of {standings.mean_so_far(best):.4g} in "
                f"{standings.n_folds_of(best)} of {standings.scores.shape[1]} folds. Raise "
                "time_limit to try all."
            )
        if self.n_unconverged:
            _warn(
                f"BandedSVCCV: {self.n_unconverged} fits did not reach tol={self.tol}; "
                "raise max_iter, scale X, or try smaller costs."
            )
        if self.n_undefined:
            _warn(
                f"BandedSVCCV: scoring gave no finite number for {self.n_undefined} fits; their "
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
                "BandedSVCCV reached its time_limit before any candidate was scored in any fold; "
                f"it chose the middle of its grid, {describe(self.likely)}. Raise time_limit.",
                stacklevel=6,
            )
            return self.standings.candidates.index(self.likely)
        if self.ended_by is not None:
            raise KeyboardInterrupt("BandedSVCCV was interrupted before any candidate was scored.")
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
                    f"BandedSVCCV found its best {name}={value:.4g} at the edge of the grid "
                    f"[{grid[0]:.4g}, {grid[-1]:.4g}]; {side} values might score better.",
                    UserWarning,
                    stacklevel=5,
                )


def _warn(message: str, stacklevel: int = 5) -> None:
    warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel)
