"""Quantiles over one feature, as a fan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from bandsvm._checks.tube_parameters import quantiles_of
from bandsvm._decisions.tubes import left_open
from bandsvm.plotting._canvas import NEGATIVE, PALE_NEGATIVE, legend_outside
from bandsvm.plotting._display import Display
from bandsvm.plotting._line import line_of
from bandsvm.plotting._tube import label_line, model_of

# Colour of a fan's outermost area.
PALEST = "#DCEBF5"


@dataclass(kw_only=True, eq=False, repr=False)
class QuantileFanDisplay(Display):
    """Plot of predicted quantiles over one feature: nested areas, and a line in the middle.

    Parameters
    ----------
    grid : ndarray of shape (n_points,)
        Points along the feature, in ascending order.
    values : ndarray of shape (n_points, n_quantiles)
        Predicted quantiles there, in ascending order of quantiles.
    quantiles : ndarray of shape (n_quantiles,)
        The quantiles.
    x, y : ndarray of shape (n_samples,), default=None
        Samples and their targets.
    shares : ndarray of shape (n_areas,), default=None
        Shares of the samples within each area, the outermost first.
    %(feature_name)s

    Attributes
    ----------
    %(ax_, figure_)s
    areas_ : list of matplotlib PolyCollection
        The areas between the first and the last quantile, the second and the last but one, ...
    line_ : matplotlib Line2D or None
        The quantile in the middle, if their number is odd.
    points_ : matplotlib PathCollection or None
        The samples.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from bandsvm import BandedQuantileSVR
    >>> from bandsvm.plotting import QuantileFanDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BandedQuantileSVR([0.1, 0.5, 0.9]).fit(X[:, [2]], y)
    >>> display = QuantileFanDisplay.from_estimator(model, X[:, [2]], y)
    >>> len(display.areas_)
    1
    """

    grid: NDArray
    values: NDArray
    quantiles: NDArray
    x: NDArray | None = None
    y: NDArray | None = None
    shares: NDArray | None = None
    feature_name: str | None = None

    def _draw(self, ax: Any) -> None:
        number = len(self.quantiles)
        self.points_ = self.line_ = None
        self.areas_ = []
        for k in range(number // 2):
            label = f"{self.quantiles[k]:g} to {self.quantiles[-1 - k]:g}"
            if self.shares is not None:
                label += f": {self.shares[k]:.0%} of samples"
            area = ax.fill_between(
                self.grid, self.values[:, k], self.values[:, -1 - k], linewidth=0, label=label,
                color=_between(PALEST, PALE_NEGATIVE, k / max(number // 2 - 1, 1)),
            )  # fmt: skip
            self.areas_.append(area)
        if number % 2:
            middle, label = self.values[:, number // 2], f"quantile {self.quantiles[number // 2]:g}"
            (self.line_,) = ax.plot(self.grid, middle, color=NEGATIVE, lw=1.8, label=label)
        if self.x is not None and self.y is not None:
            self.points_ = ax.scatter(
                self.x, self.y, s=8, c="black", alpha=0.5, linewidths=0, zorder=3,
                label=f"{len(self.x)} samples",
            )  # fmt: skip
        label_line(ax, self.feature_name, "target")
        legend_outside(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: ArrayLike, y: ArrayLike, *, resolution: int = 400, ax: Any = None
    ) -> Self:
        """Draw the quantiles that a fitted model predicts over one feature.

        Parameters
        ----------
        estimator : BandedQuantileSVR or a pipeline that ends with one
            A fitted model of several quantiles.
        X : array-like of shape (n_samples, 1)
            Samples to draw; they set the range.
        y : array-like of shape (n_samples,)
            Their targets.
        resolution : int, default=400
            Number of points along the feature.
        %(ax, Returns)s
        """
        check_is_fitted(estimator)
        line = line_of(estimator, X, y, resolution, cls.__name__)
        model = model_of(estimator)
        quantiles = np.array(quantiles_of(model))
        order = np.argsort(quantiles, kind="stable")
        values = line.pop("values").reshape(resolution, -1)[:, order]
        own = np.reshape(estimator.predict(X), (len(line["y"]), -1))[:, order]
        # Quantiles pass through training targets, up to what the fit leaves open.
        shares = _shares(own, line["y"], left_open(model.certificate_))
        display = cls(**line, values=values, quantiles=quantiles[order], shares=shares)
        return display.plot(ax)

    @classmethod
    def from_predictions(
        cls,
        x: ArrayLike,
        y_pred: ArrayLike,
        quantiles: ArrayLike,
        *,
        y_true: ArrayLike | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw quantiles that were predicted for samples.

        Parameters
        ----------
        x : array-like of shape (n_samples,)
            What to draw them over: a feature, a time, or any other number per sample.
        y_pred : array-like of shape (n_samples, n_quantiles)
            Predicted quantiles, one column each.
        quantiles : array-like of shape (n_quantiles,)
            The quantiles.
        y_true : array-like of shape (n_samples,), default=None
            Targets; None draws no samples.
        %(ax, Returns)s
        """
        places, levels = column_or_1d(x), column_or_1d(quantiles)
        values = np.reshape(np.asarray(y_pred), (len(places), -1))
        if values.shape[1] != len(levels):
            raise ValueError(
                f"y_pred must have one column for each of {len(levels)} quantiles, got "
                f"{values.shape[1]}."
            )
        along, order = np.argsort(places, kind="stable"), np.argsort(levels, kind="stable")
        y, shares = None, None
        if y_true is not None:
            y = column_or_1d(y_true)
            check_consistent_length(places, y)
            shares = _shares(values[:, order], y, 0.0)
        return cls(
            grid=places[along],
            values=values[np.ix_(along, order)],
            quantiles=levels[order],
            x=None if y is None else places,
            y=y,
            shares=shares,
        ).plot(ax)


def _shares(values: NDArray, y: NDArray, slack: float) -> NDArray[np.float64]:
    """Return the shares of samples between the first quantile and the last, and so on inwards."""
    pairs = range(values.shape[1] // 2)
    inside = [(values[:, k] - slack <= y) & (y <= values[:, -1 - k] + slack) for k in pairs]
    return np.array([each.mean() for each in inside], dtype=np.float64)


def _between(first: str, second: str, share: float) -> NDArray[np.float64]:
    """Return the colour between two others."""
    from matplotlib.colors import to_rgb

    return (1.0 - share) * np.array(to_rgb(first)) + share * np.array(to_rgb(second))
