"""Random band problems and the independent solvers that say what their solutions are."""

import warnings
from dataclasses import dataclass
from functools import partial

import numpy as np
import qpsolvers
import scipy.sparse as sp
from hypothesis import strategies as st

from bandsvm import BandedSVC, LinearBandedSVC
from bandsvm._kernels import KernelRows, KernelSettings, PrecomputedRows, Samples
from bandsvm._problem.band_problem import BandProblem, band_problem
from bandsvm._solvers import solve

# Where `Case.solve` has its kernel rows from; it decides which engine is at work.
ROWS = PrecomputedRows
KERNELS = ("linear", "rbf", "poly", "laplacian", "chi2")
# By default few samples reach the upper edge of the band, and tests of it would prove nothing.
NarrowBandedSVC = partial(BandedSVC, rho2=1.5)
NarrowLinearBandedSVC = partial(LinearBandedSVC, rho2=1.5)


@dataclass(frozen=True)
class Case:
    """A band problem with its samples and its whole kernel matrix."""

    problem: BandProblem
    X: np.ndarray
    K: np.ndarray
    description: str

    def __repr__(self):
        return self.description

    def solve(self, **options):
        """Solve the problem with one of our solvers."""
        return solve(self.problem, ROWS(self.K), **options)


def make_case(
    seed,
    n_samples,
    kernel="rbf",
    C1=1.0,
    C2=1.0,
    rho1=1.0,
    rho2=1.5,
    *,
    duplicates=False,
    weights=False,
    has_intercept=True,
    loss="hinge",
):
    """Return a noisy two-class problem in three dimensions."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n_samples, 3))
    if duplicates:
        X = X[rng.integers(0, max(1, n_samples // 3), size=n_samples)]
    signs = np.where(X[:, 0] + 0.3 * rng.normal(size=n_samples) > 0.5, 1.0, -1.0)
    signs[:2] = (1.0, -1.0)
    weight = rng.integers(0, 3, size=n_samples).astype(float) if weights else np.ones(n_samples)
    weight[:2] = 1.0
    rows = KernelRows(KernelSettings(kernel, 2.0, 1.0, 3).function(), Samples(X))
    K = rows.block(np.arange(n_samples)).copy()
    problem = band_problem(signs, rho1, rho2, C1, C2, weight, has_intercept, loss)
    numbers = f"n={n_samples} C1={C1:g} C2={C2:g} rho2={rho2:g} seed={seed}"
    return Case(problem, X, K, f"{loss} {kernel} {numbers}")


@st.composite
def cases(draw, max_samples=300, loss="hinge"):
    """Draw a problem as the issue trackers of SVM libraries would."""
    weights = draw(st.booleans())
    # Weights go up to 2; no cost is to exceed 1e5.
    highest = 0.5e5 if weights else 1e5
    C1 = highest * 10.0 ** draw(st.floats(-8, 0))
    return make_case(
        draw(st.integers(0, 10**6)),
        draw(st.integers(2, max_samples)),
        draw(st.sampled_from(KERNELS)),
        C1=C1,
        C2=draw(st.sampled_from([0.0, 0.1 * C1, C1, min(10 * C1, highest)])),
        rho1=1.0,
        rho2=1.0 + draw(st.sampled_from([0.0, 1e-6, 0.5, 10.0])),
        duplicates=draw(st.booleans()),
        weights=weights,
        has_intercept=draw(st.booleans()),
        loss=loss,
    )


def dual_by_qp(case, solver):
    """Return the dual's value by a QP solver, in the paper's own 2n variables.

    c = p - q with 0 <= p <= below and 0 <= q <= above; with squared losses p and q have no bounds,
    but cost p^2 / (4 below) and q^2 / (4 above).
    """
    problem, n = case.problem, case.problem.n_samples
    P = np.block([[case.K, -case.K], [-case.K, case.K]])
    q = np.concatenate([-problem.lo, problem.hi])
    costs = np.concatenate([problem.below, problem.above])
    bounds, ridges = costs, np.zeros(2 * n)
    if problem.loss == "squared_hinge":
        bounds = np.where(costs > 0, np.inf, 0.0)
        ridges[costs > 0] = 1 / (2 * costs[costs > 0])
    P = P + np.diag(ridges)
    A, b = None, None
    if problem.has_intercept:
        A, b = np.concatenate([np.ones(n), -np.ones(n)])[None, :], np.full(1, problem.total)
    options = {
        "piqp": {"eps_abs": 1e-10, "eps_rel": 1e-12, "max_iter": 1000},
        "osqp": {"eps_abs": 1e-10, "eps_rel": 1e-10, "polishing": True, "max_iter": 200_000},
    }[solver]
    if solver == "osqp":
        P, A = sp.csc_matrix(P), None if A is None else sp.csc_matrix(A)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)  # of OSQP's own interface
        x = qpsolvers.solve_qp(
            P, q, A=A, b=b, lb=np.zeros(2 * n), ub=bounds, solver=solver, **options
        )
    if x is None:
        return None
    x = np.clip(x, 0, bounds)
    c = x[:n] - x[n:]
    # Both at once are a detour that a QP solver may leave in by a hair.
    x = np.concatenate([np.maximum(c, 0), np.maximum(-c, 0)])
    return float(-q @ x - 0.5 * x @ P @ x), c


def primal_by_clarabel(case):
    """Return the primal's value by Clarabel: weights of features, intercept and two slacks."""
    problem, n = case.problem, case.problem.n_samples
    values, vectors = np.linalg.eigh(case.K)
    kept = values > 1e-13 * values.max()
    features = vectors[:, kept] * np.sqrt(values[kept])
    d = features.shape[1]
    costs = np.concatenate([problem.below, problem.above])
    g = np.hstack([features, np.ones((n, 1))])
    # xi >= lo - g and eta >= g - hi
    sides, edges = np.vstack([-g, g]), np.concatenate([-problem.lo, problem.hi])
    power, curvature, price = 1, np.zeros(2 * n), costs
    if problem.loss == "squared_hinge":
        # Slacks that cost nothing are left out, the others measured in units of equal cost: without
        # that Clarabel does not come through.
        costly = costs > 0
        costs, unit = costs[costly], np.sqrt(2 * costs[costly])
        sides, edges = unit[:, None] * sides[costly], unit * edges[costly]
        power, curvature, price = 2, np.ones(len(costs)), np.zeros(len(costs))
    free = np.full(d + 1, np.inf)
    if not problem.has_intercept:
        free[-1] = 0.0
    # Squares are too much for Clarabel's last digits; values are good to twice those of points.
    # Where it gives up, fewer digits do: any point bounds the optimum from above.
    for digits in (100.0, 1e5) if power == 2 else (1.0, 1e3):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Clarabel.rs terminated", UserWarning)
            x = qpsolvers.solve_qp(
                sp.diags(np.concatenate([np.ones(d), [0.0], curvature]), format="csc"),
                np.concatenate([np.zeros(d), [problem.total], price]),
                sp.hstack([sides, -sp.identity(len(costs))], format="csc"),
                edges,
                lb=np.concatenate([-free, np.zeros(len(costs))]),
                ub=np.concatenate([free, np.full(len(costs), np.inf)]),
                solver="clarabel",
                tol_gap_abs=1e-10,
                tol_gap_rel=1e-12 * digits,
                tol_feas=1e-11 * digits,
                max_iter=500,
            )
        if x is not None:
            break
    if x is None:
        return None
    decision = features @ x[:d] + x[d]
    outside = np.concatenate([problem.lo - decision, decision - problem.hi])
    costs = np.concatenate([problem.below, problem.above])
    losses = costs @ np.maximum(outside, 0) ** power
    return float(0.5 * x[:d] @ x[:d] + losses + problem.total * x[d])


