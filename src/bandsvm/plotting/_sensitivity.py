"""Sensitivity at every threshold, the paper's figure 4."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandsvm.metrics import sensitivity_area, sensitivity_curve
from bandsvm.plotting._canvas import check_two_classes, curve_label, legend_outside
from bandsvm.plotting._display import LineDisplay


@dataclass(kw_only=True, eq=False, repr=False)
class SensitivityCurveDisplay(LineDisplay):
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
    %(ax_, figure_)s
    line_ : matplotlib Line2D
        The curve.
    """

    percentages: NDArray
    sensitivity: NDArray
    area: float | None = None
    name: str | None = None

    def _draw(self, ax: Any, **line_settings: Any) -> None:
        label = curve_label(self.name, self.area, digits=3)
        (self.line_,) = ax.plot(
            self.percentages, self.sensitivity, **{"label": label, **line_settings}
        )
        ax.set_xlabel("threshold, per cent of the largest |g(x)|")
        ax.set_ylabel("share of samples with y g(x) at or above it")
        ax.set_ylim(-0.02, 1.02)
        legend_outside(ax)

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
    ) -> Self:
        """Draw the curve of a fitted classifier of two classes.

        Parameters
        ----------
        estimator : classifier with a decision_function
            A fitted model: BandedSVC, SVC or a pipeline that ends with one.
        %(X, y)s
        n_thresholds : int, default=50
            Number of thresholds.
        name : str, default=None
            Name for the legend; None is the estimator's class.
        %(ax, line_settings, Returns)s
        """
        classes = check_two_classes(estimator, cls.__name__)
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
    ) -> Self:
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
        %(ax, line_settings, Returns)s
        """
        percentages, sensitivity = sensitivity_curve(y, decision, n_thresholds=n_thresholds)
        display = cls(
            percentages=percentages,
            sensitivity=sensitivity,
            area=sensitivity_area(y, decision),
            name=name,
        )
        return display.plot(ax, **line_settings)
