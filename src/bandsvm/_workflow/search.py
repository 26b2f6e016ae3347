"""Searches: candidates and their scores, progress on the page, and what follows a search."""

from __future__ import annotations

import math
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from bandsvm._decisions.probabilities import probabilities
from bandsvm._defaults import DEFAULT_FOLDS, SEARCHED, SEARCHED_NUMBERS
from bandsvm._estimators.calibration import fit_sigmoids
from bandsvm._estimators.kernel import BandedSVC
from bandsvm._estimators.regression import BandedSVR
from bandsvm._system.stopping import stop_when
from bandsvm._tables.options import CLASSIFY, REGRESS
from bandsvm._workflow.evaluation import Predictions
from bandsvm._workflow.folds import PreparedFolds
from bandsvm._workflow.holdout import Holdout
from bandsvm._workflow.pipeline import Estimator, rows_of
from bandsvm._workflow.tasks import TASKS, held_out_predictions
from bandsvm._workflow.work import Work, collected_warnings
from bandsvm.model_selection import BandedSVCCV, BandedSVRCV
from bandsvm.model_selection._grid import Candidate
from bandsvm.model_selection._reporting import SearchObserver
from bandsvm.model_selection._searching import fit_search
from bandsvm.model_selection._standings import mean_fold_scores

# Settings of a candidate that tables list, by task.
LISTED = {
    CLASSIFY: ("kernel", "gamma", "C1", "C2", "rho2"),
    REGRESS: ("kernel", "gamma", "C1", "C2", "epsilon"),
}
# Candidates that a table lists.
MAX_CANDIDATES = 20
# How long the best candidate may be fitted once a search was stopped.
SECONDS_AFTER_STOP = 2.0
SECONDS_BEFORE_ESTIMATE = 1.0
# Share of the search and its refit if more is to follow, and the least that it gets.
SHARE_OF_SEARCH, MIN_SECONDS = 0.7, 0.01
# Seconds, and share of the limit at most, in which pictures are drawn.
SECONDS_TO_DRAW, SHARE_TO_DRAW = 3.0, 0.3


AnySearch: TypeAlias = BandedSVCCV | BandedSVRCV


class SearchKind(NamedTuple):
    """A kind of search."""

    search: Any  # its class
    model: Any  # the class of the estimator that it searches
    searched: tuple[str, ...]  # its parameters that hold what to try
    chosen: tuple[str, ...]  # parameters of the model that it chooses
    score: str  # what it maximises by default, as scikit-learn calls it
    score_word: str  # what people call that


KINDS = {
    CLASSIFY: SearchKind(BandedSVCCV, BandedSVC, SEARCHED, SEARCHED, "accuracy", "accuracy"),
    REGRESS: SearchKind(
        BandedSVRCV, BandedSVR, SEARCHED_NUMBERS, ("C1", "C2", "epsilon", "gamma"), "r2", "R2"
    ),
}


@dataclass(frozen=True)
class CandidateScores:
    """A candidate of a search and its scores."""

    # Its parameters, those of `listed`; None where the kernel does not have them.
    settings: dict[str, Any]
    scores: NDArray[np.float64]  # its score in each fold; nan where it was given up before

    @property
    def mean(self) -> float:
        """Mean score over the folds that it has; nan if it has none."""
        return float(mean_fold_scores(self.scores[None])[0])

    @property
    def deviation(self) -> float:
        """Standard deviation over these folds; nan if it has none."""
        return float(np.nanstd(self.scores)) if self.n_folds else np.nan

    @property
    def n_folds(self) -> int:
        """Number of folds in which it has a score."""
        return int(np.isfinite(self.scores).sum())


def task_of_search(search: AnySearch) -> str:
    """Return what the targets of a search are."""
    return REGRESS if isinstance(search, BandedSVRCV) else CLASSIFY


def listed(search: AnySearch) -> tuple[str, ...]:
    """Return the settings of a candidate that tables list."""
    return LISTED[task_of_search(search)]


def scores_by_fold(search: AnySearch) -> NDArray[np.float64]:
    """Return the scores of all candidates, one column per fold; nan where one was given up."""
    names = [f"split{k}_test_score" for k in range(search.n_splits_)]
    return np.column_stack([search.cv_results_[name] for name in names])


def best_candidates(search: AnySearch) -> list[CandidateScores]:
    """Return the chosen candidate of a search, then those of the highest mean scores."""
    scores, best = scores_by_fold(search), search.best_index_
    order = np.argsort(-np.nan_to_num(mean_fold_scores(scores), nan=-np.inf), kind="stable")
    order = np.concatenate([[best], order[order != best]])[:MAX_CANDIDATES]
    settings = search.cv_results_["params"]
    return [
        CandidateScores({name: settings[k].get(name) for name in listed(search)}, scores[k])
        for k in order.tolist()
    ]


