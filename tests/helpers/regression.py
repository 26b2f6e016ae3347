"""Random regressions, and the problems that they are in the user's own units."""

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from bandsvm._kernels import KernelRows, KernelSettings, Samples
from bandsvm._problem.band_problem import BandProblem
from tests.helpers.problems import Case, dual_by_qp

KERNELS = ("rbf", "rbf", "linear", "poly", "laplacian")


def noisy_curve(n_samples=120, seed=0, n_features=2):
    """Return samples and targets with noise whose spread differs."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, size=(n_samples, n_features))
    y = np.sin(3.0 * X[:, 0]) + (0.1 + 0.3 * (X[:, 0] > 0.0)) * rng.normal(size=n_samples)
    return X, y


def drawn(seed, kernels=KERNELS, max_samples=100):
    """Return samples of any kind, targets of any size, and parameters of a kernel."""
    rng = np.random.default_rng(seed)
    X, y = noisy_curve(int(rng.integers(2, max_samples)), seed, int(rng.integers(1, 5)))
    if rng.random() < 0.3:
        some = rng.integers(0, max(1, len(y) // 3), size=len(y))
        X, y = X[some], y[some] if rng.random() < 0.5 else y
    y = 10.0 ** rng.uniform(-3, 3) * (y + rng.choice([0.0, 5.0, -100.0]))
    if rng.random() < 0.3:
        y = np.round(y / y.std(), 1) if y.std() > 0.0 else y
    kernel = {
        "kernel": str(rng.choice(kernels)),
        "gamma": 10.0 ** rng.uniform(-1, 1),
        "coef0": 1.0,
        "degree": 2,
    }
    weights = rng.integers(0, 3, size=len(y)).astype(float) if rng.random() < 0.4 else None
    if weights is not None:
        weights[0] = 1.0
    stored = sp.csr_array(np.where(X > -0.5, X, 0.0)) if rng.random() < 0.2 else X
    return rng, stored, y, weights, kernel


def kernel_matrix(X, kernel):
    """Return all kernel values in float64."""
    settings = KernelSettings(kernel["kernel"], kernel["gamma"], kernel["coef0"], kernel["degree"])
    n_samples = X.shape[0]
    return KernelRows(settings.function(), Samples(X)).block(np.arange(n_samples)).copy()


def written(lo, hi, below, above, has_intercept=True, loss="hinge"):
    """Return a problem in the user's units, written without the code that is tested.

    QP solvers take no infinite edges: an open side has no cost, and any number for an edge.
    """
    below = np.where(np.isfinite(lo), below, 0.0)
    above = np.where(np.isfinite(hi), above, 0.0)
    lo, hi = np.where(np.isfinite(lo), lo, hi), np.where(np.isfinite(hi), hi, lo)
    return BandProblem(lo, hi, below, above, has_intercept, loss)


def assert_solves(model, X, y, weights, problem, kernel, k=0):
    """Check one problem of a model against a QP solver: objective and decision values."""
    K = kernel_matrix(X, kernel)
    certificate = model.certificate_.parts[k] if model.certificate_.parts else model.certificate_
    assert certificate.is_optimal
    # The QP solver's tolerances are for numbers near 1.
    unit = certificate.scale
    shift = float(np.median(problem.lo)) if problem.has_intercept else 0.0
    cost = 1.0 if problem.is_squared else unit
    lo, hi = (problem.lo - shift) / unit, (problem.hi - shift) / unit
    in_units = replace(
        problem, lo=lo, hi=hi, below=problem.below / cost, above=problem.above / cost
    )
    found = dual_by_qp(Case(in_units, X, K, "regression"), "piqp")
    assert found is not None
    value, c = found[0] * unit**2, found[1] * unit
    np.testing.assert_allclose(
        [certificate.primal, certificate.dual], value, rtol=1e-6, atol=1e-8 * unit**2
    )
    own = np.zeros(len(y))
    own[model.support_] = model.dual_coef_[k]
    # Both duals are optimal: their difference has no length in the kernel's space.
    length = float((own - c) @ K @ (own - c))
    assert length <= 1e-6 * (abs(value) + unit**2)
