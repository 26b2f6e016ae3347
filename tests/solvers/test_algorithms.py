"""docs/algorithms.md, sections 1 and 2: steps on one or two variables."""

import itertools

import numpy as np
import pytest

from bandsvm import _core
from bandsvm._problem.band_problem import BandProblem
from bandsvm._problem.slopes import ascent_slopes
from tests.helpers.statements import (
    ANY,
    at_most,
    dual,
    equal,
    h,
    numbered,
    positive_part,
    ridge_at,
    slopes,
    states,
)

N_TRIED = 2001


def pairs(one, c):
    """Return pairs that may rise and fall, with their slopes, within the solvers' box."""
    rise, fall = ascent_slopes(one.problem, c, one.K @ c)
    found = [(i, j) for i in range(len(c)) for j in range(len(c)) if i != j]
    return [(i, j, rise[i] - fall[j]) for i, j in found if rise[i] - fall[j] > 1e-6][:20]


def band_of(one, i):
    """Return the band of a variable as the compiled steps take it."""
    bounds, ridges, problem = one.problem.bounds, one.problem.ridge, one.problem
    sides = (bounds.below, bounds.above, ridges.below, ridges.above)
    return _core.Band(problem.lo[i], problem.hi[i], *(side[i] for side in sides))


def pieces_of(one, c, i, j):
    """Return the ends of the pieces of a pair, the last of them the longest step."""
    longest = min(one.problem.bounds.below[i] - c[i], c[j] + one.problem.bounds.above[j])
    kinks = [s for s in (-c[i], c[j]) if 0 < s < longest]
    return [0.0, *sorted(set(kinks)), longest]


def sides_of(one, c, i, j, s):
    """Return sigma and the curvature of the piece that begins at s."""
    f = one.K @ c
    ridges = one.problem.ridge
    up, down = c[i] + s, c[j] - s
    rising = (one.problem.lo, ridges.below) if up > -1e-12 else (one.problem.hi, ridges.above)
    falling = (one.problem.lo, ridges.below) if down > 1e-12 else (one.problem.hi, ridges.above)
    sigma = rising[0][i] - rising[1][i] * up - f[i] - (falling[0][j] - falling[1][j] * down - f[j])
    curvature = one.K[i, i] + one.K[j, j] - 2 * one.K[i, j]
    return sigma, curvature + rising[1][i] + falling[1][j]


def unit(n, i, j):
    """Return e_i - e_j."""
    return np.eye(n)[i] - np.eye(n)[j]


