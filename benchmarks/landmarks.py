"""Exact kernel machines against linear models on features of an approximate kernel.

Times and accuracies of `BandedSVC` with the rbf kernel, and of `LinearBandedSVC` behind
scikit-learn's `Nystroem` and `RBFSampler`; and a linear model of ten million samples on disk.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bandsvm import BandedSVC, LinearBandedSVC
from data import load_real
from measure import RESULTS, peak_megabytes, save

# data -> training samples, gamma
DATA = {"ijcnn1": (49_990, 1.0), "covtype": (100_000, 0.5)}
N_FEATURES = (100, 300, 1000, 3000)
COSTS = {"C1": 10.0, "C2": 10.0, "rho2": 2.0}
LOOSE = 1e-3
SECONDS_PER_FIT = 120.0
N_MANY, N_MANY_FEATURES, ROWS_AT_A_TIME = 10_000_000, 30, 500_000


def data_sets(smoke: bool) -> Iterator[tuple[str, float, list[np.ndarray]]]:
    """Yield names, gammas, and samples and labels for training and testing."""
    if smoke:
        X, y = make_classification(1500, 6, n_informative=5, n_redundant=0, random_state=0)
        yield "generated", 0.1, train_test_split(X, y, random_state=0)
        return
    for name, (n_samples, gamma) in DATA.items():
        X, y, X_test, y_test = load_real(name)
        dense = [part.toarray() if sp.issparse(part) else part for part in (X, X_test)]
        scaler = StandardScaler().fit(dense[0])
        X, X_test = (scaler.transform(np.asarray(part, dtype=np.float32)) for part in dense)
        chosen = np.random.default_rng(0).permutation(len(y))[:n_samples]
        yield name, gamma / X.shape[1], [X[chosen], X_test, y[chosen], y_test]


def models(gamma: float, smoke: bool) -> Iterator[tuple[str, int | None, Any]]:
    """Yield kinds of models, numbers of features, and models."""
    limited = {"time_limit": SECONDS_PER_FIT}
    yield "exact", None, BandedSVC(gamma=gamma, **COSTS, **limited)
    for n_features in (20,) if smoke else N_FEATURES:
        linear = LinearBandedSVC(**COSTS, tol=LOOSE, **limited)
        landmarks = Nystroem(gamma=gamma, n_components=n_features, random_state=0)
        yield "Nystroem", n_features, make_pipeline(landmarks, linear)
        waves = RBFSampler(gamma=gamma, n_components=n_features, random_state=0)
        yield "RBFSampler", n_features, make_pipeline(waves, linear)


def compare(smoke: bool) -> Iterator[dict[str, Any]]:
    """Yield accuracy and seconds of each model on each data set."""
    for name, gamma, (X, X_test, y, y_test) in data_sets(smoke):
        for kind, n_features, model in models(gamma, smoke):
            began = time.perf_counter()
            model.fit(X, y)
            seconds = time.perf_counter() - began
            last = model if n_features is None else model[-1]
            yield {
                "data": name,
                "n_samples": len(y),
                "kind": kind,
                "n_features": n_features,
                "seconds": seconds,
                "accuracy": float(model.score(X_test, y_test)),
                "relative_gap": last.certificate_.relative_gap,
                "status": last.certificate_.status.value,
                "solver": getattr(last, "solver_", None),
            }


def many(smoke: bool) -> dict[str, Any]:
    """Fit a linear model to generated samples in a file; return seconds, memory and certificate."""
    n_samples, at_a_time = (20_000, 5_000) if smoke else (N_MANY, ROWS_AT_A_TIME)
    rng = np.random.default_rng(0)
    w, y = rng.normal(size=N_MANY_FEATURES), np.empty(n_samples)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "X.npy"
        shape = n_samples, N_MANY_FEATURES
        X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
        for start in range(0, n_samples, at_a_time):
            part = slice(start, start + at_a_time)
            X[part] = rng.normal(size=X[part].shape)
            noise = 2.0 * np.linalg.norm(w) * rng.normal(size=len(X[part]))
            y[part] = np.sign(X[part] @ w + noise)
        X.flush()
        X = np.load(path, mmap_mode="r")
        model = LinearBandedSVC()
        began = time.perf_counter()
        peak = peak_megabytes(lambda: model.fit(X, y))
        seconds = time.perf_counter() - began
    return {
        "n_samples": n_samples,
        "n_features": N_MANY_FEATURES,
        "seconds": seconds,
        "megabytes": peak,
        "file_megabytes": 4e-6 * n_samples * N_MANY_FEATURES,
        "n_iter": model.n_iter_,
        "solver": model.solver_,
        "relative_gap": model.certificate_.relative_gap,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all comparisons."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small generated data")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    options = parser.parse_args(arguments)
    # Where a solver falls short, the numbers say so.
    warnings.simplefilter("ignore", ConvergenceWarning)
    largest = many(options.smoke)
    print(largest, flush=True)
    save("many", largest, options.out)
    cases: list[dict[str, Any]] = []
    for case in compare(options.smoke):
        cases.append(case)
        print(
            f"{case['data']:<9} {case['kind']:<10} {case['n_features'] or '':>5} "
            f"{case['seconds']:8.2f} s, accuracy {case['accuracy']:.4f}, "
            f"gap {case['relative_gap']:.1e} ({case['status']})",
            flush=True,
        )
    save("landmarks", {"cases": cases}, options.out)


if __name__ == "__main__":
    main()
