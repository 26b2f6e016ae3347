"""Dual points that are exact up to rounding, from ones that know which samples lie on an edge."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from bandsvm._linear.samples import LinearSamples
from bandsvm._problem.band_problem import BandProblem

# More unknowns are not worth it: the equations grow with their square.
MAX_UNKNOWNS = 300


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
    if len(free) > MAX_UNKNOWNS:
        return None
    X = samples.X[free]
    X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    f = X @ samples.weights(c)
    ridge = problem.ridge_at(c)[free] if problem.is_squared else 0.0
    edges = np.where(c > 0.0, problem.lo, problem.hi)[free]
    n = len(free)
    matrix, right = np.zeros((n + 1, n + 1)), np.zeros(n + 1)
    matrix[:n, :n] = X @ X.T
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
