"""Some of the samples and what the interior point method knows of them.

All that grows with the number of samples lives in chunks: the samples, their edges and the iterate.
A method of a chunk takes weights or numbers and returns sums over its samples, which are added up
over all chunks, or a largest value. Chunks may therefore lie on several machines. Methods rebind
attributes and never write into arrays: a shallow copy of a chunk remains as it is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._kernels.samples import as_contiguous
from bandsvm._linear.edges import Edges
from bandsvm._linear.largest import Largest
from bandsvm._linear.samples import LinearSamples
from bandsvm._problem.band_problem import BandProblem

# A multiplier goes to its bound where its distance from there, in units of the cost, is this small
# next to the distance of the sample from the edge, in units of the edge.
SNAP = 1e-2
# Shares of their common target between which products are brought by a step that is centred.
MIN_SHARE, MAX_SHARE = 0.3, 10.0


class Chunk:
    """Samples, their edges, an iterate, and the Newton step that is being computed.

    An iterate, and a step, holds ``p, s, u`` and ``xi`` of every edge; with the squared hinge there
    is no ``u``. For every edge ``s dp + p ds = product - s p`` with ``ds = dv + dxi + residual``
    and ``dxi = rate dp + offset`` gives ``dp = constant - flexibility dv``. What is left to find is
    ``dw`` and ``db``, which need sums over all samples.

    Parameters
    ----------
    samples : LinearSamples
        The samples.
    problem : BandProblem
        The band problem, restricted to them.
    """

    at: NDArray[np.float64]
    g: NDArray[np.float64]
    _step: NDArray[np.float64]
    _products: NDArray[np.float64] | None
    _begun_dg: NDArray[np.float64] | None
    _kept: tuple[NDArray[np.float64], ...]
    _room: NDArray[np.float64]
    _loose: NDArray[np.float64]

    def __init__(self, samples: LinearSamples, problem: BandProblem) -> None:
        self._samples, self._edges = samples, Edges(problem)

    def start(self, w: NDArray, b: float, share: float, centred: bool) -> tuple[Any, ...]:
        """Start at a model; products are a share of what edges cost at g = 0.

        Returns their number, their sum, the loss, and what `linearise` returns.
        """
        edges = self._edges
        self.g = self._samples.product(w) + b
        at_zero = np.abs(edges.margins(np.zeros(len(self.g))))
        losses = edges.costs * (at_zero**2 if edges.is_squared else at_zero)
        central = self._central(edges.margins(self.g), share * losses)
        self.at = np.where(edges.are_there, central, 1.0)
        n_products = (1 if edges.is_squared else 2) * int(edges.are_there.sum())
        sums = self._move(np.zeros_like(self.at), np.zeros_like(self.g), 0.0)
        return n_products, *sums, *self.linearise(centred)

    def _central(self, v: NDArray, mu: NDArray) -> NDArray[np.float64]:
        """Return the point with margins ``v`` at which products are ``mu``.

        With the hinge mu / p - mu / (cost - p) = v; with its square p (v + p / (2 cost)) = mu. Both
        are quadratic in p; of two ways to write its root, one does not cancel.
        """
        costs = self._edges.costs
        if self._edges.is_squared:
            ridge = 0.5 / costs
            root = np.sqrt(v**2 + 4.0 * ridge * mu)
            p = np.where(v > 0.0, 2.0 * mu / (np.abs(v) + root), (root - v) / (2.0 * ridge))
            return np.stack([p, mu / p, np.ones_like(p), ridge * p])
        root = np.sqrt((v * costs) ** 2 + 4.0 * mu**2)
        smaller = 2.0 * mu * costs / (np.abs(v) * costs + 2.0 * mu + root)
        p = np.where(v > 0.0, smaller, costs - smaller)
        u = np.where(v > 0.0, costs - smaller, smaller)
        return np.stack([p, mu / p, u, mu / u])

    def linearise(self, centred: bool) -> tuple[NDArray, float, NDArray, float]:
        """Begin the step to where products are 0; return ``X'D, sum D, X'aim, sum aim``.

        Without an intercept nobody needs ``X'D``; it is then 0.
        """
        self._line, self._D = np.empty((3, *self.at.shape[1:])), np.empty_like(self.g)
        _core.newton_linearise(*self._place(), self._line, self._D, self._samples.n_threads)
        self._products = None
        of_D = self._samples.weights(self._D) if centred else np.zeros(self._samples.n_features)
        return of_D, float(self._D.sum()), *self._begin(0.0)

    def gram(self, centre: NDArray | None) -> tuple[NDArray[np.float64]]:
        """Return the sum of ``D (x - centre) (x - centre)'``."""
        return (self._samples.gram(self._D, centre),)

    def complete(self, dw: NDArray, db: float) -> tuple[Largest, float, float]:
        """Complete the step that was begun; return its steepest fall, and how products change.

        The fall is the largest share that a step of length 1 takes away from anything positive. A
        step of length t changes the sum of products by ``t (linear + t quadratic)``.
        """
        self._dg = self._turned(dw, db)
        self._step = np.empty_like(self.at)
        steepest, linear, quadratic = _core.newton_complete(
            *self._place(),
            as_contiguous(self._line),
            None if self._products is None else as_contiguous(self._products),
            as_contiguous(self._dp),
            self._dg,
            self._step,
            self._samples.n_threads,
        )
        is_finite = np.isfinite(linear) and np.isfinite(quadratic)
        return Largest(steepest if is_finite else np.nan), linear, quadratic

    def correct(self, target: float) -> tuple[NDArray[np.float64], float]:
        """Begin the step to where products are ``target``; return ``X'aim`` and ``sum aim``."""
        step, self._products = self._step, np.empty((2, *self.at.shape[1:]))
        return self._begin(target, step)

    def centre(self, target: float, trial: float) -> tuple[NDArray[np.float64], float]:
        """Begin a step like the last, after which fewer products are far from ``target``.

        Products are looked at where ``trial`` of the last step leads. Returns ``X'aim`` and
        ``sum aim``.
        """
        step, earlier = self._step, self._products
        self._kept = self._step, self._dg
        self._products = np.empty_like(earlier)
        return self._begin(target, step, earlier, trial)

    def refine(self, dw: NDArray, db: float) -> tuple[NDArray[np.float64], float]:
        """Go on with the step; return ``X'aim`` and ``sum aim`` as they are now.

        Large entries of ``D`` magnify rounding errors, so near the end the driver solves for what
        is missing once more.
        """
        self._begun_dg = self._turned(dw, db)
        aim = np.empty_like(self.g)
        _core.newton_turn(
            *self._place(),
            as_contiguous(self._line),
            as_contiguous(self._dp),
            self._begun_dg,
            aim,
            self._samples.n_threads,
        )
        return self._samples.weights(aim), float(aim.sum())

    def move(self, length: float, before_last: bool, centred: bool) -> tuple[Any, ...]:
        """Take the step, or that before the last centring.

        Returns the sum of products, the loss, and what `linearise` returns there.
        """
        step, dg = self._kept if before_last else (self._step, self._dg)
        return *self._move(step, dg, length), *self.linearise(centred)

    def coefficients(self, snap: bool) -> NDArray[np.float64]:
        """Return ``c``, with multipliers at their bounds where they come close if ``snap``."""
        edges = self._edges
        p, s, u, xi = self.at
        if snap:
            costs, units = edges.costs, np.abs(edges.values)
            near_zero, near_cost = p * units < SNAP * costs * s, u * units < SNAP * costs * xi
            p = np.where(near_zero, 0.0, p)
            if not edges.is_squared:
                p = np.where(near_cost, costs, p)
        return edges.coefficients(p)

    def loosen(self) -> tuple[NDArray, float, NDArray, float]:
        """Begin with ``c`` as it is and the room between bounds; return X'c, X'room, and sums."""
        edges = self._edges
        p, _, u, _ = self.at
        room = p if edges.is_squared else p * u / np.where(edges.are_there, edges.costs, 1.0)
        self._room = np.where(edges.are_there, room, 0.0).sum(axis=0)
        self._loose = self.coefficients(False)
        return *self._of_loose(), self._samples.weights(self._room), float(self._room.sum())

    def gram_of_room(self, centre: NDArray | None) -> tuple[NDArray[np.float64]]:
        """Return the sum of ``room (x - centre) (x - centre)'``."""
        return (self._samples.gram(self._room, centre),)

    def pull(self, dw: NDArray, db: float) -> tuple[NDArray[np.float64], float]:
        """Change ``c`` by its room times ``X dw + db``; return ``X'c`` and ``sum c``."""
        self._loose = self._loose + self._room * (self._samples.product(dw) + db)
        return self._of_loose()

    def pulled(self) -> NDArray[np.float64]:
        """Return ``c`` after all changes by `pull`; it may be out of bounds."""
        return self._loose

    def _of_loose(self) -> tuple[NDArray[np.float64], float]:
        return self._samples.weights(self._loose), float(self._loose.sum())

    def _place(self) -> tuple[tuple[NDArray, NDArray, NDArray, bool], NDArray, NDArray]:
        """Return the edges and the iterate; arrays that another machine sent may lie anywhere."""
        return self._edges.for_core, as_contiguous(self.at), as_contiguous(self.g)

    def _begin(
        self,
        target: float,
        step: NDArray | None = None,
        earlier: NDArray | None = None,
        trial: float = 0.0,
    ) -> tuple[NDArray[np.float64], float]:
        """Begin a step; return ``X'(c + dc)`` and its sum without X, for ``dw = 0``."""
        self._dp, aim = np.empty(self.at.shape[1:]), np.empty_like(self.g)
        self._begun_dg = None
        _core.newton_begin(
            *self._place(),
            as_contiguous(self._line),
            None if step is None else as_contiguous(step),
            None if earlier is None else as_contiguous(earlier),
            (target, trial, MIN_SHARE, MAX_SHARE),
            self._products,
            self._dp,
            aim,
            self._samples.n_threads,
        )
        return self._samples.weights(aim), float(aim.sum())

    def _turned(self, dw: NDArray, db: float) -> NDArray[np.float64]:
        """Return how decision values change, with what was known of that before."""
        dg = self._samples.product(dw)
        if db:
            dg += db
        return dg if self._begun_dg is None else dg + self._begun_dg

    def _move(self, step: NDArray, dg: NDArray, length: float) -> tuple[float, float]:
        """Go some of a step; return the sum of products and the loss."""
        at, g = np.empty_like(self.at), np.empty_like(self.g)
        sums: tuple[float, float] = _core.newton_move(
            *self._place(),
            as_contiguous(step),
            as_contiguous(dg),
            length,
            at,
            g,
            self._samples.n_threads,
        )
        self.at, self.g = at, g
        return sums
