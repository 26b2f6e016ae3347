"""What random fits are drawn from: samples, weights, and parameters of kernels and solvers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from torture import storages

# Seconds; what takes longer keeps its best model and warns.
MAX_FIT_SECONDS = 5.0
# Share of the problems that are stored and solved like large ones.
LOWERED_SHARE = 0.4


def my_kernel(A: Any, B: Any) -> NDArray:
    """Return the values of a kernel that the user wrote."""
    try:
        A, B = (np.asarray(M.toarray() if hasattr(M, "toarray") else M, float) for M in (A, B))
        with np.errstate(over="ignore", invalid="ignore"):
            return (1.0 + A @ B.T) ** 2
    except (TypeError, ValueError) as error:
        raise ValueError(f"my_kernel takes matrices of numbers: {error}") from error


KERNELS = ("linear", "rbf", "rbf", "poly", "sigmoid", "laplacian", "chi2", "precomputed", my_kernel)
JUNK = (
    "scale",
    None,
    -1,
    0,
    float("nan"),
    float("inf"),
    "1",
    [1.0],
    {},
    10**400,
    True,
    1j,
    2.5,
    object(),
)


def samples_of(rng: Generator) -> tuple[NDArray, str]:
    """Return a matrix of samples and what it is."""
    n = int(
        rng.choice(
            [1, 2, 3, 7, 20, 50, 120, 250, 1100],
            p=[0.02, 0.05, 0.05, 0.1, 0.28, 0.28, 0.14, 0.03, 0.05],
        )
    )
    d = int(rng.choice([1, 2, 3, 8, 40, 300], p=[0.2, 0.3, 0.2, 0.15, 0.1, 0.05]))
    if n > 1000:
        d = min(d, 8)  # the oracle takes long enough
    X = rng.normal(size=(n, d))
    kind = rng.choice(
        [
            "normal",
            "clusters",
            "repeated",
            "constant",
            "same",
            "grid",
            "outlier",
            "collinear",
            "far",
            "mostly zero",
        ]
    )
    if kind == "clusters":
        X += 5.0 * rng.integers(0, 3, size=(n, 1))
    elif kind == "repeated":
        X = X[rng.integers(0, max(1, n // 4), size=n)]
    elif kind == "constant":
        X[:, : d // 2 + 1] = rng.normal()
    elif kind == "same":
        X[:] = X[0]
    elif kind == "grid":
        X = np.rint(X)
    elif kind == "outlier":
        X[0] *= 1e6
    elif kind == "collinear":
        X = X[:, :1] * rng.normal(size=d)
    elif kind == "far":
        X += 10.0 ** rng.integers(2, 9)
    elif kind == "mostly zero":
        X *= rng.random(X.shape) < 0.1
    return X, f"{kind} {n}x{d}"


def scaled(rng: Generator, X: NDArray) -> tuple[NDArray, str]:
    """Return samples in other units."""
    if rng.random() < 0.5:
        return X, ""
    if rng.random() < 0.3:
        powers = rng.integers(-8, 9, size=X.shape[1])
        return X * 10.0**powers, f"columns 1e{powers.min()} to 1e{powers.max()}"
    power = int(rng.choice([-300, -200, -160, -100, -30, -8, -3, 3, 8, 30, 75, 100, 153, 200, 300]))
    return X * 10.0**power, f"1e{power}"


def poisoned(rng: Generator, X: NDArray) -> tuple[NDArray, str]:
    """Return samples with an entry that is no finite number, now and then."""
    if rng.random() > 0.05:
        return X, ""
    bits = int(
        rng.choice(
            [
                0x7FF8000000000001,
                0x7FF0000000000001,
                0xFFF8DEADBEEF0000,
                0x7FF0000000000000,
                0xFFF0000000000000,
            ]
        )
    )
    X = X.copy()
    X.reshape(-1).view(np.uint64)[rng.integers(X.size)] = np.uint64(bits)
    return X, f"with bits {bits:x}"


def weights_of(rng: Generator, n: int) -> Any:
    """Return weights of samples, mostly none."""
    if rng.random() < 0.6:
        return None
    kind = rng.choice(
        ["even", "zeros", "ratios", "negative", "nan", "short", "huge", "tiny"],
        p=[0.3, 0.3, 0.2, 0.04, 0.04, 0.04, 0.04, 0.04],
    )
    if kind == "zeros":
        return rng.integers(0, 2, size=n)
    if kind == "ratios":
        return 10.0 ** rng.integers(-8, 9, size=n)
    if kind == "negative":
        return np.where(np.arange(n) == 0, -1.0, 1.0)
    if kind == "nan":
        return np.where(np.arange(n) == 0, np.nan, 1.0)
    if kind == "short":
        return np.ones(n + 1)
    if kind == "huge":
        return np.full(n, 1e300)
    return np.full(n, 1e-300) if kind == "tiny" else rng.random(n) + 0.1


def maybe(rng: Generator, share: float, value: Any) -> Any:
    """Return a value now and then, else None."""
    return value if rng.random() < share else None


def kernel_settings(rng: Generator) -> dict[str, Any]:
    """Return parameters of kernels and decision rules; None is the default."""
    return {
        "gamma": maybe(rng, 0.4, rng.choice([0.0, 1e-10, 0.1, 1.0, 100.0, 1e10])),
        "degree": maybe(rng, 0.3, int(rng.choice([0, 1, 2, 4, 9]))),
        "coef0": maybe(rng, 0.3, rng.choice([-1.0, 1.0, 1e3])),
        "fit_intercept": maybe(rng, 0.25, False),
    }


def solving_settings(rng: Generator) -> dict[str, Any]:
    """Return parameters of solvers; None is the default."""
    return {
        "tol": maybe(rng, 0.4, 10.0 ** rng.integers(-12, 1)),
        "solver": maybe(rng, 0.5, str(rng.choice(["smo", "pcg", "reference"], p=[0.4, 0.4, 0.2]))),
        "max_iter": maybe(rng, 0.15, int(rng.choice([1, 3, 50]))),
        "time_limit": maybe(rng, 0.1, rng.choice([1e-9, 1e-3, 0.1])),
        "cache_size": maybe(rng, 0.2, rng.choice([1e-9, 1e-3, 0.1])),
        "n_jobs": maybe(rng, 0.3, int(rng.choice([1, 2, 3, -1]))),
    }


def stored(rng: Generator, samples: NDArray) -> tuple[Any, NDArray | None, str]:
    """Return samples as a user stores them, the numbers that they stand for, and how."""
    pool = storages.ODD if rng.random() < 0.4 else storages.SENSIBLE
    store = pool[rng.integers(len(pool))]
    samples, poison = poisoned(rng, samples)
    with np.errstate(all="ignore"):
        X, meant = store(samples, rng)
    if meant is not None and not np.isfinite(meant).all():
        meant = None
    return X, meant, f"{store.__name__} {poison}"


def summed_up(weights: Any, lowered: bool, chain: list[dict[str, Any]]) -> str:
    """Return weights, limits and parameters in words."""
    heavy = "no" if weights is None else f"min {np.min(weights):.3g} max {np.max(weights):.3g}"
    named = [
        {**settings, "kernel": getattr(settings["kernel"], "__name__", settings["kernel"])}
        for settings in chain
    ]
    return f"weights={heavy} {'lowered limits' if lowered else ''} {named}"