def assert_same_objective(model, other):
    """Both primal values lie above the optimum, by their own gap at most."""
    a, b = model.certificate_, other.certificate_
    assert abs(a.primal - b.primal) <= max(a.gap, b.gap) + 1e-12 * abs(a.primal)


def random_spread(seed, kernels=("rbf", "rbf", "rbf", "linear", "poly", "sigmoid")):
    """Return samples of any spread, far from the origin or not, and a model for them."""
    rng = np.random.default_rng(seed)
    n_samples, n_features = int(rng.integers(1001, 1400)), int(rng.choice([1, 2, 5, 20]))
    spread, offset = 10.0 ** rng.uniform(-3, 6), rng.choice([0.0, 10.0 ** rng.uniform(0, 6)])
    centres = spread * rng.normal(size=(int(rng.integers(2, 30)), n_features))
    which = rng.integers(0, len(centres), size=n_samples)
    width = spread * 10.0 ** rng.uniform(-3, 0)
    X = centres[which] + width * rng.normal(size=(n_samples, n_features)) + offset
    y = (rng.normal(size=n_samples) + which % 3 > 1).astype(int)
    X = X.astype(np.float32)
    if rng.random() < 0.3:
        X = sp.csr_array(X * (rng.random(size=X.shape) < 0.5))
    kernel = str(rng.choice(kernels))
    gamma = "scale" if kernel != "rbf" else 10.0 ** rng.uniform(-1, 1) / (n_features * width**2)
    cost = 10.0 ** rng.uniform(-1, 2)
    return X, y, BandedSVC(C1=cost, C2=cost, kernel=kernel, gamma=gamma, max_iter=30)


def rare_kind(n_samples):
    """Return a rare class that hardly depends on the features: the best rule is nearly constant."""
    rng = np.random.default_rng(0)
    shares = 0.5 ** np.arange(1, 41)
    kinds = rng.choice(40, n_samples, p=shares / shares.sum())
    numbers, is_kind = rng.standard_normal((n_samples, 8)), np.eye(40)[kinds]
    X = np.hstack([numbers, is_kind[:, is_kind.any(axis=0)]])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = rng.random(n_samples) < 0.02 + 0.3 * (kinds == 4) * (numbers[:, 0] > 1.0)
    return X, y
