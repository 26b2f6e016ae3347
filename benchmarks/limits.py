"""What else was promised: small data, import, tight tolerance, memory, threads, same bits."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

import numpy as np
from sklearn.svm import SVC, SVR
from threadpoolctl import threadpool_limits

from bandsvm import BandedSVC
from bandsvm.datasets import make_paper_clusters
from data import covtype, data_sets, generated, has_real_data, real
from measure import RESULTS, best_seconds, peak_megabytes, save, seconds_of
from solvers import RHO1, RHO2

TIGHT = 1e-8
IMPORTS = (
    "import time; began = time.perf_counter(); import sklearn.svm; between = time.perf_counter();"
    " from bandsvm import BandedSVC; print(time.perf_counter() - between)"
)


def small_data() -> dict[str, float]:
    """Time fits of the paper's toy data with default settings, in seconds."""
    X, y = make_paper_clusters(random_state=0)
    centre, width = (RHO1 + RHO2) / 2, (RHO2 - RHO1) / 2
    fits = {
        "bandsvm, band": lambda: BandedSVC().fit(X, y),
        "bandsvm, C-SVM": lambda: BandedSVC(C2=0.0).fit(X, y),
        "SVC": lambda: SVC().fit(X, y),
        "SVR": lambda: SVR(epsilon=width).fit(X, centre * y),
    }
    return best_seconds(fits, 30)


def import_seconds() -> float:
    """Return how much longer an import of bandsvm takes than scikit-learn's."""
    command = [sys.executable, "-c", IMPORTS]
    runs = [subprocess.run(command, capture_output=True, check=True) for _ in range(5)]
    return min(float(run.stdout) for run in runs)


def tight_tolerance() -> dict[str, Any]:
    """Compare fits at a tolerance of 1e-8."""
    if has_real_data():
        data = real("ijcnn1 10k", "ijcnn1", 10_000, False)
    else:
        data = next(data_sets(["generated 5k"]))
    ours = BandedSVC(C2=0.0, gamma=data.gamma, tol=TIGHT)
    theirs = SVC(gamma=data.gamma, tol=TIGHT, cache_size=2000)
    seconds = best_seconds(
        {"bandsvm": lambda: ours.fit(data.X, data.y), "LIBSVM": lambda: theirs.fit(data.X, data.y)},
        2,
    )
    found = ours.certificate_
    return {
        "data": data.label,
        "seconds": seconds,
        "certified": found.is_optimal,
        "kkt_violation": found.kkt_violation,
        "relative_gap": found.relative_gap,
    }


def memory() -> list[dict[str, Any]]:
    """Measure peaks above the data for some sizes of the cache."""
    X, y = generated(20_000)
    wide = np.random.default_rng(0).normal(size=(len(y), 400)).astype(np.float32)
    wide[:, :20] = X
    found = []
    for megabytes in (200, 500, 1000):
        model = BandedSVC(cache_size=megabytes)
        peak = peak_megabytes(lambda m=model: m.fit(wide, y))
        found.append(
            {"n_samples": len(y), "n_features": 400, "cache_size": megabytes, "peak": peak}
        )
    return found


def large_fit() -> dict[str, Any]:
    """Fit 200 000 samples with a cache of 1000 megabytes."""
    X, y = covtype(200_000)
    model = BandedSVC(cache_size=1000)
    seconds = {}
    peak = peak_megabytes(lambda: seconds.update(fit=seconds_of(lambda: model.fit(X, y))))
    found = model.certificate_
    return {
        "n_samples": len(y),
        "seconds": seconds["fit"],
        "peak": peak,
        "certified": found.is_optimal,
        "relative_gap": found.relative_gap,
        "n_support": len(model.support_),
        "kernel_rows": found.n_kernel_rows,
    }


def threads() -> dict[str, Any]:
    """Compare one thread with two on a fit of some seconds, and their coefficients bit by bit."""
    X, y = covtype(100_000)
    one, two = BandedSVC(n_jobs=1), BandedSVC(n_jobs=2)
    seconds = best_seconds({"1": lambda: one.fit(X, y), "2": lambda: two.fit(X, y)}, 2)
    again = BandedSVC(n_jobs=2).fit(X, y)
    return {
        "n_samples": len(y),
        "seconds": seconds,
        "blas": blas_speedup(),
        "same_bits": bool(
            np.array_equal(one.dual_coef_, two.dual_coef_)
            and np.array_equal(two.dual_coef_, again.dual_coef_)
            and one.intercept_ == two.intercept_ == again.intercept_
        ),
    }


def blas_speedup() -> float:
    """Return what two threads gain over one in a product of matrices."""
    A = np.random.default_rng(0).normal(size=(2000, 2000)).astype(np.float32)

    def multiply(n_threads: int) -> None:
        with threadpool_limits(n_threads):
            for _ in range(5):
                A @ A

    seconds = best_seconds({"1": lambda: multiply(1), "2": lambda: multiply(2)}, 5)
    return seconds["1"] / seconds["2"]


def main() -> None:
    """Measure and save everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", help="names of measurements; others stay as they are")
    only = parser.parse_args().only
    content = json.loads((RESULTS / "limits.json").read_text()) if only else {}
    content.pop("circumstances", None)
    for measure in (small_data, import_seconds, tight_tolerance, memory, large_fit, threads):
        if only and measure.__name__ not in only:
            continue
        content[measure.__name__] = measure()
        print(measure.__name__, content[measure.__name__], flush=True)
    save("limits", content)


if __name__ == "__main__":
    main()
