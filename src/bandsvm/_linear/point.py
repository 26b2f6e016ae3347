"""The model of a dual point: its intercept, its primal and dual value, and an exact one near it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._linear.few_samples import on_edges_by_weights
from bandsvm._linear.samples import LinearSamples
from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.piecewise import falling_root

# More unknowns are not worth it: the equations of `on_edges` grow with their square.
MAX_UNKNOWNS = 300


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
        first, last = float(at_lo.max(initial=-np.inf)), float(at_hi.min(initial=np.inf))
        if first <= last:
            return middle_of(first, last)

        def pull(b: float) -> float:
            return float(below @ np.maximum(at_lo - b, 0.0) - above @ np.maximum(b - at_hi, 0.0))

        return falling_root(pull, ends)
    order = np.argsort(ends, kind="stable")
    passed = np.cumsum(np.concatenate([below, above])[order])
    last = len(ends) - 1
    first = min(int(np.searchsorted(passed, below.sum() * (1.0 - 1e-14))), last)
    is_flat = first < last and passed[first] <= below.sum() * (1.0 + 1e-14)
    return float(0.5 * (ends[order[first]] + ends[order[first + is_flat]]))


def middle_of(first: float, last: float) -> float:
    """Return the middle of intercepts without loss, or the one that is known."""
    if not np.isfinite(first):
        return last
    return first if not np.isfinite(last) else 0.5 * first + 0.5 * last


def on_edges(problem: BandProblem, samples: LinearSamples, c: NDArray) -> NDArray | None:
    """Return coefficients that put every sample between its bounds exactly on its edge.

    With ``F`` for these samples and ``B`` for the others, whose coefficients stay as they are,

        [ X_F X_F'   1 ] [ c_F ]   [ edge_F - X_F X_B'c_B ]
        [    1'      0 ] [  b  ] = [      -sum c_B        ]

    with a ridge on the diagonal for squared losses. None if there are too many of them, or if that
    would take one across a bound: then others lie on the edge.
    """
    highest, lowest = problem.bounds.below, -problem.bounds.above
    free = np.flatnonzero((c > lowest) & (c < highest) & (c != 0.0))
    if problem.is_squared and len(free) > 0 and samples.n_features <= len(free):
        after = on_edges_by_weights(problem, samples, c)
        return after if (after * c >= 0.0).all() and np.isfinite(after).all() else None
    if len(free) > MAX_UNKNOWNS:
        return None
    X = samples.X[free].astype(np.float64, copy=False)
    f = X @ samples.weights(c)
    ridge = problem.ridge_at(c)[free] if problem.is_squared else 0.0
    edges = np.where(c > 0.0, problem.lo, problem.hi)[free]
    n = len(free)
    matrix, right = np.zeros((n + 1, n + 1)), np.zeros(n + 1)
    products = X @ X.T
    matrix[:n, :n] = products.toarray() if sp.issparse(products) else products
    matrix[np.arange(n), np.arange(n)] += ridge
    right[:n] = edges - f - ridge * c[free]
    if problem.has_intercept:
        matrix[:n, n] = matrix[n, :n] = 1.0
        right[n] = -c.sum()
    else:
        matrix[n, n] = 1.0
    # Samples of an edge may depend on each other: of all solutions the least change.
    change = np.linalg.lstsq(matrix, right, rcond=None)[0][:n]
    after = c.copy()
    after[free] += change
    stays = (after[free] * c[free] > 0.0) & (after[free] > lowest[free])
    return after if (stays & (after[free] < highest[free])).all() else None
