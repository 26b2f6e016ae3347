"""Plots in the style of scikit-learn's displays, one module each.

`_penalty`, `_support`, `_coefficients`, `_decision`, `_sensitivity`, `_risk`, `_path`; `_canvas`
holds shared code, `_page` makes HTML pages with pictures.
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
