"""Coefficients along a path in one parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bandsvm.model_selection import BandPath, band_path
from bandsvm.plotting._canvas import ALPHA, NEUTRAL, THETA, legend_outside, set_log_with_zero
from bandsvm.plotting._display import LineDisplay

# Lines that are drawn of a path with more support vectors.
MAX_LINES = 60


@dataclass(kw_only=True, eq=False, repr=False)
class BandPathDisplay(LineDisplay):
    """Plot of coefficients ``alpha - theta`` along a path: alpha upwards, theta downwards.

    Parameters
    ----------
    values : ndarray of shape (n_points,)
        Values of the parameter that varies.
    coefficients : ndarray of shape (n_points, n_lines)
        Signed coefficients of some samples.
    vary : str
        Name of that parameter, for the axis.

    Attributes
    ----------
    %(ax_, figure_)s
    lines_ : list of matplotlib Line2D
        One line per sample; a sample that has both multipliers along the path has two.

    Examples
    --------
    >>> from bandsvm import BandedSVC
    >>> from bandsvm.datasets import make_paper_clusters
    >>> from bandsvm.plotting import BandPathDisplay
    >>> X, y = make_paper_clusters(20, random_state=0)
    >>> display = BandPathDisplay.from_estimator(BandedSVC(gamma=1.0), X, y, values=[0.0, 0.1, 1.0])
    >>> display.ax_.get_xlabel()
    'C2'
    """

    values: NDArray
    coefficients: NDArray
    vary: str

    def _draw(self, ax: Any, **line_settings: Any) -> None:
        from matplotlib.patches import Rectangle

        settings = {"linewidth": 0.8, "alpha": 0.7, **line_settings}
        self.lines_ = []
        reach = 2.0 * max(np.abs(self.coefficients).max(initial=0.0), 1e-300)
        for line in self.coefficients.T:
            # A sample may change sides: what lies above zero is alpha, what lies below is theta.
            for colour, side, is_there in (
                (ALPHA, reach, (line >= 0.0).any()),
                (THETA, -reach, (line < 0.0).any()),
            ):
                if is_there:
                    drawn = ax.plot(self.values, line, **{"color": colour, **settings})
                    half = Rectangle((0.0, 0.0), 1.0, side, transform=ax.get_yaxis_transform())
                    drawn[0].set_clip_path(half)
                    self.lines_ += drawn
        ax.axhline(0.0, color=NEUTRAL, linewidth=0.8)
        positive, steps = self.values[self.values > 0.0], np.diff(self.values)
        is_even = np.allclose(steps, steps.mean()) if len(steps) else True
        if not is_even and len(positive) > 1 and positive.max() >= 30.0 * positive.min():
            set_log_with_zero(ax.set_xscale, float(positive.min()))
        ax.set_xlabel(self.vary)
        ax.set_ylabel(r"$\alpha - \theta$ of samples")
        for colour, label in ((ALPHA, r"lower edge, $\alpha$"), (THETA, r"upper edge, $\theta$")):
            ax.plot([], [], color=colour, label=label)
        legend_outside(ax)

    @classmethod
    def from_path(
        cls, path: BandPath, *, problem: int = 0, ax: Any = None, **line_settings: Any
    ) -> Self:
        """Draw a path.

        Parameters
        ----------
        path : BandPath
            What `band_path` returned.
        problem : int, default=0
            Which problem to draw, if there are more than two classes, or several quantiles.
        %(ax, line_settings)s

        Returns
        -------
        BandPathDisplay
            The display; if there are many support vectors, it shows those whose coefficients change
            most.
        """
        coefficients = path.coefficients[problem].toarray()
        range_ = np.ptp(coefficients, axis=0)
        most = np.sort(np.argsort(-range_, kind="stable")[:MAX_LINES])
        shown = coefficients[:, most[np.abs(coefficients[:, most]).max(axis=0) > 0.0]]
        display = cls(values=path.values, coefficients=shown, vary=path.vary)
        return display.plot(ax, **line_settings)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        vary: str = "C2",
        values: ArrayLike | None = None,
        ax: Any = None,
        **line_settings: Any,
    ) -> Self:
        """Compute and draw a path for a model.

        Parameters
        ----------
        estimator : BandedSVC, BandedSVR or BandedQuantileSVR
            A model, fitted or not.
        X : array-like of shape (n_samples, n_features)
            Training samples.
        y : array-like of shape (n_samples,)
            Their labels or targets.
        vary : str, default='C2'
            The parameter to vary, as for `band_path`.
        values : array-like of shape (n_points,), default=None
            Its values, as for `band_path`.
        %(ax, line_settings, Returns)s
        """
        path = band_path(X, y, vary=vary, values=values, model=estimator)
        return cls.from_path(path, ax=ax, **line_settings)
