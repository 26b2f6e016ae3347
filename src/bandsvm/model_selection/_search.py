"""The search of BandedSVCCV: stages of candidates, scored kernel by kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._checks import data
from bandsvm._checks.parameters import band_parameters, check_parameters
from bandsvm._fitting.labels import labels_of
from bandsvm._fitting.limits import Limits
from bandsvm._kernels import uses_gamma
from bandsvm._system.memory import bytes_of, default_bytes
from bandsvm._system.threads import single_threaded_blas
from bandsvm.model_selection._bound import check_theorem_holds
from bandsvm.model_selection._folds import Folds, Scores
from bandsvm.model_selection._grid import (
    Candidate,
    Grid,
    around,
    best_of,
    kernels_of,
)
from bandsvm.model_selection._reporting import SearchObserver, Watch, counted, describe, kernel_text
from bandsvm.model_selection._score_pool import ScorePool
from bandsvm.model_selection._scoring import accuracy_score, scorer_score, try_score
from bandsvm.model_selection._splits import checked_splits
from bandsvm.model_selection._standings import Standings, Verdict

# The band is searched at this many of the C-SVM's best points.
N_LEADERS = 2
# Share of the time limit after which a search ends, if a refit is to follow.
SEARCH_SHARE = 0.8


class Search:
    """A search of a BandedSVCCV from the first candidate to the choice of the best.

    ``template`` returns a BandedSVC for a kernel, with all parameters that are not searched.
    ``by_fold`` has all samples once per fold, in the order of ``cv``, as steps that were fitted to
    its training part make them; None: X in every fold.
    """

    def __init__(
        self,
        estimator: Any,
        template: Callable[[Any], Any],
        X: Any,
        y: Any,
        sample_weight: Any,
        groups: Any,
        observer: SearchObserver | None = None,
        by_fold: Sequence[Any] | None = None,
    ) -> None:
        self._estimator, self._template = estimator, template
        check_choices(estimator, template)
        X, y = data.check_samples(estimator, X, y, reset=True)
        weights = data.check_weights(sample_weight, X.shape[0])
        kernels = kernels_of(estimator)
        for kernel in kernels:
            data.check_for_kernel(kernel, X)
        model = template(kernels[0])
        self.classes = labels_of(estimator.class_weight, y, weights).classes
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
        if by_fold is not None:
            # A model of its own checks each: folds may differ in their features.
            by_fold = [data.check_samples(template(kernels[0]), X, reset=True) for X in by_fold]
        self.folds = Folds(X, y, weights, splits, score, by_fold)
        self.standings = Standings(len(splits))
        self._reference: NDArray | None = None
        share = SEARCH_SHARE if estimator.refit else 1.0
        limit = estimator.time_limit
        self._limits = Limits(None if limit is None else share * limit)
        self._watch = Watch(self._limits.reason, bool(estimator.verbose), len(splits), observer)
        allowed = bytes_of(estimator.cache_size)
        n_bytes = default_bytes(np.inf) if allowed is None else allowed
        self._pool = ScorePool(template, self.folds, self._watch, estimator.n_jobs, n_bytes)
        self._csvms = self._grid.without_band()
        likely = self._csvms[len(self._csvms) // 2]  # the middle of the grid
        self.verdict = Verdict(self.standings, estimator.tol, likely)

    def run(self) -> int:
        """Try all stages and return the best candidate."""
        with self._limits, single_threaded_blas():
            csvms, refine = self._csvms, self._estimator.refine
            n_leaders = len(csvms)
            if self._estimator.search == "staged":
                n_leaders = min(N_LEADERS, n_leaders)
            # The last stage has one candidate at most.
            n_refined = refine * self._n_neighbours() + 1
            self._watch.report(self._plan(len(csvms)))
            self._try(csvms, n_leaders * len(self._grid.bands(csvms[0])) + n_refined)
            if self._estimator.search == "staged":
                csvms = self.standings.leaders(N_LEADERS)
            self._try([band for csvm in csvms for band in self._grid.bands(csvm)], n_refined)
            for k in range(refine):
                self._try(self._neighbours(), (refine - 1 - k) * self._n_neighbours() + 1)
            # A band is chosen only if it scores higher than the same model without it.
            self._try([leader._replace(C2=0.0) for leader in self.standings.leaders(1)], 0)
        return self.verdict.best()

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

    def _n_neighbours(self) -> int:
        """Return how many new candidates there are around the best one, at most."""
        has_gamma = any(uses_gamma(candidate.kernel) for candidate in self._csvms)
        return 3 * (3 if has_gamma else 1) - 1

    def _try(self, candidates: Sequence[Candidate], n_later: int) -> None:
        """Score new candidates, kernel by kernel; the first kernel sets what counts as hopeless.

        About ``n_later`` candidates are to follow.
        """
        standings, widest = self.standings, self._grid.widest_rho2
        # Without a band, rho2 has no effect.
        candidates = [c if c.C2 > 0.0 else c._replace(rho2=widest) for c in candidates]
        known = set(standings.candidates)
        groups: dict[tuple[Any, Any], list[Candidate]] = {}
        for candidate in dict.fromkeys(candidates):
            if candidate not in known:
                groups.setdefault((candidate.kernel, candidate.gamma), []).append(candidate)
        n_new = sum(map(len, groups.values()))
        self._watch.observer.planned(len(known) + n_new + n_later)
        places = list(groups)
        if not places or self.verdict.ended_by is not None:
            return
        if self._reference is None and self._estimator.give_up:
            # The middle of the grid is the most likely to be good.
            self._score_all([groups[places.pop(len(places) // 2)]])
            means = standings.means()
            if np.isfinite(means).any():
                self._reference = standings.scores[best_of(means, standings.candidates)]
        if self.verdict.ended_by is None:
            self._score_all([groups[place] for place in places])

    def _score_all(self, groups: list[list[Candidate]]) -> None:
        """Score groups of candidates, each of one kernel."""
        for candidates, scores in self._pool.score(groups, self._reference):
            self._note(candidates, scores)

    def _note(self, candidates: list[Candidate], scores: Scores) -> None:
        """Store the scores of candidates and report them."""
        self.standings.add(candidates, scores)
        verdict = self.verdict
        verdict.n_unconverged += scores.n_unconverged
        verdict.n_undefined += scores.n_undefined
        verdict.ended_by = verdict.ended_by or scores.ended_by
        means, tried = self.standings.means(), self.standings.candidates
        self._watch.observer.scored(tried, self.standings.scores)
        if np.isfinite(means).any():
            best = best_of(means, tried)
            self._watch.report_now_and_then(
                f"{kernel_text(candidates[0])}: {counted(len(candidates))}; the best of "
                f"{len(tried)} so far scores {means[best]:.4f}: {describe(tried[best])}"
            )


def check_choices(estimator: Any, template: Callable[[Any], Any]) -> None:
    """Check all parameters of a search except grids, folds and scores.

    ``template`` returns a BandedSVC for a kernel, with all parameters that are not searched.
    """
    _check_name("search", estimator.search, ("staged", "full"))
    _check_name("criterion", estimator.criterion, ("cv", "loo_bound"))
    refine = estimator.refine
    if isinstance(refine, bool) or not (isinstance(refine, Integral) and int(refine) >= 0):
        raise ValueError(f"refine must be an integer of at least 0, got {refine!r}.")
    for name in ("give_up", "refit"):
        value = getattr(estimator, name)
        if not isinstance(value, (Integral, np.bool_)):
            raise TypeError(f"{name} must be True or False, got {value!r}.")
    kernels = kernels_of(estimator)
    if not kernels:
        raise ValueError("kernel must name at least one kernel to try, got none.")
    for kernel in kernels:
        model = template(kernel)
        check_parameters(
            model.set_params(time_limit=estimator.time_limit, verbose=estimator.verbose)
        )
        if estimator.criterion == "loo_bound":
            check_theorem_holds(model)
    are_precomputed = [isinstance(kernel, str) and kernel == "precomputed" for kernel in kernels]
    if any(are_precomputed) and not all(are_precomputed):
        raise ValueError(
            "kernel='precomputed' cannot be searched together with other kernels: X is either a "
            "kernel matrix or samples."
        )


def _check_name(name: str, value: Any, names: tuple[str, ...]) -> None:
    if not (isinstance(value, str) and value in names):
        raise ValueError(f"{name} must be {' or '.join(map(repr, names))}, got {value!r}.")
