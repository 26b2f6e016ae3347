"""Choosing the band: cross-validation over shared kernels."""

from bandsvm.model_selection._cv import BandedSVCCV

__all__ = ["BandedSVCCV"]
