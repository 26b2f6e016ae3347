"""Sensitivity at every threshold, the paper's figure 4."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from bandsvm.metrics import sensitivity_area, sensitivity_curve
from bandsvm.plotting._canvas import axes_or_new, check_two_classes, legend_outside

TITLE = "SensitivityCurveDisplay"


class SensitivityCurveDisplay:
    """Plot of the share of samples whose signed decision value reaches each threshold.

    Several models can share one plot: pass the first display's ``ax_`` to the next.

    Parameters
    ----------
    percentages : ndarray of shape (n_thresholds,)
        Thresholds in per cent of the largest decision value.
    sensitivity : ndarray of shape (n_thresholds,)
        Shares of samples that reach them.
    area : float, default=None
        Area under the curve, for the legend.
    name : str, default=None
        Name of the model, for the legend.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where the display was drawn.
    figure_ : matplotlib Figure
        The figure of `ax_`.
    line_ : matplotlib Line2D
        The curve.
    """

    def __init__(
        self,
        *,
        percentages: NDArray,
        sensitivity: NDArray,
        area: float | None = None,
        name: str | None = None,
    ) -> None:
        self.percentages = percentages
        self.sensitivity = sensitivity
        self.area = area
        self.name = name

    def plot(self, ax: Any = None, **line_settings: Any) -> SensitivityCurveDisplay:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **line_settings : dict
            Keyword arguments for matplotlib's plot.

        Returns
        -------
        SensitivityCurveDisplay
            The display, with its artists as attributes.
        """
        ax = axes_or_new(ax, TITLE)
        label = self.name or "model"
        if self.area is not None:
            label += f" (area {self.area:.3f})"
        (self.line_,) = ax.plot(
            self.percentages, self.sensitivity, **{"label": label, **line_settings}
        )
        ax.set_xlabel("threshold, per cent of the largest |g(x)|")
        ax.set_ylabel("share of samples with y g(x) at or above it")
        ax.set_ylim(-0.02, 1.02)
        legend_outside(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        n_thresholds: int = 50,
        name: str | None = None,
        ax: Any = None,
        **line_settings: Any,
    ) -> SensitivityCurveDisplay:
        """Draw the curve of a fitted classifier of two classes.

        Parameters
        ----------
        estimator : classifier with a decision_function
            A fitted model: BandedSVC, SVC or a pipeline that ends with one.
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their labels.
        n_thresholds : int, default=50
            Number of thresholds.
        name : str, default=None
            Name for the legend; None is the estimator's class.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **line_settings : dict
            Keyword arguments for matplotlib's plot.

        Returns
        -------
        SensitivityCurveDisplay
            The display.
        """
        check_is_fitted(estimator)
        classes = check_two_classes(estimator, TITLE)
        return cls.from_predictions(
            np.asarray(y) == classes[1],
            estimator.decision_function(X),
            n_thresholds=n_thresholds,
            name=name or type(estimator).__name__,
            ax=ax,
            **line_settings,
        )

    @classmethod
    def from_predictions(
        cls,
        y: ArrayLike,
        decision: ArrayLike,
        *,
        n_thresholds: int = 50,
        name: str | None = None,
        ax: Any = None,
        **line_settings: Any,
    ) -> SensitivityCurveDisplay:
        """Draw the curve of decision values.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            Labels of two classes.
        decision : array-like of shape (n_samples,)
            Decision values g(x).
        n_thresholds : int, default=50
            Number of thresholds.
        name : str, default=None
            Name for the legend.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a new figure.
        **line_settings : dict
            Keyword arguments for matplotlib's plot.

        Returns
        -------
        SensitivityCurveDisplay
            The display.
        """
        percentages, sensitivity = sensitivity_curve(y, decision, n_thresholds=n_thresholds)
        display = cls(
            percentages=percentages,
            sensitivity=sensitivity,
            area=sensitivity_area(y, decision),
            name=name,
        )
        return display.plot(ax, **line_settings)
