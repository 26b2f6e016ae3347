"""Choosing the band: searches over shared kernels, and the error of samples left out."""

from bandsvm.model_selection._band_path import BandPath, PathInterrupted
from bandsvm.model_selection._bound import LeaveOneOutBound, leave_one_out_bound
from bandsvm.model_selection._cv import BandedSVCCV
from bandsvm.model_selection._leave_one_out import LeaveOneOutResult, leave_one_out
from bandsvm.model_selection._path import band_path

__all__ = [
    "BandPath",
    "BandedSVCCV",
    "LeaveOneOutBound",
    "LeaveOneOutResult",
    "PathInterrupted",
    "band_path",
    "leave_one_out",
    "leave_one_out_bound",
]
