"""Plots in the style of scikit-learn's displays, a module for each kind of picture.

`_canvas` has colours, axes and legends, `_plane` samples of two features on a grid, `_display` what
all displays have in common. The displays, in the order of the paper's figures: `_penalty`,
`_support`, `_decision`, `_curves`; and `_path`, coefficients along a path. `_page` makes HTML pages
with pictures.
"""

from bandsvm.plotting._curves import RiskCoverageDisplay, SensitivityCurveDisplay
from bandsvm.plotting._decision import DecisionMapDisplay, DecisionValuesDisplay
from bandsvm.plotting._path import BandPathDisplay
from bandsvm.plotting._penalty import PenaltyDisplay
from bandsvm.plotting._support import DualCoefficientsDisplay, SupportVectorsDisplay

__all__ = [
    "BandPathDisplay",
    "DecisionMapDisplay",
    "DecisionValuesDisplay",
    "DualCoefficientsDisplay",
    "PenaltyDisplay",
    "RiskCoverageDisplay",
    "SensitivityCurveDisplay",
    "SupportVectorsDisplay",
]
