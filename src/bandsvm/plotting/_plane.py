"""The plane of two features: samples, a grid around them, decision values on it, names of axes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d

from bandsvm.plotting._canvas import MARGIN, plain


def plane_of(
    estimator: Any, X: ArrayLike, y: ArrayLike, resolution: int, title: str
) -> dict[str, Any]:
    """Return what displays of the plane hold of a model and samples, by the names of parameters."""
    names = feature_names(estimator, X)
    samples = _two_columns(X, title)
    xx, yy = grid_over(samples, resolution)
    with warnings.catch_warnings():
        # The points of the grid are an array; the names of the samples have been compared.
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        decision = estimator.decision_function(np.column_stack([xx.ravel(), yy.ravel()]))
    return {
        "xx": xx,
        "yy": yy,
        "decision": decision.reshape(xx.shape),
        "X": samples,
        "y": column_or_1d(y),
        "feature_names": names,
    }


def feature_names(estimator: Any, X: Any) -> list[str] | None:
    """Return the names of the samples' columns, else those that the model was fitted to."""
    fitted_to = list(getattr(estimator, "feature_names_in_", ()))
    columns = list(getattr(X, "columns", ()))
    if not all(isinstance(name, str) for name in columns):
        columns = []  # numbers of columns; scikit-learn takes them for no names either
    if columns and fitted_to and columns != fitted_to:
        raise ValueError(
            f"X must have the columns that the model was fitted to, {fitted_to}; got {columns}."
        )
    return columns or fitted_to or None


def _two_columns(X: Any, title: str) -> NDArray:
    """Return samples as an array, or raise if they do not have two features."""
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    if X.ndim != 2 or X.shape[1] != 2:
        n_features = X.shape[1] if X.ndim == 2 else 0
        raise ValueError(
            f"{title} draws samples of 2 features, got {n_features}; fit a model on two of them, "
            "or use DecisionValuesDisplay, which works for any number of features."
        )
    return X


def grid_over(X: NDArray, resolution: int) -> tuple[NDArray, NDArray]:
    """Return the coordinates of a grid over the samples."""
    low, high = X.min(axis=0), X.max(axis=0)
    room = MARGIN * np.maximum(high - low, 1e-12)
    xs, ys = (
        np.linspace(a - r, b + r, resolution) for a, b, r in zip(low, high, room, strict=True)
    )
    xx, yy = np.meshgrid(xs, ys)
    return xx, yy


def label_plane(ax: Any, names: Sequence[str] | None) -> None:
    """Name the axes of a plane that nobody has named yet."""
    if not ax.get_xlabel() and not ax.get_ylabel():
        first, second = names or ("first feature", "second feature")
        ax.set_xlabel(plain(first))
        ax.set_ylabel(plain(second))
