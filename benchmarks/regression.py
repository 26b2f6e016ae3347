"""Regression and one class beside SVR, OneClassSVM and oneDAL, in float64; results as JSON.

All solve the same problem to the same tolerance, in turns, and the median of later turns counts.
What each one reached is judged by one function: the primal objective of its coefficients and
intercept, in float64. Ratios are seconds of a peer over ours: above 1, we are faster.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_regression
from sklearn.preprocessing import scale
from sklearn.svm import SVR, OneClassSVM

from bandsvm import BandedSVR, OneClassBandedSVM
from bandsvm._kernels import KernelSettings
from data import has_real_data, load_real
from measure import RESULTS, save
from small import compared
from solvers import CACHE_MEGABYTES, TOL, onedal

SETS = (
    *("protein-casp", "house8L", "cadata", "bike-sharing-hour", "elevators", "power-plant"),
    *("bank32nh", "cpu-act", "kin8nm", "abalone-age", "airfoil", "stock", "boston"),
    *("diabetes-progression", "autompg", "yacht"),
)
SIZES = (100, 450, 1000, 2000, 5000, 10_000)
# On targets of standard deviation 1, in the middle of common grids.
COSTS, EPSILON, NU = (1.0, 10.0), 0.1, 0.1
# One class takes its samples from as many sets at most, and no more samples than these.
SETS_OF_ONE_CLASS, MAX_OF_ONE_CLASS = 8, 5000
# Decision values are compared with those of scikit-learn on so many sets, after fits to so many
# samples and to this tolerance.
SETS_OF_EQUALITY, N_OF_EQUALITY, CLOSE_TOL = 8, 1000, 1e-8


def samples(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return samples and targets of a set in random order, both standardised, in float64."""
    if name == "generated":
        X, y = make_regression(600, 10, noise=20.0, random_state=0)
    else:
        X, y, *_ = load_real(name)
    order = np.random.default_rng(0).permutation(len(y))[: max(SIZES)]
    return scale(np.asarray(X[order], dtype=np.float64)), scale(y[order].astype(np.float64))


def regressions(smoke: bool) -> Iterator[dict[str, Any]]:
    """Yield fits of regressions at growing numbers of samples."""
    for name in SETS if has_real_data() and not smoke else ("generated",):
        X, y = samples(name)
        for n in sizes_up_to(len(y), smoke):
            for C in COSTS:
                gamma = 1.0 / (X.shape[1] * X[:n].var())
                ours = BandedSVR(C, C, epsilon=EPSILON, gamma=gamma, tol=TOL)
                models = {"bandsvm": ours, **peers("SVR", SVR, gamma, C=C, epsilon=EPSILON)}
                actions = {k: partial(m.fit, X[:n], y[:n]) for k, m in models.items()}
                found = compared(actions, smoke)
                values = {
                    k: objective_of_regression(m, X[:n], y[:n], C, gamma) for k, m in models.items()
                }
                yield {
                    **described(name, n, X, found, values),
                    **{"C": C, "n_support": len(ours.support_)},
                    **{"certified": ours.certificate_.is_optimal},
                }


def one_class(smoke: bool) -> Iterator[dict[str, Any]]:
    """Yield fits of one class."""
    names = SETS[:SETS_OF_ONE_CLASS] if has_real_data() and not smoke else ("generated",)
    for name in names:
        X, _ = samples(name)
        for n in [n for n in sizes_up_to(len(X), smoke) if n <= MAX_OF_ONE_CLASS]:
            gamma = 1.0 / (X.shape[1] * X[:n].var())
            ours = OneClassBandedSVM(nu=NU, gamma=gamma, tol=TOL)
            models = {"bandsvm": ours, **peers("OneClassSVM", OneClassSVM, gamma, nu=NU)}
            found = compared({k: partial(m.fit, X[:n]) for k, m in models.items()}, smoke)
            values = {k: objective_of_one_class(m, X[:n], gamma) for k, m in models.items()}
            yield {
                **described(name, n, X, found, values),
                **{"nu": NU, "n_support": len(ours.support_)},
                **{"certified": ours.certificate_.is_optimal},
            }


