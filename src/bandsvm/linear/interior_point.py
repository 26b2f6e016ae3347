"""Primal-dual interior point method for the linear band problem.

Every edge of a band has a multiplier ``p >= 0``, a margin ``v`` and a slack ``xi >= 0`` with
``s = v + xi >= 0``. With the hinge ``u = cost - p >= 0`` besides. A point is optimal where

    w = X'c,   sum c = 0,   s p = 0   and   xi u = 0 (hinge) or xi = p / (2 cost) (squared hinge).

The method keeps all of these positive, lets the products go to 0 together, and takes Newton steps
on the equations. Each step eliminates what belongs to single edges: what is left has as many
unknowns as ``w`` and the intercept, and the matrix ``I + X'DX``, one pass over the samples. A
predictor step and a corrector step share it (Mehrotra).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bandsvm.linear.edges import Edges
from bandsvm.linear.newton_system import NewtonSystem
from bandsvm.linear.point import Start
from bandsvm.linear.samples import LinearSamples
from bandsvm.problem import BandProblem

# Share of the way to the nearest bound that a step goes; the less, the sooner it meets the bound.
TO_THE_BOUND, SHORT = 0.995, 0.8
# A shorter step gets nowhere.
SHORTEST_LENGTH = 1e-8
# Products s p at the start, as a share of what an edge costs at g = 0: from nothing, from a model.
COLD_START, WARM_START = 1.0, 1e-3
# A multiplier goes to its bound where its distance from there, in units of the cost, is this small
# next to the distance of the sample from the edge, in units of the edge.
SNAP = 1e-2
# Points at bounds that may fall short before points inside are judged, too.
SNAPS = 3


@dataclass
class Edgewise:
    """What an iterate, or a step, holds for every edge: ``p, s``, and of hinges ``u, xi``."""

    p: NDArray[np.float64]
    s: NDArray[np.float64]
    u: NDArray[np.float64]
    xi: NDArray[np.float64]

    def moved(self, step: Edgewise, length: float) -> Edgewise:
        """Return the point after a step of some length."""
        return Edgewise(
            self.p + length * step.p,
            self.s + length * step.s,
            self.u + length * step.u,
            self.xi + length * step.xi,
        )


class InteriorPoint:
    """An iterate of the method, and the steps that move it.

    Parameters
    ----------
    problem : BandProblem
        What to solve.
    samples : LinearSamples
        The samples.
    start : Start, default=None
        A model to start from.
    """

    patience = 8
    is_steady = True

    def __init__(
        self,
        problem: BandProblem,
        samples: LinearSamples,
        start: Start | None = None,
    ) -> None:
        self._problem, self._samples, self._edges = problem, samples, Edges(problem)
        self.ridge = 0.5 / self._edges.costs if problem.is_squared else None
        self._n_short = 0
        self.w, self.b = np.zeros(samples.n_features), 0.0
        if start is not None:
            self.w, self.b = start.w, start.intercept
        self.g = samples.product(self.w) + self.b
        at_zero = np.abs(self._edges.margins(np.zeros(problem.n_samples)))
        shares = COLD_START if start is None else WARM_START
        losses = self._edges.costs * (at_zero**2 if problem.is_squared else at_zero)
        self.at = self._central(self._edges.margins(self.g), shares * losses)

    def candidates(self) -> Iterator[NDArray[np.float64]]:
        """Yield dual points to judge the iterate by; they need not be feasible.

        The first has multipliers at their bounds where they come close. Where such points have
        fallen short before, the second has them as they are.
        """
        at, costs, units = self.at, self._edges.costs, self._edges.units
        p = np.where(at.p * units < SNAP * costs * at.s, 0.0, at.p)
        if self.ridge is None:
            p = np.where(at.u * units < SNAP * costs * at.xi, costs, p)
        yield self._edges.coefficients(p)
        self._n_short += 1
        if self._n_short > SNAPS:
            yield self._edges.coefficients(at.p)

    def steps(self) -> Iterator[float]:
        """Yield an estimate of the relative gap, before the first step and after every other one.

        The iteration ends where steps get nowhere any more.
        """
        while True:
            yield self._estimate()
            try:
                length = self._step()
            except np.linalg.LinAlgError:
                return
            if not length > SHORTEST_LENGTH:
                return

    def _central(self, v: NDArray, mu: NDArray) -> Edgewise:
        """Return the point with margins ``v`` at which products are ``mu``.

        With the hinge mu / p - mu / (cost - p) = v; with its square p (v + p / (2 cost)) = mu. Both
        are quadratic in p; of two ways to write its root, one does not cancel.
        """
        costs = self._edges.costs
        if self.ridge is not None:
            root = np.sqrt(v**2 + 4.0 * self.ridge * mu)
            p = np.where(v > 0.0, 2.0 * mu / (np.abs(v) + root), (root - v) / (2.0 * self.ridge))
            return Edgewise(p, mu / p, np.empty(0), self.ridge * p)
        root = np.sqrt((v * costs) ** 2 + 4.0 * mu**2)
        smaller = 2.0 * mu * costs / (np.abs(v) * costs + 2.0 * mu + root)
        p = np.where(v > 0.0, smaller, costs - smaller)
        u = np.where(v > 0.0, costs - smaller, smaller)
        return Edgewise(p, mu / p, u, mu / u)

    def _estimate(self) -> float:
        """Return the sum of all products as a share of the objective."""
        outside = np.maximum(-self._edges.margins(self.g), 0.0)
        loss = outside**2 if self._problem.is_squared else outside
        primal = 0.5 * float(self.w @ self.w) + float(self._edges.costs @ loss)
        return self._products(self.at) / max(primal, np.finfo(float).tiny)

    def _products(self, at: Edgewise) -> float:
        return float(at.s @ at.p) + float(at.xi[: len(at.u)] @ at.u)

    def _step(self) -> float:
        """Take a predictor and a corrector step; return the length of the latter, at most 1."""
        at = self.at
        equations = Linearised(self._problem, self._samples, self._edges, self)
        affine = equations.direction(0.0, 0.0)
        n_products = len(at.p) + len(at.u)
        mu = self._products(at) / n_products
        after = self._products(at.moved(affine.at, self._longest(affine.at))) / n_products
        target = mu * min(1.0, max(after / mu, 0.0)) ** 3
        step = equations.direction(
            target - affine.at.p * affine.at.s,
            target - affine.at.xi[: len(at.u)] * affine.at.u,
            refine=True,
        )
        longest = self._longest(step.at)
        length = min(1.0, longest * min(TO_THE_BOUND, SHORT + (1.0 - SHORT) * longest))
        if not np.isfinite(length):
            return 0.0
        self.w = self.w + length * step.w
        self.b += length * step.b
        self.g = self.g + length * step.g
        self.at = at.moved(step.at, length)
        return length

    def _longest(self, step: Edgewise) -> float:
        """Return how far a step can go before something gets negative, at most a bit beyond 1."""
        at = self.at
        pairs = [(at.p, step.p), (at.s, step.s)]
        if self.ridge is None:
            pairs += [(at.u, step.u), (at.xi, step.xi)]
        steepest = max(float(np.max(-change / value)) for value, change in pairs)
        return 1.0 / max(steepest, TO_THE_BOUND)


@dataclass
class Step:
    """Changes of the weights, the intercept, the decision values and of what belongs to edges."""

    w: NDArray[np.float64]
    b: float
    g: NDArray[np.float64]
    at: Edgewise


class Linearised:
    """The equations at an iterate, linearised.

    ``s dp + p ds = target - s p`` with ``ds = dv + dxi + residual`` and ``dxi = rate dp + offset``
    gives ``dp = constant - flexibility dv``: what is left to find is ``dw`` and ``db``.
    """

    def __init__(
        self, problem: BandProblem, samples: LinearSamples, edges: Edges, point: InteriorPoint
    ) -> None:
        self._samples, self._edges, self._point = samples, edges, point
        at = self._at = point.at
        self._ridge = point.ridge
        self._rate = at.xi / at.u if self._ridge is None else self._ridge
        self._stiffness = at.s + at.p * self._rate
        self._flexibility = at.p / self._stiffness
        self._residual = edges.margins(point.g) + at.xi - at.s
        self._system = NewtonSystem(problem, samples, edges.totals(self._flexibility))

    def direction(
        self, target: NDArray | float, slack_target: NDArray | float, refine: bool = False
    ) -> Step:
        """Return the step to where ``s p`` is ``target`` and ``xi u`` is ``slack_target``.

        Large entries of ``D`` magnify rounding errors; ``refine`` solves for the rest once more.
        """
        at, edges, point = self._at, self._edges, self._point
        xi = slack_target / at.u if self._ridge is None else self._ridge * at.p
        offset = xi - at.xi
        dp = (target - at.p * (at.s + offset + self._residual)) / self._stiffness
        dw, db, dg = np.zeros(len(point.w)), 0.0, np.zeros(len(point.g))
        c = edges.coefficients(at.p)
        for _ in range(1 + refine):
            # What is missing in w + dw = X'(c + dc) and in sum (c + dc) = 0.
            aim = c + edges.coefficients(dp)
            missing = self._samples.weights(aim) - point.w - dw
            more_w, more_b = self._system.solve(missing, float(aim.sum()))
            more_g = self._samples.product(more_w) + more_b
            dw, db, dg = dw + more_w, db + more_b, dg + more_g
            dp = dp - self._flexibility * edges.changes(more_g)
        dxi = self._rate * dp + offset
        du = -dp if self._ridge is None else np.empty(0)
        ds = edges.changes(dg) + dxi + self._residual
        return Step(dw, db, dg, Edgewise(dp, ds, du, dxi))
