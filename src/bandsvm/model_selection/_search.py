"""The search of BandedSVCCV: stages of candidates, scored kernel by kernel."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from bandsvm.checks import data
from bandsvm.checks.parameters import band_parameters
from bandsvm.fitting.limits import Limits
from bandsvm.fitting.training import labels_of
from bandsvm.kernels import uses_gamma
from bandsvm.kernels.packed import useful_bytes
from bandsvm.model_selection._choices import check_choices
from bandsvm.model_selection._folds import Folds, Scores, cross_validate
from bandsvm.model_selection._grid import (
    Candidate,
    Grid,
    around,
    best_of,
    is_on_edge,
    kernels_of,
)
from bandsvm.model_selection._reporting import Watch, counted, describe, place
from bandsvm.model_selection._scoring import accuracy_score, scorer_score, try_score
from bandsvm.model_selection._splits import checked_splits
from bandsvm.model_selection._standings import Standings
from bandsvm.solvers import Status
from bandsvm.system.memory import MEGABYTE, bytes_of, default_bytes, stores_at_once
from bandsvm.system.stopping import stop_when
from bandsvm.system.threads import n_threads, single_threaded_blas

# The band is searched at this many of the C-SVM's best points.
N_LEADERS = 2
# Most candidates that run in sequence over one store of rows: longer sequences would leave other
# threads idle. (It must not depend on the number of threads, or the scores would.)
MOST_TOGETHER = 25
# Share of the time limit after which a search ends, if a refit is to follow.
SEARCH_SHARE = 0.8


class Search:
    """A search from the first candidate to the choice of the best.

    Parameters
    ----------
    estimator : BandedSVCCV
        What to search, and how.
    template : callable
        Returns a BandedSVC for a kernel, with all parameters that are not searched.
    X, y, sample_weight, groups : array-like
        The training set.
    """

    def __init__(
        self,
        estimator: Any,
        template: Callable[[Any], Any],
        X: Any,
        y: Any,
        sample_weight: Any,
        groups: Any,
    ) -> None:
        self._estimator, self._template = estimator, template
        check_choices(estimator, template)
        X, y = data.check_samples(estimator, X, y, reset=True)
        weights = data.check_weights(sample_weight, X.shape[0])
        kernels = kernels_of(estimator)
        for kernel in kernels:
            data.check_for_kernel(kernel, X)
        model = template(kernels[0])
        self.classes = labels_of(model, y, weights).classes
        # With rho2 = rho1, a band of zero width, only an invalid rho1 can raise an error here.
        rho1 = band_parameters(model.set_params(rho2=estimator.rho1), self.classes).rho1
        self._grid = Grid(estimator, float(rho1.max()), X, weights)
        everything = np.arange(len(y))
        splits, score = [(everything, everything)], None
        if estimator.criterion == "cv":
            splits = checked_splits(estimator.cv, X, y, weights, groups)
            score = accuracy_score(y, weights)
            if estimator.scoring is not None:
                own = None if sample_weight is None else weights
                score = scorer_score(estimator.scoring, X, y, own, kernels[0] == "precomputed")
                try_score(score, y, splits[0])
        self.folds = Folds(X, y, weights, splits, score)
        self._is_given = kernels[0] == "precomputed"  # then there is no store of rows
        given = bytes_of(estimator.cache_size)
        self._memory = default_bytes(np.inf) if given is None else given
        self.standings = Standings(len(splits))
        self.ended_by: Status | None = None
        self._n_unconverged = self._n_undefined = 0
        self._reference: NDArray | None = None
        share = SEARCH_SHARE if estimator.refit else 1.0
        limit = estimator.time_limit
        self._limits = Limits(None if limit is None else share * limit)
        self._watch = Watch(self._limits.reason, bool(estimator.verbose), len(splits))

    def run(self) -> int:
        """Try all stages and return the best candidate."""
        with self._limits, single_threaded_blas():
            csvms = self._grid.without_band()
            self._likely = csvms[len(csvms) // 2]
            self._watch.report(self._plan(len(csvms)))
            self._try(csvms)
            if self._estimator.search == "staged":
                csvms = self.standings.leaders(N_LEADERS)
            self._try([band for csvm in csvms for band in self._grid.bands(csvm)])
            for _ in range(self._estimator.refine):
                self._try(self._neighbours())
            self._try(self._without_band())
        return self._verdict()

    def _plan(self, n_csvms: int) -> str:
        """Return a line on what will be tried."""
        n_samples, n_folds = len(self.folds.y), len(self.folds.splits)
        where = "all of them" if self._estimator.search == "full" else f"the best {N_LEADERS}"
        return (
            f"{n_samples} samples, {n_folds} {'fold' if n_folds == 1 else 'folds'}: "
            f"{counted(n_csvms)} without a band, then bands for {where}, then "
            f"refine={self._estimator.refine} times around the best"
        )

    def _neighbours(self) -> list[Candidate]:
        """Return candidates half-way between the best one and its neighbours."""
        leaders = self.standings.leaders(1)
        if not leaders:
            return []
        best = leaders[0]
        same = [c for c in self.standings.candidates if c.kernel == best.kernel]
        C1s = [best.C1, *around(best.C1, sorted({c.C1 for c in same}))]
        gammas = [best.gamma]
        if uses_gamma(best.kernel):
            gammas += around(best.gamma, sorted({c.gamma for c in same}))
        # C2 stays in proportion to C1.
        return [
            best._replace(C1=C1, C2=best.C2 * C1 / best.C1, gamma=gamma)
            for gamma in gammas
            for C1 in sorted(C1s)
        ]

    def _without_band(self) -> list[Candidate]:
        """Return the best candidate without its band, which is chosen only if it scores higher."""
        return [leader._replace(C2=0.0) for leader in self.standings.leaders(1)]

    def _try(self, candidates: Sequence[Candidate]) -> None:
        """Score new candidates, kernel by kernel; the first kernel sets what counts as hopeless."""
        standings, rho2s = self.standings, self._grid.rho2s
        # Without a band, rho2 has no effect.
        candidates = [c if c.C2 > 0.0 else c._replace(rho2=rho2s[0]) for c in candidates]
        known = set(standings.candidates)
        groups: dict[tuple[Any, Any], list[Candidate]] = {}
        for candidate in dict.fromkeys(candidates):
            if candidate not in known:
                groups.setdefault((candidate.kernel, candidate.gamma), []).append(candidate)
        places = list(groups)
        if not places or self.ended_by is not None:
            return
        if self._reference is None and self._estimator.give_up:
            # The middle of the grid is the most likely to be good.
            self._score_all([groups[places.pop(len(places) // 2)]])
            means = standings.means()
            if np.isfinite(means).any():
                self._reference = standings.scores[best_of(means, standings.candidates)]
        if self.ended_by is None:
            self._score_all([groups[place] for place in places])

    def _score_all(self, groups: list[list[Candidate]]) -> None:
        """Score groups of candidates, each of one kernel, on all threads.

        They share the memory: if it is too little for all at once, fewer run, on more threads each.
        """
        groups = [part for group in groups for part in _parts(group)]
        threads = n_threads(self._estimator.n_jobs)
        at_once = max(1, min(threads, len(groups)))
        if not self._is_given:
            at_once = stores_at_once(self._memory, useful_bytes(self.folds.X), at_once)
        jobs, megabytes = threads // at_once, self._memory / at_once / MEGABYTE
        # The longest group, if started last, would run alone at the end.
        longest_first = sorted(range(len(groups)), key=lambda k: _effort(groups[k]), reverse=True)
        with ThreadPoolExecutor(at_once) as pool:
            scores = {
                k: pool.submit(self._score, groups[k], jobs, megabytes) for k in longest_first
            }
            try:
                for k, group in enumerate(groups):
                    self._note(group, scores[k].result())
            except BaseException:
                self._watch.end()
                raise

    def _score(self, candidates: list[Candidate], n_jobs: int, megabytes: float) -> Scores:
        """Score candidates that share a kernel, with a share of the threads and of the memory."""
        model = self._template(candidates[0].kernel)
        model.set_params(n_jobs=n_jobs, cache_size=megabytes)
        # Candidates that overflow have no score; `_verdict` reports it if all do.
        with np.errstate(over="ignore", invalid="ignore"), stop_when(self._watch.reason):
            try:
                return cross_validate(model, self.folds, candidates, self._reference, self._watch)
            except BaseException:
                self._watch.end()
                raise

    def _note(self, candidates: list[Candidate], scores: Scores) -> None:
        """Store the scores of candidates and report them."""
        self.standings.add(candidates, scores)
        self._n_unconverged += scores.n_unconverged
        self._n_undefined += scores.n_undefined
        self.ended_by = self.ended_by or scores.ended_by
        means, tried = self.standings.means(), self.standings.candidates
        if np.isfinite(means).any():
            best = best_of(means, tried)
            self._watch.report(
                f"{place(candidates[0])}: {counted(len(candidates))}; the best of {len(tried)} so "
                f"far scores {means[best]:.4f}: {describe(tried[best])}"
            )

    def _verdict(self) -> int:
        """Return the best candidate; warn about problems with it."""
        standings, compared = self.standings, self._compared()
        if not np.isfinite(compared).any():
            return self._verdict_without_scores()
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
        if self._n_unconverged:
            _warn(
                f"BandedSVCCV: {self._n_unconverged} fits did not reach tol={self._estimator.tol}; "
                "raise max_iter, scale X, or try smaller costs."
            )
        if self._n_undefined:
            _warn(
                f"BandedSVCCV: scoring gave no finite number for {self._n_undefined} fits; their "
                "candidates cannot be chosen."
            )
        self._warn_of_edges(best, compared)
        return best

    def _compared(self) -> NDArray[np.float64]:
        """Return the scores by which candidates are compared: over all folds, if there was time."""
        if self.ended_by is None:
            return self.standings.means()
        return self.standings.on_shared_folds()

    def _verdict_without_scores(self) -> int:
        """Return the most likely candidate if time ran out; raise if there is none."""
        if self.ended_by is Status.TIME_LIMIT:
            _warn(
                "BandedSVCCV reached its time_limit before any candidate was scored in any fold; "
                f"it chose the middle of its grid, {describe(self._likely)}. Raise time_limit.",
                stacklevel=6,
            )
            return self.standings.candidates.index(self._likely)
        if self.ended_by is not None:
            raise KeyboardInterrupt("BandedSVCCV was interrupted before any candidate was scored.")
        if self._n_undefined:
            raise ValueError(
                "scoring gave no finite number for any candidate in all folds; choose another "
                "scoring, or folds that hold samples of all classes."
            )
        raise ValueError(
            "The decision values of all candidates overflow; scale X or try smaller costs."
        )

    def results(self) -> dict[str, Any]:
        """Return all candidates and their scores as scikit-learn's searches do."""
        return self.standings.results(self._compared())

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


def _parts(candidates: list[Candidate]) -> list[list[Candidate]]:
    """Return candidates in parts of about equal length, neighbours together."""
    n_parts = -(-len(candidates) // MOST_TOGETHER)
    size = -(-len(candidates) // n_parts)
    return [candidates[start : start + size] for start in range(0, len(candidates), size)]


def _effort(candidates: list[Candidate]) -> tuple[float, float]:
    """Return a sort key for the work of a group: narrow kernels first, then large costs."""
    narrowness = float(candidates[0].gamma) if uses_gamma(candidates[0].kernel) else 0.0
    return narrowness, sum(candidate.C1 + candidate.C2 for candidate in candidates)


def _warn(message: str, stacklevel: int = 5) -> None:
    warnings.warn(message, ConvergenceWarning, stacklevel=stacklevel)
