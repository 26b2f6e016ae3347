"""docs/algorithms.md, sections 4 to 8: faces, proximal steps, paths, leaving one out."""

from dataclasses import replace

import numpy as np
import pytest

from bandsvm._problem.band_problem import band_problem
from bandsvm._problem.slopes import ascent_slopes, free_variables, piece, violation
from bandsvm._solvers.face import EPSILON, Face, newton_direction
from bandsvm._solvers.left_out import inverse_on_face
from bandsvm._solvers.projected_cg import best_on_segment, conjugate_direction, proximal_point
from tests.helpers.statements import (
    ANY,
    LOSSES,
    at_most,
    dual,
    equal,
    h,
    judged,
    numbered,
    ridge_at,
    states,
)


def on_face(one, c):
    """Return the free variables, their curvature, their slopes and the ends of their pieces."""
    free = free_variables(one.problem, c)
    Q = one.K[np.ix_(free, free)] + np.diag(ridge_at(one.problem, c)[free])
    edge, lower, upper = piece(one.problem, free, c[free])
    return (
        free,
        Q,
        edge - ridge_at(one.problem, c)[free] * c[free] - (one.K @ c)[free],
        lower,
        upper,
    )


def projected(one, vector):
    """Return a vector with sum zero; without intercept, as it is."""
    return vector - vector.mean() if one.problem.has_intercept else vector


def faces(one):
    """Yield points with free variables whose slopes differ, and their faces."""
    for c in one.points():
        free, Q, r, lower, upper = on_face(one, c)
        if len(free) > 1 and np.abs(projected(one, r)).max() > 1e-6:
            yield c, free, Q, r, lower, upper


def cut(c, d, lower, upper):
    """Return the longest step inside the pieces."""
    ends = np.where(d > 0, upper, lower)
    return min((ends[i] - c[i]) / d[i] for i in np.flatnonzero(d))


@states("A13", "A14", "A15", kernels=ANY)
def test_line_search_on_a_face(one, k):
    """The dual along any direction that leads up, and the step that Proposition C takes."""
    rng = one.rng()
    for c, free, Q, r, lower, upper in faces(one):
        for _ in range(3):
            d = projected(one, rng.normal(size=len(free)))
            d = d if r @ d > 0 else -d
            curve = d @ Q @ d
            longest = cut(c[free], d, lower, upper)
            top = r @ d / curve if curve > 0 else np.inf
            s = min(k("A14", 1.5) * top, longest) if top < longest else longest
            if top < longest:
                tried = np.linspace(0.0, longest, 200)
                best = (tried * (r @ d) - 0.5 * tried**2 * curve).max()
                at_most(best, s * (r @ d) - 0.5 * s**2 * curve)
            end = c.copy()
            end[free] += s * d
            gain = dual(one, end) - dual(one, c)
            equal(gain, k("A13") * s * (r @ d) - 0.5 * s**2 * curve, 1e-7 * (1 + abs(gain)))
            at_most(k("A15", 1.05) * 0.5 * s * (r @ d), gain, 1e-8 * (1 + abs(gain)))
    for name in ("A13", "A14", "A15"):
        k(name)


@states("A16", "A17", "A18", "A19")
def test_newton_direction(one, k):
    """The bordered system, its centred form, the code, and the ascent."""
    for c, free, Q, r, lower, upper in faces(one):
        n, has_intercept = len(free), one.problem.has_intercept
        delta = 1e-3 * np.trace(Q)
        A = Q + delta * np.eye(n)
        ones = np.ones(n)
        if has_intercept:
            bordered = np.block([[A, ones[:, None]], [ones[None], np.zeros((1, 1))]])
            *d, nu = np.linalg.solve(bordered, np.append(r, 0.0))
            d = np.array(d)
            equal(A @ d + k("A16", 1.5) * nu, r, 1e-7)
            centre = np.eye(n) - np.ones((n, n)) / n
            matrix = centre @ Q @ centre + 0.7 * np.ones((n, n)) + delta * np.eye(n)
            equal(matrix @ d, centre @ r, 1e-7 * (1 + np.abs(d).max()))
            equal(np.linalg.solve(matrix, k("A17") * centre @ r), d, 1e-7 * (1 + np.abs(d).max()))
        else:
            d = np.linalg.solve(A, r)
            k("A16", 1.5), k("A17")
        equal(r @ d, k("A18") * d @ A @ d, 1e-7 * (1 + abs(r @ d)))
        assert r @ d > 0
        top = r @ d / (d @ Q @ d)
        equal(top, r @ d / (r @ d - k("A19", 0.0) * delta * d @ d), 1e-6)
        at_most(1.0, top)
        uphill = projected(one, r)
        ours = newton_direction(Face(Q, uphill, c[free], lower, upper, has_intercept))
        assert uphill @ ours > 0
        centred = projected(one, projected(one, Q).T) if has_intercept else Q
        damping = EPSILON * max(np.trace(centred) * (1 + 1 / n), np.abs(centred).max())
        if np.linalg.eigvalsh(Q)[0] > 1e-6:
            left = projected(one, Q @ ours) + damping * ours
            equal(left, uphill, 1e-6 * (1 + np.abs(uphill).max()))
    for name, wrong in (("A16", 1.5), ("A17", 1.01), ("A18", 1.01), ("A19", 0.0)):
        k(name, wrong)


