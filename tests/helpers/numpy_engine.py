"""A second engine, in plain NumPy over a whole kernel matrix: it proves the seam of solvers."""

import numpy as np

from bandsvm._engines import BlockStep, engine_for
from bandsvm._kernels import PrecomputedRows


class NumpyEngine:
    """A point of a band problem's dual; its arrays are its own, and nobody else writes to them."""

    def __init__(self, problem, kernel, c, f):
        self.problem, self.kernel, self._K = problem, kernel, kernel.matrix
        self._c = np.zeros(len(self._K)) if c is None else np.array(c)
        self._f = np.zeros(len(self._K)) if f is None else np.array(f)

    @property
    def c(self):
        return read_only(self._c)

    @property
    def f(self):
        return read_only(self._f)

    def _slopes(self):
        p, c = self.problem, self._c
        at_lo, at_hi = p.lo - p.ridge.below * c - self._f, p.hi - p.ridge.above * c - self._f
        rise = np.where(c < p.bounds.below, np.where(c >= 0, at_lo, at_hi), -np.inf)
        fall = np.where(c > -p.bounds.above, np.where(c > 0, at_lo, at_hi), np.inf)
        return (rise, fall, *((rise.max(), fall.min()) if p.has_intercept else (0.0, 0.0)))

    def violation(self):
        rise, fall, m, M = self._slopes()
        return float(m - M if self.problem.has_intercept else max(rise.max(), -fall.min(), 0.0))

    def violators(self, tol):
        rise, fall, m, M = self._slopes()
        return self.violation(), int(np.sum((rise > M + tol) | (fall < m - tol)))

    def in_play(self, margin):
        rise, fall, m, M = self._slopes()
        room = margin * self.violation()
        return np.flatnonzero((rise > M - room) | (fall < m + room))

    def free(self):
        below, above = self.problem.bounds
        return np.flatnonzero((self._c != 0) & (self._c > -above) & (self._c < below))

    def at(self, indices):
        c = self._c[indices]
        return c, self._f[indices] + self.problem.ridge_at(c, indices) * c

    def dual_value(self):
        p, c = self.problem, self._c
        edges = np.where(c > 0, p.lo, p.hi) @ c
        return float(edges - 0.5 * c @ self._f - 0.5 * (p.ridge_at(c) * c) @ c)

    def select(self, kept, number):
        rise, fall, m, M = self._slopes()
        rise[kept], fall[kept] = -np.inf, np.inf
        risers = [i for i in np.argsort(-rise, kind="stable")[: number // 2] if rise[i] > M]
        fall[risers] = np.inf
        fallers = [i for i in np.argsort(fall, kind="stable")[: number // 2] if fall[i] < m]
        return self.violation(), np.array([*risers, *fallers], dtype=np.intp)

    def solve_block(self, block, tol, max_steps):
        part = self.part(block)
        for n_steps in range(max_steps):
            if part.violation() <= tol:
                return BlockStep(part._c, n_steps, False)
            if not part._pair_step():
                return BlockStep(part._c, n_steps, True)
        return BlockStep(part._c, max_steps, False)

    def _pair_step(self):
        """Move the best pair, or variable, to the end of a piece at most; return whether it did."""
        p, (rise, fall, _, _) = self.problem, self._slopes()
        if p.has_intercept:
            i = int(np.argmax(rise))
            curvature = self._K[i, i] + np.diag(self._K) - 2 * self._K[i]
            gains = np.maximum(rise[i] - fall, 0.0) ** 2 / np.maximum(curvature, 1e-12)
            moving, way = np.array([i, int(np.argmax(gains))]), np.array([1.0, -1.0])
        elif rise.max() >= -fall.min():
            moving, way = np.array([int(np.argmax(rise))]), np.array([1.0])
        else:
            moving, way = np.array([int(np.argmin(fall))]), np.array([-1.0])
        c = self._c[moving]
        positive = (c > 0) | ((c == 0) & (way > 0))
        slope = np.where(way > 0, rise[moving], -fall[moving]).sum()
        ridges = np.where(positive, p.ridge.below[moving], p.ridge.above[moving])
        curvature = way @ self._K[np.ix_(moving, moving)] @ way + ridges.sum()
        upper = np.where(positive, p.bounds.below[moving], 0.0)
        lower = np.where(positive, 0.0, -p.bounds.above[moving])
        room = np.where(way > 0, upper - c, c - lower)
        step = min(slope / curvature if curvature > 0 else np.inf, room.min())
        values = np.where(room <= step, np.where(way > 0, upper, lower), c + step * way)
        self.move(moving, values)
        return bool((values != c).any())

    def move(self, indices, values):
        self._f += self._K[:, indices] @ (values - self._c[indices])
        self._c[indices] = values

    def put(self, indices, values):
        self._c[indices] = values

    def place(self, c, f):
        self._c, self._f = np.array(c), np.array(f)

    def refresh(self):
        self._f = self._K @ self._c

    def part(self, indices):
        kernel = NumpyRows(self._K[np.ix_(indices, indices)])
        return NumpyEngine(self.problem.part(indices), kernel, self._c[indices], self._f[indices])


class NumpyRows(PrecomputedRows):
    """A given kernel matrix whose points the engine above moves."""


@engine_for.register
def _(kernel: NumpyRows, problem, c=None, f=None):
    return NumpyEngine(problem, kernel, c, f)


def read_only(values):
    """Return an array that raises when it is written to."""
    view = values.view()
    view.flags.writeable = False
    return view
