"""Dual coefficients of all samples, the paper's figure 2 (c) and (d)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bandsvm.plotting._canvas import ALPHA, NEUTRAL, THETA, check_two_classes, legend_outside
from bandsvm.plotting._display import Display


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
        estimator : BandedSVC
            A fitted model.
        %(ax, Returns)s
        """
        check_two_classes(estimator, cls.__name__)
        return cls(alpha=estimator.alpha_, theta=estimator.theta_).plot(ax)
