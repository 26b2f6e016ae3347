"""Some of the samples and what the interior point method knows of them.

All that grows with the number of samples lives in chunks and their states. An operation on a chunk
takes its state and weights or numbers. It returns the next state, and sums over the samples of the
chunk, which are added up over all chunks, or a largest value. Chunks may therefore lie on several
machines. States are values: no operation writes into their arrays.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm import _core
from bandsvm._kernels.samples import as_contiguous
from bandsvm._linear.samples import LinearSamples
from bandsvm._problem.band_problem import BandProblem

# A multiplier goes to its bound where its distance from there, in units of the cost, is this small
# next to the distance of the sample from the edge, in units of the edge.
SNAP = 1e-2
# Shares of their common target between which products are brought by a step that is centred.
MIN_CENTRED_SHARE, MAX_CENTRED_SHARE = 0.3, 10.0


class Edges:
    """Edges by side and sample, so that one formula serves all.

    The margin ``v = sign g - value`` of an edge is how far its sample lies on the right side of it,
    with minus the sample's sign on side 1. Its multiplier ``p`` pulls the sample to that side:
    ``c`` is the sum over sides of the sign times ``p``. Edges that cost nothing to cross do not
    count.
    """

    def __init__(self, problem: BandProblem) -> None:
        has_lower = problem.below > 0.0
        self.signs = np.where(has_lower, 1.0, -1.0)
        lower, upper = (problem.lo, problem.below), (-problem.hi, problem.above)
        sides = [
            [np.where(has_lower, *pair) for pair in zip(lower, upper, strict=True)],
            [np.where(has_lower, *pair) for pair in zip(upper, lower, strict=True)],
        ]
        if not np.any(sides[1][1] > 0.0):
            del sides[1]
        self.values, self.costs = (np.array(values) for values in zip(*sides, strict=True))
        self._least_unit = problem.edge_unit
        self.is_squared = problem.is_squared
        self.are_there = self.costs > 0.0  # which edges count
        self.for_core = self.signs, self.values, self.costs, self.is_squared

    @property
    def units(self) -> NDArray[np.float64]:
        """The units of distances from edges."""
        return np.maximum(np.abs(self.values), self._least_unit)

    def margins(self, g: NDArray) -> NDArray[np.float64]:
        """Return the margins at decision values ``g``."""
        g = self.signs * g
        sides = g[None] if len(self.values) == 1 else np.stack([g, -g])
        return sides - self.values

    def coefficients(self, p: NDArray) -> NDArray[np.float64]:
        """Return the coefficients ``c`` of the samples from the multipliers of the edges."""
        p = np.where(self.are_there, p, 0.0)
        return self.signs * (p[0] - p[1] if len(p) == 2 else p[0])


# What no operation has computed yet.
UNKNOWN: Any = None


class Largest(float):
    """A number of which the largest, or NaN, is kept where others are added up."""

    __slots__ = ()

    def __add__(self, other: float) -> Largest:
        return Largest(np.maximum(self, other))


class ChunkState(NamedTuple):
    """The iterate at the samples of a chunk, and the Newton step that is being computed."""

    # at, g: ``p, s, u`` and ``xi`` of every edge, and the decision value of every sample.
    at: NDArray[np.float64] = UNKNOWN
    g: NDArray[np.float64] = UNKNOWN
    # line, D: The coefficients of the equations of every edge, and what they add up to.
    line: NDArray[np.float64] = UNKNOWN
    D: NDArray[np.float64] = UNKNOWN
    # products, dp, begun_dg: the step that was begun: the products that it aims at (None for 0),
    # the changes of ``p`` for ``dw = 0``, and the changes of ``g`` that are known.
    products: NDArray[np.float64] | None = None
    dp: NDArray[np.float64] = UNKNOWN
    begun_dg: NDArray[np.float64] | None = None
    step: NDArray[np.float64] = UNKNOWN  # step, dg: the step that was completed last
    dg: NDArray[np.float64] = UNKNOWN
    kept_step: NDArray[np.float64] = UNKNOWN  # kept_step, kept_dg: the one before the last centring
    kept_dg: NDArray[np.float64] = UNKNOWN
    # room, loose: how far coefficients may go, and the coefficients that `pull` changes.
    room: NDArray[np.float64] = UNKNOWN
    loose: NDArray[np.float64] = UNKNOWN

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to make the same state on another machine."""
        return _received, tuple(self)


def _received(*fields: Any) -> ChunkState:
    """Return a state whose arrays were received as bytes, which may lie anywhere in memory."""
    return ChunkState._make(None if field is None else as_contiguous(field) for field in fields)


