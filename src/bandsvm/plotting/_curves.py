"""Curves over thresholds: sensitivity, the paper's figure 4, and errors of models that abstain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from bandsvm._estimators.selective import prediction_score
from bandsvm.metrics import (
    risk_coverage_area,
    risk_coverage_curve,
    sensitivity_area,
    sensitivity_curve,
)
from bandsvm.plotting._canvas import check_two_classes, legend_outside
from bandsvm.plotting._display import LineDisplay


class CurveDisplay(LineDisplay):
    """The curve of a model over thresholds, with the area under it in the legend."""

    area: float | None
    name: str | None

    def _label(self, digits: int) -> str:
        """Return what the legend says of the curve."""
        area = "" if self.area is None else f" (area {self.area:.{digits}f})"
        return (self.name or "model") + area


@dataclass(kw_only=True, eq=False, repr=False)
class SensitivityCurveDisplay(CurveDisplay):
    """Plot of the share of samples whose signed decision value reaches each threshold.

    Several models can share one plot: pass the first display's ``ax_`` to the next.

    Parameters
    ----------
    percentages : ndarray of shape (n_thresholds,)
        Thresholds in per cent of the largest decision value.
    sensitivity : ndarray of shape (n_thresholds,)
        Shares of samples that reach them.
    %(area_and_name)s

    Attributes
    ----------
    %(ax_, figure_)s
    line_ : matplotlib Line2D
        The curve.

    Examples
    --------
    >>> from bandsvm import BandedSVC
    >>> from bandsvm.datasets import make_paper_clusters
    >>> from bandsvm.plotting import SensitivityCurveDisplay
    >>> X, y = make_paper_clusters(20, random_state=0)
    >>> model = BandedSVC(gamma=1.0).fit(X, y)
    >>> display = SensitivityCurveDisplay.from_estimator(model, X, y)
    >>> 0.0 < display.area < 1.0
    True
    """

    percentages: NDArray
    sensitivity: NDArray
    area: float | None = None
    name: str | None = None

    def _draw(self, ax: Any, **line_settings: Any) -> None:
        label = self._label(digits=3)
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
        %(X, y, n_thresholds, name_or_class, ax, line_settings, Returns)s
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
        %(labels, decision, n_thresholds, name, ax, line_settings, Returns)s
        """
        percentages, sensitivity = sensitivity_curve(y, decision, n_thresholds=n_thresholds)
        display = cls(
            percentages=percentages,
            sensitivity=sensitivity,
            area=sensitivity_area(y, decision),
            name=name,
        )
        return display.plot(ax, **line_settings)


@dataclass(kw_only=True, eq=False, repr=False)
class RiskCoverageDisplay(CurveDisplay):
    """Plot of the share of errors among the samples of highest score, over the share kept.

    Several models can share one plot: pass the first display's ``ax_`` to the next.

    Parameters
    ----------
    coverage : ndarray of shape (n_thresholds,)
        Shares of samples that are kept, in ascending order.
    risk : ndarray of shape (n_thresholds,)
        Shares of errors among them.
    %(area_and_name)s

    Attributes
    ----------
    %(ax_, figure_)s
    line_ : matplotlib Line2D
        The curve, in steps.

    Examples
    --------
    >>> from bandsvm import BandedSVC
    >>> from bandsvm.datasets import make_paper_clusters
    >>> from bandsvm.plotting import RiskCoverageDisplay
    >>> X, y = make_paper_clusters(20, random_state=0)
    >>> model = BandedSVC(gamma=1.0).fit(X, y)
    >>> display = RiskCoverageDisplay.from_estimator(model, X, y)
    >>> len(display.risk) == len(display.coverage)
    True
    """

    coverage: NDArray
    risk: NDArray
    area: float | None = None
    name: str | None = None

    def _draw(self, ax: Any, **line_settings: Any) -> None:
        label = self._label(digits=4)
        (self.line_,) = ax.plot(
            np.concatenate([[0.0], self.coverage]),
            np.concatenate([self.risk[:1], self.risk]),
            **{"label": label, "drawstyle": "steps-pre", **line_settings},
        )
        ax.set_xlabel("coverage: share of samples with a prediction")
        ax.set_ylabel("risk: share of errors among them")
        ax.set_xlim(0.0, 1.0)
        # Setting a limit turns autoscaling off; later curves on the same axes need it.
        ax.autoscale(axis="y")
        ax.set_ylim(bottom=0.0)
        legend_outside(ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        ax: Any = None,
        **line_settings: Any,
    ) -> Self:
        """Draw the curve of a fitted classifier.

        Parameters
        ----------
        estimator : classifier with decision_function or predict_proba
            A fitted model.
        %(X, y, sample_weight, name_or_class, ax, line_settings, Returns)s
        """
        check_is_fitted(estimator)
        return cls.from_predictions(
            y,
            estimator.predict(X),
            prediction_score(estimator, X),
            sample_weight=sample_weight,
            name=name or type(estimator).__name__,
            ax=ax,
            **line_settings,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        score: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        name: str | None = None,
        ax: Any = None,
        **line_settings: Any,
    ) -> Self:
        """Draw the curve of predictions and scores.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Labels.
        y_pred : array-like of shape (n_samples,)
            Predicted labels.
        score : array-like of shape (n_samples,)
            Confidence of the model in each prediction.
        %(sample_weight, name, ax, line_settings, Returns)s
        """
        coverage, risk, _ = risk_coverage_curve(y_true, y_pred, score, sample_weight=sample_weight)
        area = risk_coverage_area(y_true, y_pred, score, sample_weight=sample_weight)
        return cls(coverage=coverage, risk=risk, area=area, name=name).plot(ax, **line_settings)
