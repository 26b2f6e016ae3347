"""Statements of docs/theory.md and docs/algorithms.md, and what it takes to believe them.

A statement is a test with two arguments: a problem, and the constants of its equations, which are
all 1. It is checked on random problems. Then it is checked again with each constant changed in
turn, and has to fail on at least one of them: a check that cannot fail says nothing.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bandsvm._certificate import choose_intercept, intercept_interval
from bandsvm._problem.band_problem import BandProblem, band_problem
from tests.helpers.optimality import kkt_violation
from tests.helpers.problems import Case

LOSSES = ("hinge", "squared_hinge")
# Kernels that statements about all kernels are checked on, and those with a feature map.
DEFINITE = ("rbf", "linear", "twins")
ANY = (*DEFINITE, "indefinite")
# Equations, with the names of the tests that state them.
STATED: dict[str, list[str]] = {}
# What a constant is multiplied by to make its equation wrong, unless the statement says otherwise.
SLIGHTLY = 1.01


class Constants:
    """Constants of equations: 1, but for the one that is changed."""

    def __init__(self, changed: str = "") -> None:
        self.changed, self.seen = changed, {}

    def __call__(self, equation: str, wrong: float = SLIGHTLY) -> float:
        """Return the constant of an equation; a word after its number tells several apart."""
        self.seen[equation] = wrong
        return wrong if equation == self.changed else 1.0


def states(
    *equations: str,
    kernels: tuple[str, ...] = DEFINITE,
    losses: tuple[str, ...] = LOSSES,
    intercept: tuple[bool, ...] = (True, False),
    seeds: int = 2,
) -> Callable:
    """Make a test of a statement: true as written, false with any of its constants changed."""

    def made(check: Callable) -> Callable:
        for equation in equations:
            STATED.setdefault(equation, []).append(check.__name__)

        def test() -> None:
            problems = [
                numbered(*settings)
                for settings in itertools.product(range(seeds), kernels, losses, intercept)
            ]
            constants = Constants()
            for problem in problems:
                check(problem, constants)
            assert {name.split()[0] for name in constants.seen} == set(equations)
            for name in constants.seen:
                assert any(fails(check, problem, name) for problem in problems), name

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return made


def fails(check: Callable, problem: "Numbered", changed: str) -> bool:
    """Return whether a statement is false of a problem once one constant is changed."""
    try:
        check(problem, Constants(changed))
    except AssertionError:
        return True
    return False


@dataclass(frozen=True)
class Numbered:
    """A random problem with the letters of the pages."""

    case: Case
    y: np.ndarray
    weights: np.ndarray
    rho1: float
    rho2: float
    C1: float
    C2: float
    seed: int

    @property
    def problem(self) -> BandProblem:
        """The four vectors."""
        return self.case.problem

    @property
    def K(self) -> np.ndarray:  # noqa: N802
        """The kernel matrix."""
        return self.case.K

    @property
    def is_squared(self) -> bool:
        """Whether the losses are squares."""
        return self.problem.is_squared

    @cached_property
    def features(self) -> np.ndarray:
        """Vectors whose inner products are the kernel."""
        values, vectors = np.linalg.eigh(self.K)
        return vectors * np.sqrt(np.maximum(values, 0.0))

    @cached_property
    def optimum(self) -> np.ndarray:
        """A solution."""
        return self.case.solve(tol=1e-11).c

    def rng(self) -> np.random.Generator:
        """Return random numbers, the same every time."""
        return np.random.default_rng(self.seed)

    def points(self) -> list[np.ndarray]:
        """Return feasible points: 0, random ones, some on the way to a solution, a solution."""
        rng, n = self.rng(), self.problem.n_samples
        wild = [rng.normal(size=n) * rng.integers(0, 2, size=n) for _ in range(3)]
        sides = np.where(rng.random(n) < 0.5, self.problem.below, -self.problem.above)
        starts = [np.zeros(n), *wild, sides if not self.is_squared else 0.3 * sides]
        found = [self.problem.feasible(start) for start in starts]
        return [*found, *(0.9 * self.optimum + 0.1 * point for point in found[1:3]), self.optimum]

    def intercepts(self) -> list[float]:
        """Return intercepts to try; without one, 0."""
        return [-0.7, 0.0, 1.2] if self.problem.has_intercept else [0.0]


def numbered(seed: int, kernel: str, loss: str, has_intercept: bool) -> Numbered:
    """Return the problem of a seed: nine samples in the plane, weights of 1 and 2."""
    rng = np.random.default_rng(seed)
    n = 9
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0.0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    if kernel == "twins":  # equal samples, of equal and of different labels
        X = X[np.arange(n) // 2]
    K = X @ X.T
    if kernel != "linear":
        K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(-1))
    if kernel == "indefinite":
        K = np.tanh(0.8 * X @ X.T - 0.5)
        assert np.linalg.eigvalsh(K)[0] < -0.1
    weights = rng.integers(1, 3, size=n).astype(float)
    rho1, rho2, C1, C2 = 0.8, 1.1, 1.3, 0.6
    problem = band_problem(y, rho1, rho2, C1, C2, weights, has_intercept, loss)
    return Numbered(Case(problem, X, K, ""), y, weights, rho1, rho2, C1, C2, seed)


def equal(left, right, atol: float = 1e-9) -> None:
    """Assert that two sides of an equation are equal."""
    np.testing.assert_allclose(left, right, rtol=1e-9, atol=atol)


def at_most(left, right, atol: float = 1e-9) -> None:
    """Assert that the left side of an inequality is nowhere greater than the right."""
    assert (np.asarray(left) <= np.asarray(right) + atol).all(), (left, right)


def positive_part(t):
    """Return max(t, 0)."""
    return np.maximum(t, 0.0)


def h(problem: BandProblem, c: np.ndarray) -> np.ndarray:
    """Return each sample's concave part of the dual, ridges included."""
    edges = np.where(c >= 0, problem.lo, problem.hi) * c
    return edges - 0.5 * ridge_at(problem, c) * c**2


