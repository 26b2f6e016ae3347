"""Cross-validation over kernel rows: in a fold, held-out samples have zero cost.

All folds share the rows, unless every fold prepares samples in its own way.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm._certificate import choose_intercept
from bandsvm._fitting.settings import FitSettings
from bandsvm._fitting.training import Training
from bandsvm._kernels import KernelOperator
from bandsvm._problem import Solution, Start, Status, moved_by
from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.units import DecisionUnits
from bandsvm._system.stopping import Stop
from bandsvm.model_selection._bound import lowest_margin
from bandsvm.model_selection._grid import Candidate, largest_of
from bandsvm.model_selection._reporting import Watch
from bandsvm.model_selection._scoring import Score, Stored
from bandsvm.model_selection._shared import (
    CheckedRows,
    at_new_bounds,
    scaled_start,
)
from bandsvm.model_selection._splits import Split

# Up to this many samples exact solutions cost little, and scores do not depend on the order.
EXACT_UP_TO = 300
# A candidate is hopeless after two folds if it is behind by this many standard errors; the
# deviation of scores counts as at least this much.
HOPELESS = 3.0
MIN_DEVIATION = 0.01
# Statuses of fits that were cut short and so give no score.
CUT_SHORT = (Status.INTERRUPTED, Status.TIME_LIMIT, Status.STOPPED)
# Approximate number of uses of a row per candidate and fold.
USES_PER_SOLVE = 1.0


@dataclass(frozen=True)
class Group:
    """Candidates that share a kernel, and so its rows."""

    model: Any  # an estimator with this kernel, and all parameters that are not searched
    settings: FitSettings  # its settings, gamma included
    candidates: list[Any]

    def training(self, candidate: Candidate, known: Any) -> Training:
        """Return the problems of a candidate for targets that are `known` to its task."""
        model = copy(self.model)
        model.__dict__.update(candidate.parameters())
        return model._task.problems(model._task.band(model), known, keep_all=True)


@dataclass(frozen=True)
class Folds:
    """A training set, its splits, and the score of held-out samples.

    ``stored`` makes estimators of decision values, which the score takes. If ``score`` is None,
    candidates are scored by the leave-one-out bound of the training samples.
    ``by_fold`` has all samples once per fold, as steps that were fitted to its training part make
    them; None: every fold has X.
    """

    X: Any
    y: NDArray
    weights: NDArray[np.float64]
    units: DecisionUnits
    splits: Sequence[Split]
    score: Score | None
    stored: Stored
    by_fold: Sequence[Any] | None = None


@dataclass
class Scores:
    """Scores of candidates, one row per candidate and one column per fold; NaN if given up."""

    values: NDArray[np.float64]
    seconds: NDArray[np.float64]
    n_unconverged: int = 0  # fits that did not reach ``tol``
    n_undefined: int = 0  # scores that are not finite
    ended_by: Status | None = None  # why the work ended early

    @classmethod
    def none_yet(cls, n_candidates: int, n_folds: int, ended_by: Status | None = None) -> Scores:
        """Return scores of candidates that have none so far."""
        shape = n_candidates, n_folds
        return cls(np.full(shape, np.nan), np.zeros(shape), ended_by=ended_by)


def cross_validate(
    group: Group,
    folds: Folds,
    reference: NDArray | None,
    watch: Watch,
) -> Scores:
    """Return the scores of candidates that share a kernel, each started from the previous one.

    Candidates are ordered so that neighbours follow each other. They can become hopeless relative
    to the scores in ``reference``, one per fold; None scores all candidates in all folds.
    """
    candidates = group.candidates
    scores = Scores.none_yet(len(candidates), len(folds.splits), watch.reason())
    if scores.ended_by is not None:
        return scores
    rows: CheckedRows | None = None
    is_alive = np.ones(len(candidates), dtype=bool)
    others: list[Solved] = []
    for fold in range(len(folds.splits)):
        if rows is None or folds.by_fold is not None:
            rows = None  # frees the memory of the last fold's rows before the next ones take it
            rows = CheckedRows(_rows(group, folds, fold), group.settings.solving)
        solver = FoldSolver(group, folds, fold, rows, watch, others, scores)
        for k in np.flatnonzero(is_alive).tolist():
            if (reason := watch.reason()) is not None:
                scores.ended_by = scores.ended_by or reason
                break
            began = time.perf_counter()
            scores.values[k, fold] = solver.score_of(candidates[k])
            scores.seconds[k, fold] = time.perf_counter() - began
        watch.fold(candidates, fold, scores.values[:, fold])
        others = solver.first
        del solver
        if scores.ended_by is not None:
            break
        if reference is not None and fold >= 1:
            is_alive &= ~is_hopeless(scores.values[:, : fold + 1], reference[: fold + 1])
    return scores


def _rows(group: Group, folds: Folds, fold: int) -> KernelOperator:
    """Return the store of kernel rows of a fold, which others share if they have its samples."""
    known = group.model._task.known(group.model, folds.y, folds.weights, folds.units)
    n_folds = len(folds.splits) if folds.by_fold is None else 1
    return group.settings.rows(
        folds.X if folds.by_fold is None else folds.by_fold[fold],
        largest_cost=group.training(largest_of(group.candidates), known).largest_cost,
        n_uses=USES_PER_SOLVE * len(group.candidates) * n_folds,
    )


def is_hopeless(values: NDArray, reference: NDArray) -> NDArray[np.bool_]:
    """Return which rows are so far behind the reference that more folds would not help."""
    behind = reference - values
    deviation = max(float(reference.std(ddof=1)), MIN_DEVIATION)
    far = behind.mean(axis=1) > HOPELESS * deviation / np.sqrt(len(reference))
    return far & (behind > 0.0).all(axis=1)


class Solved(NamedTuple):
    """A problem and its solution."""

    problem: BandProblem
    solution: Solution

    @property
    def decision(self) -> NDArray[np.float64]:
        """Decision values of all samples, including held-out ones."""
        problem, (c, f) = self.problem, (self.solution.c, self.solution.f)
        return f + choose_intercept(problem, c, f)


class FoldSolver:
    """Solves the candidates of one fold in sequence, each started from the previous solution.

    The first starts from that of another fold, ``others``, since most of their samples are the
    same. What goes wrong is noted in ``scores``.
    """

    def __init__(
        self,
        group: Group,
        folds: Folds,
        fold: int,
        rows: CheckedRows,
        watch: Watch,
        others: list[Solved],
        scores: Scores,
    ) -> None:
        self._group, self._folds, self._rows, self._watch = group, folds, rows, watch
        self._fold = fold
        train, self._held_out = folds.splits[fold]
        self._weights = np.zeros(len(folds.y))
        self._weights[train] = folds.weights[train]
        model = group.model
        self._known = model._task.known(model, folds.y, self._weights, folds.units)
        self.first: list[Solved] = []
        self._others, self._scores = others, scores
        self._last: list[Solved] = []
        self._last_candidate: Candidate | None = None

    def score_of(self, candidate: Candidate) -> float:
        """Return the score of a candidate on the samples that are held out.

        It is NaN if it is undefined, or if the fit was cut short.
        """
        try:
            return self._score_of(candidate)
        except Stop as stop:
            self._scores.ended_by = stop.reason
            return np.nan

    def _score_of(self, candidate: Candidate) -> float:
        training = self._group.training(candidate, self._known)
        solved: list[Solved] = []
        for k, problem in enumerate(training.problems):
            solution = self._rows.solve(
                self._start(k, training, candidate),
                problem,
                polished=len(self._weights) <= EXACT_UP_TO,
                callback=lambda progress: self._watch.step(candidate, self._fold, progress),
            )
            if solution.status in CUT_SHORT:
                self._scores.ended_by = solution.status
                return np.nan
            self._scores.n_unconverged += solution.status is not Status.CONVERGED
            if not np.isfinite(solution.f).all():
                return np.nan
            solved.append(Solved(problem, solution))
        self.first = self.first or solved
        self._last, self._last_candidate = solved, candidate
        if self._folds.score is None:
            return self._share_beyond_doubt(training)
        values = np.column_stack([each.decision[self._held_out] for each in solved])
        stored = self._folds.stored(training.targets, values)
        score = self._folds.score(stored, self._folds.splits[self._fold])
        self._scores.n_undefined += not np.isfinite(score)
        return score

    def _start(self, k: int, training: Training, candidate: Candidate) -> Start | None:
        """Return the start for problem ``k`` of a candidate."""
        if self._last_candidate is None:
            if len(self._others) != len(training.problems):
                return None  # the folds have other classes
            is_same_kernel = self._folds.by_fold is None
            return self._moved(self._others[k], training.problems[k], is_same_kernel)
        last = self._last[k]
        scaled = scaled_start(last.solution, training.signs[k], self._last_candidate, candidate)
        return scaled or self._moved(last, training.problems[k])

    def _moved(self, last: Solved, problem: BandProblem, is_same_kernel: bool = True) -> Start:
        """Return the solution of another problem, with coefficients moved to this one's bounds."""
        c, f = last.solution.c, last.solution.f.copy()
        now = at_new_bounds(last.problem, problem, c, last.decision)
        if not is_same_kernel:
            return Start(now)
        changed, rows = np.flatnonzero(now != c), self._rows.rows
        change = now[changed] - c[changed]
        rows.update(f, changed, change)
        return Start(now, f, moved_by(last.solution.moved, rows.sizes()[changed], change))

    def _share_beyond_doubt(self, training: Training) -> float:
        """Return the share of samples that the bound proves right when they are left out."""
        c, f = (np.array([getattr(s.solution, name) for s in self._last]) for name in ("c", "f"))
        margin = lowest_margin(training, c, f, self._rows.rows.diagonal())
        return float(np.mean(margin[self._weights > 0.0] > 0.0))
