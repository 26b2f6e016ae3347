"""Primal-dual interior point method for the linear band problem.

Every edge of a band has a multiplier ``p >= 0``, a margin ``v`` and a slack ``xi >= 0`` with
``s = v + xi >= 0``. With the hinge ``u = cost - p >= 0`` besides. A point is optimal where

    w = X'c,   sum c = 0,   s p = 0   and   xi u = 0 (hinge) or xi = p / (2 cost) (squared hinge).

The method keeps all of these positive, lets the products go to 0 together, and takes Newton steps
on the equations. Each step eliminates what belongs to single edges (`chunk`): what is left has as
many unknowns as ``w`` and the intercept, and the matrix ``I + X'DX``, one pass over the samples. A
predictor step, a corrector step (Mehrotra) and steps that even out the products (Gondzio's multiple
centrality correctors) share it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm._linear.chunk import Chunk
from bandsvm._linear.executor import Executor
from bandsvm._linear.newton_system import NewtonSystem
from bandsvm._linear.point import Start

# Share of the way to the nearest bound that a step goes; the less, the sooner it meets the bound.
TO_THE_BOUND, SHORT = 0.995, 0.8
# Steps that are shorter than this are centred, at most so often; products are looked at this much
# further on, and a gain in length of less than this is not worth another one.
LONG, MAX_CENTRINGS, FURTHER, WORTH_CENTRING = 0.95, 2, 0.5, 0.05
# Relative gap from which on steps are refined, how often, and how large a change may be next
# to the one before: large entries of D magnify rounding errors.
CLOSE, MAX_REFINEMENTS, MAX_GROWTH = 1e-6, 3, 1.0
# How often coefficients are pulled to where their weights are those of the iterate.
MAX_PULLS = 3
# A shorter step gets nowhere.
MIN_LENGTH = 1e-8
# Products s p at the start, as a share of what an edge costs at a distance of its unit: from
# nothing, from a model.
COLD_START, WARM_START = 1.0, 1e-2
# From models of a larger relative gap, the method takes more steps than from nothing.
FAR = 1e-3
# Points are evaluated once they are this many times the aim from the optimum, by the products. Aims
# below this may be out of reach, and the best point one of those before.
NEARLY, FINE = 10.0, 1e-8
TINY = np.finfo(float).tiny
# Points at bounds that may fall short before points inside are evaluated, too.
SNAPS = 3


class Step(NamedTuple):
    """A step of the weights and of the intercept, how long it can be, and what that changes."""

    dw: NDArray[np.float64]  # dw, db: changes of the weights and of the intercept
    db: float
    longest: float  # the part of the step that it can go
    change: float  # by how much that part changes the sum of products


class Place(NamedTuple):
    """Where the iterate is, and the equations of the next step: to where products are 0."""

    sum_of_products: float
    loss: float
    of_D: NDArray[np.float64]  # of_D, sum_D: X'D and sum D
    sum_D: float
    of_aim: NDArray[np.float64]  # of_aim, sum_aim: X'aim and sum aim of the step
    sum_aim: float


class InteriorPoint:
    """An iterate of the method, and the steps that move it."""

    name = "newton"
    patience = 8
    is_exact = False
    is_steady = True

    def __init__(self, executor: Executor, start: Start | None = None) -> None:
        share = WARM_START
        if start is None or start.gap > FAR:
            start, share = Start(np.zeros(executor.n_features), 0.0), COLD_START
        self._sums, self._has_intercept = executor.newton_sums(), executor.has_intercept
        self.n_iter = self._n_short = 0
        self._estimate = np.inf
        self.w, self.b = start.w, start.intercept
        start_at = self.w, self.b, share, self._has_intercept
        self._n_products, *place = self._sums.total(Chunk.start, *start_at)
        self._place = Place(*place)

    def candidates(self) -> Iterator[NDArray[np.float64]]:
        """Yield dual points to evaluate the iterate by; they need not be feasible.

        The first has multipliers at their bounds where they come close. Far from the optimum, and
        where such points have fallen short before, the second has them as they are. Near the
        optimum a third has the weights of the iterate.
        """
        yield self._sums.joined(Chunk.snapped)
        self._n_short += 1
        if self._n_short > SNAPS or self._estimate > FAR:
            yield self._sums.joined(Chunk.coefficients)
        if self._n_short > SNAPS and self._estimate <= CLOSE:
            with suppress(np.linalg.LinAlgError):
                yield self._with_weights_of_iterate()

    def _with_weights_of_iterate(self) -> Any:
        """Return ``c`` near the iterate's for which ``X'c`` is ``w`` and ``sum c`` is 0.

        Where many samples lie on an edge, D is large and magnifies rounding errors of ``c``, and
        the loss magnifies those of ``X'c``. Coefficients between their bounds are moved, the more
        the more room they have: ``dc = room (X v + t)`` with the least ``v`` and ``t`` that help.
        """
        sums = self._sums
        of_c, sum_c, of_room, room = sums.total(Chunk.loosen)
        mean = of_room / room if self._has_intercept else None
        system = NewtonSystem(sums.total(Chunk.gram_of_room, mean), room, mean)
        for _ in range(MAX_PULLS):
            of_c, sum_c = sums.total(Chunk.pull, *system.solve(self.w - of_c, -sum_c))
        return sums.joined(Chunk.pulled)

    def steps(self, aim: float, max_iter: int) -> Iterator[tuple[float, bool]]:
        """Yield an estimate of the relative gap, and whether the point is worth evaluating.

        The iteration ends where steps get nowhere any more.
        """
        while True:
            primal = 0.5 * float(self.w @ self.w) + self._place.loss
            self._estimate = self._place.sum_of_products / max(primal, TINY)
            yield self._estimate, self._estimate <= NEARLY * max(aim, FINE)
            self.n_iter += 1
            if not self._place.sum_of_products > 0.0:  # products have underflowed
                return
            try:
                length = self._step()
            except np.linalg.LinAlgError:
                return
            if not length > MIN_LENGTH:
                return

    def _step(self) -> float:
        """Take a predictor and corrector steps; return the length of the last, at most 1."""
        sums, (before, _, of_D, sum_D, of_aim, sum_aim) = self._sums, self._place
        mean = of_D / sum_D if self._has_intercept else None
        system = NewtonSystem(sums.total(Chunk.gram, mean), sum_D, mean)
        affine = self._complete(system, of_aim, sum_aim)
        left = min(1.0, max(1.0 + affine.change / before, 0.0))
        target = before / self._n_products * left**3
        step = self._complete(system, *sums.total(Chunk.correct, target))
        step, is_last = self._centred(system, step, target)
        length = min(1.0, step.longest * min(TO_THE_BOUND, SHORT + (1.0 - SHORT) * step.longest))
        if not np.isfinite(length):
            return 0.0
        self.w = self.w + length * step.dw
        self.b += length * step.db
        self._place = Place(*sums.total(Chunk.move, length, not is_last, self._has_intercept))
        return length

    def _complete(self, system: NewtonSystem, of_aim: NDArray, sum_aim: float) -> Step:
        """Solve for a step that was begun, and complete it."""
        dw, db = system.solve(of_aim - self.w, sum_aim)
        more_w, more_b = dw, db
        for _ in range(MAX_REFINEMENTS if self._estimate <= CLOSE else 0):
            last = np.abs(more_w).max()
            of_aim, sum_aim = self._sums.total(Chunk.refine, more_w, more_b)
            more_w, more_b = system.solve(of_aim - self.w - dw, sum_aim)
            if not np.abs(more_w).max() <= MAX_GROWTH * last:  # only rounding errors are left
                more_w, more_b = np.zeros_like(dw), 0.0
                break
            dw, db = dw + more_w, db + more_b
        steepest, linear, quadratic = self._sums.total(Chunk.complete, more_w, more_b)
        # How far it can go before something gets negative, at most a bit beyond 1.
        longest = 1.0 / max(steepest, TO_THE_BOUND)
        return Step(dw, db, longest, longest * (linear + longest * quadratic))

    def _centred(self, system: NewtonSystem, step: Step, target: float) -> tuple[Step, bool]:
        """Return a longer step, if products that are far from their target stand in the way.

        Also return whether it is the one that was completed last.
        """
        for _ in range(MAX_CENTRINGS):
            if not step.longest < LONG:
                break
            trial = min(1.0, step.longest + FURTHER)
            longer = self._complete(system, *self._sums.total(Chunk.centre, target, trial))
            if not longer.longest > step.longest:
                return step, False
            is_much = longer.longest > step.longest + WORTH_CENTRING
            step = longer
            if not is_much:
                break
        return step, True