class TimeBudget:
    """Divides a time limit, which may be infinite, between a search and what follows it.

    Pictures and probabilities may follow. ``began`` is when everything began, by `time.monotonic`.
    """

    def __init__(self, limit: float, began: float, *, is_drawn: bool, is_calibrated: bool) -> None:
        self._share = SHARE_OF_SEARCH if is_drawn or is_calibrated else 1.0
        if is_drawn and limit < math.inf:
            limit -= min(SECONDS_TO_DRAW, SHARE_TO_DRAW * limit)
        # When no more models may be fitted, by `time.monotonic`.
        self.end = began + limit

    def seconds_for_search(self) -> float | None:
        """Return how long search and refit may take, None if as long as they want."""
        left = self.end - time.monotonic()
        return max(self._share * left, MIN_SECONDS) if math.isfinite(left) else None

    def spend(self) -> None:
        """Leave no time for more models."""
        self.end = -math.inf


@dataclass
class FinishedSearch:
    """A search that has ended, and models of its parameters that predict held-out folds."""

    search: AnySearch  # the search, with its best model
    folds: PreparedFolds  # what it was fitted to
    budget: TimeBudget  # how long everything may take

    @cached_property
    def held_out(self) -> Any:
        """What models of the best parameters say of folds that they were not fitted to.

        Predictions, as the task makes them, or why that is unknown.
        """
        return self._held_out(self.search.best_estimator_)

    def held_out_by_model(self) -> dict[str, Predictions] | str:
        """Return `held_out` by name, beside the same without a band where there is one."""
        best, held_out = self.search.best_estimator_, self.held_out
        if isinstance(held_out, str):
            return held_out
        by_model = {"best": held_out}
        if best.C2 > 0.0:
            without = self._held_out(clone(best).set_params(C2=0.0))
            if not isinstance(without, str):
                by_model["the same without a band"] = without
        return by_model

    def calibrate(self) -> str | None:
        """Give the best model probabilities; return why that is not possible, or None."""
        if isinstance(self.held_out, str):
            return self.held_out
        values = self.held_out.values.reshape(len(self.folds.y), -1)
        self.search.best_estimator_.sigmoids_ = fit_sigmoids(values, self.folds.y)
        return None

    def held_out_probabilities(self) -> NDArray[np.float64] | None:
        """Return probabilities of classes from `held_out`; None if there are none."""
        sigmoids = getattr(self.search.best_estimator_, "sigmoids_", None)
        if sigmoids is None or isinstance(self.held_out, str):
            return None
        return probabilities(sigmoids, self.held_out.values)

    def _held_out(self, model: Estimator) -> Any:
        with warnings.catch_warnings():
            # The search has said which fits do not converge.
            warnings.simplefilter("ignore", ConvergenceWarning)
            return held_out_predictions(self.folds, model, self.budget.end)


@dataclass(frozen=True)
class SearchResult:
    """What a search on the page chose."""

    estimator: Any  # the best candidate, fitted to the training samples
    sentences: list[str]  # what is worth knowing
    surface: dict[str, Any]  # all candidates and their mean scores, for a picture
    search: AnySearch  # the search
    # What models of the chosen parameters say of the fold that each was not fitted to, as the task
    # makes predictions; or why that is unknown.
    folds: Any

    @property
    def chosen(self) -> CandidateScores:
        """The scores of the chosen candidate."""
        return best_candidates(self.search)[0]

    def describe(self) -> dict[str, Any]:
        """Return scores and candidates as values that JSON takes."""
        listed = best_candidates(self.search)
        return {
            "surface": self.surface,
            "folds": listed[0].scores.tolist(),
            "candidates": [
                {
                    "settings": each.settings,
                    "mean": each.mean,
                    "deviation": each.deviation,
                    "n_folds": each.n_folds,
                }
                for each in listed
            ],
            "n_candidates": len(self.search.cv_results_["params"]),
            "no_folds": self.folds if isinstance(self.folds, str) else None,
        }


class SearchProgress(SearchObserver):
    """Reports candidates and their scores as they come, and how many are to come.

    What is left is estimated by what was done in ``min_seconds`` at least.
    """

    def __init__(
        self,
        report: Callable[[dict[str, Any]], None],
        min_seconds: float = SECONDS_BEFORE_ESTIMATE,
        task: str = CLASSIFY,
    ) -> None:
        self._report, self._min_seconds, self._task = report, min_seconds, task
        self.last = surface([], np.empty((0, DEFAULT_FOLDS)), task)
        self._began = time.monotonic()
        self._n_planned, self._n_done = 0, 0  # candidates; candidates times folds
        self._lock = threading.Lock()

    def planned(self, n_candidates: int) -> None:
        """Take over how many candidates there will be."""
        self._n_planned = n_candidates

    def fold_ended(self, n_candidates: int) -> None:
        """Report how much is done, out of how much, and for how long the rest may take."""
        with self._lock:
            self._n_done += n_candidates
        n_all = max(self._n_planned * DEFAULT_FOLDS, self._n_done, 1)
        share, seconds = self._n_done / n_all, time.monotonic() - self._began
        is_known = share > 0.0 and seconds >= self._min_seconds
        progress = {
            "n_candidates": self._n_planned,
            "n_done": self._n_done,
            "n_all": n_all,
            "n_folds": DEFAULT_FOLDS,
            "share": share,
            "seconds_left": seconds * (1.0 - share) / share if is_known else None,
        }
        self._report({"stage": "search", "progress": progress})

    def line(self, text: str) -> None:
        """Report a line on what was done."""
        self._report({"stage": "search", "line": text})

    def scored(self, candidates: Sequence[Candidate], scores: NDArray) -> None:
        """Report all scores so far."""
        self.last = surface(candidates, scores, self._task)
        self._report({"stage": "search", "surface": self.last})


