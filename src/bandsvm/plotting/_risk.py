"""Errors among the samples on which a model does not abstain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from bandsvm._estimators.selective import prediction_score
from bandsvm.metrics import risk_coverage_area, risk_coverage_curve
from bandsvm.plotting._canvas import curve_label, legend_outside
from bandsvm.plotting._display import LineDisplay


@dataclass(kw_only=True, eq=False, repr=False)
class RiskCoverageDisplay(LineDisplay):
    """Plot of the share of errors among the samples of highest score, over the share kept.

    Several models can share one plot: pass the first display's ``ax_`` to the next.

    Parameters
    ----------
    coverage : ndarray of shape (n_thresholds,)
        Shares of samples that are kept, in ascending order.
    risk : ndarray of shape (n_thresholds,)
        Shares of errors among them.
    area : float, default=None
        Area under the curve, for the legend.
    name : str, default=None
        Name of the model, for the legend.

    Attributes
    ----------
    %(ax_, figure_)s
    line_ : matplotlib Line2D
        The curve, in steps.
    """

    coverage: NDArray
    risk: NDArray
    area: float | None = None
    name: str | None = None

    def _draw(self, ax: Any, **line_settings: Any) -> None:
        label = curve_label(self.name, self.area, digits=4)
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
        %(X, y)s
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.
        name : str, default=None
            Name for the legend; None is the estimator's class.
        %(ax, line_settings, Returns)s
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
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the samples.
        name : str, default=None
            Name for the legend.
        %(ax, line_settings, Returns)s
        """
        coverage, risk, _ = risk_coverage_curve(y_true, y_pred, score, sample_weight=sample_weight)
        area = risk_coverage_area(y_true, y_pred, score, sample_weight=sample_weight)
        return cls(coverage=coverage, risk=risk, area=area, name=name).plot(ax, **line_settings)
