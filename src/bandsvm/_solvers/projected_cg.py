"""Projected conjugate gradients, ``solver="pcg"``, as the paper suggests (algorithms.md section 6).

Proximal gradient steps choose the face, that is, which variables sit at a bound or at the kink;
conjugate gradients climb it (Moré and Toraldo 1991, with a kink and an equality constraint).
"""

from __future__ import annotations

import itertools
from collections.abc import Generator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.piecewise import falling_root, shares
from bandsvm._solvers.face import Face, climb_face
from bandsvm._solvers.state import State
from bandsvm._system.stopping import check_stop

# Gradient steps before each climb: fewer leave the face unsettled, more cost a product with K each.
GRADIENT_STEPS = 3
# No curvature of K exceeds its trace, so no step need be shorter than its inverse; steps much
# longer than this, in units of the inverse mean diagonal, lose the box in rounding errors.
MAX_GRADIENT_STEP = 1e8
# A step this many boxes long lands in their corners; a longer one only loses digits of the sum.
MAX_STEP_IN_BOXES = 1e4
MIN_SCALE = 1e-250  # keeps step lengths and their inverses finite
MIN_GRADIENT_STEP = float(np.finfo(np.float64).tiny)
# A climb reduces the slopes on its face to this share of the violation, or of tol if that is more.
# A sharper climb is wasted on a face that will change; a coarser one takes more outer steps.
CLIMB_REDUCTION = 0.1
CLIMB_SHARE_OF_TOL = 0.1
# Steps of conjugate gradients for one direction, each a product with the face's block of K.
MAX_CG_STEPS = 200
# They end once this share of variables has left its piece: more belongs to another face.
MAX_SHARE_OUTSIDE = 0.05
# Directions per climb. Variables land on the way; what is left waits for the next outer step.
MAX_CLIMBS = 40
# Where K is nearly singular conjugate gradients crawl; a small face is factorised every so many
# outer steps. More often costs factorisations that easy problems do not need.
NEWTON_PERIOD = 25
# A block of this many free variables takes 800 MB; larger faces are left to gradient steps.
MAX_CG_FACE = 10_000


def projected_cg_steps(state: State, tol: float) -> Generator[float]:
    """Yield the violation after each outer step until it is at most ``tol`` or stops falling."""
    problem, engine = state.problem, state.engine
    sizes = np.abs(engine.kernel.diagonal())
    # The sum of kernel values of 1e307 is infinite, which would make all steps zero.
    mean = float(np.mean(sizes))
    scale = max(mean if np.isfinite(mean) else float(sizes.max()), MIN_SCALE)
    edge = float(np.maximum(np.abs(problem.lo), np.abs(problem.hi)).max())
    width = float((problem.bounds.below + problem.bounds.above).max())
    longest = MAX_GRADIENT_STEP / scale
    if edge > 0.0:
        longest = min(longest, MAX_STEP_IN_BOXES * width / edge)
    shortest = min(max(0.1 / problem.n_samples / scale, MIN_GRADIENT_STEP), longest)
    length = 1.0 / scale
    for outer in itertools.count(1):
        current = engine.violation()
        yield current
        if current <= tol:
            return
        moved = False
        for _ in range(GRADIENT_STEPS):
            length, stepped = gradient_step(state, float(np.clip(length, shortest, longest)))
            moved |= stepped
        if outer % NEWTON_PERIOD == 0 and climb_face(state):
            continue
        residual = max(CLIMB_REDUCTION * current, CLIMB_SHARE_OF_TOL * tol)
        climb = partial(conjugate_direction, residual_tol=residual)
        moved |= climb_face(state, climb, MAX_CG_FACE, MAX_CLIMBS, MAX_CG_STEPS)
        if not moved:
            return


def gradient_step(state: State, length: float) -> tuple[float, bool]:
    """Move to the best point on the segment to the proximal point; return the next step length."""
    engine = state.engine
    problem, c, f = engine.problem, engine.c, engine.f
    end = proximal_point(problem, c, f, length)
    step = end - c
    indices = np.flatnonzero(step)
    if len(indices) == 0:
        return length, False
    image = engine.kernel.product(indices, step[indices])
    curvature = float(step @ image)
    t = best_on_segment(problem, c, f, end, curvature)
    if t <= 0.0:
        return 0.0, False
    if t < 1.0:
        end = c + t * step
        # The best point may be a kink: set variables to it exactly.
        end[np.abs(end) <= 4 * np.finfo(np.float64).eps * np.abs(c)] = 0.0
    state.place(end, f + t * image)
    # Barzilai and Borwein's step length is the inverse curvature along this step.
    return (float(step @ step) / curvature if curvature > 0.0 else np.inf), True


