"""Cross-validation over shared kernel rows: in a fold, samples held out cost nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from bandsvm._position import verdict
from bandsvm._training import Training, band_problems, labels_of
from bandsvm.certificate import choose_intercept
from bandsvm.kernels import KernelSettings, uses_gamma
from bandsvm.model_selection._bound import lowest_margin
from bandsvm.model_selection._grid import Candidate
from bandsvm.model_selection._shared import (
    CheckedRows,
    Point,
    Start,
    at_new_bounds,
    scaled_start,
    shared_rows,
)
from bandsvm.problem import BandProblem
from bandsvm.solvers import Progress, Solution, Status

# Up to this many samples an exact end costs nothing, and scores do not depend on the order.
EXACT_UP_TO = 300
# A candidate is hopeless after two folds if it is behind by this many standard errors, of which
# none is taken to be smaller than that of a hundredth.
HOPELESS = 3.0
SMALLEST_DEVIATION = 0.01
# How often a row is used between one candidate and the next, about.
USES_PER_SOLVE = 1.0


class StoredDecisions(ClassifierMixin, BaseEstimator):
    """A fitted classifier as scorers see it, whose decision values are known already."""

    def __init__(self, classes: Any = None, values: Any = None) -> None:
        self.classes = classes
        self.values = values

    @property
    def classes_(self) -> NDArray:
        """The class labels."""
        return self.classes

    def decision_function(self, X: Any) -> NDArray:
        """Return the decision values of the samples that were held out, whatever X."""
        return self.values

    def predict(self, X: Any) -> NDArray:
        """Return their predicted classes."""
        predicted, _ = verdict(self.values)
        return self.classes[predicted]


Score = Callable[[StoredDecisions, NDArray], float]


@dataclass(frozen=True)
class Folds:
    """A training set, the ways to split it, and how to score what was held out.

    Without a score, the leave-one-out bound of the training samples takes its place.
    """

    X: Any
    y: NDArray
    weights: NDArray[np.float64]
    splits: Sequence[tuple[NDArray, NDArray]]
    score: Score | None


@dataclass(frozen=True)
class Scores:
    """What came of some candidates: a row each, a column a fold; NaN where it was given up."""

    values: NDArray[np.float64]
    seconds: NDArray[np.float64]
    n_unconverged: int


def cross_validate(
    model: Any,
    folds: Folds,
    candidates: Sequence[Candidate],
    reference: NDArray | None,
    stop: Callable[[], Status | None],
) -> Scores:
    """Return the scores of candidates that share a kernel, each started from the one before.

    Parameters
    ----------
    model : BandedSVC
        All other parameters.
    folds : Folds
        What to train on and what to hold out.
    candidates : sequence of Candidate
        What to try, in an order in which neighbours follow each other.
    reference : ndarray of shape (n_folds,) or None
        Scores that a candidate must not fall behind hopelessly; None evaluates all.
    stop : callable
        Returns a reason to stop, or None.

    Returns
    -------
    Scores
        Scores and times by candidate and fold.
    """
    values = np.full((len(candidates), len(folds.splits)), np.nan)
    seconds = np.zeros(values.shape)
    n_unconverged = 0
    name, gamma = candidates[0][:2]
    if not uses_gamma(name):
        gamma = np.nan
    kernel = KernelSettings(name, gamma, model.coef0, model.degree)
    largest_cost = max(max(c.C1, c.C2) for c in candidates) * float(folds.weights.max())
    if model.loss == "squared_hinge":  # coefficients are twice the cost times a distance
        largest_cost *= 2.0 * max(c.rho2 for c in candidates)
    rows = CheckedRows(
        shared_rows(
            model,
            kernel,
            folds.X,
            largest_cost=largest_cost,
            largest_rounding=model.tol,
            n_uses=USES_PER_SOLVE * len(candidates) * len(folds.splits),
        ),
        model,
    )
    alive = np.ones(len(candidates), dtype=bool)
    chain = None
    for fold in range(len(folds.splits)):
        chain = Chain(model, folds, fold, rows, stop, chain)
        for k in np.flatnonzero(alive).tolist():
            began = time.perf_counter()
            score = chain.score_of(candidates[k])
            if stop() is not None:
                return Scores(values, seconds, n_unconverged)
            values[k, fold], seconds[k, fold] = score, time.perf_counter() - began
        n_unconverged += chain.n_unconverged
        if reference is not None and fold >= 1:
            alive &= ~is_hopeless(values[:, : fold + 1], reference[: fold + 1])
    return Scores(values, seconds, n_unconverged)


def is_hopeless(values: NDArray, reference: NDArray) -> NDArray[np.bool_]:
    """Return which rows are so far behind the reference that more folds would not bring them up."""
    behind = reference - values
    deviation = max(float(reference.std(ddof=1)), SMALLEST_DEVIATION)
    far = behind.mean(axis=1) > HOPELESS * deviation / np.sqrt(len(reference))
    return far & (behind > 0.0).all(axis=1)


class Solved(NamedTuple):
    """A problem and what came of it."""

    problem: BandProblem
    solution: Solution

    @property
    def decision(self) -> NDArray[np.float64]:
        """Decision values of all samples, those held out included."""
        problem, (c, f) = self.problem, (self.solution.c, self.solution.f)
        return f + choose_intercept(problem, c, f)


class Chain:
    """The candidates of one fold, one after the other, each started from the last.

    The first starts from that of another fold: most of their samples are the same.
    """

    def __init__(
        self,
        model: Any,
        folds: Folds,
        fold: int,
        rows: CheckedRows,
        stop: Callable[[], Status | None],
        other: Chain | None,
    ) -> None:
        self._model, self._folds, self._rows, self._stop = model, folds, rows, stop
        train, self._held_out = folds.splits[fold]
        self._weights = np.zeros(len(folds.y))
        self._weights[train] = folds.weights[train]
        self._labels = labels_of(model, folds.y, self._weights)
        self._first: list[Solved] = []
        self._examples = [] if other is None else other._first
        self._last: list[Solved] = []
        self._last_point: Point | None = None
        self.n_unconverged = 0

    def score_of(self, candidate: Candidate) -> float:
        """Return the score of a candidate on the samples that are held out."""
        model = self._model
        model.set_params(C1=candidate.C1, C2=candidate.C2, rho2=candidate.rho2)
        training = band_problems(model, self._labels, keep_all=True)
        point = Point(candidate.C1, candidate.C2, model.rho1, candidate.rho2)
        solved: list[Solved] = []
        for k, problem in enumerate(training.problems):
            solution = self._rows.solve(
                self._start(k, training, point),
                problem,
                polished=len(self._weights) <= EXACT_UP_TO,
                callback=self._watch,
            )
            if self._stop() is not None:
                return np.nan
            self.n_unconverged += solution.status is not Status.CONVERGED
            if not np.isfinite(solution.f).all():
                return np.nan
            solved.append(Solved(problem, solution))
        self._first = self._first or solved
        self._last, self._last_point = solved, point
        if self._folds.score is None:
            return self._share_beyond_doubt(training)
        columns = [each.decision[self._held_out] for each in solved]
        values = columns[0] if len(columns) == 1 else np.column_stack(columns)
        return self._folds.score(StoredDecisions(training.classes, values), self._held_out)

    def _start(self, k: int, training: Training, point: Point) -> Start | None:
        """Return where to start one of the problems of a candidate."""
        if self._last_point is None:
            same_classes = len(self._examples) == len(training.problems)
            return self._moved(self._examples[k], training.problems[k]) if same_classes else None
        last = self._last[k]
        scaled = scaled_start(last.solution, training.signs[k], self._last_point, point)
        return scaled or self._moved(last, training.problems[k])

    def _moved(self, last: Solved, problem: BandProblem) -> Start:
        """Return the solution of another problem, coefficients at bounds moved to those of this."""
        c, f = last.solution.c, last.solution.f.copy()
        now = at_new_bounds(last.problem, problem, c, last.decision)
        moved = np.flatnonzero(now != c)
        self._rows.rows.update(f, moved, now[moved] - c[moved])
        return Start(now, f)

    def _share_beyond_doubt(self, training: Training) -> float:
        """Return the share of samples that are right when they are left out, by the bound."""
        c, f = (np.array([getattr(s.solution, name) for s in self._last]) for name in ("c", "f"))
        margin = lowest_margin(training, c, f, self._rows.rows.diagonal())
        return float(np.mean(margin[self._weights > 0.0] > 0.0))

    def _watch(self, progress: Progress) -> Status | None:
        return self._stop()