def test_newton_direction_of_an_indefinite_kernel():
    """Section 4.2: r'd is d'Ad > 0, and less than delta |d|^2."""
    r, delta = np.array([0.0, 1.0]), 1.5
    A = np.diag([1.0, -1.0]) + delta * np.eye(2)
    d = np.linalg.solve(A, r)
    assert r @ d == pytest.approx(d @ A @ d)
    assert r @ d == pytest.approx(2.0)
    assert delta * d @ d == pytest.approx(6.0)
    wide = np.full(2, 1e9)
    face = Face(np.diag([1.0, -1.0]), r, np.zeros(2), -wide, wide, False)
    assert r @ newton_direction(face) > 0


@states("A20", "A21")
def test_conjugate_gradients(one, k):
    """Every iterate leads up with top 1; the code's last one solves the system."""
    for c, free, Q, r, _, _ in faces(one):
        residual = projected(one, r)
        d, p = np.zeros(len(free)), residual.copy()
        for _ in range(len(free)):
            curve = p @ Q @ p
            if curve < 1e-9 * (p @ p) or residual @ residual < 1e-16:
                break
            step = k("A20") * (residual @ residual) / curve
            d = d + step * p
            new = residual - step * projected(one, Q @ p)
            p = new + (new @ new) / (residual @ residual) * p
            residual = new
            equal(residual, projected(one, r - Q @ d), 1e-5 * (1 + np.abs(r).max()))
            assert r @ d > 0
            equal(r @ d, k("A21") * d @ Q @ d, 1e-4 * (1 + abs(r @ d)))
        wide = np.full(len(free), 1e9)
        face = Face(Q, projected(one, r), c[free], -wide, wide, one.problem.has_intercept)
        ours = conjugate_direction(face, 1e-12)
        assert r @ ours > 0
        if np.linalg.eigvalsh(Q)[0] > 1e-6:
            equal(projected(one, Q @ ours), projected(one, r), 1e-6 * (1 + np.abs(r).max()))
    k("A20"), k("A21")


@pytest.mark.heavy
@states("A22", "A23", "A24", "A25", "A26", "A27", kernels=ANY)
def test_proximal_step(one, k):
    """The closed form is the maximiser; what it promises, and what the segment keeps."""
    problem = one.problem
    bounds, ridges = problem.bounds, problem.ridge
    largest = float(np.linalg.eigvalsh(one.K)[-1])
    for c in one.points():
        f = one.K @ c
        for length in (0.03, 0.3, 3.0):
            end = proximal_point(problem, c, f, length)
            centre = c / length - f

            def point(b, centre=centre, length=length):
                up = np.maximum(centre + problem.lo - b, 0.0) / (k("A23") / length + ridges.below)
                down = np.maximum(b - centre - problem.hi, 0.0) / (1 / length + ridges.above)
                return np.clip(up - down, -bounds.above, bounds.below)

            low = centre + problem.lo - k("A24", 0.5) * bounds.below * (1 / length + ridges.below)
            high = centre + problem.hi + bounds.above * (1 / length + ridges.above)
            equal(np.diag([point(b)[i] for i, b in enumerate(low)]), np.diag(bounds.below), 1e-7)
            equal(np.diag([point(b)[i] for i, b in enumerate(high)]), -np.diag(bounds.above), 1e-7)
            b = 0.0
            if problem.has_intercept:
                left, right = low.min() - 1, high.max() + 1
                for _ in range(200):
                    b = (left + right) / 2
                    left, right = (b, right) if point(b).sum() > 0 else (left, b)
            equal(point(b) * k("A25"), end, 1e-6 * (1 + np.abs(end).max()))

            def model(zeta, c=c, f=f, length=length):
                away = ((zeta - c) ** 2).sum() / (2 * length)
                return h(problem, zeta).sum() - f @ (zeta - c) - k("A22", 0.2) * away

            for other in (*one.points(), *(end + 0.1 * (p - end) for p in one.points())):
                at_most(model(other), model(end), 1e-7 * (1 + abs(model(end))))
            d = end - c
            rise = h(problem, end).sum() - h(problem, c).sum() - f @ d
            scale = 1 + abs(rise)
            at_most(k("A26", 1.1) * (d @ d) / length, rise, 1e-8 * scale)
            gain = rise - k("A26 curve") * d @ one.K @ d / 2
            equal(dual(one, end) - dual(one, c), gain, 1e-7 * scale)
            if np.abs(d).max() < 1e-9:
                assert violation(problem, *ascent_slopes(problem, c, f)) < 1e-6
                continue
            s = best_on_segment(problem, c, f, end, float(d @ one.K @ d))
            gain = dual(one, c + s * d) - dual(one, c)
            share = min(1.0, 1 / (length * max(largest, 1e-12)))
            at_most(k("A27", 1.5) * 0.5 * share * (d @ d) / length, gain, 1e-8 * scale)


