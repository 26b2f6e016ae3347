"""Plots in the style of scikit-learn's displays, a module for each kind of picture.

`_canvas` has colours, axes and legends, `_plane` samples of two features on a grid, `_line` those
of one, `_display` what all displays have in common. The displays, in the order of the paper's
figures: `_penalty`, `_support`, `_decision`, `_curves`; `_path`, coefficients along a path; and of
regressions `_tube`, fits and residuals, and `_fan`, quantiles. `_page` makes HTML pages with
pictures.
"""

from bandsvm.plotting._curves import RiskCoverageDisplay, SensitivityCurveDisplay
from bandsvm.plotting._decision import DecisionMapDisplay, DecisionValuesDisplay
from bandsvm.plotting._fan import QuantileFanDisplay
from bandsvm.plotting._path import BandPathDisplay
from bandsvm.plotting._penalty import PenaltyDisplay
from bandsvm.plotting._support import DualCoefficientsDisplay, SupportVectorsDisplay
from bandsvm.plotting._tube import ResidualsDisplay, TubeDisplay

__all__ = [
    "BandPathDisplay",
    "DecisionMapDisplay",
    "DecisionValuesDisplay",
    "DualCoefficientsDisplay",
    "PenaltyDisplay",
    "QuantileFanDisplay",
    "ResidualsDisplay",
    "RiskCoverageDisplay",
    "SensitivityCurveDisplay",
    "SupportVectorsDisplay",
    "TubeDisplay",
]
