"""Plots in the style of scikit-learn's displays, one module each.

`_canvas` has colours, axes and legends, `_plane` samples of two features on a grid, `_display` what
all displays have in common. The displays, in the order of the paper's figures: `_penalty`,
`_support`, `_coefficients`, `_decision`, `_sensitivity`; and of models in use: `_risk`, `_path`.
`_page` makes HTML pages with pictures.
"""

from bandsvm.plotting._coefficients import DualCoefficientsDisplay
from bandsvm.plotting._decision import DecisionMapDisplay, DecisionValuesDisplay
from bandsvm.plotting._path import BandPathDisplay
from bandsvm.plotting._penalty import PenaltyDisplay
from bandsvm.plotting._risk import RiskCoverageDisplay
from bandsvm.plotting._sensitivity import SensitivityCurveDisplay
from bandsvm.plotting._support import SupportVectorsDisplay

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
