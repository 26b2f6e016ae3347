"""A search for good parameters on training samples, with its scores as they come."""

from __future__ import annotations

import argparse
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm import BandedSVC, BandedSVCCV
from bandsvm._defaults import DEFAULT_FOLDS, SEARCHED
from bandsvm._system.stopping import stop_when
from bandsvm._workflow.held_out import NotHeldOut, held_out
from bandsvm._workflow.noted import noted_warnings
from bandsvm._workflow.quality import Judged
from bandsvm._workflow.search_report import CandidateScores, best_candidates
from bandsvm._workflow.trial import StoppedTooSoonError, Trial
from bandsvm._workflow.work import Work
from bandsvm.cli.tune import splits_of
from bandsvm.model_selection._cv import fit_search
from bandsvm.model_selection._grid import Candidate
from bandsvm.model_selection._reporting import SearchObserver

# How long the best candidate may be fitted once a search was stopped.
SECONDS_AFTER_STOP = 2.0
# What is left is estimated by what was done in this time at least.
SECONDS_BEFORE_ESTIMATE = 1.0


@dataclass(frozen=True)
class Found:
    """What a search chose.

    Parameters
    ----------
    classifier : BandedSVC
        The best candidate, fitted to the training samples.
    sentences : list of str
        What is worth knowing.
    surface : dict
        All candidates and their mean scores, for a picture.
    chooser : BandedSVCCV
        The search.
    folds : Judged or str
        What models of the chosen parameters say of the fold that each was not fitted to; or why
        that is unknown.
    """

    classifier: BandedSVC
    sentences: list[str]
    surface: dict[str, Any]
    chooser: BandedSVCCV
    folds: Judged | str

    @property
    def chosen(self) -> CandidateScores:
        """The scores of the chosen candidate."""
        return best_candidates(self.chooser)[0]

    def describe(self) -> dict[str, Any]:
        """Return scores and candidates as values that JSON takes."""
        return {
            "surface": self.surface,
            "folds": self.chosen.scores.tolist(),
            "candidates": [
                {
                    "settings": each.settings,
                    "mean": each.mean,
                    "deviation": each.deviation,
                    "n_folds": each.n_folds,
                }
                for each in best_candidates(self.chooser)
            ],
            "n_candidates": len(self.chooser.cv_results_["params"]),
            "no_folds": self.folds if isinstance(self.folds, str) else None,
        }


class LiveSurface(SearchObserver):
    """Reports candidates and their scores as they come, and how many are to come."""

    def __init__(self, report: Callable[[dict[str, Any]], None]) -> None:
        self._report = report
        self.last = surface([], np.empty((0, DEFAULT_FOLDS)))
        self._began = time.monotonic()
        self._n_planned, self._n_done = 0, 0  # candidates; candidates times folds
        self._lock = threading.Lock()

    def planned(self, n_candidates: int) -> None:
        """Take over how many candidates there will be."""
        self._n_planned = n_candidates

    def fold_ended(self, n_candidates: int) -> None:
        """Report how far the search is."""
        with self._lock:
            self._n_done += n_candidates
        self._report({"stage": "search", "progress": self._progress()})

    def _progress(self) -> dict[str, Any]:
        """Return how much is done, out of how much, and for how long the rest may take."""
        n_all = max(self._n_planned * DEFAULT_FOLDS, self._n_done, 1)
        share, seconds = self._n_done / n_all, time.monotonic() - self._began
        is_known = share > 0.0 and seconds >= SECONDS_BEFORE_ESTIMATE
        return {
            "n_candidates": self._n_planned,
            "n_done": self._n_done,
            "n_all": n_all,
            "n_folds": DEFAULT_FOLDS,
            "share": share,
            "seconds_left": seconds * (1.0 - share) / share if is_known else None,
        }

    def line(self, text: str) -> None:
        """Report a line on what was done."""
        self._report({"stage": "search", "line": text})

    def scored(self, candidates: Sequence[Candidate], scores: NDArray) -> None:
        """Report all scores so far."""
        self.last = surface(candidates, scores)
        self._report({"stage": "search", "surface": self.last})


