"""Many classes: one-vs-one and one-vs-rest, with and without a band, beside SVC; results as JSON.

All fits stop at the same tolerance. Solvers take turns and the best of several runs counts.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from bandsvm import BandedSVC
from data import load_real
from measure import RESULTS, best_seconds, save

# label -> name, training samples, whether features are standardised
CASES = {
    "letter": ("letter", 15_000, True),
    "mnist 10k": ("mnist", 10_000, False),
    "mnist 20k": ("mnist", 20_000, False),
}
MAX_TEST_SAMPLES = 4_000
COST, BAND, TOL = 10.0, 1.5, 1e-3


def samples(name: str, n_samples: int, standardise: bool) -> tuple[np.ndarray, ...]:
    """Return training and test samples in float32, with labels."""
    X, y, X_test, y_test = load_real(name)
    X, y = X[:n_samples], y[:n_samples]
    X_test, y_test = X_test[:MAX_TEST_SAMPLES], y_test[:MAX_TEST_SAMPLES]
    X, X_test = (np.asarray(part, dtype=np.float32) for part in (X, X_test))
    if standardise:
        mean, deviation = X.mean(axis=0), X.std(axis=0) + np.float32(1e-9)
        X, X_test = (X - mean) / deviation, (X_test - mean) / deviation
    return X, y, X_test, y_test


def few_digits() -> tuple[np.ndarray, ...]:
    """Return a small set of ten classes."""
    X, y = load_digits(return_X_y=True)
    X = X.astype(np.float32) / 16
    return X[:300], y[:300], X[300:400], y[300:400]


def estimators(gamma: float) -> dict[str, Any]:
    """Return what is compared."""
    made: dict[str, Any] = {"SVC": SVC(C=COST, gamma=gamma, tol=TOL)}
    for multi_class in ("ovo", "ovr"):
        for C2, band in ((0.0, "without a band"), (COST, "with a band")):
            model = BandedSVC(COST, C2, rho2=BAND, gamma=gamma, tol=TOL, multi_class=multi_class)
            made[f"{multi_class} {band}"] = model
    return made


def compare(parts: tuple[np.ndarray, ...], repeats: int) -> dict[str, Any]:
    """Return seconds, support vectors, accuracy, and labels that differ from those of SVC."""
    X, y, X_test, y_test = parts
    gamma = float(1.0 / (X.shape[1] * X.var(dtype=np.float64)))
    made = estimators(gamma)
    seconds = best_seconds({name: lambda e=e: e.fit(X, y) for name, e in made.items()}, repeats)
    predicting = best_seconds(
        {name: lambda e=e: e.predict(X_test) for name, e in made.items()}, repeats
    )
    labels = {name: estimator.predict(X_test) for name, estimator in made.items()}
    return {
        "n_samples": len(y),
        "n_features": X.shape[1],
        "n_classes": len(np.unique(y)),
        "n_test": len(y_test),
        "C": COST,
        "gamma": gamma,
        "tol": TOL,
        "solvers": {
            name: {
                "seconds": seconds[name],
                "prediction_seconds": predicting[name],
                "n_support": len(estimator.support_),
                "accuracy": float(np.mean(labels[name] == y_test)),
                "n_labels_unlike_svc": int(np.sum(labels[name] != labels["SVC"])),
            }
            for name, estimator in made.items()
        },
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all comparisons."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--smoke", action="store_true", help="a few digits, one run each")
    parser.add_argument("--only", nargs="+", metavar="DATA", help="labels of data sets")
    parser.add_argument("--repeats", type=int, default=3, help="runs, of which the best counts")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    options = parser.parse_args(arguments)
    cases = {}
    for label in ["digits"] if options.smoke else (options.only or CASES):
        parts = few_digits() if options.smoke else samples(*CASES[label])
        cases[label] = compare(parts, 1 if options.smoke else options.repeats)
        times = "  ".join(
            f"{name} {found['seconds']:.3f} s" for name, found in cases[label]["solvers"].items()
        )
        print(f"{label:<10} {times}", flush=True)
    save("classes", {"cases": cases}, options.out)


if __name__ == "__main__":
    main()
