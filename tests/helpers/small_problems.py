"""Random fits of small problems, and how to fit them in the general way instead."""

from contextlib import contextmanager

import numpy as np
import scipy.sparse as sp

from bandsvm._fitting import small_problems

KERNELS = ("linear", "rbf", "rbf", "poly", "sigmoid", "laplacian", "chi2", "precomputed", "own")


def own_kernel(A, B):
    """A callable kernel."""
    A, B = (np.asarray(X.todense() if sp.issparse(X) else X, dtype=np.float64) for X in (A, B))
    return np.exp(-0.5 * ((A[:, None] - B[None]) ** 2).sum(axis=2))


@contextmanager
def general_way():
    """Solve small problems one by one."""
    before, small_problems.max_small_size = small_problems.max_small_size, lambda n_problems: 0
    try:
        yield
    finally:
        small_problems.max_small_size = before


def drawn(seed):
    """Return parameters, samples, labels and weights of a random fit."""
    rng = np.random.default_rng(seed)
    n_classes = int(rng.choice([2, 2, 2, 3, 4]))
    # Larger ones take their first steps in single precision.
    n = int(rng.integers(6, 120) if rng.random() < 0.7 else rng.integers(150, 320))
    y = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    X = rng.uniform(size=(n, int(rng.integers(1, 6)))) + 0.4 * y[:, None] * rng.random()
    if rng.random() < 0.3:
        X, y = (values[rng.integers(0, max(n_classes, n // 3), n)] for values in (X, y))
        X[:n_classes], y[:n_classes] = rng.uniform(size=X[:n_classes].shape), np.arange(n_classes)
    C1 = 10.0 ** rng.uniform(-2, 3)
    C2 = float(rng.choice([0.0, 0.1, 1.0])) * C1
    parameters = {
        "kernel": str(rng.choice(KERNELS)),
        "gamma": 1.5,
        "coef0": 1.0,
        "C1": C1,
        "C2": C2,
        "rho2": 1.0 + float(rng.choice([0.0, 1e-3, 0.5, 2.0])),
        "loss": str(rng.choice(["hinge", "hinge", "squared_hinge"])),
        "fit_intercept": bool(rng.random() < 0.7),
        "multi_class": str(rng.choice(["ovo", "ovr"])),
        "class_weight": [None, "balanced"][rng.integers(2)],
    }
    if rng.random() < 0.2:
        parameters["C1"] = {k: C1 * (1 + k) for k in range(n_classes)}
        parameters["rho1"] = dict.fromkeys(range(n_classes), 0.9)
    weights = None
    if rng.random() < 0.4:
        weights = rng.integers(0, 3, size=n).astype(float)
        weights[:n_classes] = 1.0
    if parameters["kernel"] == "precomputed":
        X = own_kernel(X, X)
    elif parameters["kernel"] == "own":
        parameters["kernel"] = own_kernel
    elif parameters["kernel"] == "sigmoid":
        # Squared losses have no bounds, and with a kernel of negative eigenvalues no maximum.
        parameters["gamma"], parameters["loss"] = 0.1, "hinge"
    kind = rng.integers(4)
    if kind == 0 and parameters["kernel"] != "precomputed":
        X = sp.csr_array(np.where(X > 0.3, X, 0.0))
    elif kind == 1:
        X = X.astype(np.float32)
    return parameters, X, y, weights


def values_of(model, X):
    """Return the decision values of all problems."""
    return model._problem_values(X).astype(np.float64)
