"""``bandsvm fit --linear --dask``: the samples of a file on the workers of a Dask cluster."""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np

from bandsvm._estimators.linear import LinearBandedSVC

# Instead of an address: workers on this machine.
LOCAL = "local"
# Chunks for each thread of the workers, so that those that are done early have more to do.
CHUNKS_PER_THREAD = 2
SECONDS_TO_CONNECT = 10


def check_cluster(options: argparse.Namespace) -> None:
    """Refuse options that make no sense on a cluster, and a cluster without Dask."""
    if options.dask is None:
        return
    if not options.linear:
        raise ValueError("--dask is for linear models; add --linear, or leave it out.")
    for name in ("resume", "calibrate"):
        if getattr(options, name):
            raise ValueError(f"--{name} does not work with --dask; leave one of them out.")
    if importlib.util.find_spec("distributed") is None:
        raise ValueError("--dask needs Dask, which is not installed: pip install 'bandsvm[dask]'.")


def train_on_cluster(model: LinearBandedSVC, X: Any, y: Any, address: str) -> bool:
    """Fit a model on a cluster without a warning; return whether Ctrl-C was pressed meanwhile."""
    from bandsvm.dask import LinearBandedSVC as ClusterModel
    from bandsvm.dask._fit import fit_on_cluster

    with _client(address) as client:
        n_chunks = CHUNKS_PER_THREAD * sum(client.nthreads().values())
        starts = np.linspace(0, X.shape[0], min(n_chunks, X.shape[0]) + 1).astype(int).tolist()
        parts = [slice(*ends) for ends in pairwise(starts)]
        X, y = (client.scatter([v[part] for part in parts], hash=False) for v in (X, y))
        remote = ClusterModel(**model.get_params(), client=client)
        remote.set_params(store_multipliers=True)  # the summary counts support vectors
        was_interrupted = fit_on_cluster(remote, X, y, None)
        model.__dict__.update(vars(remote.to_local()))
    return was_interrupted


@contextmanager
def _client(address: str) -> Iterator[Any]:
    """Connect to a scheduler, or start workers on this machine."""
    from distributed import Client, LocalCluster

    if address == LOCAL:
        local = LocalCluster(threads_per_worker=1, dashboard_address=None)
        with local as cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(address, timeout=SECONDS_TO_CONNECT)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"--dask: no scheduler answers at {address!r}; start one with `dask scheduler`, or use "
            "--dask local."
        ) from error
    with client:
        if not client.nthreads():
            raise ValueError(
                f"--dask: the scheduler at {address!r} has no workers; start some with `dask "
                f"worker {address}`."
            )
        yield client
