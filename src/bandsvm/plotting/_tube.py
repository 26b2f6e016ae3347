"""Regression with a tube: the fit over one feature, and residuals over predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from bandsvm._checks.numbers import refuse_intervals
from bandsvm._checks.tube_parameters import epsilon_of
from bandsvm._decisions.tubes import tube_positions
from bandsvm.plotting._canvas import ALPHA, BAND, MARGIN, NEUTRAL, THETA, legend_outside, plain
from bandsvm.plotting._display import Display
from bandsvm.plotting._line import line_of


@dataclass(kw_only=True, eq=False, repr=False)
class TubeDisplay(Display):
    """Plot of a regression over one feature, with its tube and the support vectors of both kinds.

    Targets within the tube around the curve cost nothing. The curve is pulled up by the targets
    above it, the alpha-SVs, and down by those below it, the theta-SVs.

    Parameters
    ----------
    grid, values : ndarray of shape (resolution,)
        Points along the feature, and predictions there.
    x, y : ndarray of shape (n_samples,)
        Training samples and their targets.
    alpha, theta : ndarray of shape (n_samples,)
        Multipliers of the lower and the upper edge of the tubes.
    epsilon : pair of floats
        How far the tube of a target extends below and above it.
    %(feature_name)s

    Attributes
    ----------
    %(ax_, figure_)s
    line_ : matplotlib Line2D
        The curve.
    tube_ : matplotlib PolyCollection
        The tube around it.
    points_ : matplotlib PathCollection
        Samples that are no support vectors.
    support_ : dict of str to matplotlib PathCollection
        The support vectors: "alpha", "theta".

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from bandsvm import BandedSVR
    >>> from bandsvm.plotting import TubeDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BandedSVR(C1=100.0, C2=100.0, epsilon=20.0).fit(X[:, [2]], y)
    >>> display = TubeDisplay.from_estimator(model, X[:, [2]], y)
    >>> sorted(display.support_)
    ['alpha', 'theta']
    """

    grid: NDArray
    values: NDArray
    x: NDArray
    y: NDArray
    alpha: NDArray
    theta: NDArray
    epsilon: tuple[float, float]
    feature_name: str | None = None

    def _draw(self, ax: Any) -> None:
        below, above = self.epsilon
        # A prediction lies in the tube of a target if the target is at most this far from it.
        self.tube_ = ax.fill_between(
            self.grid, self.values - above, self.values + below, color=BAND, alpha=0.15,
            linewidth=0, label=f"tube: {_text_of(below, above)}",
        )  # fmt: skip
        # Above the samples, which may be many.
        settings = {"color": "black", "lw": 1.6, "zorder": 5, "label": "prediction"}
        (self.line_,) = ax.plot(self.grid, self.values, **settings)
        is_support = (self.alpha > 0.0) | (self.theta > 0.0)
        self.points_ = ax.scatter(
            self.x[~is_support], self.y[~is_support], s=12, c=NEUTRAL, alpha=0.8, linewidths=0,
            zorder=3, label=f"{np.sum(~is_support)} other samples",
        )  # fmt: skip
        self.support_ = {}
        for name, values, colour, marker, where in (
            ("alpha", self.alpha, ALPHA, "^", "above the tube or on its edge"),
            ("theta", self.theta, THETA, "v", "below it or on its edge"),
        ):
            chosen = values > 0.0
            self.support_[name] = ax.scatter(
                self.x[chosen], self.y[chosen], s=30, c=colour, marker=marker,
                edgecolors="white", linewidths=0.5, zorder=4,
                label=rf"{chosen.sum()} $\{name}$-SVs, {where}",
            )  # fmt: skip
        label_line(ax, self.feature_name, "target")
        legend_outside(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: ArrayLike, y: ArrayLike, *, resolution: int = 400, ax: Any = None
    ) -> Self:
        """Draw a fitted model of one feature.

        Parameters
        ----------
        estimator : BandedSVR or BandedSVRCV
            A fitted model.
        X : array-like of shape (n_samples, 1)
            The training samples.
        y : array-like of shape (n_samples,)
            Their targets.
        resolution : int, default=400
            Number of points along the curve.
        %(ax, Returns)s
        """
        check_is_fitted(estimator)
        model = model_of(estimator)
        line = line_of(estimator, X, y, resolution, cls.__name__)
        check_consistent_length(line["x"], model.alpha_)
        epsilon = epsilon_of(model)
        return cls(**line, alpha=model.alpha_, theta=model.theta_, epsilon=epsilon).plot(ax)


@dataclass(kw_only=True, eq=False, repr=False)
class ResidualsDisplay(Display):
    """Plot of residuals over predictions, with the tube.

    Parameters
    ----------
    prediction, residual : ndarray of shape (n_samples,)
        Predictions, and targets minus predictions.
    epsilon : pair of floats
        How far the tube of a target extends below and above it.

    Attributes
    ----------
    %(ax_, figure_)s
    points_ : dict of str to matplotlib PathCollection
        The samples whose prediction lies "below" the tube of its target, "inside" and "above".

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from bandsvm import BandedSVR
    >>> from bandsvm.plotting import ResidualsDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BandedSVR(C1=100.0, C2=100.0, epsilon=20.0).fit(X[:, [2]], y)
    >>> display = ResidualsDisplay.from_estimator(model, X[:, [2]], y)
    >>> display.ax_.get_xlabel()
    'prediction'
    """

    prediction: NDArray
    residual: NDArray
    epsilon: tuple[float, float]

    def _draw(self, ax: Any) -> None:
        below, above = self.epsilon
        label = f"tube: {_text_of(below, above)}"
        ax.axhspan(-above, below, color=BAND, alpha=0.15, linewidth=0, label=label)
        ax.axhline(0.0, color=NEUTRAL, lw=0.8)
        targets = self.prediction + self.residual
        position = tube_positions(self.prediction, targets - below, targets + above, 0.0).names
        self.points_ = {}
        for name, colour, marker, word in (
            ("below", ALPHA, "^", "too low"),
            ("inside", NEUTRAL, "o", "in the tube"),
            ("above", THETA, "v", "too high"),
        ):
            chosen = position == name
            self.points_[name] = ax.scatter(
                self.prediction[chosen], self.residual[chosen], s=18, c=colour, marker=marker,
                linewidths=0, alpha=0.8, label=f"{word}: {chosen.mean():.0%} of predictions",
            )  # fmt: skip
        ax.set_xlabel("prediction")
        ax.set_ylabel("residual: target minus prediction")
        # Spans leave no room beyond their edges; limits stay free, for axes that share them.
        reach = (1.0 + MARGIN) * max(float(np.abs(self.residual).max()), below, above)
        ax.update_datalim([(0.0, -reach), (0.0, reach)], updatex=False)
        ax.autoscale_view()
        legend_outside(ax)

    @classmethod
    def from_estimator(cls, estimator: Any, X: ArrayLike, y: ArrayLike, *, ax: Any = None) -> Self:
        """Draw the residuals of a fitted model.

        Parameters
        ----------
        estimator : BandedSVR, BandedSVRCV or a pipeline that ends with one
            A fitted model.
        X : array-like of shape (n_samples, n_features)
            Samples.
        y : array-like of shape (n_samples,)
            Their targets.
        %(ax, Returns)s
        """
        check_is_fitted(estimator)
        epsilon = epsilon_of(model_of(estimator))
        return cls.from_predictions(y, estimator.predict(X), epsilon=epsilon, ax=ax)

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, y_pred: ArrayLike, *, epsilon: Any = 0.0, ax: Any = None
    ) -> Self:
        """Draw the residuals of predictions.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            Targets.
        y_pred : array-like of shape (n_samples,)
            Predictions.
        epsilon : float or pair of floats, default=0.0
            How far the tube extends below and above targets.
        %(ax, Returns)s
        """
        refuse_intervals(y_true, f"{cls.__name__} draws targets that are known")
        targets, predicted = column_or_1d(y_true), column_or_1d(y_pred)
        check_consistent_length(targets, predicted)
        sides = epsilon_of(_Tube(epsilon))
        return cls(prediction=predicted, residual=targets - predicted, epsilon=sides).plot(ax)


@dataclass(frozen=True)
class _Tube:
    """Parameters as `epsilon_of` takes them."""

    epsilon: Any


def model_of(estimator: Any) -> Any:
    """Return the model at the end of a pipeline or a search."""
    last = estimator[-1] if hasattr(estimator, "steps") else estimator
    return getattr(last, "best_estimator_", last)


def label_line(ax: Any, feature: str | None, target: str) -> None:
    """Name the axes of one feature and its targets unless somebody has named them."""
    if not ax.get_xlabel() and not ax.get_ylabel():
        ax.set_xlabel(plain(feature or "feature"))
        ax.set_ylabel(target)


def _text_of(below: float, above: float) -> str:
    """Return the targets of a prediction that cost nothing, as text."""
    if below == above:
        return f"targets within {below:.4g}"
    return f"targets from {-above:.4g} to {below:+.4g}"
