"""Fits and predictions of sparse samples against SVC, in CSR as text comes; results as JSON."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.preprocessing import normalize
from sklearn.svm import SVC

from bandsvm import BandedSVC
from data import MAX_TEST_SAMPLES, DataSet, has_real_data, load_real
from measure import RESULTS, best_seconds, peak_megabytes, save
from solvers import C1, CACHE_MEGABYTES, TOL

REAL = ("reuters", "sentence_polarity", "sector", "a9a", "w8a")
KERNELS = ("rbf", "linear")
N_WORDS, VOCABULARY, N_TOPICS = 30, 50_000, 300


def sparse_sets(only: list[str] | None, smoke: bool) -> Iterator[DataSet]:
    """Yield the data sets, small ones first."""
    if smoke:
        yield hashed_texts("hashed 2^20, small", 200, 20)
        return
    makers: dict[str, Callable[[], DataSet]] = {
        "hashed 2^18": lambda: hashed_texts("hashed 2^18", 1_500, 18),
        "hashed 2^20": lambda: hashed_texts("hashed 2^20", 1_500, 20),
        "hashed 2^20, 8k": lambda: hashed_texts("hashed 2^20, 8k", 8_000, 20),
    }
    if has_real_data():
        makers |= {name: lambda name=name: real_set(name) for name in REAL}
    for label, make in makers.items():
        if not only or label in only:
            yield make()


def real_set(name: str) -> DataSet:
    """Return a real data set as CSR, the largest class against the rest."""
    X, y, X_test, y_test = load_real(name)
    positive = np.unique(y)[-1] if len(np.unique(y)) == 2 else np.bincount(y).argmax()
    X_test, y_test = X_test[:MAX_TEST_SAMPLES], y_test[:MAX_TEST_SAMPLES]
    labels, test_labels = (np.where(some == positive, 1, -1) for some in (y, y_test))
    return DataSet(name, sp.csr_matrix(X), labels, sp.csr_matrix(X_test), test_labels)


def hashed_texts(label: str, n_texts: int, n_bits: int) -> DataSet:
    """Return texts of random words, as common as words are, some from the topics of a class."""
    rng = np.random.default_rng(0)
    share = 1.0 / (np.arange(VOCABULARY) + 2.7)
    y = np.where(rng.random(2 * n_texts) < 0.5, 1, -1)
    words = rng.choice(VOCABULARY, size=(len(y), N_WORDS), p=share / share.sum())
    topics = rng.integers(0, N_TOPICS, size=words.shape) + 1_000 + N_TOPICS * (y[:, None] > 0)
    words = np.where(rng.random(words.shape) < 0.15, topics, words)
    columns = rng.integers(0, 2**n_bits, VOCABULARY)[words].ravel()
    starts = np.arange(0, words.size + 1, N_WORDS)
    counts = np.ones(words.size, dtype=np.float32)
    X = sp.csr_matrix((counts, columns, starts), shape=(len(y), 2**n_bits))
    X.sum_duplicates()
    X = normalize(X)
    return DataSet(label, X[:n_texts], y[:n_texts], X[n_texts:], y[n_texts:])


def compare(data: DataSet, kernel: str, repeats: int) -> dict[str, Any]:
    """Return all that is measured for one kernel on one data set."""
    ours = BandedSVC(C1, C2=0.0, kernel=kernel, tol=TOL)
    theirs = SVC(C=C1, kernel=kernel, tol=TOL, cache_size=CACHE_MEGABYTES)
    solvers = {"bandsvm": ours, "LIBSVM": theirs}
    fits = {name: lambda e=e: e.fit(data.X, data.y) for name, e in solvers.items()}
    seconds = best_seconds(fits, repeats)
    predictions = {
        name: lambda e=e: e.decision_function(data.X_test) for name, e in solvers.items()
    }
    prediction_seconds = best_seconds(predictions, repeats)
    values = {name: estimator.decision_function(data.X_test) for name, estimator in solvers.items()}
    return {
        "data": data.label,
        "kernel": kernel,
        "n_samples": data.X.shape[0],
        "n_features": data.X.shape[1],
        "n_values": int(data.X.nnz),
        "n_test": data.X_test.shape[0],
        "n_support": len(ours.support_),
        "relative_gap": ours.certificate_.relative_gap,
        "certified": ours.certificate_.is_optimal,
        "largest_difference": float(np.abs(values["bandsvm"] - values["LIBSVM"]).max()),
        "peak_megabytes": peak_megabytes(fits["bandsvm"]),
        "solvers": {
            name: {"seconds": seconds[name], "prediction_seconds": prediction_seconds[name]}
            for name in solvers
        },
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all comparisons."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="one small data set, one run each")
    parser.add_argument("--only", nargs="+", metavar="DATA", help="labels of data sets")
    parser.add_argument("--repeats", type=int, default=3, help="runs, of which the best counts")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder of the results")
    options = parser.parse_args(arguments)
    cases = []
    for data in sparse_sets(options.only, options.smoke):
        for kernel in KERNELS:
            case = compare(data, kernel, 1 if options.smoke else options.repeats)
            cases.append(case)
            ours, theirs = (case["solvers"][name] for name in ("bandsvm", "LIBSVM"))
            print(
                f"{data.label:<18} {kernel:<7} fit {ours['seconds']:.3f} s "
                f"({theirs['seconds'] / ours['seconds']:.1f}x)  "
                f"predict {ours['prediction_seconds']:.4f} s "
                f"({theirs['prediction_seconds'] / ours['prediction_seconds']:.1f}x)  "
                f"support {case['n_support']}  apart {case['largest_difference']:.0e}",
                flush=True,
            )
    save("sparse", {"cases": cases}, options.out)


if __name__ == "__main__":
    main()
