"""Linear models of data that lie on the workers of a Dask cluster.

- `_classifier`, `_regressor`: the estimators, `LinearBandedSVC` and `LinearBandedSVR`; `_model`:
  what both have.
- `_fit`: a fit from end to end; `_collections`: collections as chunks; `_chunks`: what a worker
  knows of a chunk; `_survey`: what all chunks contain.
- `_sources`: targets on workers, as a task asks for them; `_quantiles`: quantiles of numbers there.
- `_tasks`: tasks on workers and sums over chunks; `_ctrl_c`: keeps Ctrl-C from workers.
- `_executor`: the operations of linear solvers on chunks, with `_feasible` and `_intercept`, which
  ask for few points at a time by `_narrowing`.
- `_newton_sums`: the sums of the interior point method; `_descent`: coordinate descent by all
  workers.
- `_lazy`: decision values of collections, and `transform`: transformers, chunk by chunk; `_scores`:
  scores of predictions.
"""

try:
    from distributed import Client  # noqa: F401

    from dask import array, dataframe  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"bandsvm.dask needs Dask; install it with `pip install 'bandsvm[dask]'`. ({error})"
    ) from error

from bandsvm.dask._classifier import LinearBandedSVC
from bandsvm.dask._lazy import transform
from bandsvm.dask._regressor import LinearBandedSVR

__all__ = ["LinearBandedSVC", "LinearBandedSVR", "transform"]
