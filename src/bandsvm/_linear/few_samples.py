"""Few samples: problems solved at once, where steps of the interior point method take longer.

Squared losses of few features are solved by Newton steps on the weights: samples outside their
bands decide which quadratic function the objective is nearby, and its minimum is the optimum as
soon as the same samples are outside there. All else is solved over the kernel matrix of the
samples, in one compiled call.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm._kernels.small import SmallKernel
from bandsvm._linear.chunk import Edges
from bandsvm._linear.newton_system import NewtonSystem
from bandsvm._linear.samples import LinearSamples
from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.band_problems import BandProblems
from bandsvm._solvers.small import solve_small

# Problems of so few samples end exactly, as far as rounding allows, so that results depend neither
# on ``tol`` nor on the order of samples.
SMALL = 1000
# Kernel matrices of more samples take longer than Newton steps where losses are squared; and of
# more features for each sample, longer than coordinate descent.
MAX_OF_SQUARES, MAX_FEATURES_PER_SAMPLE = 500, 25
# A Newton step is shortened to at most this much of itself, and must bring this share of the fall
# of the objective that its slope promises.
SHORTEST, ENOUGH = 2.0**-20, 1e-4
# Problems that take more steps are for the interior point method, whose steps do not grow in
# number; the more features, the more a step costs.
MAX_NEWTON_STEPS, MAX_FEATURES = 15, 128
# Where compiled steps over the kernel matrix go over to exact ones.
TOL_OF_PAIRS = 1e-3


class AllSteps(NamedTuple):
    """Where all steps led."""

    c: NDArray[np.float64]  # feasible up to rounding, if it is the solution
    n_iter: int
    is_solved: bool  # up to rounding errors


def takes_weights(samples: Any, is_squared: bool) -> bool:
    """Return whether steps are those of the weights, not on the kernel matrix."""
    return is_squared and samples.n_features <= min(MAX_FEATURES, samples.n_samples // 2)


def is_at_once(samples: Any, is_squared: bool, solver: str) -> bool:
    """Return whether problems over samples that suit a solver are quicker solved at once."""
    n_samples, is_newton = samples.n_samples, solver == "newton"
    if takes_weights(samples, is_squared):
        return n_samples <= SMALL and is_newton
    is_narrow = samples.n_features <= MAX_FEATURES_PER_SAMPLE * n_samples
    is_little = n_samples <= (MAX_OF_SQUARES if is_squared else SMALL)
    return is_little and (is_newton or (is_narrow and not samples.is_sparse))


def by_matrix(problem: BandProblem, kernel: SmallKernel, max_iter: int) -> AllSteps:
    """Take steps on a problem over its kernel matrix."""
    n = problem.n_samples
    problems = BandProblems(problem, np.array([0, n]), np.arange(n), share_samples=True)
    solutions = solve_small(problems, kernel, None, TOL_OF_PAIRS, max_iter, 1)
    return AllSteps(solutions.c, int(solutions.n_iter[0]), bool(solutions.is_solved[0]))


def by_weights(
    problem: BandProblem, samples: LinearSamples, start: float, max_iter: int
) -> AllSteps:
    """Take Newton steps on a problem of squared losses from the weights 0 and an intercept."""
    edges, samples = Edges(problem), samples.for_newton_steps()
    w, g = np.zeros(samples.n_features), np.full(samples.n_samples, start)
    here, n_steps, is_solved, length = _losses_at(edges, g), 0, False, 1.0
    while not is_solved and length > SHORTEST and n_steps < min(max_iter, MAX_NEWTON_STEPS):
        loss, pull, D = here
        dw, db = newton_step(problem, samples, D, samples.weights(pull) - w, pull)
        dg = samples.product(dw) + db
        slope, before = float(dw @ w) - float(pull @ dg), loss + 0.5 * float(w @ w)
        length = 1.0
        while True:
            ahead = w + length * dw
            here = _losses_at(edges, g + length * dg)
            change = here[0] + 0.5 * float(ahead @ ahead) - before
            if length <= SHORTEST or change <= ENOUGH * length * slope:
                break
            length *= 0.5
        w, g, n_steps = ahead, g + length * dg, n_steps + 1
        is_solved = length == 1.0 and np.array_equal(here[2], D)
    return AllSteps(here[1], n_steps, is_solved)


def _losses_at(edges: Edges, g: NDArray) -> tuple[float, NDArray, NDArray]:
    """Return the sum of squared losses at decision values; minus their slopes; their curvatures.

    The slopes are the coefficients that belong to the decision values.
    """
    outside = np.maximum(-edges.margins(g), 0.0)
    p = 2.0 * edges.costs * outside
    D = (2.0 * edges.costs * (outside > 0.0)).sum(axis=0)
    return 0.5 * float(np.vdot(p, outside)), edges.coefficients(p), D


def newton_step(
    problem: BandProblem, samples: LinearSamples, D: NDArray, right: NDArray, pull: NDArray
) -> tuple[NDArray[np.float64], float]:
    """Return the Newton step of weights and intercept where the losses have curvatures ``D``.

    Without any, the intercept stays where it is.
    """
    total = float(D.sum())
    if not problem.has_intercept or total == 0.0:
        return NewtonSystem(samples.gram(D), total, None).solve(right, 0.0)
    mean = samples.weights(D) / total
    return NewtonSystem(samples.gram(D, mean), total, mean).solve(right, float(pull.sum()))


def on_edges_by_weights(
    problem: BandProblem, samples: LinearSamples, c: NDArray
) -> NDArray[np.float64]:
    """Return the coefficients of squared losses that belong to the best weights, near ``c``.

    Samples stay on the sides of their bands on which ``c`` has them.
    """
    ridge, is_used = problem.ridge_at(c), c != 0.0
    D = np.where(is_used, 1.0 / np.where(is_used, ridge, 1.0), 0.0)
    w, edges = samples.weights(c), np.where(c > 0.0, problem.lo, problem.hi)
    pull = D * (edges - samples.product(w))
    dw, b = newton_step(problem, samples, D, samples.weights(pull) - w, pull)
    return D * (edges - samples.product(w + dw) - b)
