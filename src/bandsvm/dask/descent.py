"""Coordinate descent on the dual by all workers at once, whose messages are vectors of weights.

In a pass every chunk improves its own ``c`` while those of the others stay, with the quadratic
part of its own changes multiplied by ``safety``. The changes of all chunks together then raise the
dual at least by the sum of what each chunk counted on, provided that

    |sum of dw|^2 <= safety * sum of |dw|^2     over the changes dw = X'dc of the chunks

(CoCoA+: Ma et al. 2015). The number of chunks always suffices for ``safety``. Less makes longer
steps, so it is lowered as long as the inequality holds, and a pass that breaks it is not taken.
The intercept is found by the method of multipliers, as on one machine; its penalty acts as one more
feature.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bandsvm.dask.crew import PerChunk
from bandsvm.dask.ground import Ground
from bandsvm.dask.judging import ClusterJudge
from bandsvm.kernels._samples import in_plain_memory
from bandsvm.linear.coordinate_descent import FALL_BEFORE_ALL, LATER, NOW, SEED, SHARE_BETWEEN
from bandsvm.linear.point import Start

# Passes of a chunk over its own samples between two messages.
PASSES_PER_MESSAGE = 5
# The penalty of ``sum c`` is so many times a sample's curvature, over the number of samples.
# All samples change that sum together, so more makes all steps short; with less, b moves slowly.
USUAL_MOVES = 20.0
# What safety is above the ratio of the last pass, and how it grows after a pass that is not taken.
ABOVE_RATIO, GROWTH = 1.2, 2.0


@dataclass(frozen=True)
class Descended:
    """A chunk after its passes.

    Attributes
    ----------
    c : ndarray of shape (n_samples,)
        Its coefficients.
    dw : ndarray of shape (n_features,)
        The change of the weights.
    change : float
        The change of ``sum c``.
    """

    c: NDArray[np.float64]
    dw: NDArray[np.float64]
    change: float


class ClusterDescent:
    """A point of the dual and the passes that move it.

    Parameters
    ----------
    judge : ClusterJudge
        The workers, and the samples and the band problem of each chunk.
    start : Start, default=None
        Not used: coefficients of an earlier fit belong to other chunks.
    """

    patience = 100
    is_steady = False

    def __init__(self, judge: ClusterJudge, start: Start | None = None) -> None:
        crew = self._crew = judge.crew
        self._fields = crew.each(Field, judge.grounds)
        self._c = crew.each(_zeros, judge.grounds)
        self._w, self._total, self._penalty = np.zeros(judge.n_features), 0.0, 0.0
        if judge.has_intercept:
            # A share of a usual sample's curvature, or what lets b move by 1 where costs are low.
            norms, n_samples, costs = crew.total(_sizes, self._fields)
            share = min(1.0, USUAL_MOVES / n_samples)
            self._penalty = max(share * norms / n_samples, 1.0 / costs)
        self._multiplier = judge.intercept(self._c)
        self._safety, self._n_passes = float(len(crew)), 0

    def candidates(self) -> Iterator[PerChunk]:
        """Yield the dual point, whose sum need not be 0."""
        yield self._c

    def steps(self) -> Iterator[float]:
        """Yield after every pass whether the point is worth judging."""
        yield LATER
        next_judgement = 0
        while True:
            self._pass()
            self._n_passes += 1
            if self._n_passes >= next_judgement:
                next_judgement = self._n_passes + max(1, int(SHARE_BETWEEN * self._n_passes))
                yield NOW
            else:
                yield LATER

    def _pass(self) -> None:
        """Let all chunks descend, and take their steps if they are safe together."""
        crew = self._crew
        numbers = self._multiplier, self._penalty, self._total, self._safety, self._n_passes
        descended = crew.each(_descended, self._fields, self._c, self._w, *numbers)
        dw, change, squares = crew.total(_message, descended, self._penalty)
        together = float(dw @ dw) + self._penalty * change**2
        most = float(len(crew))
        if together > self._safety * squares and self._safety < most:
            self._safety = min(GROWTH * self._safety, most)
            return
        if squares > 0.0:
            self._safety = min(max(1.0, ABOVE_RATIO * together / squares), most)
        self._c = crew.each(_coefficients, descended)
        self._w, self._total = self._w + dw, self._total + change
        self._multiplier += self._penalty * self._total


class Field:
    """What coordinate descent needs to know of a chunk, pass after pass.

    Parameters
    ----------
    ground : Ground
        The samples and their band problem.
    """

    def __init__(self, ground: Ground) -> None:
        self.samples, self.problem = ground.samples, ground.problem
        self.norms = ground.samples.squared_norms()
        takes_part = (self.problem.below > 0.0) | (self.problem.above > 0.0)
        self.variables = np.flatnonzero(takes_part).astype(np.int64)


def _zeros(ground: Ground) -> NDArray[np.float64]:
    return np.zeros(ground.problem.n_samples)


def _sizes(field: Field) -> tuple[float, int, float]:
    """Return the sum of squared norms, the number of samples, and the sum of costs."""
    problem, variables = field.problem, field.variables
    costs = float(problem.below.sum() + problem.above.sum())
    return float(field.norms[variables].sum()), len(variables), costs


def _descended(
    field: Field,
    c: NDArray,
    w: NDArray,
    multiplier: float,
    penalty: float,
    total: float,
    safety: float,
    n_passes: int,
) -> Descended:
    """Take some passes over the samples of a chunk.

    With ``safety c`` for ``c``, costs that many times larger and ridges that many times smaller,
    steps along single variables are those of one machine.
    """
    problem = field.problem
    bounds = (safety * bound for bound in problem.bounds)
    ridges = (ridge / safety for ridge in problem.ridge)
    # What was received as bytes may lie anywhere in memory.
    lo, hi, norms = (in_plain_memory(v) for v in (problem.lo, problem.hi, field.norms))
    band = (lo, hi, *bounds, *ridges, norms)
    scaled, moved, sum_moved = safety * c, np.array(w, dtype=np.float64), total
    random = np.random.default_rng([SEED, n_passes])
    active, slack, first = field.variables, np.inf, 0.0
    for _ in range(PASSES_PER_MESSAGE):
        order = random.permutation(active)
        n_active, violation, sum_moved = field.samples.rows.descend(
            band, multiplier, penalty, order, slack, scaled, moved, sum_moved
        )
        first = first or max(violation, 0.0)
        if violation <= FALL_BEFORE_ALL * first or n_active == 0:
            break
        active, slack = order[:n_active], violation
    return Descended(scaled / safety, (moved - w) / safety, (sum_moved - total) / safety)


def _message(descended: Descended, penalty: float) -> tuple[NDArray[np.float64], float, float]:
    """Return the changes of the weights and of ``sum c``, and the square of both together."""
    dw, change = descended.dw, descended.change
    return dw, change, float(dw @ dw) + penalty * change**2


def _coefficients(descended: Descended) -> NDArray[np.float64]:
    return descended.c
