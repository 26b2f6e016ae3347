"""Random problems of one class."""

import numpy as np
import scipy.sparse as sp

KERNELS = ("rbf", "rbf", "linear", "poly", "laplacian")


def cloud(n_samples=120, seed=0, n_features=2):
    """Return samples in two clusters and some far from both."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    X[::3] = 3.0 + 0.5 * X[::3]
    X[::17] *= 4.0
    return X + 5.0  # with 0 among them, a linear kernel finds no direction


def drawn(seed, kernels=KERNELS, max_samples=150):
    """Return parameters, samples of any kind and weights of a random fit."""
    rng = np.random.default_rng(seed)
    X = cloud(int(rng.integers(1, max_samples)), seed, int(rng.integers(1, 5)))
    if rng.random() < 0.3:
        X = X[rng.integers(0, max(1, len(X) // 3), size=len(X))]
    parameters = {
        "kernel": str(rng.choice(kernels)),
        "gamma": 10.0 ** rng.uniform(-2, 1),
        "coef0": 1.0,
        "degree": 2,
        "nu": float(rng.choice([1e-3, 0.05, 0.2, 0.5, 0.9, rng.uniform(0.01, 0.99)])),
    }
    weights = rng.integers(0, 3, size=len(X)).astype(float) if rng.random() < 0.4 else None
    if weights is not None:
        weights[0] = 1.0
    kind = rng.integers(5)
    if kind == 0:
        X = sp.csr_array(np.where(X > 4.0, X, 0.0))
    elif kind == 1:
        X = X.astype(np.float32)
    return parameters, X, weights