@states("A28", losses=("hinge",), kernels=("rbf", "linear"), seeds=4)
def test_path_is_piecewise_linear(one, k):
    """Lemma E: the system of the free variables, and the middle of two solutions."""

    def solved(t):
        four = one.y, one.rho1, one.rho2, one.C1 * t, one.C2 * t, one.weights
        problem = band_problem(*four, one.problem.has_intercept)
        return problem, replace(one.case, problem=problem).solve(tol=1e-12).c

    problem, c = solved(1.0)
    free = free_variables(problem, c)
    bound = np.flatnonzero((c != 0) & ~np.isin(np.arange(len(c)), free))
    b = judged(one, c)[2]
    if len(free):
        left = one.K[np.ix_(free, free)] @ c[free] + b
        edge = np.where(c[free] > 0, problem.lo[free], problem.hi[free])
        equal(left, k("A28") * edge - one.K[np.ix_(free, bound)] @ c[bound], 1e-6)
    k("A28")
    if one.problem.has_intercept:
        equal(c[free].sum(), -c[bound].sum(), 1e-7)
    near = [solved(1.0 + step) for step in (-1e-4, 0.0, 1e-4)]
    if all(np.array_equal(free_variables(*point), free) for point in near):
        before, at, after = (one.K @ c for _, c in near)
        equal((before + after) / 2, at, 1e-6)


@states("A29", "A30")
def test_free_variables_take_over(one, k):
    """Lemma F: slopes stay level and the sum is kept, by the matrix that the code inverts."""
    c = one.optimum
    free, Q, r, _, _ = on_face(one, c)
    n, has_intercept = len(free), one.problem.has_intercept
    k("A29"), k("A30")
    if n < 3 or np.linalg.eigvalsh(Q)[0] < 1e-6:
        return
    inverse = inverse_on_face(Q, has_intercept, 1.0)

    def slopes_of(point):
        return on_face_slopes(one, c, point, free)

    for i in range(len(c)):
        if c[i] == 0:
            continue
        end = c.copy()
        place = np.flatnonzero(free == i)
        if len(place):
            column = inverse[:n, place[0]]
            d = -k("A30") * c[i] / column[place[0]] * column
            end[free] += d
            end[i] = c[i] + d[place[0]]
            equal(end[i], 0.0, 1e-8)
            others = free != i
        else:
            target = np.append(one.K[free, i] * c[i], [c[i]] if has_intercept else [])
            end[i] = 0.0
            end[free] += k("A29") * (inverse @ target)[:n]
            others = np.full(n, True)
        changed = (slopes_of(end) - r)[others]
        equal(changed - (changed.mean() if has_intercept else 0.0), 0.0, 1e-6 * (1 + abs(c[i])))
        if has_intercept:
            equal(end.sum(), c.sum(), 1e-6)


def on_face_slopes(one, c, point, free):
    """Return the slopes of free variables as if all stayed in their pieces."""
    edge = np.where(c[free] > 0, one.problem.lo[free], one.problem.hi[free])
    return edge - ridge_at(one.problem, c)[free] * point[free] - (one.K @ point)[free]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("has_intercept", [True, False])
def test_bent_ways_and_climbs_never_lower_the_dual(loss, has_intercept):
    """The solver of projected conjugate gradients raises the dual with every outer step."""
    for kernel in ANY:
        one = numbered(1, kernel, loss, has_intercept)
        seen = []
        one.case.solve(
            solver="pcg",
            tol=1e-9,
            max_iter=30,
            polished=False,
            callback=lambda step, seen=seen, one=one: seen.append(dual(one, step.c)),
        )
        assert (np.diff(seen) >= -1e-9 * (1 + np.abs(seen[1:]))).all()
        assert len(seen) > 0
