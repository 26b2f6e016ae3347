"""Support vectors of both kinds in the plane, the paper's figure 2 (a) and (b)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from bandsvm.plotting._canvas import (
    ALPHA,
    NEGATIVE,
    POSITIVE,
    THETA,
    axes_or_new,
    check_plane,
    check_two_classes,
    grid_over,
    label_plane,
    legend_outside,
    scatter_classes,
)

TITLE = "SupportVectorsDisplay"


class SupportVectorsDisplay:
    """Plot of training samples in the plane, class regions, and support vectors of both kinds.

    Free support vectors lie on an edge of the band; bound ones lie beyond it, with their multiplier
    at its upper bound.

    Parameters
    ----------
    xx, yy, decision : ndarray of shape (resolution, resolution)
        Coordinates of a grid, and the decision values on it.
    X, y : ndarray
        Training samples, and their labels of two classes.
    alpha, theta : ndarray of shape (n_samples,)
        Multipliers of the lower and the upper edge.
    xi, eta : ndarray of shape (n_samples,)
        Distances of samples below and above the band.
    tol : float, default=1e-3
        Largest distance beyond an edge at which a sample counts as on it.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the display was drawn.
    figure_ : matplotlib Figure
        The figure of `ax_`.
    points_ : list of matplotlib PathCollection
        The samples of each class.
    support_ : dict of str to matplotlib PathCollection
        Marks of the support vectors: "free alpha", "bound alpha", "free theta", "bound theta".
    """

    def __init__(
        self,
        *,
        xx: NDArray,
        yy: NDArray,
        decision: NDArray,
        X: NDArray,
        y: NDArray,
        alpha: NDArray,
        theta: NDArray,
        xi: NDArray,
        eta: NDArray,
        tol: float = 1e-3,
    ) -> None:
        self.xx = xx
        self.yy = yy
        self.decision = decision
        self.X = X
        self.y = y
        self.alpha = alpha
        self.theta = theta
        self.xi = xi
        self.eta = eta
        self.tol = tol

    def plot(self, ax: Any = None) -> SupportVectorsDisplay:
        """Draw samples, regions and support vectors.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        SupportVectorsDisplay
            The display, with its artists as attributes.
        """
        ax = axes_or_new(ax, TITLE)
        ax.contourf(
            self.xx, self.yy, self.decision, levels=[-np.inf, 0.0, np.inf],
            colors=[NEGATIVE, POSITIVE], alpha=0.12,
        )  # fmt: skip
        ax.contour(self.xx, self.yy, self.decision, levels=[0.0], colors="black", linewidths=1.0)
        self.points_ = scatter_classes(ax, self.X, self.y, np.unique(self.y), s=12, linewidths=0)
        self.support_ = {}
        for kind, values, beyond, colour in (
            ("alpha", self.alpha, self.xi, ALPHA),
            ("theta", self.theta, self.eta, THETA),
        ):
            for state, is_state, marker in (
                ("free", beyond <= self.tol, "s"),
                ("bound", beyond > self.tol, "D"),
            ):
                marked = self.X[(values > 0.0) & is_state]
                if len(marked) == 0 and kind == "theta":
                    continue
                self.support_[f"{state} {kind}"] = ax.scatter(
                    *marked.T,
                    marker=marker,
                    s=38,
                    facecolors="none",
                    edgecolors=colour,
                    linewidths=1.3 if state == "free" else 0.8,
                    label=rf"{len(marked)} {state} $\{kind}$-SVs",
                )
        label_plane(ax)
        legend_outside(ax, columns=3)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        resolution: int = 200,
        ax: Any = None,
    ) -> SupportVectorsDisplay:
        """Draw the support vectors of a fitted model of two classes and two features.

        Parameters
        ----------
        estimator : BandedSVC
            A fitted model.
        X : array-like of shape (n_samples, 2)
            The training samples.
        y : array-like of shape (n_samples,)
            Their labels.
        resolution : int, default=200
            Number of points along each side of the grid from which regions are drawn.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        SupportVectorsDisplay
            The display.
        """
        check_is_fitted(estimator)
        check_two_classes(estimator, TITLE)
        samples = check_plane(X, TITLE)
        check_consistent_length(samples, estimator.alpha_)
        xx, yy, points = grid_over(samples, resolution)
        display = cls(
            xx=xx,
            yy=yy,
            decision=estimator.decision_function(points).reshape(xx.shape),
            X=samples,
            y=column_or_1d(y),
            alpha=estimator.alpha_,
            theta=estimator.theta_,
            xi=estimator.xi_,
            eta=estimator.eta_,
            tol=estimator.tol,
        )
        return display.plot(ax)