def surface(candidates: Sequence[Candidate], scores: NDArray) -> dict[str, Any]:
    """Return candidates and their mean scores over the folds that they have, for a picture."""
    n_folds = np.isfinite(scores).sum(axis=1)
    sums = np.nansum(scores, axis=1)
    means = np.divide(sums, n_folds, out=np.full(len(sums), np.nan), where=n_folds > 0)
    whole = np.where(n_folds == scores.shape[1], means, -np.inf)
    about: dict[str, Any] = {
        name: [getattr(candidate, name) for candidate in candidates] for name in SEARCHED
    }
    return about | {
        "score": [None if np.isnan(mean) else float(mean) for mean in means],
        "is_whole": (n_folds == scores.shape[1]).tolist(),
        "best": int(np.argmax(whole)) if np.isfinite(whole).any() else None,
        "n_folds": scores.shape[1],
    }


def search(trial: Trial, parameters: dict[str, Any], work: Work) -> Found:
    """Search C1, C2, rho2 and gamma by cross-validation; fit the best to the training samples.

    A search that is stopped keeps the best candidate so far, and says so.
    """
    fixed = {name: value for name, value in parameters.items() if name not in SEARCHED}
    largest = int(np.unique(trial.y_train, return_counts=True)[1].max())
    if largest < DEFAULT_FOLDS:
        raise ValueError(
            f"A search needs a class of at least {DEFAULT_FOLDS} training samples, one for each "
            f"fold; the largest has {largest}. Add samples, or press Fit."
        )
    options = argparse.Namespace(folds=DEFAULT_FOLDS)
    live = LiveSurface(work.report)
    with noted_warnings() as said, stop_when(work.reason):
        splits = splits_of(options, replace(trial.table, y=trial.y_train, groups=None))
        chooser = BandedSVCCV(**fixed, cv=splits, refit=False)
        try:
            fit_search(chooser, trial.training_samples, trial.y_train, live)
        except KeyboardInterrupt:
            if not hasattr(chooser, "best_params_"):
                raise StoppedTooSoonError(
                    "The search was stopped before any candidate was scored, so there is no model "
                    "to show."
                ) from None
    was_stopped = work.take_stop()
    classifier = BandedSVC(**fixed)
    classifier.set_params(**chooser.best_params_)
    classifier.set_params(time_limit=SECONDS_AFTER_STOP if was_stopped else None)
    about_fit = trial.fit(classifier, work)
    classifier.set_params(time_limit=None)
    n_tried = len(chooser.cv_results_["params"])
    sentences = [
        f"{'Stopped: the best so far' if was_stopped else 'Best'} of {n_tried} candidates, with a "
        f"mean accuracy of {chooser.best_score_:.4f} in {DEFAULT_FOLDS} folds of the training "
        "samples."
    ]
    chosen = {**live.last, "best": int(chooser.best_index_)}
    folds: Judged | str = "the search was stopped"
    if not was_stopped:
        folds = _folds(trial, classifier, splits, work)
    return Found(classifier, [*sentences, *said, *about_fit], chosen, chooser, folds)


def _folds(trial: Trial, classifier: BandedSVC, splits: Any, work: Work) -> Judged | str:
    """Return what models of the chosen parameters say of folds that they were not fitted to."""
    work.report({"stage": "folds", "line": "Predicting each fold by a model of the others."})
    # What the search has said already need not be noted again.
    with noted_warnings(), stop_when(work.reason):
        try:
            return held_out(classifier, trial.training_samples, trial.y_train, splits, np.inf)
        except NotHeldOut as reason:
            return str(reason)
        except KeyboardInterrupt:
            work.take_stop()
            return "this was stopped"
