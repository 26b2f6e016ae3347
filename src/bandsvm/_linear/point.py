"""A model that a dual point makes: its intercept, and its primal and dual value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.piecewise import falling_root


@dataclass(frozen=True)
class Point:
    """A feasible dual point ``c``, ``w = X'c``, ``f = X w`` and the best intercept for them.

    ``c`` and ``f`` are arrays, or whatever stands for arrays that are elsewhere.
    """

    c: Any
    w: NDArray[np.float64]
    f: Any
    intercept: float
    relative_gap: float


@dataclass(frozen=True)
class Start:
    """Where a solver begins: weights and intercept of a model, and its ``c`` where it is known.

    ``gap`` is the relative gap that the model had in the problem it was fitted to.
    """

    w: NDArray[np.float64]
    intercept: float
    c: NDArray[np.float64] | None = None
    gap: float = 0.0


def relative_gap(w: NDArray, primal: float, dual: float) -> float:
    """Return the duality gap as a share of the objective, from sums over samples."""
    of_weights = 0.5 * float(w @ w)
    primal, dual = primal + of_weights, dual + of_weights
    return (primal - dual) / max(abs(primal), abs(dual), np.finfo(float).tiny)


def values_without_weights(problem: BandProblem, c: NDArray, g: NDArray) -> tuple[float, float]:
    """Return the primal and the dual value, both without ``w'w / 2``: sums over samples."""
    primal = dual = 0.0
    for multiplier, cost, distance in (
        (np.maximum(c, 0.0), problem.below, problem.lo - g),
        (np.maximum(-c, 0.0), problem.above, g - problem.hi),
    ):
        outside = np.maximum(distance, 0.0)
        primal += float(cost @ (outside**2 if problem.is_squared else outside))
        # lo c - c'f / 2 = c (lo - g) + c'f / 2, as sum c = 0
        dual += float(multiplier @ distance)
    if problem.is_squared:
        dual -= 0.5 * float((problem.ridge_at(c) * c) @ c)
    return primal, dual


def best_intercept(problem: BandProblem, f: NDArray) -> float:
    """Return the intercept of least loss for decision values ``f``; 0 if there is to be none.

    The slope of the loss falls, with the sign changed, from the cost of all lower edges to minus
    that of all upper edges as the intercept rises. Of several, it is the middle one.
    """
    if not problem.has_intercept:
        return 0.0
    lower, upper = problem.below > 0.0, problem.above > 0.0
    at_lo, at_hi = (problem.lo - f)[lower], (problem.hi - f)[upper]
    below, above = problem.below[lower], problem.above[upper]
    ends = np.concatenate([at_lo, at_hi])
    if problem.is_squared:

        def pull(b: float) -> float:
            return float(below @ np.maximum(at_lo - b, 0.0) - above @ np.maximum(b - at_hi, 0.0))

        return falling_root(pull, ends)
    order = np.argsort(ends, kind="stable")
    passed = np.cumsum(np.concatenate([below, above])[order])
    last = len(ends) - 1
    first = min(int(np.searchsorted(passed, below.sum() * (1.0 - 1e-14))), last)
    is_flat = first < last and passed[first] <= below.sum() * (1.0 + 1e-14)
    return float(0.5 * (ends[order[first]] + ends[order[first + is_flat]]))