def equalities(smoke: bool) -> Iterator[dict[str, Any]]:
    """Yield how far predictions are from those of scikit-learn, both solved closely."""
    names = SETS[:SETS_OF_EQUALITY] if has_real_data() and not smoke else ("generated",)
    for name in names:
        X, y = samples(name)
        n = min(min(SIZES) if smoke else N_OF_EQUALITY, len(y) // 2)
        gamma = 1.0 / (X.shape[1] * X[:n].var())
        shared = {"gamma": gamma, "tol": CLOSE_TOL}
        svr = SVR(C=1.0, epsilon=EPSILON, **shared).fit(X[:n], y[:n])
        banded = BandedSVR(1.0, 1.0, epsilon=EPSILON, **shared).fit(X[:n], y[:n])
        apart = svr.predict(X) - banded.predict(X)
        theirs = OneClassSVM(nu=NU, **shared).fit(X[:n])
        ours = OneClassBandedSVM(nu=NU, **shared).fit(X[:n])
        of_one_class = theirs.decision_function(X) - ours.decision_function(X)
        size = float(np.abs(theirs.decision_function(X)).max())
        yield {
            **{"data": name, "n_samples": n},
            "regression": float(np.abs(apart).max()),
            "one_class": float(np.abs(of_one_class).max()) / size,
        }


def sizes_up_to(n_samples: int, smoke: bool) -> list[int]:
    """Return how many samples are taken: some numbers, and all where there are fewer."""
    if smoke:
        return [min(SIZES)]
    return sorted({min(n, n_samples) for n in SIZES})


def peers(name: str, of_libsvm: type, gamma: float, **parameters: Any) -> dict[str, Any]:
    """Return the peers' estimators of the same problem, by name."""
    shared = {"gamma": gamma, "tol": TOL, "cache_size": CACHE_MEGABYTES, **parameters}
    of_onedal = getattr(onedal, name, None)
    found = {"LIBSVM": of_libsvm, "oneDAL": of_onedal} if name == "SVR" else {"LIBSVM": of_libsvm}
    return {peer: make(**shared) for peer, make in found.items() if make is not None}


def described(
    name: str,
    n: int,
    X: np.ndarray,
    found: dict[str, dict[str, float]],
    objectives: dict[str, float],
) -> dict[str, Any]:
    """Return what all cases tell."""
    return {
        **{"data": name, "n_samples": n, "n_features": X.shape[1]},
        **{"solvers": found, "objectives": objectives},
    }


def objective_of_regression(
    model: Any, X: np.ndarray, y: np.ndarray, C: float, gamma: float
) -> float:
    """Return the primal objective of a fitted regression."""
    squared_norm, values = function_of(model, X, gamma)
    return 0.5 * squared_norm + C * float(np.maximum(np.abs(y - values) - EPSILON, 0.0).sum())


def objective_of_one_class(model: Any, X: np.ndarray, gamma: float) -> float:
    """Return the primal objective of a fitted one-class model, in LIBSVM's units."""
    squared_norm, values = function_of(model, X, gamma)
    intercept = float(np.ravel(model.intercept_)[0])
    return 0.5 * squared_norm + float(np.maximum(-values, 0.0).sum()) + NU * len(X) * intercept


def function_of(model: Any, X: np.ndarray, gamma: float) -> tuple[float, np.ndarray]:
    """Return the squared norm of a fitted decision function, and its values with intercept."""
    support, c = np.asarray(model.support_), np.asarray(model.dual_coef_, np.float64).ravel()
    f = KernelSettings("rbf", gamma, 0.0, 3).product(X, X[support], c[:, None], None)[:, 0]
    return float(c @ f[support]), f + float(np.ravel(model.intercept_)[0])


def ratio(case: dict[str, Any], peer: str) -> float:
    """Return the time of a peer over ours."""
    return case["solvers"][peer]["median"] / case["solvers"]["bandsvm"]["median"]


def excess(case: dict[str, Any], peer: str) -> float:
    """Return by how much a peer's objective is above ours, relative to it."""
    ours = case["objectives"]["bandsvm"]
    return (case["objectives"][peer] - ours) / abs(ours)


def show(case: dict[str, Any]) -> None:
    """Print ratios of a case."""
    names = [name for name in case["solvers"] if name != "bandsvm"]
    found = "  ".join(
        f"{name} {ratio(case, name):6.2f} ({excess(case, name):+.0e})" for name in names
    )
    title = f"{case['data']} {case['n_samples']} {case.get('C', case.get('nu'))}"
    seconds = case["solvers"]["bandsvm"]["median"]
    print(f"{title:<30} bandsvm {1e3 * seconds:9.2f} ms   {found}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all comparisons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="few cases, one turn each")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    options = parser.parse_args(arguments)
    parts: dict[str, Callable[[bool], Iterator[dict[str, Any]]]] = {
        "regressions": regressions,
        "one_class": one_class,
    }
    results: dict[str, Any] = {"epsilon": EPSILON, "nu": NU}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for part, cases in parts.items():
            results[part] = []
            for case in cases(options.smoke):
                results[part].append(case)
                show(case)
        results["equality"] = list(equalities(options.smoke))
    save("regression", results, options.out)


if __name__ == "__main__":
    main()
