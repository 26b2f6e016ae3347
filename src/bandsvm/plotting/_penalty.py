"""The two penalties of the Banded SVM, the paper's figure 1."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np

from bandsvm.plotting._canvas import ALPHA, BAND, NEUTRAL, THETA, legend_outside
from bandsvm.plotting._display import Display


@dataclass(kw_only=True, eq=False, repr=False)
class PenaltyDisplay(Display):
    """Plot of the penalty over the signed decision value: below the band, above it, in total.

    Parameters
    ----------
    C1, C2 : float
        Penalties for lying below and above the band.
    %(band)s
    loss : {'hinge', 'squared_hinge'}, default='hinge'
        What is penalised: the distance from the band, or its square.

    Attributes
    ----------
    %(ax_, figure_)s
    lower_, upper_, total_ : matplotlib Line2D
        The penalty for lying below, the one for lying above, and their sum.

    Examples
    --------
    >>> from bandsvm.plotting import PenaltyDisplay
    >>> display = PenaltyDisplay(C1=1.0, C2=0.5, rho1=1.0, rho2=1.5).plot()
    >>> display.ax_.get_ylabel()
    'penalty'
    """

    C1: float
    C2: float
    rho1: float
    rho2: float
    loss: str = "hinge"

    def _draw(self, ax: Any) -> None:
        width = max(self.rho2 - self.rho1, 0.5 * self.rho1)
        signed = np.linspace(self.rho1 - 3 * width, self.rho2 + 3 * width, 601)
        signed = np.union1d(signed, [self.rho1, self.rho2])
        power = 2 if self.loss == "squared_hinge" else 1
        short = np.maximum(self.rho1 - signed, 0.0) ** power
        # With C1=inf, 0 times the cost is still 0.
        lower = np.multiply(self.C1, short, out=np.zeros_like(short), where=short > 0.0)
        upper = self.C2 * np.maximum(signed - self.rho2, 0.0) ** power
        part = "_+^2" if power == 2 else "_+"
        ax.axvspan(self.rho1, self.rho2, color=BAND, alpha=0.12, label="band: no penalty")
        below = rf"below: ${self.C1:g}\,[{self.rho1:g} - y g]{part}$"
        above = rf"above: ${self.C2:g}\,[y g - {self.rho2:g}]{part}$"
        total = {"color": NEUTRAL, "lw": 5, "alpha": 0.35, "label": "total"}
        (self.total_,) = ax.plot(signed, lower + upper, **total)
        (self.lower_,) = ax.plot(signed, lower, color=ALPHA, ls="--", label=below)
        (self.upper_,) = ax.plot(signed, upper, color=THETA, ls="-.", label=above)
        ax.set_xlabel("signed decision value y g(x)")
        ax.set_ylabel("penalty")
        legend_outside(ax)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> Self:
        """Draw the penalties of an estimator's parameters.

        Parameters
        ----------
        estimator : BandedSVC
            A model, fitted or not.
        %(ax, Returns)s
        """
        values = {name: getattr(estimator, name) for name in ("C1", "C2", "rho1", "rho2")}
        for name, value in values.items():
            if not isinstance(value, Real):
                raise ValueError(
                    f"{cls.__name__} draws one penalty, but {name} depends on the class; draw the "
                    f"values of one class: {cls.__name__}(C1=..., C2=..., rho1=..., "
                    "rho2=...).plot()."
                )
        return cls(**values, loss=estimator.loss).plot(ax)
