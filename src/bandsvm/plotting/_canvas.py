"""Colours, axes and grids that all displays share."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Colours that people who see fewer of them can tell apart (Okabe and Ito).
POSITIVE, NEGATIVE = "#D55E00", "#0072B2"
ALPHA, THETA = "#E69F00", "#009E73"
BAND, NEUTRAL = "#009E73", "#666666"
SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
# Room around the samples, as a share of their range.
MARGIN = 0.08


def require_matplotlib(wanted: str) -> None:
    """Raise unless pictures can be drawn; ``wanted`` is what needs them."""
    try:
        import matplotlib.pyplot  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"{wanted} needs matplotlib; install it with: pip install 'bandsvm[plot]'."
        ) from error


def axes_or_new(ax: Any, title: str) -> Any:
    """Return the axes given, or those of a new figure."""
    if ax is not None:
        return ax
    require_matplotlib(title)
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def check_plane(X: Any, title: str) -> NDArray:
    """Return samples as an array, or raise if they do not lie in a plane."""
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    if X.ndim != 2 or X.shape[1] != 2:
        n_features = X.shape[1] if X.ndim == 2 else 0
        raise ValueError(
            f"{title} draws samples of 2 features, got {n_features}; fit a model on two of them, "
            "or look at all samples with DecisionValuesDisplay, which needs no plane."
        )
    return X


def check_two_classes(estimator: Any, title: str) -> NDArray:
    """Return the classes of a fitted estimator, or raise if there are not two."""
    if len(estimator.classes_) != 2:
        raise ValueError(
            f"{title} draws models of two classes, got {len(estimator.classes_)}; fit one class "
            "against the rest: estimator.fit(X, y == label)."
        )
    return estimator.classes_


def band_edges(estimator: Any, title: str) -> tuple[float, float]:
    """Return rho1 and rho2 of an estimator, which must be the same for both classes."""
    edges = estimator.rho1, estimator.rho2
    if not all(isinstance(edge, Real) for edge in edges):
        raise ValueError(
            f"{title} draws one band, but rho1 or rho2 of this estimator depends on the class."
        )
    return float(edges[0]), float(edges[1])


def grid_over(X: NDArray, resolution: int) -> tuple[NDArray, NDArray, NDArray]:
    """Return the coordinates of a grid over the samples, and its points one by one."""
    low, high = X.min(axis=0), X.max(axis=0)
    room = MARGIN * np.maximum(high - low, 1e-12)
    xs, ys = (
        np.linspace(a - r, b + r, resolution) for a, b, r in zip(low, high, room, strict=True)
    )
    xx, yy = np.meshgrid(xs, ys)
    return xx, yy, np.column_stack([xx.ravel(), yy.ravel()])


def scatter_classes(ax: Any, X: NDArray, y: NDArray, classes: NDArray, **settings: Any) -> list:
    """Draw the samples of two classes; return the artists."""
    return [
        ax.scatter(*X[y == label].T, color=colour, label=f"class {label}", **settings)
        for label, colour in zip(classes, (NEGATIVE, POSITIVE), strict=True)
    ]