@pytest.mark.slow
@states("A1", "A2", "A3", "A4", kernels=ANY)
def test_pair_step(one, k):
    """The walk of the page is the compiled one, and no other step of the pair gains more."""
    n = len(one.y)
    for c in one.points():
        f = one.K @ c
        for i, j, _ in pairs(one, c):
            a = one.K[i, i] + one.K[j, j] - 2 * one.K[i, j]
            equal(unit(n, i, j) @ one.K @ unit(n, i, j), k("A1") * a)
            ends = pieces_of(one, c, i, j)

            def gain(s, c=c, i=i, j=j):
                return dual(one, c + s * unit(n, i, j)) - dual(one, c)

            reached = ends[-1]
            for begin, end in itertools.pairwise(ends):
                sigma, curve = sides_of(one, c, i, j, begin)
                middle = 0.5 * (end - begin)
                change = (sigma - a * begin) * middle - 0.5 * k("A3") * curve * middle**2
                equal(gain(begin + middle) - gain(begin), change, 1e-7 * (1 + abs(change)))
                top = begin + (sigma - a * begin) / (k("A4") * curve) if curve > 0 else np.inf
                if sigma - a * begin <= 0:
                    reached = begin
                    break
                if top < end:
                    reached = top
                    break
            bands = band_of(one, i), c[i], band_of(one, j), c[j]
            new_i, _ = _core.pair_step(*bands, f[i] - f[j], a)
            equal(new_i - c[i], reached, 1e-7)
            assert gain(reached) > 0
            if a >= -1e-12:
                tried = np.linspace(0.0, k("A2", 1.5) * ends[-1], N_TRIED)
                inside = (c[i] + tried <= one.problem.bounds.below[i]) & (
                    c[j] - tried >= -one.problem.bounds.above[j]
                )
                assert inside[:-1].all()
                best = max(gain(s) for s in tried[:: N_TRIED // 50])
                at_most(best, gain(new_i - c[i]), 1e-7 * (1 + abs(best)))


@states("A5", "A6")
def test_choice_of_the_pair(one, k):
    """The bound by the least curvature, and the partner that block steps take."""
    n, problem = len(one.y), one.problem
    for c in one.points():
        f = one.K @ c
        for i, j, slope in pairs(one, c):
            curves = [sides_of(one, c, i, j, s)[1] for s in pieces_of(one, c, i, j)[:-1]]
            if min(curves) < 1e-9:
                continue
            bands = band_of(one, i), c[i], band_of(one, j), c[j]
            a = one.K[i, i] + one.K[j, j] - 2 * one.K[i, j]
            step = _core.pair_step(*bands, f[i] - f[j], a)[0] - c[i]
            gain = dual(one, c + step * unit(n, i, j)) - dual(one, c)
            at_most(gain, k("A5", 0.9) * slope**2 / (2 * min(curves)), 1e-9)
        if not problem.has_intercept:
            k("A6")
            continue
        rise, fall = ascent_slopes(problem, c, f)
        i = int(np.argmax(rise))
        worth = np.full(n, -np.inf)
        for j in np.delete(np.arange(n), i):
            curve = max(sides_of(one, c, i, j, 0.0)[1], 1e-12)
            worth[j] = k("A6", -1.0) * positive_part(rise[i] - fall[j]) ** 2 / curve
        if rise[i] - fall.min() < 1e-6 or np.sort(worth)[-1] - np.sort(worth)[-2] < 1e-9:
            continue
        moved = one_step(one, c)
        assert moved == {i, int(np.argmax(worth))}


def one_step(one, c):
    """Return which variables the compiled block solver moves first."""
    new, problem = c.copy(), one.problem
    bands = _core.Bands(problem.lo, problem.hi, *problem.bounds, *problem.ridge)
    _core.solve_block(one.K.copy(), bands, new, one.K @ c, 1e-12, 1, problem.has_intercept)
    return set(np.flatnonzero(new != c).tolist())


def test_bound_by_the_first_piece_is_none_where_the_next_bends_less():
    """Section 1.2: why the choice of the pair is a rule of thumb with squared losses."""
    edges, below, above = np.array([2.0, 0.0]), np.full(2, 50.0), np.array([0.02, 50.0])
    problem = BandProblem(edges, edges, below, above, loss="squared_hinge")
    ridges, c = problem.ridge, np.array([-0.01, 0.0])  # stiff below zero, soft above
    bands = [
        _core.Band(edges[i], edges[i], 1e3, 1e3, ridges.below[i], ridges.above[i]) for i in (0, 1)
    ]
    new = np.array(_core.pair_step(bands[0], c[0], bands[1], c[1], 0.0, 0.0))
    slope = 2.0 - ridges.above[0] * c[0]
    gain = float(h(problem, new).sum() - h(problem, c).sum())
    curves = [ridges.above[0] + ridges.above[1], ridges.below[0] + ridges.above[1]]
    assert gain > 100 * slope**2 / (2 * curves[0])
    assert gain <= slope**2 / (2 * min(curves))


@pytest.mark.slow
@states("A7", "A8", "A9", intercept=(True,))
def test_turned_pairs(one, k):
    """Lemma B: from the top of one pair's parabola, along a turned pair to the next top."""
    n, problem = len(one.y), one.problem
    turned = 0
    for c in one.points():
        for i, j, _ in pairs(one, c):
            bands = band_of(one, i), c[i], band_of(one, j), c[j]
            f = one.K @ c
            a = one.K[i, i] + one.K[j, j] - 2 * one.K[i, j]
            at = c.copy()
            at[i], at[j] = _core.pair_step(*bands, f[i] - f[j], a)
            low, high = -problem.bounds.above, problem.bounds.below
            inside = [at[x] != 0 and low[x] < at[x] < high[x] for x in (i, j)]
            Q_now = one.K + np.diag(ridge_at(problem, at))
            p = unit(n, i, j)
            if not all(inside) or p @ Q_now @ p < 1e-9:
                continue
            for x, y, slope in pairs(one, at):
                e = unit(n, x, y)
                ridges = ridge_at(problem, at)
                ridges[x] = problem.ridge.below[x] if at[x] >= 0 else problem.ridge.above[x]
                ridges[y] = problem.ridge.below[y] if at[y] > 0 else problem.ridge.above[y]
                Q = one.K + np.diag(ridges)
                overlap = float(p @ Q @ e)
                d = e - k("A7") * overlap / (p @ Q @ p) * p
                equal(d.sum(), 0.0)
                equal(d @ Q @ p, 0.0)
                curve = float(d @ Q @ d)
                equal(curve, e @ Q @ e - k("A8") * overlap**2 / (p @ Q @ p), 1e-8)
                at_most(curve, e @ Q @ e)
                if curve <= max(1e-2 * (e @ Q @ e), 1e-9):
                    continue
                length = slope / curve
                end = at + length * d
                enters = np.where(at != 0, at, 1e-300 * (e == 1) - 1e-300 * (e == -1))
                if (end * enters < 0).any() or (end > high).any() or (end < low).any():
                    continue
                gain = dual(one, end) - dual(one, at)
                equal(gain, k("A9") * slope**2 / (2 * curve), 1e-7 * (1 + gain))
                at_most(slope**2 / (2 * (e @ Q @ e)), gain, 1e-7 * (1 + gain))
                rest = -(one.K @ end) - ridge_at(problem, end) * end
                edge = np.where(end > 0, problem.lo, problem.hi)
                equal((edge + rest) @ p, 0.0, 1e-6)
                turned += overlap != 0.0
    for name in ("A7", "A8", "A9"):
        k(name)
    assert turned > 0 or one.K.max() > 5  # linear kernels leave few steps inside


@pytest.mark.heavy
@states("A10", "A11", "A12", intercept=(False,))
def test_single_step(one, k):
    """The closed form, the compiled walk, and all other values of the variable."""
    problem, n = one.problem, len(one.y)
    bounds, ridges = problem.bounds, problem.ridge
    for c in one.points():
        f = one.K @ c
        rise, fall = slopes(problem, c, f)
        for i in range(n):
            own = one.K[i, i]
            rest = f[i] - own * c[i]
            up = positive_part(problem.lo[i] - rest) / (k("A11") * own + ridges.below[i])
            down = positive_part(rest - problem.hi[i]) / (own + ridges.above[i])
            new = np.clip(up - down, -bounds.above[i], bounds.below[i])
            equal(_core.single_step(band_of(one, i), c[i], f[i], own), new, 1e-7)
            tried = np.append(np.linspace(-bounds.above[i], bounds.below[i], 101), new)
            points = c + np.outer(tried - c[i], np.eye(n)[i])
            values = np.array([dual(one, point) for point in points])
            side = np.array([h(problem, point)[i] for point in points])
            formula = side - rest * tried - 0.5 * k("A10") * own * tried**2
            equal(values - values[0], formula - formula[0], 1e-6)
            at_most(values, values[-1], 1e-7 * (1 + np.abs(values).max()))
        worst = np.maximum(np.maximum(rise, -fall), 0.0).max()
        m, M = rise.max(), fall.min()
        equal(k("A12") * worst, max(m, -M, 0.0), 1e-9)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("kernel", ANY)
def test_block_steps_never_lower_the_dual(loss, kernel):
    """Turned pairs included: the dual after every number of steps."""
    one = numbered(0, kernel, loss, True)
    problem = one.problem
    bands = _core.Bands(problem.lo, problem.hi, *problem.bounds, *problem.ridge)
    last = 0.0
    for n_steps in range(1, 40):
        c = np.zeros(len(one.y))
        _core.solve_block(one.K.copy(), bands, c, np.zeros(len(c)), 1e-9, n_steps, True)
        assert dual(one, c) >= last - 1e-9
        last = dual(one, c)
