"""The band problem: all that a solver needs to know about labels, bands, costs and weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bandsvm._problem.piecewise import project
from bandsvm._system.cached import cached_property

# Value of sum c, relative to sum |c|, that rounding can explain.
ROUNDING = 1e-13
# Multiples of it, less whole numbers, are spread evenly between 0 and 1, however many they are.
GOLDEN_RATIO = 0.5 * (5.0**0.5 - 1.0)
# Keeps the curvature of a squared loss finite if its cost is tiny.
MIN_COST = 1e-300


class Sides(NamedTuple):
    """One value per sample for each side of its band."""

    below: NDArray[np.float64]
    above: NDArray[np.float64]


@dataclass(frozen=True)
class BandProblem:
    """One band problem (docs/theory.md, section 3).

    Maximise ``sum_i h_i(c_i) - c'Kc / 2`` subject to ``-above <= c <= below`` and, with an
    intercept, ``sum c = total``; ``h_i(c)`` is ``lo_i c`` for ``c >= 0`` and ``hi_i c`` for
    ``c <= 0``. Squared losses have no bounds; they subtract ``ridge_i c_i^2 / 2`` instead (section
    5). The total is 0 except for one class (section 11).
    """

    # Edges of each sample's band, in units of the decision value g.
    lo: NDArray[np.float64]
    hi: NDArray[np.float64]
    # Costs of lying below ``lo`` and above ``hi``, perhaps infinite; with the hinge, bounds of c.
    below: NDArray[np.float64]
    above: NDArray[np.float64]
    # Whether g has an intercept, that is, whether the sum of c is fixed.
    has_intercept: bool = True
    # What is penalised: the distance from the band ("hinge"), or its square ("squared_hinge").
    loss: str = "hinge"
    # The bounds, if a larger problem has set them. None: the bounds that follow from the costs.
    box: Sides | None = None
    # The size of decision values where edges may be near 0 and do not tell it. 0: edges tell.
    edge_unit: float = 0.0
    # The sum of c, which its bounds allow; the primal has ``total`` times the intercept as one more
    # term. Other sums than 0 need the hinge.
    total: float = 0.0

    @property
    def n_samples(self) -> int:
        """Number of samples, of variables and of kernel rows."""
        return len(self.lo)

    @property
    def is_squared(self) -> bool:
        """Whether the losses are squares."""
        return self.loss == "squared_hinge"

    @cached_property
    def has_hard_edges(self) -> bool:
        """Whether some samples must not lie outside the band, because their cost is infinite."""
        largest = max(self.below.max(initial=0.0), self.above.max(initial=0.0))
        return bool(largest == np.inf)

    def priced(self, cost: float) -> BandProblem:
        """Return the problem with infinite costs replaced by a finite one.

        It has the same solutions if this cost is greater than all coefficients.
        """
        if not self.has_hard_edges:
            return self
        below, above = (np.where(np.isinf(v), cost, v) for v in (self.below, self.above))
        return replace(self, below=below, above=above, box=None)

    @cached_property
    def bounds(self) -> Sides:
        """The box that solvers search, ``-bounds.above <= c <= bounds.below``.

        Squared losses have no bounds, but the loss of a single sample cannot exceed the total loss
        of g = 0. This bounds c; twice the bound is a box that no solution touches. Without cost it
        is 0.
        """
        if self.box is not None:
            return self.box
        if not self.is_squared:
            return Sides(self.below, self.above)
        if self.total:  # then losses may exceed that of g = 0
            raise ValueError("a problem of squared losses must have the sum 0.")
        return self.box_for(self.loss_at_zero())

    def loss_at_zero(self) -> float:
        """Return the loss of g = 0 where losses are squared."""
        below = self.below @ np.maximum(self.lo, 0.0) ** 2
        return float(below + self.above @ np.maximum(-self.hi, 0.0) ** 2)

    def losses_at_zero(self) -> NDArray[np.float64]:
        """Return what each sample adds to `loss_at_zero`."""
        below = self.below * np.maximum(self.lo, 0.0) ** 2
        return below + self.above * np.maximum(-self.hi, 0.0) ** 2

    def boxed(self, loss_at_zero: float) -> BandProblem:
        """Return this part of a problem of squared losses in the box of the whole problem."""
        return replace(self, box=self.box_for(loss_at_zero))

    def box_for(self, loss_at_zero: float | NDArray) -> Sides:
        """Return the box of squared losses from the loss of g = 0, or that of each sample."""
        root = np.sqrt(loss_at_zero)
        return Sides(*(4.0 * np.sqrt(cost) * root for cost in (self.below, self.above)))

    @cached_property
    def ridge(self) -> Sides:
        """Curvature that the loss adds to the dual where c > 0 and where c < 0."""
        if not self.is_squared:
            return Sides(np.zeros(self.n_samples), np.zeros(self.n_samples))
        return Sides(
            *(
                np.where(cost > 0.0, 0.5 / np.maximum(cost, MIN_COST), 0.0)
                for cost in (self.below, self.above)
            )
        )

    def ridge_at(self, c: NDArray, indices: NDArray | slice = slice(None)) -> NDArray[np.float64]:
        """Return the curvature that the loss adds on the side of ``c``, for all or some samples."""
        return np.where(c > 0.0, self.ridge.below[indices], self.ridge.above[indices])

    def gradient(self, c: NDArray, f: NDArray) -> NDArray[np.float64]:
        """Return the gradient of the quadratic part: ``f = K c`` plus the ridges times ``c``."""
        return f + self.ridge_at(c) * c if self.is_squared else f

    def largest_coefficient(self) -> float:
        """Return an estimate of the largest absolute coefficient."""
        costs = np.maximum(self.below, self.above)
        if self.is_squared:  # c = 2 cost distance; few samples are on the wrong side of 0
            costs = 2.0 * costs * np.maximum(np.abs(self.lo), np.abs(self.hi))
        return float(costs.max())

    def part(self, indices: NDArray | slice) -> BandProblem:
        """Return the problem over some samples while the coefficients of the others are fixed.

        Steps keep the sum of its coefficients, whatever it is; its total is that of the whole.
        """
        lo, hi, below, above = (v[indices] for v in (self.lo, self.hi, self.below, self.above))
        # The box of squared losses depends on the costs of all samples.
        box = Sides(*(bound[indices] for bound in self.bounds))
        return replace(self, lo=lo, hi=hi, below=below, above=above, box=box)

    def without(self, index: int) -> BandProblem:
        """Return the problem without one sample: its costs are 0."""
        if self.total:
            raise ValueError("no sample can be left out of a problem whose sum is not 0.")

        def zeroed(values: NDArray) -> NDArray:
            values = values.copy()
            values[index] = 0.0
            return values

        # The box remains valid with fewer costs, and points inside it stay inside.
        box = Sides(*(zeroed(bound) for bound in self.bounds))
        return replace(self, below=zeroed(self.below), above=zeroed(self.above), box=box)

    def feasible(self, c: NDArray) -> NDArray[np.float64]:
        """Return a feasible point near ``c`` that keeps its zeros, where the objective has kinks.

        Values within rounding of a bound are set to it. Any excess of ``sum c`` over its total is
        spread over variables at no bound, as far as possible. What is missing where the total is
        not 0 is put on few variables, which it takes to their bounds.
        """
        c = self.within_bounds(c)
        if self._is_balanced(c):
            return c
        lowest, highest = -self.bounds.above, self.bounds.below
        free = (c != 0.0) & (c > lowest) & (c < highest)
        lowest, highest = np.where(c > 0.0, 0.0, lowest), np.where(c < 0.0, 0.0, highest)
        for side in (free, c != 0.0):
            if side.any() and not self._is_balanced(c):
                total = self.total - float(c[~side].sum())
                c[side] = project(c[side], lowest[side], highest[side], total)
        return c if self._is_balanced(c) or not self.total else self._filled(c)

    def start(self) -> NDArray[np.float64]:
        """Return the feasible point that `feasible` finds near zero."""
        zeros = np.zeros(self.n_samples)
        return self._filled(zeros) if self.total and self.has_intercept else zeros

    def within_bounds(self, c: NDArray) -> NDArray[np.float64]:
        """Return ``c`` within bounds; values within rounding of a bound are set to it."""
        lowest, highest = -self.bounds.above, self.bounds.below
        c = np.where(c < (1.0 - ROUNDING) * highest, c, highest)
        return np.where(c > (1.0 - ROUNDING) * lowest, c, lowest)

    def _filled(self, c: NDArray) -> NDArray[np.float64]:
        """Return ``c`` with variables taken to their bounds, one by one, until the sum is right.

        They are spread evenly over the samples, whose order may have a meaning.
        """
        missing = self.total - float(c.sum())
        ends = self.bounds.below if missing > 0.0 else -self.bounds.above
        order = ((np.arange(len(c)) * GOLDEN_RATIO) % 1.0).argsort(kind="stable")
        room = (ends - c)[order]
        ahead = room.cumsum() - room
        shares = (missing - ahead) / np.where(room == 0.0, 1.0, room)
        shares = np.maximum(shares, 0.0)
        c = c.copy()
        # Rounding must not leave a variable next to a bound.
        shares[shares * np.abs(room) <= ROUNDING * abs(missing)] = 0.0
        c[order] = np.where(shares >= 1.0 - ROUNDING, ends[order], c[order] + shares * room)
        return c

    def _is_balanced(self, c: NDArray) -> bool:
        """Return whether ``sum c`` is its total up to rounding, if it must be."""
        excess = float(c.sum()) - self.total
        return not self.has_intercept or abs(excess) <= ROUNDING * float(np.abs(c).sum())


def band_problem(
    signs: NDArray,
    rho1: float | NDArray,
    rho2: float | NDArray,
    C1: float | NDArray,
    C2: float | NDArray,
    weights: float | NDArray = 1.0,
    has_intercept: bool = True,
    loss: str = "hinge",
) -> BandProblem:
    """Write the Banded SVM of labels -1 and +1 as a band problem.

    Parameters
    ----------
    signs : ndarray of shape (n_samples,)
        Labels, -1 or +1.
    rho1, rho2 : float or ndarray of shape (n_samples,)
        The band of ``y g(x)``.
    C1, C2 : float or ndarray of shape (n_samples,)
        Penalties for lying below ``rho1`` and above ``rho2``.
    weights : float or ndarray of shape (n_samples,), default=1.0
        Factor of C1 and C2 per sample.
    has_intercept : bool, default=True
        Whether the decision rule has an intercept.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        What is penalised: the distance from the band, or its square.

    Returns
    -------
    BandProblem
        The four vectors of docs/theory.md section 3.
    """
    positive = np.asarray(signs) > 0
    return BandProblem(
        lo=_as_floats(np.where(positive, rho1, np.negative(rho2))),
        hi=_as_floats(np.where(positive, rho2, np.negative(rho1))),
        below=_weighted(weights, np.where(positive, C1, C2)),
        above=_weighted(weights, np.where(positive, C2, C1)),
        has_intercept=has_intercept,
        loss=loss,
    )


def _as_floats(values: NDArray) -> NDArray[np.float64]:
    return values.astype(np.float64, copy=False)


def _weighted(weights: float | NDArray, costs: NDArray) -> NDArray[np.float64]:
    """Return costs times weights; weight 0 gives cost 0, even if the cost is infinite."""
    with np.errstate(invalid="ignore"):
        return _as_floats(np.where(np.asarray(weights) > 0.0, weights * costs, 0.0))


def split_coefficients(signs: NDArray, c: NDArray) -> tuple[NDArray, NDArray]:
    """Return the paper's ``alpha`` and ``theta`` of the signed coefficients ``c``."""
    difference = signs * c
    return np.maximum(difference, 0.0), np.maximum(-difference, 0.0)


def slacks(
    signs: NDArray, decision: NDArray, rho1: float | NDArray, rho2: float | NDArray
) -> tuple[NDArray, NDArray]:
    """Return ``xi`` and ``eta``, the distances of ``y g(x)`` below and above the band."""
    signed = signs * decision
    return np.maximum(rho1 - signed, 0.0), np.maximum(signed - rho2, 0.0)
