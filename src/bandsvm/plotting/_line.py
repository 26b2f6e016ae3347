"""One feature: samples, a grid over them, and the name of the axis."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from bandsvm._checks.numbers import refuse_intervals
from bandsvm.plotting._canvas import MARGIN
from bandsvm.plotting._plane import feature_names


def line_of(estimator: Any, X: Any, y: Any, resolution: int, title: str) -> dict[str, Any]:
    """Return what displays over one feature hold of a model and samples, by name."""
    names = feature_names(estimator, X)
    samples = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    if samples.ndim != 2 or samples.shape[1] != 1:
        n_features = samples.shape[1] if samples.ndim == 2 else 0
        raise ValueError(
            f"{title} draws samples of 1 feature, got {n_features}; fit a model on one of them, or "
            "use ResidualsDisplay, which works for any number of features."
        )
    refuse_intervals(y, f"{title} draws targets that are known")
    x, targets = samples[:, 0], column_or_1d(y)
    check_consistent_length(x, targets)
    low, high = float(x.min()), float(x.max())
    room = 0.5 * MARGIN * max(high - low, 1e-12)
    grid = np.linspace(low - room, high + room, resolution)
    with warnings.catch_warnings():
        # The points of the grid are an array; the names of the samples have been compared.
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        values: NDArray = estimator.predict(grid[:, None])
    name = names[0] if names else None
    return {"grid": grid, "values": values, "x": x, "y": targets, "feature_name": name}
