"""Dual coefficients of all samples, the paper's figure 2 (c) and (d)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from bandsvm.plotting._canvas import (
    ALPHA,
    NEUTRAL,
    THETA,
    axes_or_new,
    check_two_classes,
    legend_outside,
)

TITLE = "DualCoefficientsDisplay"


class DualCoefficientsDisplay:
    """Plot of the multipliers alpha - theta of the training samples, one stem per sample.

    Parameters
    ----------
    alpha, theta : ndarray of shape (n_samples,)
        Multipliers of the lower and the upper edge of the band.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the display was drawn.
    figure_ : matplotlib Figure
        The figure of `ax_`.
    alpha_stems_, theta_stems_ : matplotlib LineCollection
        Stems of the samples with alpha > 0 and with theta > 0.
    """

    def __init__(self, *, alpha: NDArray, theta: NDArray) -> None:
        self.alpha = alpha
        self.theta = theta

    def plot(self, ax: Any = None) -> DualCoefficientsDisplay:
        """Draw the coefficients.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        DualCoefficientsDisplay
            The display, with its artists as attributes.
        """
        ax = axes_or_new(ax, TITLE)
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
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> DualCoefficientsDisplay:
        """Draw the coefficients of a fitted model of two classes.

        Parameters
        ----------
        estimator : BandedSVC
            A fitted model.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.

        Returns
        -------
        DualCoefficientsDisplay
            The display.
        """
        check_is_fitted(estimator)
        check_two_classes(estimator, TITLE)
        return cls(alpha=estimator.alpha_, theta=estimator.theta_).plot(ax)
