"""Linear models of data that lie on the workers of a Dask cluster.

- `classifier`: the estimator, `LinearBandedSVC`; `transform`: fitted transformers, chunk by chunk.
- `fit`: a fit from end to end; `reading`: collections as chunks; `findings`: what they contain.
- `crew`: tasks on workers and sums over chunks; `ground`: what a worker knows of a chunk; `shield`:
  keeps Ctrl-C from workers.
- `team`: the interior point method's chunks; `descent`: coordinate descent by all workers.
- `judging`: models of dual points and their certificates, with `projecting`, `intercept`, `roots`.
- `prediction`: decision values, lazily; `searching`: searches of `bandsvm.BandedSVCCV`.
"""

try:
    from distributed import Client  # noqa: F401

    from dask import array, dataframe  # noqa: F401
except ImportError as error:
    raise ImportError(
        f"bandsvm.dask needs Dask; install it with `pip install 'bandsvm[dask]'`. ({error})"
    ) from error

from bandsvm.dask.classifier import LinearBandedSVC
from bandsvm.dask.transform import transform

__all__ = ["LinearBandedSVC", "transform"]