Sums = tuple[Any, ...]


class Chunk:
    """Samples, their edges, and the operations that move an iterate at them.

    An iterate, and a step, holds ``p, s, u`` and ``xi`` of every edge; with the squared hinge there
    is no ``u``. For every edge ``s dp + p ds = product - s p`` with ``ds = dv + dxi + residual``
    and ``dxi = rate dp + offset`` gives ``dp = constant - flexibility dv``. What is left to find is
    ``dw`` and ``db``, which need sums over all samples.
    """

    def __init__(self, samples: LinearSamples, problem: BandProblem) -> None:
        self._samples, self._problem, self._edges = samples, problem, Edges(problem)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return how to make the same chunk on another machine."""
        return Chunk, (self._samples, self._problem)

    def start(
        self, state: ChunkState, w: NDArray, b: float, share: float, centred: bool
    ) -> tuple[ChunkState, Sums]:
        """Start at a model; products are a share of what edges cost at a distance of their unit.

        Returns their number, their sum, the loss, and what `_linearise` returns.
        """
        edges = self._edges
        g = self._samples.product(w) + b
        losses = edges.costs * (edges.units**2 if edges.is_squared else edges.units)
        central = self._central(edges.margins(g), share * losses)
        state = ChunkState(np.where(edges.are_there, central, 1.0), g)
        n_products = (1 if edges.is_squared else 2) * int(edges.are_there.sum())
        state, sums = self._move(state, np.zeros_like(state.at), np.zeros_like(g), 0.0)
        state, linearised = self._linearise(state, centred)
        return state, (n_products, *sums, *linearised)

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

    def _linearise(self, state: ChunkState, centred: bool) -> tuple[ChunkState, Sums]:
        """Begin the step to where products are 0; return ``X'D, sum D, X'aim, sum aim``.

        Without an intercept nobody needs ``X'D``; it is then 0.
        """
        line, D = np.empty((3, *state.at.shape[1:])), np.empty_like(state.g)
        samples, edges = self._samples, self._edges.for_core
        _core.newton_linearise(edges, state.at, state.g, line, D, samples.n_threads)
        of_D = samples.weights(D) if centred else np.zeros(samples.n_features)
        state, aim = self._begin(ChunkState(state.at, state.g, line, D), None, 0.0)
        return state, (of_D, float(D.sum()), *aim)

    def gram(self, state: ChunkState, centre: NDArray | None) -> tuple[ChunkState, NDArray]:
        """Return the sum of ``D (x - centre) (x - centre)'``."""
        return state, self._samples.gram(state.D, centre)

    def complete(self, state: ChunkState, dw: NDArray, db: float) -> tuple[ChunkState, Sums]:
        """Complete the step that was begun; return its steepest fall, and how products change.

        The fall is the largest share that a step of length 1 takes away from anything positive. A
        step of length t changes the sum of products by ``t (linear + t quadratic)``.
        """
        dg, step = self._turned(state, dw, db), np.empty_like(state.at)
        edges, threads = self._edges.for_core, self._samples.n_threads
        begun = state.at, state.g, state.line, state.products, state.dp
        steepest, linear, quadratic = _core.newton_complete(edges, *begun, dg, step, threads)
        is_finite = np.isfinite(linear) and np.isfinite(quadratic)
        fall = Largest(steepest if is_finite else np.nan)
        return state._replace(step=step, dg=dg), (fall, linear, quadratic)

    def correct(self, state: ChunkState, target: float) -> tuple[ChunkState, Sums]:
        """Begin the step to where products are ``target``; return ``X'aim`` and ``sum aim``."""
        return self._begin(state, np.empty((2, *state.at.shape[1:])), target, state.step)

    def centre(self, state: ChunkState, target: float, trial: float) -> tuple[ChunkState, Sums]:
        """Begin a step like the last, after which fewer products are far from ``target``.

        Products are looked at where ``trial`` of the last step leads. Returns ``X'aim`` and
        ``sum aim``.
        """
        earlier, kept = state.products, state._replace(kept_step=state.step, kept_dg=state.dg)
        return self._begin(kept, np.empty_like(earlier), target, state.step, earlier, trial)

    def refine(self, state: ChunkState, dw: NDArray, db: float) -> tuple[ChunkState, Sums]:
        """Go on with the step; return ``X'aim`` and ``sum aim`` as they are now.

        Large entries of ``D`` magnify rounding errors, so near the end the driver solves for what
        is missing once more.
        """
        begun_dg, aim = self._turned(state, dw, db), np.empty_like(state.g)
        edges, threads = self._edges.for_core, self._samples.n_threads
        begun = state.at, state.g, state.line, state.dp
        _core.newton_turn(edges, *begun, begun_dg, aim, threads)
        return state._replace(begun_dg=begun_dg), self._sums(aim)

    def move(
        self, state: ChunkState, length: float, before_last: bool, centred: bool
    ) -> tuple[ChunkState, Sums]:
        """Take the step, or that before the last centring.

        Returns the sum of products, the loss, and what `_linearise` returns there.
        """
        taken = (state.kept_step, state.kept_dg) if before_last else (state.step, state.dg)
        state, sums = self._move(state, *taken, length)
        state, linearised = self._linearise(state, centred)
        return state, (*sums, *linearised)

    def coefficients(self, state: ChunkState) -> NDArray[np.float64]:
        """Return ``c``."""
        return self._edges.coefficients(state.at[0])

    def snapped(self, state: ChunkState) -> NDArray[np.float64]:
        """Return ``c`` with multipliers at their bounds where they come close."""
        edges = self._edges
        p, s, u, xi = state.at
        costs, units = edges.costs, edges.units
        near_zero, near_cost = p * units < SNAP * costs * s, u * units < SNAP * costs * xi
        p = np.where(near_zero, 0.0, p)
        if not edges.is_squared:
            p = np.where(near_cost, costs, p)
        return edges.coefficients(p)

    def loosen(self, state: ChunkState) -> tuple[ChunkState, Sums]:
        """Begin with ``c`` as it is and the room between bounds; return X'c, X'room, and sums."""
        edges = self._edges
        p, _, u, _ = state.at
        room = p if edges.is_squared else p * u / np.where(edges.are_there, edges.costs, 1.0)
        room = np.where(edges.are_there, room, 0.0).sum(axis=0)
        c = self.coefficients(state)
        return state._replace(room=room, loose=c), (*self._sums(c), *self._sums(room))

    def gram_of_room(self, state: ChunkState, centre: NDArray | None) -> tuple[ChunkState, NDArray]:
        """Return the sum of ``room (x - centre) (x - centre)'``."""
        return state, self._samples.gram(state.room, centre)

    def pull(self, state: ChunkState, dw: NDArray, db: float) -> tuple[ChunkState, Sums]:
        """Change ``c`` by its room times ``X dw + db``; return ``X'c`` and ``sum c``."""
        c = state.loose + state.room * (self._samples.product(dw) + db)
        return state._replace(loose=c), self._sums(c)

    def pulled(self, state: ChunkState) -> NDArray[np.float64]:
        """Return ``c`` after all changes by `pull`; it may be out of bounds."""
        return state.loose

    def _sums(self, v: NDArray) -> Sums:
        """Return ``X'v`` and ``sum v``."""
        return self._samples.weights(v), float(v.sum())

    def _begin(
        self,
        state: ChunkState,
        products: NDArray | None,
        target: float,
        step: NDArray | None = None,
        earlier: NDArray | None = None,
        trial: float = 0.0,
    ) -> tuple[ChunkState, Sums]:
        """Begin a step; return ``X'(c + dc)`` and its sum without X, for ``dw = 0``.

        The core writes what it aims at into ``products``.
        """
        dp, aim = np.empty(state.at.shape[1:]), np.empty_like(state.g)
        edges, threads = self._edges.for_core, self._samples.n_threads
        place = edges, state.at, state.g, state.line
        centring = target, trial, MIN_CENTRED_SHARE, MAX_CENTRED_SHARE
        _core.newton_begin(*place, step, earlier, centring, products, dp, aim, threads)
        return state._replace(products=products, dp=dp, begun_dg=None), self._sums(aim)

    def _turned(self, state: ChunkState, dw: NDArray, db: float) -> NDArray[np.float64]:
        """Return how decision values change, with what was known of that before."""
        dg = self._samples.product(dw)
        if db:
            dg += db
        return dg if state.begun_dg is None else dg + state.begun_dg

    def _move(
        self, state: ChunkState, step: NDArray, dg: NDArray, length: float
    ) -> tuple[ChunkState, tuple[float, float]]:
        """Go some of a step; return the sum of products and the loss."""
        at, g = np.empty_like(state.at), np.empty_like(state.g)
        edges, threads = self._edges.for_core, self._samples.n_threads
        sums = _core.newton_move(edges, state.at, state.g, step, dg, length, at, g, threads)
        return ChunkState(at, g), sums
