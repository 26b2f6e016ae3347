"""Whether `OneClassBandedSVM` and scikit-learn's `OneClassSVM` agree on real data.

Both are fitted to tight tolerances. Prints, per data set and nu, the largest difference between
their decision values of training and of test samples, and what our certificate says of our own.

    python benchmarks/one_class.py [--only svmguide1] [--smoke]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from sklearn.svm import OneClassSVM

from bandsvm import OneClassBandedSVM
from data import DataSet, data_sets

SETS = [
    *("svmguide1", "spambase", "mnist 6k", "usps", "phishing", "a9a 10k", "covtype 10k", "magic04"),
    # Where there are no real ones.
    *("breast cancer", "digits odd/even", "generated 5k", "paper clusters"),
]
SHARES = (0.05, 0.5)
# LIBSVM's rows have single precision, so that smaller violations are noise.
TOL = 1e-6
CACHE = 2000
LINE = "{:<16} {:>6} {:>5} {:>12} {:>9} {:>10} {:>10} {:>10} {:>8}"


def compared(data: DataSet, nu: float) -> str:
    """Return a line on both fits of a data set."""
    settings = {"nu": nu, "gamma": data.gamma, "tol": TOL, "cache_size": CACHE}
    X, X_test = data.X.astype(np.float64), data.X_test.astype(np.float64)
    ours, theirs = OneClassBandedSVM(**settings).fit(X), OneClassSVM(**settings).fit(X)
    apart = [
        np.abs(ours.decision_function(part) - theirs.decision_function(part)).max()
        for part in (X, X_test)
    ]
    certificate = ours.certificate_
    outside = f"{(ours.predict(X) == -1).mean():.1%}"
    numbers = [*apart, certificate.kkt_violation]
    verdict = "optimal" if certificate.is_optimal else "NOT"
    return LINE.format(
        *(data.label, len(X), nu, f"{ours.offset_:.5f}", outside),
        *(f"{number:.1e}" for number in numbers),
        verdict,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line per data set and nu."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", help="labels of data sets; default: eight")
    parser.add_argument("--smoke", action="store_true", help="a small data set, to try the script")
    given = parser.parse_args(arguments)
    print(
        LINE.format(
            *("data", "n", "nu", "offset", "outside", "training", "test", "violation", "verdict")
        )
    )
    for data in data_sets(given.only or SETS, given.smoke):
        for nu in SHARES:
            print(compared(data, nu), flush=True)


if __name__ == "__main__":
    main()
