"""Solutions of a band problem without one sample, from the solution for all samples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bandsvm._engines import engine_for
from bandsvm._kernels import KernelOperator, PrecomputedRows
from bandsvm._problem import Solution, Start, Status, moved_by
from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.piecewise import project
from bandsvm._problem.slopes import ascent_slopes, free_variables, piece
from bandsvm._solvers import solve
from bandsvm._solvers.block import STEPS_PER_VARIABLE
from bandsvm._solvers.driver import has_drifted
from bandsvm._solvers.face import MAX_FACE, climb_face
from bandsvm._solvers.state import State, meter

# Samples that may become free beside those that are: a share of all, within limits, and of the
# free ones. Fewer make pair steps cheaper, but leave more samples to `solve`.
NEIGHBOUR_SHARE, MIN_NEIGHBOURS, MAX_NEIGHBOURS = 0.25, 128, 1024
NEIGHBOURS_PER_FREE = 0.25
# Pair steps, and a step on the face where those take too long, this often at most: samples that
# need more are left to `solve`, which costs less than more rounds.
MAX_REOPTIMISING_ROUNDS = 10
# Pair steps aim below ``tol``, because the check that follows looks at more samples than they do.
AIM = 0.8
# Share of the mean curvature that keeps the inverse finite where K is singular.
DAMPING = 1e-11


class LeftOut:
    """Solves a band problem without one sample at a time, from the solution with all of them.

    One step on the face moves the sample's coefficient to the free variables; the matrix of this
    step is inverted once. Pair steps on the samples in play, which are free or near an edge of
    their band, restore optimality. A check of all samples follows; if it fails, `solve` continues
    from there, with ``solver`` and ``max_iter``. Matrices of the fast method that need more than
    ``max_bytes`` leave all refits to `solve`. ``rows`` are in double precision.
    """

    def __init__(
        self,
        problem: BandProblem,
        rows: KernelOperator,
        solution: Solution,
        tol: float,
        solver: str = "auto",
        max_iter: int = 10_000,
        max_bytes: float = np.inf,
    ) -> None:
        self._problem, self._rows = problem, rows
        self._c, self._f, self._start = solution.c, solution.f, Start.at(solution)
        self._sizes = rows.sizes()
        self._tol, self._solver, self._max_iter = tol, solver, max_iter
        self._free = free_variables(problem, self._c)
        needed = matrix_bytes(len(self._free), problem.n_samples)
        # Without bounds, any sample may have to absorb the coefficient.
        self._is_worthwhile = (
            len(self._free) > 0 and needed <= max_bytes and not problem.has_hard_edges
        )
        if self._is_worthwhile:
            self._prepare()

    def _prepare(self) -> None:
        """Compute what all refits have in common: samples in play, their K, an inverse."""
        problem, free = self._problem, self._free
        _, self._lower, self._upper = piece(problem, free, self._c[free])
        n_part = part_size(len(free), problem.n_samples)
        self._part = samples_in_play(problem, self._c, self._f, n_part)
        self._of_part = problem.part(self._part)
        self._part_rows = PrecomputedRows(np.array(self._rows.block(self._part), dtype=np.float64))
        self._place_in_part = places(self._part, problem.n_samples)
        self._place_in_free = places(free, problem.n_samples)
        inside = self._place_in_part[free]
        self._columns = np.ascontiguousarray(self._part_rows.matrix[:, inside])
        curvature = self._columns[inside] + np.diag(problem.ridge_at(self._c[free], free))
        self._unit = abs(float(np.trace(curvature))) / len(free) or 1.0
        self._inverse = inverse_on_face(curvature, problem.has_intercept, self._unit)

    def without(self, i: int, *, exactly: bool = False) -> tuple[BandProblem, Solution]:
        """Return the problem without sample ``i`` and its solution, exact if ``exactly``."""
        spent = meter(self._rows)
        problem = self._problem.without(i)
        state = self._fast_refit(problem, i) if self._is_worthwhile else None
        if state is not None and not exactly:
            is_optimal = state.engine.violation() <= self._tol
            if is_optimal and not has_drifted(state, self._tol):
                return problem, state.solution(Status.CONVERGED, 0, **spent())
        solution = solve(
            problem,
            self._rows,
            solver=self._solver,
            tol=self._tol,
            max_iter=self._max_iter,
            start=self._start if state is None else state.start,
            polished=exactly or state is None,
        )
        n_before = 0 if state is None else state.n_pair_steps
        return problem, replace(solution, n_pair_steps=n_before + solution.n_pair_steps)

    def _fast_refit(self, problem: BandProblem, i: int) -> State | None:
        """Return the result of the fast method, or None if the face cannot absorb ``c_i``."""
        c, pull = self._c.copy(), self._rows.product(np.array([i]), self._c[[i]])
        c[i] = 0.0
        free = self._free
        absorbed = self._absorbed(c, pull, i)
        if absorbed is None:
            return None
        part = self._part
        f = self._f - pull
        f_part = f[part] + self._columns @ (absorbed - c[free])
        before, c[free] = c[part], absorbed
        place = self._place_in_part[i]
        of_part = self._of_part.without(place) if place >= 0 else self._of_part
        state = State(engine_for(self._part_rows, of_part, c[part], f_part))
        reoptimise(state, AIM * self._tol)
        c[part] = before
        moved = moved_by(self._start.moved, self._sizes[[i]], self._c[[i]])
        whole = State(engine_for(self._rows, problem, c, f), moved, state.n_pair_steps)
        whole.move(part, state.engine.c)
        return whole

    def _absorbed(self, c: NDArray, pull: NDArray, i: int) -> NDArray | None:
        """Return the free variables after they absorbed the contribution of sample ``i``.

        They keep the slopes on the face equal: ``K_FF d + nu = K_Fi c_i``, ``sum d = c_i``. For a
        free sample, its column of the inverse gives d. Variables stop at the ends of their pieces.
        """
        free, place = self._free, self._place_in_free[i]
        lower, upper = self._lower, self._upper
        if place >= 0:
            column = self._inverse[place, : len(free)]  # of a symmetric matrix
            direction = column * (-self._c[i] / column[place])
            direction[place] = 0.0
            lower, upper = lower.copy(), upper.copy()
            lower[place] = upper[place] = 0.0
        else:
            sums = [self._unit * self._c[i]] if self._problem.has_intercept else []
            target = np.append(pull[free], sums)
            direction = self._inverse[: len(free)] @ target
        total = None
        if self._problem.has_intercept:
            total = float(c[free].sum() - c.sum())
            if not lower.sum() <= total <= upper.sum():
                return None
        return project(c[free] + direction, lower, upper, total)


def samples_in_play(problem: BandProblem, c: NDArray, f: NDArray, number: int) -> NDArray[np.intp]:
    """Return the free samples and those nearest to an edge of their band, in order."""
    rise, fall = ascent_slopes(problem, c, f)
    # The intercept on which the slopes agree; without intercept, slopes are compared with 0.
    level = 0.0
    if problem.has_intercept:
        ends = [end for end in (rise.max(), fall.min()) if np.isfinite(end)]
        level = float(np.mean(ends)) if ends else 0.0
    g = f + level
    distance = np.minimum(np.abs(g - problem.lo), np.abs(g - problem.hi))
    distance[free_variables(problem, c)] = -1.0
    # A sample with zero cost cannot move.
    distance[(problem.below == 0.0) & (problem.above == 0.0)] = np.inf
    number = min(number, problem.n_samples)
    return np.sort(np.argpartition(distance, number - 1)[:number])


def part_size(n_free: int, n_samples: int) -> int:
    """Return the number of samples in play when one is left out."""
    neighbours = np.clip(NEIGHBOUR_SHARE * n_samples, MIN_NEIGHBOURS, MAX_NEIGHBOURS)
    return int((1.0 + NEIGHBOURS_PER_FREE) * n_free + neighbours)


def matrix_bytes(n_free: int, n_samples: int) -> float:
    """Return the memory of the matrices that refits share; infinite if they are too large."""
    if n_free > MAX_FACE:
        return np.inf
    n_part = min(part_size(n_free, n_samples), n_samples)
    # K of the part, twice (in the store and copied), its free columns, three matrices on the face.
    return 8.0 * (2 * n_part**2 + n_part * n_free + 3 * n_free**2)


def inverse_on_face(curvature: NDArray, has_intercept: bool, unit: float) -> NDArray:
    """Return the inverse of K and its ridges on the face, with a border if there is an intercept.

    The border is ``unit``, of the size of a curvature, so that the scale of the kernel does not
    matter.
    """
    n = len(curvature)
    matrix = np.full((n + has_intercept, n + has_intercept), unit)
    matrix[:n, :n] = curvature
    matrix[range(n), range(n)] += DAMPING * unit
    if has_intercept:
        matrix[n, n] = 0.0
    return np.linalg.inv(matrix)


def reoptimise(state: State, tol: float) -> None:
    """Take pair steps on all variables, and steps on the face if those take too long.

    Only ``c`` is up to date at the end, not ``f``.
    """
    everything = np.arange(state.problem.n_samples)
    budget = STEPS_PER_VARIABLE * len(everything)
    for _ in range(MAX_REOPTIMISING_ROUNDS):
        step = state.engine.solve_block(everything, tol, budget)
        state.n_pair_steps += step.n_steps
        if step.n_steps < budget and not step.stalled:
            state.engine.put(everything, step.c)
            return
        state.move(everything, step.c)
        climb_face(state)


def places(indices: NDArray, n_samples: int) -> NDArray[np.intp]:
    """Return the position of each sample in ``indices``, or -1."""
    place = np.full(n_samples, -1)
    place[indices] = np.arange(len(indices))
    return place
