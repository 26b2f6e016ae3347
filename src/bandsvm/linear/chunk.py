"""Some of the samples and what the interior point method knows of them.

All that grows with the number of samples lives in chunks: the samples, their edges and the iterate.
A method of a chunk takes weights or numbers and returns sums over its samples, which are added up
over all chunks, or a largest value. Chunks may therefore lie on several machines. Methods rebind
attributes and never write into arrays: a shallow copy of a chunk remains as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bandsvm.linear.edges import Edges
from bandsvm.linear.samples import LinearSamples
from bandsvm.problem import BandProblem

# A multiplier goes to its bound where its distance from there, in units of the cost, is this small
# next to the distance of the sample from the edge, in units of the edge.
SNAP = 1e-2


@dataclass
class Edgewise:
    """What an iterate, or a step, holds for every edge: ``p, s, xi``, and of hinges ``u``."""

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

    def products(self) -> float:
        """Return the sum of the products that go to 0."""
        return float(self.s @ self.p) + float(self.xi[: len(self.u)] @ self.u)


class Chunk:
    """Samples, their edges, an iterate, and the Newton step that is being computed.

    For every edge ``s dp + p ds = target - s p`` with ``ds = dv + dxi + residual`` and
    ``dxi = rate dp + offset`` gives ``dp = constant - flexibility dv``. What is left to find is
    ``dw`` and ``db``, which need sums over all samples.

    Parameters
    ----------
    samples : LinearSamples
        The samples.
    problem : BandProblem
        The band problem, restricted to them.
    """

    at: Edgewise
    g: NDArray[np.float64]

    def __init__(self, samples: LinearSamples, problem: BandProblem) -> None:
        self._samples, self._edges = samples, Edges(problem)
        self._ridge = 0.5 / self._edges.costs if problem.is_squared else None

    def start(self, w: NDArray, b: float, share: float) -> tuple[float, float, int]:
        """Start at a model; products are a share of what edges cost at g = 0.

        Returns their sum, the loss, and the number of products.
        """
        self.g = self._samples.product(w) + b
        at_zero = np.abs(self._edges.margins(np.zeros(len(self.g))))
        losses = self._edges.costs * (at_zero if self._ridge is None else at_zero**2)
        self.at = self._central(self._edges.margins(self.g), share * losses)
        return *self._standing(), len(self.at.p) + len(self.at.u)

    def _central(self, v: NDArray, mu: NDArray) -> Edgewise:
        """Return the point with margins ``v`` at which products are ``mu``.

        With the hinge mu / p - mu / (cost - p) = v; with its square p (v + p / (2 cost)) = mu. Both
        are quadratic in p; of two ways to write its root, one does not cancel.
        """
        costs = self._edges.costs
        if self._ridge is not None:
            root = np.sqrt(v**2 + 4.0 * self._ridge * mu)
            p = np.where(v > 0.0, 2.0 * mu / (np.abs(v) + root), (root - v) / (2.0 * self._ridge))
            return Edgewise(p, mu / p, np.empty(0), self._ridge * p)
        root = np.sqrt((v * costs) ** 2 + 4.0 * mu**2)
        smaller = 2.0 * mu * costs / (np.abs(v) * costs + 2.0 * mu + root)
        p = np.where(v > 0.0, smaller, costs - smaller)
        u = np.where(v > 0.0, costs - smaller, smaller)
        return Edgewise(p, mu / p, u, mu / u)

    def _standing(self) -> tuple[float, float]:
        """Return the sum of products and the loss."""
        outside = np.maximum(-self._edges.margins(self.g), 0.0)
        loss = outside if self._ridge is None else outside**2
        return self.at.products(), float(self._edges.costs @ loss)

    def linearise(self) -> tuple[NDArray, float, NDArray, float]:
        """Begin the step to where products are 0; return ``X'D, sum D, X'aim, sum aim``."""
        at = self.at
        self._rate = at.xi / at.u if self._ridge is None else self._ridge
        self._stiffness = at.s + at.p * self._rate
        self._flexibility = at.p / self._stiffness
        self._residual = self._edges.margins(self.g) + at.xi - at.s
        self._D = self._edges.totals(self._flexibility)
        self._c = self._edges.coefficients(at.p)
        self._aim_at(0.0, 0.0)
        return self._samples.weights(self._D), float(self._D.sum()), *self._missing()

    def gram(self, centre: NDArray | None) -> tuple[NDArray[np.float64]]:
        """Return the sum of ``D (x - centre) (x - centre)'``."""
        return (self._samples.gram(self._D, centre),)

    def _aim_at(self, target: NDArray | float, slack_target: NDArray | float) -> None:
        """Begin the step to where ``s p`` is ``target`` and ``xi u`` is ``slack_target``."""
        at = self.at
        xi = slack_target / at.u if self._ridge is None else self._ridge * at.p
        self._offset = xi - at.xi
        spent = at.p * (at.s + self._offset + self._residual)
        self._dp = (target - spent) / self._stiffness
        self._dg = np.zeros(len(self.g))

    def _missing(self) -> tuple[NDArray[np.float64], float]:
        """Return ``X'(c + dc)`` and its sum without X, so far."""
        aim = self._c + self._edges.coefficients(self._dp)
        return self._samples.weights(aim), float(aim.sum())

    def _turn(self, dw: NDArray, db: float) -> None:
        """Change the step by what a change of the weights and of the intercept brings."""
        dg = self._samples.product(dw) + db
        self._dg = self._dg + dg
        self._dp = self._dp - self._flexibility * self._edges.changes(dg)

    def _whole(self) -> Edgewise:
        """Return the step that ``dp`` and ``dg`` make."""
        dxi = self._rate * self._dp + self._offset
        du = -self._dp if self._ridge is None else np.empty(0)
        return Edgewise(self._dp, self._edges.changes(self._dg) + dxi + self._residual, du, dxi)

    def _steepest(self) -> float:
        """Return the largest share that a step of length 1 takes away from anything positive."""
        at, step = self.at, self._step
        pairs = [(at.p, step.p), (at.s, step.s)]
        if self._ridge is None:
            pairs += [(at.u, step.u), (at.xi, step.xi)]
        return max(float(np.max(-change / value, initial=0.0)) for value, change in pairs)

    def complete(self, dw: NDArray, db: float) -> float:
        """Complete the step that was begun; return its steepest fall."""
        self._turn(dw, db)
        self._step = self._whole()
        return self._steepest()

    def products_after(self, length: float) -> tuple[float]:
        """Return the sum of products after some of the step."""
        return (self.at.moved(self._step, length).products(),)

    def correct(self, target: float) -> tuple[NDArray[np.float64], float]:
        """Begin the step to where products are ``target``; return ``X'aim`` and ``sum aim``."""
        step = self._step
        bent = step.xi[: len(step.u)] * step.u
        self._aim_at(target - step.p * step.s, target - bent)
        return self._missing()

    def refine(self, dw: NDArray, db: float) -> tuple[NDArray[np.float64], float]:
        """Go on with the step; return ``X'aim`` and ``sum aim`` as they are now.

        Large entries of ``D`` magnify rounding errors, so the driver solves for what is missing
        once more.
        """
        self._turn(dw, db)
        return self._missing()

    def move(self, length: float) -> tuple[float, float]:
        """Take the step; return the sum of products and the loss."""
        self.g = self.g + length * self._dg
        self.at = self.at.moved(self._step, length)
        return self._standing()

    def coefficients(self, snap: bool) -> NDArray[np.float64]:
        """Return ``c``, with multipliers at their bounds where they come close if ``snap``."""
        at, costs, units = self.at, self._edges.costs, self._edges.units
        p = at.p
        if snap:
            p = np.where(at.p * units < SNAP * costs * at.s, 0.0, p)
            if self._ridge is None:
                p = np.where(at.u * units < SNAP * costs * at.xi, costs, p)
        return self._edges.coefficients(p)
