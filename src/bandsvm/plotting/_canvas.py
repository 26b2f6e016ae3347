"""Colours, axes, legends and checks that displays share."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

# Colours that colour-blind people can distinguish (Okabe and Ito).
POSITIVE, NEGATIVE = "#D55E00", "#0072B2"
PALE_POSITIVE, PALE_NEGATIVE = "#EBA675", "#80B9D9"
ALPHA, THETA = "#E69F00", "#009E73"
BAND, NEUTRAL = "#009E73", "#666666"
# Circles and triangles, so that classes differ without colours too; triangles look smaller.
MARKERS = {"o": 1.0, "^": 1.4}
# Points between an axis and a legend below it: room for tick labels and the name of the axis.
ROOM_FOR_LABELS = 36.0
# Margin around the samples, as a share of their range.
MARGIN = 0.08


def require_matplotlib(wanted: str) -> None:
    """Raise unless pictures can be drawn; ``wanted`` is what needs them."""
    try:
        import matplotlib.pyplot  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"{wanted} needs matplotlib; install it with: pip install 'bandsvm[plot]'."
        ) from error


def check_two_classes(estimator: Any, title: str) -> NDArray:
    """Return the classes of an estimator, or raise unless it is fitted to two."""
    check_is_fitted(estimator)
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


def scatter_classes(ax: Any, X: NDArray, y: NDArray, classes: NDArray, **settings: Any) -> list:
    """Draw the samples of two classes; return the artists."""
    size = settings.pop("s")
    styles = zip(classes, (NEGATIVE, POSITIVE), MARKERS.items(), strict=True)
    return [
        ax.scatter(
            *X[y == label].T,
            c=colour,
            marker=marker,
            s=size * factor,
            label=plain(f"class {label}"),
            **settings,
        )
        for label, colour, (marker, factor) in styles
    ]


def plain(text: str) -> str:
    """Return text that matplotlib does not take for a formula."""
    return text.replace("$", r"\$")


def set_log_with_zero(set_scale: Callable[..., None], smallest: float) -> None:
    """Make an axis logarithmic, but linear from 0 to the decade of its smallest positive value.

    Linear up to the value itself, the label of its decade would lie on that of 0.
    """
    set_scale("symlog", linthresh=10.0 ** math.floor(math.log10(smallest)))


def legend_outside(ax: Any, columns: int = 2) -> None:
    """Put the legend below the axes where the figure makes room for it, else where it fits best.

    A figure without a layout engine, which is its owner's choice, would cut the legend off.
    """
    if ax.figure.figure.get_layout_engine() is None:
        ax.legend(loc="best", framealpha=0.9, fontsize="small")
        return
    from matplotlib.transforms import ScaledTranslation

    scale = ax.figure.dpi_scale_trans
    below = ax.transAxes + ScaledTranslation(0.0, -ROOM_FOR_LABELS / 72.0, scale)
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, 0.0),
        bbox_transform=below,
        ncols=columns,
        frameon=False,
        fontsize="small",
        borderaxespad=0.0,
    )


def new_figure(width: float = 7.0, height: float = 4.2) -> tuple[Any, Any]:
    """Return a figure that belongs to no window, and its axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()
