"""Decision values of samples, and over the plane: the paper's figure 3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, column_or_1d

from bandsvm._defaults import DEFAULT_RHO2
from bandsvm.plotting._canvas import (
    BAND,
    MARGIN,
    NEUTRAL,
    PALE_NEGATIVE,
    PALE_POSITIVE,
    band_edges,
    check_two_classes,
    legend_outside,
    scatter_classes,
)
from bandsvm.plotting._display import Display
from bandsvm.plotting._plane import label_plane, plane_of


@dataclass(kw_only=True, eq=False, repr=False)
class DecisionValuesDisplay(Display):
    """Plot of the decision values of samples, with the band on both sides of zero.

    Parameters
    ----------
    decision : ndarray of shape (n_samples,)
        Decision values g(x).
    y : ndarray of shape (n_samples,)
        Labels of two classes.
    %(band)s

    Attributes
    ----------
    %(ax_, figure_, points_)s

    Examples
    --------
    >>> from bandsvm import BandedSVC
    >>> from bandsvm.datasets import make_paper_clusters
    >>> from bandsvm.plotting import DecisionValuesDisplay
    >>> X, y = make_paper_clusters(20, random_state=0)
    >>> model = BandedSVC(gamma=1.0).fit(X, y)
    >>> display = DecisionValuesDisplay.from_estimator(model, X, y)
    >>> display.ax_.get_ylabel()
    'decision value g(x)'
    """

    decision: NDArray
    y: NDArray
    rho1: float
    rho2: float

    def _draw(self, ax: Any) -> None:
        label = f"band {self.rho1:g} to {self.rho2:g}"
        ax.axhspan(self.rho1, self.rho2, color=BAND, alpha=0.15, label=label)
        ax.axhspan(-self.rho2, -self.rho1, color=BAND, alpha=0.15)
        ax.axhline(0.0, color=NEUTRAL, lw=0.8)
        where = np.column_stack([np.arange(len(self.decision)), self.decision])
        self.points_ = scatter_classes(ax, where, self.y, np.unique(self.y), s=12, linewidths=0)
        ax.set_xlabel("sample")
        ax.set_ylabel("decision value g(x)")
        # Spans leave no room beyond their edges; limits stay free, for axes that share them.
        reach = (1.0 + MARGIN) * max(float(np.abs(self.decision).max()), self.rho2)
        ax.update_datalim([(0.0, -reach), (0.0, reach)], updatex=False)
        ax.autoscale_view()
        legend_outside(ax, columns=3)

    @classmethod
    def from_estimator(cls, estimator: Any, X: ArrayLike, y: ArrayLike, *, ax: Any = None) -> Self:
        """Draw the decision values that a fitted model of two classes gives to samples.

        Parameters
        ----------
        %(estimator, X, y, ax, Returns)s
        """
        check_two_classes(estimator, cls.__name__)
        rho1, rho2 = band_edges(estimator, cls.__name__)
        return cls.from_predictions(y, estimator.decision_function(X), rho1=rho1, rho2=rho2, ax=ax)

    @classmethod
    def from_predictions(
        cls,
        y: ArrayLike,
        decision: ArrayLike,
        *,
        rho1: float = 1.0,
        rho2: float = DEFAULT_RHO2,
        ax: Any = None,
    ) -> Self:
        """Draw decision values of samples.

        Parameters
        ----------
        %(labels, decision)s
        rho1, rho2 : float, default=1.0, 3.0
            Edges of the band.
        %(ax, Returns)s
        """
        labels, values = column_or_1d(y), column_or_1d(decision)
        check_consistent_length(labels, values)
        if len(np.unique(labels)) != 2:
            raise ValueError(
                f"{cls.__name__} draws two classes, got {len(np.unique(labels))} different labels."
            )
        return cls(decision=values, y=labels, rho1=rho1, rho2=rho2).plot(ax)


@dataclass(kw_only=True, eq=False, repr=False)
class DecisionMapDisplay(Display):
    """Map of the decision rule over the plane, with contours at zero and at the edges of the band.

    Parameters
    ----------
    %(grid)s
    X, y : ndarray
        Samples, and their labels of two classes.
    %(band, feature_names)s

    Attributes
    ----------
    %(ax_, figure_)s
    image_ : matplotlib QuadMesh
        The heat map; blue and orange deepen with ``|g(x)|``.
    contours_ : matplotlib ContourSet
        The contours.
    %(points_)s

    Examples
    --------
    >>> from bandsvm import BandedSVC
    >>> from bandsvm.datasets import make_paper_clusters
    >>> from bandsvm.plotting import DecisionMapDisplay
    >>> X, y = make_paper_clusters(20, random_state=0)
    >>> model = BandedSVC(gamma=1.0).fit(X, y)
    >>> display = DecisionMapDisplay.from_estimator(model, X, y)
    >>> len(display.points_)
    2
    """

    xx: NDArray
    yy: NDArray
    decision: NDArray
    X: NDArray
    y: NDArray
    rho1: float
    rho2: float
    feature_names: Sequence[str] | None = None

    def plot(self, ax: Any = None, *, largest: float | None = None) -> Self:
        """Draw the map.

        Parameters
        ----------
        %(ax)s
        largest : float, default=None
            The absolute decision value at which the colour scale ends; None takes the largest one.
            To compare maps, use the same value for all.
        %(Returns)s
        """
        return self._plot(ax, largest=largest)

    def _draw(self, ax: Any, *, largest: float | None) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        # Paler than the samples, which have to be seen on it.
        ends = [PALE_NEGATIVE, "white", PALE_POSITIVE]
        colours = LinearSegmentedColormap.from_list("classes", ends)
        largest = largest or float(np.abs(self.decision).max())
        self.image_ = ax.pcolormesh(
            self.xx, self.yy, self.decision, cmap=colours, vmin=-largest, vmax=largest,
            shading="gouraud", rasterized=True,
        )  # fmt: skip
        levels = np.unique([-self.rho2, -self.rho1, 0.0, self.rho1, self.rho2])
        styles = ["-" if level == 0.0 else "--" for level in levels]
        self.contours_ = ax.contour(
            self.xx, self.yy, self.decision, levels=levels, colors="black", linewidths=0.9,
            linestyles=styles,
        )  # fmt: skip
        classes = np.unique(self.y)
        self.points_ = scatter_classes(
            ax, self.X, self.y, classes, s=24, edgecolors="white", linewidths=0.6, zorder=3
        )
        # Numbers on the contours would lie below samples.
        edges = ", ".join(f"±{edge:g}" for edge in np.unique([self.rho1, self.rho2]))
        for style, label in (("-", "g(x) = 0"), ("--", f"edges of the band, {edges}")):
            ax.plot([], [], color="black", linewidth=0.9, linestyle=style, label=label)
        label_plane(ax, self.feature_names)
        bar = ax.figure.colorbar(self.image_, ax=ax, label="decision value g(x)")
        bar.add_lines(self.contours_)
        legend_outside(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        resolution: int = 200,
        largest: float | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the map of a fitted model of two classes and two features.

        Parameters
        ----------
        %(estimator)s
        X : array-like of shape (n_samples, 2)
            Samples to draw; they set the range of the map.
        %(y)s
        resolution : int, default=200
            Number of points along each side of the grid.
        largest : float, default=None
            The absolute decision value at which the colour scale ends; None takes the largest one.
        %(ax, Returns)s
        """
        check_two_classes(estimator, cls.__name__)
        rho1, rho2 = band_edges(estimator, cls.__name__)
        plane = plane_of(estimator, X, y, resolution, cls.__name__)
        return cls(**plane, rho1=rho1, rho2=rho2).plot(ax, largest=largest)
