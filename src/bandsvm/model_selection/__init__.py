"""Choosing the parameters: searches, paths and leave-one-out errors over shared kernel rows.

- Searches: `_cv` (`BandedSVCCV`) and `_svr_cv` (`BandedSVRCV`), which are estimators by
  `_searching`, over `_search` (the stages of a search), `_score_pool` (threads and memory) or
  `_cluster_scores` (workers of Dask), `_folds` (cross-validation) and `_standings` (scores so far,
  the best, and warnings). `_search_kinds` has what differs: candidates (`_grid`, `_bands` of
  classifiers, `_tubes` of regressions), folds (`_splits`) and scores (`_scoring`, of decision
  values). `_reporting`: progress, and when to stop.
- Paths: `_path` (`band_path`) over `_following` (from one point to the next); `_varied` (what can
  vary in which model), `_band_path` (the result).
- Leave-one-out: `_leave_one_out` (exact, by refits), `_left_out` (errors of classes, and of
  numbers), `_bound` (without refits).
- `_shared`: many problems over one store of kernel rows.
"""

from bandsvm.model_selection._band_path import BandPath, PathInterrupted
from bandsvm.model_selection._bound import LeaveOneOutBound, leave_one_out_bound
from bandsvm.model_selection._cv import BandedSVCCV
from bandsvm.model_selection._leave_one_out import leave_one_out
from bandsvm.model_selection._left_out import LeaveOneOutErrors, LeaveOneOutResult
from bandsvm.model_selection._path import band_path
from bandsvm.model_selection._svr_cv import BandedSVRCV

__all__ = [
    "BandPath",
    "BandedSVCCV",
    "BandedSVRCV",
    "LeaveOneOutBound",
    "LeaveOneOutErrors",
    "LeaveOneOutResult",
    "PathInterrupted",
    "band_path",
    "leave_one_out",
    "leave_one_out_bound",
]
