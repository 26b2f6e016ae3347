"""What a fit says about data it has not seen: the error of samples left out."""

from bandsvm.model_selection._bound import LeaveOneOutBound, leave_one_out_bound
from bandsvm.model_selection._leave_one_out import LeaveOneOutResult, leave_one_out

__all__ = [
    "LeaveOneOutBound",
    "LeaveOneOutResult",
    "leave_one_out",
    "leave_one_out_bound",
]