def surface(
    candidates: Sequence[Candidate], scores: NDArray, task: str = CLASSIFY
) -> dict[str, Any]:
    """Return candidates and their mean scores over the folds that they have, for a picture."""
    means, is_whole = mean_fold_scores(scores), np.isfinite(scores).all(axis=1)
    whole = np.where(is_whole, means, -np.inf)
    about: dict[str, Any] = {
        name: [getattr(candidate, name) for candidate in candidates] for name in KINDS[task].chosen
    }
    return about | {
        "task": task,
        "score": [None if np.isnan(mean) else float(mean) for mean in means],
        "is_whole": is_whole.tolist(),
        "best": int(np.argmax(whole)) if np.isfinite(whole).any() else None,
        "n_folds": scores.shape[1],
    }


def search_on_page(
    holdout: Holdout,
    parameters: dict[str, Any],
    work: Work,
    progress: SearchProgress | None = None,
) -> SearchResult:
    """Search costs, band or tube, and gamma by cross-validation; fit the best to training samples.

    A search that is stopped keeps the best candidate so far, and says so.
    """
    task = holdout.table.task
    kind = KINDS[task]
    if "quantile" in parameters:
        raise ValueError("Search chooses tubes, not quantiles; press Fit, or predict one number.")
    fixed = {k: v for k, v in parameters.items() if k not in {*kind.searched, *kind.chosen}}
    _check_folds(task, holdout.y_train)
    progress = progress or SearchProgress(work.report, task=task)
    with collected_warnings() as said, stop_when(work.reason):
        X, y = rows_of(holdout.table.X, holdout.train), holdout.y_train
        splits = TASKS[task].splits(y, DEFAULT_FOLDS)
        folds = PreparedFolds.of(holdout.preparation, holdout.training_samples, X, y, splits)
        search = kind.search(**fixed, cv=folds.splits, refit=False)
        try:
            fit_search(search, folds.X, folds.y, progress, folds.by_fold)
        except KeyboardInterrupt:
            if not hasattr(search, "best_params_"):
                raise ValueError(
                    "The search was stopped before any candidate was scored, so there is no model "
                    "to show."
                ) from None
    was_stopped = work.take_stop()
    limit = SECONDS_AFTER_STOP if was_stopped else None
    estimator = kind.model(**fixed).set_params(**search.best_params_, time_limit=limit)
    about_fit = holdout.fit(estimator, work)
    estimator.set_params(time_limit=None)
    n_tried = len(search.cv_results_["params"])
    sentence = (
        f"{'Stopped: the best so far' if was_stopped else 'Best'} of {n_tried} candidates, with a "
        f"mean {kind.score_word} of {search.best_score_:.4f} in {DEFAULT_FOLDS} folds of the "
        "training samples."
    )
    chosen = {**progress.last, "best": int(search.best_index_)}
    held_out: Any = "the search was stopped"
    if not was_stopped:
        held_out = _held_out_on_page(folds, estimator, work)
    return SearchResult(estimator, [sentence, *said, *about_fit], chosen, search, held_out)


def _check_folds(task: str, y: NDArray) -> None:
    """Raise if there are too few training samples for a search."""
    if task == REGRESS and len(y) < DEFAULT_FOLDS:
        raise ValueError(
            f"A search needs at least {DEFAULT_FOLDS} training samples, one for each fold; there "
            f"are {len(y)}. Add samples, or press Fit."
        )
    largest = int(np.unique(y, return_counts=True)[1].max())
    if task == CLASSIFY and largest < DEFAULT_FOLDS:
        raise ValueError(
            f"A search needs a class of at least {DEFAULT_FOLDS} training samples, one for each "
            f"fold; the largest has {largest}. Add samples, or press Fit."
        )


def _held_out_on_page(folds: PreparedFolds, estimator: Estimator, work: Work) -> Any:
    """Return what models of the chosen parameters say of folds that they were not fitted to."""
    work.report({"stage": "folds", "line": "Predicting each fold by a model of the others."})
    # What the search has said already need not be said again.
    with collected_warnings(), stop_when(work.reason):
        try:
            return held_out_predictions(folds, estimator, np.inf)
        except KeyboardInterrupt:
            work.take_stop()
            return "this was stopped"
