"""What LIBSVM's svm-scale -r makes of samples, but for the six digits that it prints."""

from pathlib import Path

import numpy as np


def svm_scaled(range_file, X):
    """Return samples scaled by a file, with the arithmetic of svm-scale.c."""
    head, bounds, *rows = Path(range_file).read_text().splitlines()
    assert head == "x"
    lower, upper = map(float, bounds.split())
    assert lower < upper
    scaled = np.zeros_like(X, dtype=float)
    for row in rows:
        index, low, high = row.split()
        values, low, high = X[:, int(index) - 1], float(low), float(high)
        assert low != high  # svm-scale would leave the feature out
        scaled[:, int(index) - 1] = lower + (upper - lower) * (values - low) / (high - low)
    return scaled
