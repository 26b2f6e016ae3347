"""The paper's figure 2: support vectors of both kinds in the plane, and their coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length

from bandsvm.plotting._canvas import (
    ALPHA,
    NEGATIVE,
    NEUTRAL,
    POSITIVE,
    THETA,
    check_two_classes,
    legend_outside,
    scatter_classes,
)
from bandsvm.plotting._display import Display
from bandsvm.plotting._plane import label_plane, plane_of


@dataclass(kw_only=True, eq=False, repr=False)
class SupportVectorsDisplay(Display):
    """Plot of training samples in the plane, class regions, and support vectors of both kinds.

    Free support vectors lie on an edge of the band; bound ones lie beyond it, with their multiplier
    at its upper bound.

    Parameters
    ----------
    %(grid)s
    X, y : ndarray
        Training samples, and their labels of two classes.
    alpha, theta : ndarray of shape (n_samples,)
        Multipliers of the lower and the upper edge.
    xi, eta : ndarray of shape (n_samples,)
        Distances of samples below and above the band.
    tol : float, default=1e-3
        Largest distance beyond an edge at which a sample counts as on it.
    %(feature_names)s

    Attributes
    ----------
    %(ax_, figure_, points_)s
    support_ : dict of str to matplotlib PathCollection
        Marks of the support vectors: "free alpha", "bound alpha", "free theta", "bound theta".

    Examples
    --------
    >>> from bandsvm import BandedSVC
    >>> from bandsvm.datasets import make_paper_clusters
    >>> from bandsvm.plotting import SupportVectorsDisplay
    >>> X, y = make_paper_clusters(20, random_state=0)
    >>> model = BandedSVC(gamma=1.0).fit(X, y)
    >>> display = SupportVectorsDisplay.from_estimator(model, X, y)
    >>> 'bound alpha' in display.support_
    True
    """

    xx: NDArray
    yy: NDArray
    decision: NDArray
    X: NDArray
    y: NDArray
    alpha: NDArray
    theta: NDArray
    xi: NDArray
    eta: NDArray
    tol: float = 1e-3
    feature_names: Sequence[str] | None = None

    def _draw(self, ax: Any) -> None:
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
        label_plane(ax, self.feature_names)
        legend_outside(ax, columns=3)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: ArrayLike, y: ArrayLike, *, resolution: int = 200, ax: Any = None
    ) -> Self:
        """Draw the support vectors of a fitted model of two classes and two features.

        Parameters
        ----------
        %(estimator)s
        X : array-like of shape (n_samples, 2)
            The training samples.
        %(y)s
        resolution : int, default=200
            Number of points along each side of the grid from which regions are drawn.
        %(ax, Returns)s
        """
        check_two_classes(estimator, cls.__name__)
        plane = plane_of(estimator, X, y, resolution, cls.__name__)
        check_consistent_length(plane["X"], estimator.alpha_)
        display = cls(
            **plane,
            alpha=estimator.alpha_,
            theta=estimator.theta_,
            xi=estimator.xi_,
            eta=estimator.eta_,
            tol=estimator.tol,
        )
        return display.plot(ax)


@dataclass(kw_only=True, eq=False, repr=False)
class DualCoefficientsDisplay(Display):
    """Plot of the multipliers alpha - theta of the training samples, one stem per sample.

    Parameters
    ----------
    alpha, theta : ndarray of shape (n_samples,)
        Multipliers of the lower and the upper edge of the band.

    Attributes
    ----------
    %(ax_, figure_)s
    alpha_stems_, theta_stems_ : matplotlib LineCollection
        Stems of the samples with alpha > 0 and with theta > 0.

    Examples
    --------
    >>> from bandsvm import BandedSVC
    >>> from bandsvm.datasets import make_paper_clusters
    >>> from bandsvm.plotting import DualCoefficientsDisplay
    >>> X, y = make_paper_clusters(20, random_state=0)
    >>> model = BandedSVC(gamma=1.0).fit(X, y)
    >>> display = DualCoefficientsDisplay.from_estimator(model)
    >>> display.ax_.get_xlabel()
    'training sample'
    """

    alpha: NDArray
    theta: NDArray

    def _draw(self, ax: Any) -> None:
        stems = []
        for values, sign, colour, name in (
            (self.alpha, 1.0, ALPHA, r"$\alpha$-SVs, near the class boundary"),
            (self.theta, -1.0, THETA, r"$\theta$-SVs, in the interior of a class"),
        ):
            where = np.flatnonzero(values)
            label = f"{len(where)} {name}"
            stems.append(ax.vlines(where, 0.0, sign * values[where], colors=colour, label=label))
        self.alpha_stems_, self.theta_stems_ = stems
        ax.axhline(0.0, color=NEUTRAL, lw=0.8)
        ax.set_xlabel("training sample")
        ax.set_ylabel(r"$\alpha_i - \theta_i$")
        legend_outside(ax, columns=1)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the coefficients of a fitted model of two classes.

        Parameters
        ----------
        %(estimator, ax, Returns)s
        """
        check_two_classes(estimator, cls.__name__)
        return cls(alpha=estimator.alpha_, theta=estimator.theta_).plot(ax)
