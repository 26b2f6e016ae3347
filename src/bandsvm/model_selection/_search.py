"""The search of BandedSVCCV: stages of candidates, scored kernel by kernel."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv

from bandsvm import _validation
from bandsvm._limits import Limits
from bandsvm._parameters import check_parameters
from bandsvm._progress import say
from bandsvm._threads import n_threads, single_threaded_blas
from bandsvm._training import training_problems
from bandsvm.kernels import resolve_gamma, uses_gamma
from bandsvm.model_selection._bound import check_theorem_holds
from bandsvm.model_selection._folds import Folds, Scores, StoredDecisions, cross_validate
from bandsvm.model_selection._grid import (
    DEFAULT_C1,
    DEFAULT_C2_SHARES,
    DEFAULT_RHO2_FACTORS,
    Candidate,
    around,
    as_gammas,
    as_grid,
    best_of,
    is_on_edge,
    snake,
)
from bandsvm.solvers import Status

# The band is searched at this many of the C-SVM's best points.
N_LEADERS = 2
# Candidates that follow each other over one store of rows: with more of them, one kernel would keep
# only one thread busy. (It must not depend on the threads; the scores would.)
MOST_TOGETHER = 25


def kernels_of(estimator: Any) -> list[Any]:
    """Return the kernels that an estimator is to try."""
    kernel = estimator.kernel
    return list(kernel) if isinstance(kernel, (list, tuple)) else [kernel]


class Search:
    """All candidates so far, their scores, and what to try next.

    Parameters
    ----------
    estimator : BandedSVCCV
        What to search, and how.
    template : callable
        Returns a BandedSVC, with all that is not searched, for a kernel.
    X, y, sample_weight : array-like
        The training set.
    """

    def __init__(
        self,
        estimator: Any,
        template: Callable[[Any], Any],
        X: Any,
        y: Any,
        sample_weight: Any,
    ) -> None:
        self._estimator, self._template = estimator, template
        self._check_choices()
        X, y = _validation.check_samples(estimator, X, y, reset=True)
        weights = _validation.check_weights(sample_weight, X.shape[0])
        for kernel in kernels_of(estimator):
            check_parameters(template(kernel))
            _validation.check_for_kernel(kernel, X)
        self.classes = training_problems(template(kernels_of(estimator)[0]), y, weights).classes
        everything = np.arange(len(y))
        splits, score = [(everything, everything)], None
        if estimator.criterion == "cv":
            splits = list(check_cv(estimator.cv, y, classifier=True).split(X, y))
            score = self._scorer(y, weights, sample_weight)
        self.folds = Folds(X, y, weights, splits, score)
        needs_gamma = any(uses_gamma(kernel) for kernel in kernels_of(estimator))
        self._scale = resolve_gamma("scale", X, weights) if needs_gamma else np.nan
        self.candidates: list[Candidate] = []
        self._scores = np.empty((0, len(splits)))
        self._seconds = np.empty((0, len(splits)))
        self._n_unconverged = 0
        self._reference: NDArray | None = None
        self._limits = Limits(estimator.time_limit)

    def run(self) -> int:
        """Try all stages and return the best candidate."""
        with self._limits, single_threaded_blas():
            grids = self._grids()
            self._try(
                [
                    Candidate(*place, C1, 0.0, self._rho2s()[0])
                    for place, C1s in grids.items()
                    for C1 in C1s
                ]
            )
            if self._estimator.search == "full":
                self._try(
                    [
                        c
                        for place, C1s in grids.items()
                        for C1 in C1s
                        for c in self._bands(*place, C1)
                    ]
                )
            else:
                leaders = self._leaders()
                self._try([c for leader in leaders for c in self._bands(*leader[:3])])
            for _ in range(self._estimator.refine):
                self._try(self._neighbours())
            self._try(self._without_band())
        return self._verdict()

    def results(self) -> dict[str, Any]:
        """Return all candidates and their scores as scikit-learn's searches do."""
        mean = self._means()
        order = np.argsort(np.where(np.isnan(mean), np.inf, -mean), kind="stable")
        rank = np.empty(len(mean), dtype=np.int32)
        ranked = np.round(mean[order], 12)
        rank[order] = 1 + np.searchsorted(
            -np.nan_to_num(ranked, nan=-np.inf), -np.nan_to_num(ranked, nan=-np.inf)
        )
        results: dict[str, Any] = {"params": [c.parameters() for c in self.candidates]}
        for name in Candidate._fields:
            results[f"param_{name}"] = np.array([getattr(c, name) for c in self.candidates])
        for fold in range(self._scores.shape[1]):
            results[f"split{fold}_test_score"] = self._scores[:, fold]
        results |= {
            "mean_test_score": mean,
            "std_test_score": self._scores.std(axis=1),
            "rank_test_score": rank,
            "mean_fit_time": self._seconds.mean(axis=1),
        }
        return results

    def _means(self) -> NDArray[np.float64]:
        """Return mean scores; NaN for candidates without a score in every fold."""
        return self._scores.mean(axis=1)

    def _check_choices(self) -> None:
        """Check the parameters that a BandedSVC does not have."""
        estimator = self._estimator
        if estimator.search not in ("staged", "full"):
            raise ValueError(f"search must be 'staged' or 'full', got {estimator.search!r}.")
        if estimator.criterion not in ("cv", "loo_bound"):
            raise ValueError(f"criterion must be 'cv' or 'loo_bound', got {estimator.criterion!r}.")
        if estimator.criterion == "loo_bound":
            for kernel in kernels_of(estimator):
                check_theorem_holds(self._template(kernel))
        if not (isinstance(estimator.refine, int) and estimator.refine >= 0):
            raise ValueError(f"refine must be an integer of at least 0, got {estimator.refine!r}.")
        if not kernels_of(estimator):
            raise ValueError("kernel must name at least one kernel to try, got none.")

    def _scorer(self, y: NDArray, weights: NDArray, given: Any) -> Any:
        """Return what scores the decision values of the samples that are held out."""
        scoring = self._estimator.scoring
        if scoring is None:

            def accuracy(decisions: StoredDecisions, held_out: NDArray) -> float:
                right = decisions.predict(None) == y[held_out]
                return float(np.average(right, weights=_not_all_zero(weights[held_out])))

            return accuracy
        scorer = get_scorer(scoring)

        def score(decisions: StoredDecisions, held_out: NDArray) -> float:
            nothing = np.empty((len(held_out), 0))
            options = {} if given is None else {"sample_weight": weights[held_out]}
            return float(scorer(decisions, nothing, y[held_out], **options))

        return score

    def _grids(self) -> dict[tuple[Any, Any], list[float]]:
        """Return the costs C1 to try for every kernel and gamma."""
        estimator = self._estimator
        C1s = as_grid("C1", estimator.C1, DEFAULT_C1)
        places: list[tuple[Any, Any]] = []
        for kernel in kernels_of(estimator):
            gammas = as_gammas(estimator.gamma, self._scale) if uses_gamma(kernel) else ["scale"]
            places += [(kernel, gamma) for gamma in gammas]
        return dict.fromkeys(places, C1s)

    def _rho2s(self) -> list[float]:
        rho1 = self._estimator.rho1
        return as_grid("rho2", self._estimator.rho2, [rho1 * f for f in DEFAULT_RHO2_FACTORS])

    def _bands(self, kernel: Any, gamma: Any, C1: float) -> list[Candidate]:
        """Return the bands to try for a C-SVM."""
        C2s = as_grid("C2", self._estimator.C2, [C1 * share for share in DEFAULT_C2_SHARES])
        # From one band to the next less changes than from one cost to the next.
        pairs = snake([C2 for C2 in C2s if C2 > 0.0], self._rho2s()[::-1])
        return [Candidate(kernel, gamma, C1, C2, rho2) for C2, rho2 in pairs]

    def _leaders(self) -> list[Candidate]:
        """Return the best candidates so far."""
        means = self._means().copy()
        leaders = []
        for _ in range(min(N_LEADERS, int(np.isfinite(means).sum()))):
            k = best_of(means, self.candidates)
            leaders.append(self.candidates[k])
            means[k] = np.nan
        return leaders

    def _neighbours(self) -> list[Candidate]:
        """Return what lies half-way between the best candidate and its neighbours."""
        if not np.isfinite(self._means()).any():
            return []
        best = self.candidates[best_of(self._means(), self.candidates)]
        same = [c for c in self.candidates if c.kernel == best.kernel]
        C1s = [best.C1, *around(best.C1, sorted({c.C1 for c in same}))]
        gammas = [best.gamma]
        if uses_gamma(best.kernel):
            gammas += around(best.gamma, sorted({c.gamma for c in same}))
        # A band keeps its cost in proportion.
        return [
            best._replace(C1=C1, C2=best.C2 * C1 / best.C1, gamma=gamma)
            for gamma in gammas
            for C1 in sorted(C1s)
        ]

    def _without_band(self) -> list[Candidate]:
        """Return the best candidate without its band: one must score higher to be chosen."""
        if not np.isfinite(self._means()).any():
            return []
        return [self.candidates[best_of(self._means(), self.candidates)]._replace(C2=0.0)]

    def _try(self, candidates: Sequence[Candidate]) -> None:
        """Score candidates that are new, kernel by kernel; the first sets what is hopeless."""
        # Without a band its upper edge means nothing.
        candidates = [c if c.C2 > 0.0 else c._replace(rho2=self._rho2s()[0]) for c in candidates]
        known = set(self.candidates)
        groups: dict[tuple[Any, Any], list[Candidate]] = {}
        for candidate in candidates:
            if candidate not in known:
                groups.setdefault((candidate.kernel, candidate.gamma), []).append(candidate)
        places = list(groups)
        if not places or self._limits.reason() is not None:
            return
        if self._reference is None and self._estimator.give_up:
            # The middle of the grid is the likeliest to be good.
            self._score_all([groups[places.pop(len(places) // 2)]])
            if np.isfinite(self._means()).any():
                self._reference = self._scores[best_of(self._means(), self.candidates)]
        self._score_all([groups[place] for place in places])

    def _score_all(self, groups: list[list[Candidate]]) -> None:
        """Score groups of candidates, each of one kernel, on all threads."""
        groups = [part for group in groups for part in _parts(group)]
        at_once = max(1, min(n_threads(self._estimator.n_jobs), len(groups)))
        jobs = self._estimator.n_jobs if at_once == 1 else 1
        with ThreadPoolExecutor(at_once) as pool:
            # What takes the longest would, begun last, keep one core busy alone.
            longest_first = sorted(
                range(len(groups)), key=lambda k: _effort(groups[k]), reverse=True
            )
            scores = {k: pool.submit(self._score, groups[k], jobs) for k in longest_first}
            for k, group in enumerate(groups):
                self._note(group, scores[k].result())

    def _score(self, candidates: list[Candidate], n_jobs: int | None) -> Scores:
        """Score candidates that share a kernel."""
        model = self._template(candidates[0].kernel).set_params(n_jobs=n_jobs)
        return cross_validate(model, self.folds, candidates, self._reference, self._limits.reason)

    def _note(self, candidates: list[Candidate], scores: Scores) -> None:
        """Remember what came of candidates, and say so."""
        self.candidates += candidates
        self._scores = np.vstack([self._scores, scores.values])
        self._seconds = np.vstack([self._seconds, scores.seconds])
        self._n_unconverged += scores.n_unconverged
        if self._estimator.verbose and np.isfinite(self._means()).any():
            best = best_of(self._means(), self.candidates)
            say(
                f"{_place(candidates[0])}: {_counted(candidates)}; the best of "
                f"{len(self.candidates)} so far scores {self._means()[best]:.4f}: "
                f"{describe(self.candidates[best])}"
            )

    def _verdict(self) -> int:
        """Return the best candidate; warn of what is wrong with it."""
        means = self._means()
        if not np.isfinite(means).any():
            if self._limits.reason() is Status.INTERRUPTED:
                raise KeyboardInterrupt
            raise ValueError(
                "The search scored no candidate in all folds: raise time_limit, or see whether "
                "scoring gives finite numbers."
            )
        best = best_of(means, self.candidates)
        reason = self._limits.reason()
        if reason is not None:
            _warn(
                f"BandedSVCCV ended early ({reason.value}) after {len(self.candidates)} "
                f"candidates; its best so far is kept, with a score of {means[best]:.4g}."
            )
        if self._n_unconverged:
            _warn(
                f"BandedSVCCV: {self._n_unconverged} fits did not reach tol={self._estimator.tol}; "
                "raise max_iter, scale X, or try smaller costs."
            )
        self._warn_of_edges(best, means)
        return best

    def _warn_of_edges(self, best: int, means: NDArray) -> None:
        """Warn where the best of a grid lies at its end and beats all that lie inside."""
        chosen = self.candidates[best]
        names = ["C1"] + (["gamma"] if uses_gamma(chosen.kernel) else [])
        for name in names:
            same = [k for k, c in enumerate(self.candidates) if c.kernel == chosen.kernel]
            grid = sorted({getattr(self.candidates[k], name) for k in same})
            value = getattr(chosen, name)
            if not (len(grid) > 2 and is_on_edge(value, grid)):
                continue
            inner = [
                means[k]
                for k in same
                if np.isfinite(means[k]) and not is_on_edge(getattr(self.candidates[k], name), grid)
            ]
            if means[best] > max(inner, default=-np.inf):
                side = "lower" if value == grid[0] else "higher"
                warnings.warn(
                    f"BandedSVCCV found its best {name}={value:.4g} at the edge of the grid "
                    f"[{grid[0]:.4g}, {grid[-1]:.4g}]; {side} values might score better.",
                    UserWarning,
                    stacklevel=5,
                )


def describe(candidate: Candidate) -> str:
    """Return a candidate's parameters, in a line."""
    numbers = ", ".join(f"{name}={getattr(candidate, name):.4g}" for name in ("C1", "C2", "rho2"))
    return f"{_place(candidate)}, {numbers}"


def _parts(candidates: list[Candidate]) -> list[list[Candidate]]:
    """Return candidates in parts of about equal length, neighbours together."""
    n_parts = -(-len(candidates) // MOST_TOGETHER)
    size = -(-len(candidates) // n_parts)
    return [candidates[start : start + size] for start in range(0, len(candidates), size)]


def _effort(candidates: list[Candidate]) -> tuple[float, float]:
    """Return what tells which of some groups takes longer: a narrow kernel, then large costs."""
    narrowness = float(candidates[0].gamma) if uses_gamma(candidates[0].kernel) else 0.0
    return narrowness, sum(candidate.C1 + candidate.C2 for candidate in candidates)


def _counted(candidates: list[Candidate]) -> str:
    return "1 candidate" if len(candidates) == 1 else f"{len(candidates)} candidates"


def _place(candidate: Candidate) -> str:
    """Return a candidate's kernel, in words."""
    name = candidate.kernel if isinstance(candidate.kernel, str) else "callable"
    return f"{name}, gamma={candidate.gamma:.4g}" if uses_gamma(candidate.kernel) else name


def _warn(message: str) -> None:
    warnings.warn(message, ConvergenceWarning, stacklevel=5)


def _not_all_zero(weights: NDArray) -> NDArray | None:
    return weights if weights.any() else None