def proximal_point(problem: BandProblem, c: NDArray, f: NDArray, length: float) -> NDArray:
    """Return the maximiser of the dual with K replaced by a multiple of the identity.

    For a multiplier b of the sum constraint, each variable has a closed form, decreasing in b; b
    solves one piecewise linear equation. The ridges of squared losses stay: they shorten steps.
    """
    bounds = problem.bounds
    below, above = (length / (1.0 + length * ridge) for ridge in problem.ridge)
    centre = c / length - f

    def point(b: float) -> NDArray:
        rising = np.maximum(centre + problem.lo - b, 0.0)
        falling = np.minimum(centre + problem.hi - b, 0.0)
        return np.clip(below * rising + above * falling, -bounds.above, bounds.below)

    if not problem.has_intercept:
        return point(0.0)
    zero_from, zero_to = centre + problem.lo, centre + problem.hi
    breakpoints = [
        zero_from - bounds.below / below,
        zero_from,
        zero_to,
        zero_to + bounds.above / above,
    ]
    total = problem.total
    root = falling_root(lambda b: float(point(b).sum()) - total, np.concatenate(breakpoints))
    end = point(root)
    inside = (end != 0.0) & (end > -bounds.above) & (end < bounds.below)
    # The rounding error of the root is spread over the variables that can move.
    end[inside] -= shares(float(end.sum()) - total, end[inside])
    return np.clip(end, -bounds.above, bounds.below, out=end)


def best_on_segment(
    problem: BandProblem, c: NDArray, f: NDArray, end: NDArray, curvature: float
) -> float:
    """Return the share of the segment from ``c`` to ``end`` at which the dual is largest.

    Along the segment the dual's slope falls linearly; it drops where a variable crosses its kink,
    and then falls at another rate if the loss has different curvatures on both sides. ``curvature``
    is that of K.
    """
    step = end - c
    positive = (c > 0.0) | ((c == 0.0) & (step > 0.0))
    slope = float(np.where(positive, problem.lo, problem.hi) @ step - problem.gradient(c, f) @ step)
    ridges = np.where(positive, problem.ridge.below, problem.ridge.above)
    crossing = np.flatnonzero(c * end < 0.0)
    times = -c[crossing] / step[crossing]
    order = np.argsort(times, kind="stable")
    times, crossing = times[order], crossing[order]
    # Between two crossings the slope is s - k t; it is continuous where k changes.
    other = (problem.ridge.below + problem.ridge.above - ridges)[crossing]
    turns = (other - ridges[crossing]) * step[crossing] ** 2
    drops = (problem.hi - problem.lo)[crossing] * np.abs(step[crossing]) - turns * times
    s = slope - np.concatenate([[0.0], np.cumsum(drops)])
    k = curvature + float(ridges @ step**2) + np.concatenate([[0.0], np.cumsum(turns)])
    for i, time in enumerate(times):
        if s[i] - k[i] * time <= 0.0:
            return _top(s[i], k[i])
        if s[i + 1] - k[i + 1] * time <= 0.0:
            return float(time)
    return 1.0 if s[-1] - k[-1] >= 0.0 else _top(s[-1], k[-1])


def _top(slope: float, curvature: float) -> float:
    """Return where a falling slope reaches zero, or 0 if it is negative from the start."""
    return float(slope / curvature) if slope > 0.0 else 0.0


def conjugate_direction(face: Face, residual_tol: float) -> NDArray:
    """Return the direction that conjugate gradients find for ``K d = g`` within ``sum d = 0``.

    They stop early once the direction has left the pieces of many variables, because then another
    face applies.
    """

    def centred(vector: NDArray) -> NDArray:
        return vector - vector.mean() if face.has_intercept else vector

    fall, rise = face.lower - face.c, face.upper - face.c
    flat = float(np.finfo(np.float64).eps * np.abs(np.diagonal(face.kernel)).max())
    most_outside = max(1, int(MAX_SHARE_OUTSIDE * len(face.c)))
    residual = face.gradient.copy()
    direction = np.zeros_like(residual)
    conjugate = residual.copy()
    norm = float(residual @ residual)
    for _ in range(min(MAX_CG_STEPS, 2 * len(face.c))):
        if np.abs(residual).max() <= residual_tol:
            break
        check_stop()
        image = centred(face.kernel @ conjugate)
        curvature = float(conjugate @ image)
        if curvature <= flat * norm:
            # Flat or indefinite: the dual keeps rising, so the step ends at the end of a piece.
            return direction if direction.any() else conjugate
        step = norm / curvature
        direction += step * conjugate
        if np.count_nonzero((direction < fall) | (direction > rise)) > most_outside:
            break
        residual -= step * image
        previous, norm = norm, float(residual @ residual)
        conjugate = residual + (norm / previous) * conjugate
    return direction
