"""Steps on a face: all free variables move together (docs/algorithms.md section 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import get_lapack_funcs

from bandsvm import _core
from bandsvm._engines import Engine
from bandsvm._problem.piecewise import project
from bandsvm._problem.slopes import piece
from bandsvm._solvers.state import State
from bandsvm._system.stopping import check_stop

# Beyond this many free variables a factorisation costs more than the pair steps that it saves.
MAX_FACE = 2000
# Steps that end inside the face only refine each other; two reach rounding error.
REFINEMENTS = _core.REFINEMENTS
# Variables may land one by one; a climb that is cut short must start again after the next block.
MAX_STEPS_ON_FACE = _core.MAX_STEPS_ON_FACE
# Multiplications that a climb may take: some tenths of a second.
MAX_WORK_OF_CLIMB = _core.MAX_WORK_OF_CLIMB
DAMPING_GROWTH = _core.DAMPING_GROWTH
EPSILON = float(np.finfo(np.float64).eps)
# Of a kernel that is zero; what is divided by it stays finite.
MIN_DAMPING = float(np.finfo(np.float64).tiny) / EPSILON
# Shares of a direction that are tried, and the share of the promised ascent that is enough.
STEP_SHARES = 0.5 ** np.arange(_core.TRIED_SHARES)
SUFFICIENT_SHARE = _core.SUFFICIENT_SHARE
# A direction is cut to this many widths of the widest piece, and to sizes of the largest variable
# where those are much less: beyond, only rounding errors grow.
MAX_STEP = _core.MAX_STEP


class Face(NamedTuple):
    """Free variables: their block of K, the dual's gradient, and the pieces they lie in.

    The diagonal of the block includes the ridges of squared losses. With an intercept the gradient
    is centred, because directions satisfy sum d = 0.
    """

    kernel: NDArray[np.float64]
    gradient: NDArray[np.float64]
    c: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    has_intercept: bool


def newton_direction(face: Face) -> NDArray:
    """Return ``argmax g'd - d'(K + delta I)d / 2``, within ``sum d = 0`` if there is an intercept.

    The damping delta makes the system solvable for singular and indefinite K and keeps d an
    ascent direction: where K is flat, d is long and the step ends at the end of a piece. d is zero
    if K is not finite.
    """
    kernel, gradient, has_intercept = face.kernel, face.gradient, face.has_intercept
    n = len(gradient)
    if has_intercept:
        # With sum d = 0 only the centred kernel matters. It maps the all-ones direction to zero,
        # so that direction gets a curvature; d has no part in it, since the gradient is centred.
        row_means = kernel.mean(axis=0)
        kernel = kernel - row_means[:, None] - row_means[None, :] + row_means.mean()
        kernel += abs(float(np.trace(kernel))) / n**2
    # The trace of a kernel is at least its largest entry; that of an indefinite one can be 0.
    largest = float(np.abs(kernel).max())
    damping = max(EPSILON * max(abs(float(np.trace(kernel))), largest), MIN_DAMPING)
    factorise, solve = get_lapack_funcs(("potrf", "potrs"), (kernel,))
    # No eigenvalue exceeds n times the largest entry, so that much damping is enough.
    while damping <= max(DAMPING_GROWTH * n * largest, MIN_DAMPING) and damping < np.inf:
        damped = np.array(kernel, order="F")
        damped.ravel(order="K")[:: n + 1] += damping
        factor, failed = factorise(damped, lower=True, overwrite_a=True, clean=False)
        if not failed:
            direction = solve(factor, gradient, lower=True)[0]
            return direction - direction.mean() if has_intercept else direction
        damping *= DAMPING_GROWTH
    return np.zeros(n)  # K is not finite


def climb_face(
    state: State,
    find_direction: Callable[[Face], NDArray] = newton_direction,
    largest: int | None = None,
    max_steps: int | None = None,
    max_products: int | None = None,
) -> bool:
    """Maximise the dual over the face of ``c``; return whether ``c`` moved.

    Variables that reach the end of their piece stay there: the face loses dimensions, and the climb
    continues with the rest. ``max_products`` is the number of products with the kernel that
    ``find_direction`` takes, for the count of work; None counts a factorisation.
    """
    largest = MAX_FACE if largest is None else largest
    max_steps = MAX_STEPS_ON_FACE if max_steps is None else max_steps
    problem = state.problem
    free = state.engine.free()
    if not 0 < len(free) <= largest:
        return False
    start, quadratic = state.engine.at(free)
    kernel = curvature(state.engine, free, start)
    slope, lower, upper = piece(problem, free, start)
    c, gradient = start.copy(), slope - quadratic
    active = np.arange(len(free))
    refinements = 0
    # Slopes of this size are only rounding errors of the decision values.
    flat = EPSILON * float(np.abs(slope).max())
    affordable = max(REFINEMENTS, int(MAX_WORK_OF_CLIMB / len(free) ** 3))
    for _ in range(min(max_steps, affordable)):
        if len(active) == 0 or refinements == REFINEMENTS:
            break
        check_stop()
        part = kernel[np.ix_(active, active)] if len(active) < len(free) else kernel
        uphill = gradient[active]
        if problem.has_intercept:
            # With sum d = 0 the mean has no effect, but multiplied by a sum of 1e-17 it could.
            uphill = uphill - uphill.mean()
        if float(np.abs(uphill).max()) <= flat:
            break
        face = Face(part, uphill, c[active], lower[active], upper[active], problem.has_intercept)
        products = len(active) / 3 if max_products is None else max_products
        state.face_work += len(active) ** 2 * (products + len(STEP_SHARES))
        moved = _ascend(face, find_direction(face))
        if moved is None:
            break
        gradient -= kernel[:, active] @ (moved - c[active])
        c[active] = moved
        inside = (moved > lower[active]) & (moved < upper[active])
        refinements += bool(inside.all())
        active = active[inside]
    climbed = bool((c != start).any())
    state.move(free, c)
    return climbed


def curvature(engine: Engine, free: NDArray, c: NDArray) -> NDArray:
    """Return the block of K with the ridges, which are constant on a face, on its diagonal."""
    block, ridge = engine.kernel.block(free), engine.problem.ridge_at(c, free)
    if ridge.any():
        block = np.array(block, dtype=np.float64, order="C")  # the block belongs to the engine
        block.ravel()[:: len(free) + 1] += ridge
    return block


def _ascend(face: Face, direction: NDArray) -> NDArray | None:
    """Return the point reached along ``direction``, or None if it does not lead up."""
    kernel, gradient, c, lower, upper, has_intercept = face
    reach = float(np.abs(direction).max())
    if not 0.0 < reach < np.inf:
        return None
    total = float(c.sum()) if has_intercept else None
    # On the path bent at the ends of the pieces, many variables can land at once.
    for share in _step_shares(float((upper - lower).max()) / reach, float(np.abs(c).max()) / reach):
        end = c + share * direction
        if (end < lower).any() or (end > upper).any():
            end = project(end, lower, upper, total)
        step = end - c
        ascent, curvature = float(gradient @ step), float(step @ (kernel @ step))
        if ascent > 0.0 and ascent - 0.5 * curvature >= SUFFICIENT_SHARE * ascent:
            return end
    # Otherwise go straight, to the maximum or until the first variable lands.
    ascent, curvature = float(gradient @ direction), float(direction @ (kernel @ direction))
    if not ascent > 0.0:
        return None
    ends = np.where(direction > 0.0, upper, lower)
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(direction != 0.0, (ends - c) / direction, np.inf)
    top = ascent / curvature if curvature > 0.0 else np.inf
    length = min(top, float(room.min()))
    if not np.isfinite(length):
        return None
    moved = np.clip(c + length * direction, lower, upper)
    landed = room <= length
    moved[landed] = ends[landed]
    return moved


def _step_shares(width: float, size: float) -> NDArray:
    """Return shares of a direction to try, from the widest piece and the largest variable."""
    shares = min(1.0, MAX_STEP * width) * STEP_SHARES
    closer = MAX_STEP * size * STEP_SHARES[::2]
    # If boxes are much wider than any variable needs, all of the first shares may be too long.
    return np.append(shares, closer) if closer[0] < shares[-1] else shares