def ridge_at(problem: BandProblem, c: np.ndarray) -> np.ndarray:
    """Return 1 / (2 cost) on the side of c; 0 with the hinge."""
    if not problem.is_squared:
        return np.zeros(len(c))
    costs = np.where(c > 0, problem.below, problem.above)
    return np.divide(0.5, costs, out=np.zeros(len(c)), where=costs > 0)


def dual(one: Numbered, c: np.ndarray) -> float:
    """Return the dual value, as the page has it."""
    return float(h(one.problem, c).sum() - 0.5 * c @ one.K @ c)


def losses_at(problem: BandProblem, g: np.ndarray) -> np.ndarray:
    """Return each sample's loss."""
    power = 2 if problem.is_squared else 1
    short, beyond = positive_part(problem.lo - g), positive_part(g - problem.hi)
    return problem.below * short**power + problem.above * beyond**power


def primal(one: Numbered, c: np.ndarray, b: float) -> float:
    """Return the primal value, as the page has it."""
    return float(0.5 * c @ one.K @ c + losses_at(one.problem, one.K @ c + b).sum())


def gap_terms(problem: BandProblem, c: np.ndarray, g: np.ndarray) -> np.ndarray:
    """Return the terms of the duality gap by their definition."""
    return losses_at(problem, g) + c * g - h(problem, c)


def slopes(problem: BandProblem, c: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return right - f and left - f, infinite where a variable may not rise or fall."""
    right, left = np.where(c >= 0, problem.lo, problem.hi), np.where(c > 0, problem.lo, problem.hi)
    bent = f + ridge_at(problem, c) * c
    may_rise = (c < 0) | (problem.below > 0) if problem.is_squared else c < problem.below
    may_fall = (c > 0) | (problem.above > 0) if problem.is_squared else c > -problem.above
    return np.where(may_rise, right - bent, -np.inf), np.where(may_fall, left - bent, np.inf)


def judged(one: Numbered, c: np.ndarray) -> tuple[float, float, float, float]:
    """Return m, M, the intercept and the violation, by the certificate."""
    f = one.K @ c
    m, M = intercept_interval(one.problem, c, f)
    b = choose_intercept(one.problem, c, f)
    return m, M, b, kkt_violation(one.problem, (m, M), b)
