"""A search: stages of candidates, scored kernel by kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._checks import data
from bandsvm._fitting.limits import Limits
from bandsvm._kernels import uses_gamma
from bandsvm._system.memory import bytes_of, default_bytes
from bandsvm._system.threads import single_threaded_blas
from bandsvm.model_selection._folds import Folds, Scores
from bandsvm.model_selection._grid import (
    Candidate,
    around,
    best_of,
    kernels_of,
)
from bandsvm.model_selection._reporting import SearchObserver, Watch, counted, describe, kernel_text
from bandsvm.model_selection._score_pool import ScorePool
from bandsvm.model_selection._scoring import Score, scorer_score, try_score
from bandsvm.model_selection._search_kinds import SearchKind
from bandsvm.model_selection._splits import Split, checked_splits
from bandsvm.model_selection._standings import Standings, Verdict

# The second stage is at this many of the best candidates of the first.
N_LEADERS = 2
# Share of the time limit after which a search ends, if a refit is to follow.
SEARCH_SHARE = 0.8
STRATEGIES = ("staged", "full")


class Search:
    """A search from the first candidate to the choice of the best.

    ``template`` returns a model for a kernel, with all parameters that are not searched; the
    estimator's ``_kind`` knows candidates, folds and scores.
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
        self._estimator = estimator
        kind = estimator._kind
        check_choices(estimator)
        kernels = kernels_of(estimator)
        model = template(kernels[0])
        X, y = model._task.check_samples(estimator, X, y, reset=True)
        weights = data.check_weights(sample_weight, X.shape[0])
        for kernel in kernels:
            data.check_for_kernel(kernel, X)
        self.grid = kind.grid(estimator, model, X, y, weights)
        everything = np.arange(len(y))
        splits, score = [(everything, everything)], None
        if kind.needs_folds(estimator):
            splits = checked_splits(
                estimator.cv, X, y, weights, groups, of_classes=kind.has_classes
            )
            own = None if sample_weight is None else weights
            score = self._score(kind, X, y, weights, own, splits[0])
        if by_fold is not None:
            # A model of its own checks each: folds may differ in their features.
            by_fold = [data.check_samples(template(kernels[0]), X, reset=True) for X in by_fold]
        units = model._task.units(template(kernels[0]), y, weights)
        self.folds = Folds(X, y, weights, units, splits, score, kind.stored, by_fold)
        self.standings = Standings(len(splits))
        self._reference: NDArray | None = None
        share = SEARCH_SHARE if estimator.refit else 1.0
        limit = estimator.time_limit
        self._limits = Limits(None if limit is None else share * limit)
        self._watch = Watch(self._limits.reason, bool(estimator.verbose), len(splits), observer)
        allowed = bytes_of(estimator.cache_size)
        n_bytes = default_bytes(np.inf) if allowed is None else allowed
        self._pool = ScorePool(template, self.folds, self._watch, estimator.n_jobs, n_bytes)
        self._first = self.grid.first()
        likely = self._first[len(self._first) // 2]  # the middle of the grid
        self.verdict = Verdict(type(estimator).__name__, self.standings, estimator.tol, likely)

    def _score(
        self,
        kind: SearchKind,
        X: Any,
        y: NDArray,
        weights: NDArray,
        own: NDArray | None,
        split: Split,
    ) -> Score:
        """Return the score of held-out samples; ``own`` are weights that the user gave."""
        scoring = self._estimator.scoring
        if scoring is None:
            return kind.default_score(y, weights)
        is_pairwise = kernels_of(self._estimator)[0] == "precomputed"
        score = scorer_score(scoring, X, y, own, is_pairwise)
        try_score(score, kind.made_up(y, split), split)
        return score

    def run(self) -> int:
        """Try all stages and return the best candidate."""
        with self._limits, single_threaded_blas():
            first, refine = self._first, self._estimator.refine
            n_leaders = len(first)
            if self._estimator.search == "staged":
                n_leaders = min(N_LEADERS, n_leaders)
            # The last stage has one candidate at most.
            n_refined = refine * self._n_neighbours() + 1
            self._watch.report(self._plan(len(first)))
            self._try(first, n_leaders * len(self.grid.others(first[0])) + n_refined)
            if self._estimator.search == "staged":
                first = self.standings.leaders(N_LEADERS)
            self._try([other for one in first for other in self.grid.others(one)], n_refined)
            for k in range(refine):
                self._try(self._neighbours(), (refine - 1 - k) * self._n_neighbours() + 1)
            # A band is chosen only if it scores higher than the same model without it.
            leaders = self.standings.leaders(1)
            self._try([other for leader in leaders for other in self.grid.simpler(leader)], 0)
        return self.verdict.best()

    def _plan(self, n_first: int) -> str:
        """Return a line on what will be tried."""
        n_samples, n_folds = len(self.folds.y), len(self.folds.splits)
        where = "all of them" if self._estimator.search == "full" else f"the best {N_LEADERS}"
        return (
            f"{n_samples} samples, {n_folds} {'fold' if n_folds == 1 else 'folds'}: "
            f"{counted(n_first)} {self.grid.first_words}, then {self.grid.other_words} for "
            f"{where}, then "
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
            best.changed(C1=C1, C2=best.C2 * C1 / best.C1, gamma=gamma)
            for gamma in gammas
            for C1 in sorted(C1s)
        ]

    def _n_neighbours(self) -> int:
        """Return how many new candidates there are around the best one, at most."""
        has_gamma = any(uses_gamma(candidate.kernel) for candidate in self._first)
        return 3 * (3 if has_gamma else 1) - 1

    def _try(self, candidates: Sequence[Candidate], n_later: int) -> None:
        """Score new candidates, kernel by kernel; the first kernel sets what counts as hopeless.

        About ``n_later`` candidates are to follow.
        """
        standings = self.standings
        candidates = [self.grid.without_effect(candidate) for candidate in candidates]
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
                f"{len(tried)} so far scores {means[best]:#.4g}: {describe(tried[best])}"
            )


def check_choices(estimator: Any) -> None:
    """Check all parameters of a search except grids, folds and scores."""
    if not (isinstance(estimator.search, str) and estimator.search in STRATEGIES):
        names = " or ".join(map(repr, STRATEGIES))
        raise ValueError(f"search must be {names}, got {estimator.search!r}.")
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
        model = estimator._template(kernel)
        model.set_params(time_limit=estimator.time_limit, verbose=estimator.verbose)
        model._task.check_parameters(model)
        estimator._kind.check(estimator, model)
    are_precomputed = [isinstance(kernel, str) and kernel == "precomputed" for kernel in kernels]
    if any(are_precomputed) and not all(are_precomputed):
        raise ValueError(
            "kernel='precomputed' cannot be searched together with other kernels: X is either a "
            "kernel matrix or samples."
        )
